// Package control is what a command line and its daemon say to each other over
// the daemon's Unix socket: a whole command with its output, the state of the
// daemon, a link for the browser, and the wish that it stops. Who may connect is
// decided by the socket's mode alone. It knows no ledger and no command; both
// internal/daemon and cmd use it, and it must import neither.
package control

import "errors"

// The paths that the daemon answers on its socket only.
const (
	CommandPath = "/control/command"
	StatusPath  = "/control/status"
	LinkPath    = "/control/link"
	StopPath    = "/control/stop"
)

// upgrade is the protocol that a command's connection changes to.
const upgrade = "meterbridge-command"

// ErrNoDaemon says that nobody answers at the socket.
var ErrNoDaemon = errors.New("no daemon runs")

// ErrOtherData says that the daemon that answers has another data folder.
var ErrOtherData = errors.New("the daemon has another data folder")

// Call is a command line as its caller's terminal has it.
type Call struct {
	Args []string `json:"args"`
	// Dir is the caller's working directory.
	Dir string `json:"dir"`
	// Width is the columns of standard output, 0 when that is no terminal.
	Width int `json:"width"`
	// Live: standard error is a terminal.
	Live bool `json:"live"`
	// Env is the caller's environment, as far as a command's answer depends on it.
	Env map[string]string `json:"env"`
	// Data is the data folder that the caller means.
	Data string `json:"data"`
}

// Status is what a daemon says of itself. Times are epoch ms.
type Status struct {
	Process   int    `json:"process"`
	Version   string `json:"version"`
	StartedAt int64  `json:"startedAt"`
	Data      string `json:"data"`
	// Addresses are the listeners, as URLs; the socket is a path.
	Addresses []string `json:"addresses"`
	Socket    string   `json:"socket"`
	// Ready: the first full scan is done.
	Ready bool `json:"ready"`
	// LagMs is the age of the oldest change of a log that is not in the ledger yet.
	LagMs int64 `json:"lagMs"`
	// Files are the logs known.
	Files int `json:"files"`
	// Degraded are the reasons why changes of logs may be seen late; empty when
	// there is none.
	Degraded []string `json:"degraded"`
}
