package service

import "strings"

// Unit is the systemd user unit of a definition. Only the daemon itself is killed with
// the service: it ends its terminals in order, and those of one that crashed wait for
// the next. What they run is as free as in the user's own terminals, so that sudo works
// and files are made as ever.
func Unit(d Definition) string {
	var b strings.Builder
	b.WriteString("[Unit]\nDescription=" + displayName + ": " + strings.ToLower(description[:1]) + description[1:] + "\n\n[Service]\n")
	b.WriteString("ExecStart=" + quoted(d.Executable))
	for _, arg := range d.Arguments {
		b.WriteString(" " + quoted(arg))
	}
	b.WriteString("\n")
	for _, variable := range d.Env {
		b.WriteString("Environment=" + quoted(variable) + "\n")
	}
	b.WriteString("Restart=on-failure\nRestartSec=5\nTimeoutStopSec=30\nKillMode=process\n\n[Install]\nWantedBy=default.target\n")
	return b.String()
}

// quoted writes a word of a unit file: systemd reads escapes within quotes, % as
// the beginning of a specifier, and $ as that of a variable.
func quoted(word string) string {
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`, "%", "%%", "$", "$$").Replace(word) + `"`
}
