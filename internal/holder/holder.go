// Package holder is the program of a terminal's holder, and where a daemon finds it.
// It may import agents/terminal/hold only, because meterbridge-lite links it: no
// settings, no database. The two commands and internal/daemon/fleet use it.
package holder

import (
	"os"
	"path/filepath"
	"runtime"

	"meterbridge/agents/terminal/hold"
)

const (
	// Command is the hidden command of meterbridge that holds a terminal.
	Command = "__hold"
	// small is the program that does it with less memory, and liteCommand its command.
	small       = "meterbridge-lite"
	liteCommand = "hold"
)

// Main is the program of a holder; it returns the exit code.
func Main() int { return hold.Main(os.Stdin, os.Stdout) }

// Argv is the command line of a holder for a daemon whose program is executable: that
// of meterbridge-lite beside it, else its own hidden command. There is none on Windows,
// whose terminals no other process can reach: there the daemon holds them itself.
func Argv(executable string) []string {
	if runtime.GOOS == "windows" {
		return nil
	}
	lite := filepath.Join(filepath.Dir(executable), small)
	if info, err := os.Stat(lite); err == nil && info.Mode().IsRegular() && info.Mode().Perm()&0o111 != 0 {
		return []string{lite, liteCommand}
	}
	return []string{executable, Command}
}
