package terminal

import (
	"strconv"
	"strings"

	"meterbridge/agents/terminal/process"
)

// Left is a process that was started in a terminal, as its environment tells.
type Left struct {
	PID int
	// Start is the time of its start, in the system's own unit; with the PID it
	// names the process for good.
	Start uint64
	// Program is its program's name, at most 15 bytes.
	Program string
	// Terminal and Generation are those of the terminal it was started in.
	Terminal   string
	Generation int
}

func (l Left) process() process.Process { return process.Process{PID: l.PID, Start: l.Start} }

// LeftBehind lists the living processes that were started in terminals, of this
// or an earlier life of the daemon. A process that cleared its environment, or
// that another user owns, is not found. It kills nothing.
func LeftBehind() ([]Left, error) {
	all, err := process.List()
	if err != nil {
		return nil, err
	}
	var left []Left
	for _, p := range all {
		l := Left{PID: p.PID, Start: p.Start}
		for _, v := range process.Environ(p.PID) {
			if id, ok := strings.CutPrefix(v, "METERBRIDGE_AGENT="); ok {
				l.Terminal = id
			}
			if n, ok := strings.CutPrefix(v, "METERBRIDGE_GENERATION="); ok {
				l.Generation, _ = strconv.Atoi(n)
			}
		}
		if l.Terminal != "" && l.Generation > 0 {
			l.Program = process.Name(p.PID)
			left = append(left, l)
		}
	}
	return left, nil
}
