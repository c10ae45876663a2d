// Package shells says how shells, and any other program, are started as agents of
// kind shell. They leave no logs, so they are no harnesses of the scanner. It
// imports the domain only; harnesses/all lists them.
package shells

import "meterbridge"

// Profiles are the launch profiles by id.
func Profiles() map[string]meterbridge.LaunchProfile {
	return map[string]meterbridge.LaunchProfile{
		"shell-bash":             shell("bash", "bash"),
		"shell-zsh":              shell("zsh", "zsh"),
		"shell-fish":             shell("fish", "fish"),
		"shell-powershell":       shell("pwsh", "pwsh"),
		"shell-cmd":              shell("cmd", "cmd.exe"),
		meterbridge.ShellCommand: {Kind: meterbridge.ShellAgent, Interrupt: []string{"\x03"}},
	}
}

func shell(marks, program string) meterbridge.LaunchProfile {
	return meterbridge.LaunchProfile{
		Kind: meterbridge.ShellAgent, Program: []string{program}, Shell: marks, Interrupt: []string{"\x03"}, Exit: []string{"exit\r"},
	}
}
