// Package line starts a program on a terminal of its own, as the leader of a session,
// and holds the master side: what the program writes and reads, the terminal's size
// and mode, and the program's end. It may import the PTY library, golang.org/x/sys and
// the process package; terminals use it, and the holders that keep them over the
// daemon's death.
package line

import "meterbridge/agents/terminal/process"

// Spec says what to start; all of it is needed but Dir.
type Spec struct {
	Argv []string `json:"argv"`
	// Env is the whole environment.
	Env []string `json:"env"`
	Dir string   `json:"dir"`
	// Cols and Rows are the size.
	Cols int `json:"cols"`
	Rows int `json:"rows"`
}

// Exit is how a program ended.
type Exit struct {
	// Code is the exit code, or -1 when a signal ended the program; Signal names it.
	Code   int    `json:"code"`
	Signal string `json:"signal,omitempty"`
	// Left are the members of its session that were still alive.
	Left []process.Process `json:"left,omitempty"`
}
