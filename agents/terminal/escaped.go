package terminal

import (
	_ "embed"
	"os"
	"slices"
	"strings"

	"meterbridge/agents/terminal/process"
)

// servers are programs that serve more than the terminal that happened to start them.
//
//go:embed servers.txt
var servers string

// escaped are the processes of one generation that left its session and lost their
// parent, as their environment tells: a server that an agent put into the background,
// say. What serves others is not among them.
func (t *Terminal) escaped(generation int) []process.Process {
	left, err := LeftBehind()
	if err != nil {
		return nil // the system does not tell
	}
	var list, stay []process.Process
	for _, l := range left {
		switch {
		case l.Terminal != t.id || l.Generation != generation:
		case serves(l, t.opts.Keeps):
			stay = append(stay, l.process())
		default:
			list = append(list, l.process())
		}
	}
	if len(list) == 0 {
		return nil
	}
	spared := spared(stay)
	return slices.DeleteFunc(list, func(p process.Process) bool { return spared[p.PID] })
}

// spared are processes that stay and what descends from them, and this process with
// those that it descends from: a daemon that was started in a terminal does not end
// itself.
func spared(stay []process.Process) map[int]bool {
	out := map[int]bool{}
	for pid := os.Getpid(); pid > 1 && !out[pid]; {
		out[pid] = true
		p, _ := process.Of(pid)
		pid = p.Parent
	}
	all, err := process.List()
	if err != nil || len(stay) == 0 {
		return out
	}
	for _, p := range process.Tree(all, 0, stay) {
		out[p.PID] = true
	}
	return out
}

// serves says that a process serves others than its terminal: it is one of the
// servers, or one of its arguments is a word of keeps.
func serves(l Left, keeps []string) bool {
	if slices.Contains(strings.Split(strings.TrimSpace(servers), "\n"), l.Program) {
		return true
	}
	return slices.ContainsFunc(process.Arguments(l.PID), func(a string) bool { return slices.Contains(keeps, a) })
}
