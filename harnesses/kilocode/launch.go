package kilocode

import "meterbridge"

// launch is that of the program it is a fork of, under its own name.
func launch() *meterbridge.LaunchProfile {
	return &meterbridge.LaunchProfile{
		Kind:           meterbridge.AIAgent,
		Program:        []string{"kilo"},
		Resume:         []string{"--session", "{session}"},
		Model:          []string{"--model", "{model}"},
		Dangerous:      []string{"--auto"},
		MCPConfig:      `{"mcp":{"{server}":{"type":"local","command":{argv},"environment":{env},"enabled":true}}}`,
		ConfigVariable: "KILO_CONFIG",
		Interrupt:      []string{"\x1b", "\x1b"},
		Exit:           []string{"\x03", "\x03"},
		NotFound:       []string{"Session not found"},
		Version:        []string{"--version"},
	}
}
