package terminal

import (
	"strconv"
	"strings"
)

// process is a row of the process table. A pid alone may be another process by now;
// with the start time it is not.
type process struct {
	pid, parent, session int
	start                uint64
}

// tree are the processes that belong to the session of a leader: its members,
// whoever their parent is now, and the descendants of all of them, whatever
// session those made for themselves. A process that left its session and whose
// parent ended (a daemon that was left behind on purpose) is not among them.
func tree(all []process, leader int, known []process) []process {
	in := map[int]bool{}
	for _, p := range known {
		in[p.pid] = true
	}
	if leader > 1 {
		in[leader] = true
	}
	for again := true; again; {
		again = false
		for _, p := range all {
			if !in[p.pid] && p.pid > 1 && (leader > 1 && p.session == leader || in[p.parent]) {
				in[p.pid], again = true, true
			}
		}
	}
	var members []process
	for _, p := range all {
		if in[p.pid] {
			members = append(members, p)
		}
	}
	return members
}

// Left is a process that was started in a terminal, as its environment tells.
type Left struct {
	PID int
	// Start is the time of its start, in the system's own unit; with the PID it
	// names the process for good.
	Start uint64
	// Terminal and Generation are those of the terminal it was started in.
	Terminal   string
	Generation int
}

// LeftBehind lists the living processes that were started in terminals, of this
// or an earlier life of the daemon. A process that cleared its environment, or
// that another user owns, is not found. It kills nothing.
func LeftBehind() ([]Left, error) {
	all, err := processes()
	if err != nil {
		return nil, err
	}
	var left []Left
	for _, p := range all {
		l := Left{PID: p.pid, Start: p.start}
		for _, v := range environOf(p.pid) {
			if id, ok := strings.CutPrefix(v, "METERBRIDGE_AGENT="); ok {
				l.Terminal = id
			}
			if n, ok := strings.CutPrefix(v, "METERBRIDGE_GENERATION="); ok {
				l.Generation, _ = strconv.Atoi(n)
			}
		}
		if l.Terminal != "" && l.Generation > 0 {
			left = append(left, l)
		}
	}
	return left, nil
}
