// Package hold keeps a program's terminal in a small process of its own, which the
// death of the daemon does not touch: the holder owns the terminal, the program, the
// last mebibyte that it wrote, and a socket. The daemon connects, is told what is held
// and what was written, and goes on from there.
//
// It is linked into meterbridge-lite and must stay small: the line, process and vt
// packages and the standard library, no screen, no settings, no database. Package
// terminal spawns holders and connects to them; internal/holder is the program.
package hold

import (
	"meterbridge/agents/terminal/line"
	"meterbridge/agents/terminal/process"
)

// Job is what a holder is to do. It comes on standard input, because it has the
// program's environment, which may hold secrets.
type Job struct {
	line.Spec
	// ID and Generation name the terminal.
	ID         string `json:"id"`
	Generation int    `json:"generation"`
	// Socket is the path to listen at.
	Socket string `json:"socket"`
	// Umask is the program's, which may be another than the daemon's; nil for that.
	Umask *int `json:"umask,omitempty"`
	// Note is given back to whoever connects.
	Note []byte `json:"note,omitempty"`
	// Patience of the holder's own end of the program.
	Patience process.Patience `json:"patience"`
}

// Started is a holder's answer on its standard output.
type Started struct {
	Leader process.Process `json:"leader"`
	// Fault is why nothing was started.
	Fault string `json:"fault,omitempty"`
}

// State is what a holder holds, told to each that connects.
type State struct {
	ID         string `json:"id"`
	Generation int    `json:"generation"`
	// Holder is the holder's own process, Leader the program's.
	Holder process.Process `json:"holder"`
	Leader process.Process `json:"leader"`
	Cols   int             `json:"cols"`
	Rows   int             `json:"rows"`
	// Replay is how many bytes follow of what was written before; Cut says that
	// they are not all.
	Replay int64 `json:"replay"`
	Cut    bool  `json:"cut"`
	// Device is the terminal's path.
	Device string `json:"device"`
	Note   []byte `json:"note,omitempty"`
}

// Variable names the terminal in the environment of its holder, by which a holder is
// known.
const Variable = "METERBRIDGE_HOLDER"
