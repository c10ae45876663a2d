package claudecode

import "meterbridge"

// launch: a session gets the id that it is given. There is no flag for dangerous
// mode that asks nothing itself, so the permission hook says yes instead.
func launch() *meterbridge.LaunchProfile {
	return &meterbridge.LaunchProfile{
		Kind:            meterbridge.AIAgent,
		Program:         []string{"claude"},
		New:             []string{"--session-id", "{session}"},
		Resume:          []string{"--resume", "{session}"},
		Model:           []string{"--model", "{model}"},
		DangerousByHook: true,
		MCPArgs:         []string{"--mcp-config", "{file}"},
		MCPFile:         `{"mcpServers":{"{server}":{"command":{command},"args":{args},"env":{env}}}}`,
		Interrupt:       []string{"\x1b"},
		Exit:            []string{"\x03", "\x03"},
		Composer:        []string{"❯"},
		Placeholders:    []string{"Press up to edit queued messages", `Try "`},
		Suggests:        true,
		NotFound:        []string{"No conversation found with session ID"},
		// "No, exit" is preselected (2.1.332).
		TrustPrompt: []string{"❯ No, exit", "Yes, I trust this folder"},
		TrustKeys:   []string{"\x1b[B", "\r"},
		Version:     []string{"--version"},
	}
}
