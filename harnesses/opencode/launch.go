package opencode

import "meterbridge"

// launch: settings for one launch come in a file of their own, which is merged
// over the user's.
func launch() *meterbridge.LaunchProfile {
	return &meterbridge.LaunchProfile{
		Kind:           meterbridge.AIAgent,
		Program:        []string{"opencode"},
		Resume:         []string{"--session", "{session}"},
		Model:          []string{"--model", "{model}"},
		Dangerous:      []string{"--auto"},
		MCPConfig:      `{"mcp":{"{server}":{"type":"local","command":{argv},"environment":{env},"enabled":true}}}`,
		ConfigVariable: "OPENCODE_CONFIG",
		Interrupt:      []string{"\x1b", "\x1b"},
		Exit:           []string{"\x03", "\x03"},
		NotFound:       []string{"Session not found"},
		Version:        []string{"--version"},
	}
}
