package geminicli

import "meterbridge"

// launch: the title tells what it does; sessions are known from their logs.
func launch() *meterbridge.LaunchProfile {
	return &meterbridge.LaunchProfile{
		Kind:         meterbridge.AIAgent,
		Program:      []string{"gemini"},
		Resume:       []string{"--resume", "{session}"},
		Model:        []string{"--model", "{model}"},
		Dangerous:    []string{"--yolo"},
		Interrupt:    []string{"\x1b"},
		Exit:         []string{"\x03", "\x03"},
		Composer:     []string{">", "*"},
		Placeholders: []string{"Type your message"},
		NotFound:     []string{"Error resuming session", "Invalid session identifier"},
		TrustPrompt:  []string{"Do you trust the files in this folder?", "● 1. Trust folder"},
		TrustKeys:    []string{"\r"},
		Version:      []string{"--version"},
	}
}
