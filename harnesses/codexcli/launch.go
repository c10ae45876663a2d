package codexcli

import "meterbridge"

// launch: the id of a new session is known only from its log or a hook. Settings
// are given for one launch by -c, whose values are TOML.
func launch() *meterbridge.LaunchProfile {
	return &meterbridge.LaunchProfile{
		Kind:      meterbridge.AIAgent,
		Program:   []string{"codex"},
		Resume:    []string{"resume", "{session}"},
		Model:     []string{"--model", "{model}"},
		Dangerous: []string{"--dangerously-bypass-approvals-and-sandbox"},
		Trust:     []string{"-c", `projects={{dir-json}={trust_level="trusted"}}`},
		MCPArgs: []string{
			"-c", "mcp_servers.{server}.command={command}", "-c", "mcp_servers.{server}.args={args}",
			"-c", "mcp_servers.{server}.env={env-toml}",
		},
		Interrupt:    []string{"\x1b"},
		Exit:         []string{"\x03", "\x03"},
		Composer:     []string{"›"},
		Placeholders: []string{"Ask Codex to do anything"},
		NotFound:     []string{"No saved session found", "no rollout found for thread"},
		TrustPrompt:  []string{"Trust this folder?", "Trust and continue"},
		TrustKeys:    []string{"\r"},
		Keeps:        []string{"--managed-daemon"},
		Version:      []string{"--version"},
	}
}
