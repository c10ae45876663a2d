// Package process reads the system's process table and ends whole families of
// processes: the members of a session and whatever descends from them. It may import
// golang.org/x/sys only; terminals and their holders call it.
package process

// Process is a row of the process table. A PID alone may be another process by now;
// with the start time it is not.
type Process struct {
	PID     int `json:"pid"`
	Parent  int `json:"-"`
	Session int `json:"-"`
	// Foreground is the process group that the keys of its terminal go to; 0 or less
	// without a terminal.
	Foreground int `json:"-"`
	// Start is the time of its start, in the system's own unit.
	Start uint64 `json:"start"`
}

// Same tells whether both are one process.
func (p Process) Same(q Process) bool { return p.PID == q.PID && p.Start == q.Start }

// Alive tells whether a process still runs.
func Alive(p Process) bool {
	now, ok := Of(p.PID)
	return ok && now.Same(p)
}

// Tree are the processes that belong to the session of a leader: its members,
// whoever their parent is now, and the descendants of all of them and of those that
// are known, whatever session those made for themselves. A process that left its
// session and whose parent ended (a daemon that was left behind on purpose) is not
// among them.
func Tree(all []Process, leader int, known []Process) []Process {
	in := map[int]bool{}
	for _, p := range known {
		in[p.PID] = true
	}
	if leader > 1 {
		in[leader] = true
	}
	for again := true; again; {
		again = false
		for _, p := range all {
			if !in[p.PID] && p.PID > 1 && (leader > 1 && p.Session == leader || in[p.Parent]) {
				in[p.PID], again = true, true
			}
		}
	}
	var members []Process
	for _, p := range all {
		if in[p.PID] {
			members = append(members, p)
		}
	}
	return members
}
