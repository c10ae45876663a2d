package qwencode

import "meterbridge"

// launch: a session gets the id that it is given.
func launch() *meterbridge.LaunchProfile {
	return &meterbridge.LaunchProfile{
		Kind:         meterbridge.AIAgent,
		Program:      []string{"qwen"},
		New:          []string{"--session-id", "{session}"},
		Resume:       []string{"--resume", "{session}"},
		Model:        []string{"--model", "{model}"},
		Dangerous:    []string{"--yolo"},
		Interrupt:    []string{"\x1b"},
		Exit:         []string{"\x03", "\x03"},
		Composer:     []string{">", "*"},
		Placeholders: []string{"Type your message"},
		NotFound:     []string{"No saved session found"},
		Version:      []string{"--version"},
	}
}
