package process

import (
	"context"
	"syscall"
	"time"
)

// tick is how often the process table is asked for what is still alive.
const tick = 20 * time.Millisecond

// Patience is how long processes have to end after SIGHUP and after SIGTERM.
type Patience struct{ Hangup, Terminate time.Duration }

// killed is how long the kernel has to end what was killed.
const killed = 2 * time.Second

// Hunt follows the processes of one session until all have ended. Those seen once
// stay in it, because the death of their parents makes them nobody's.
type Hunt struct {
	// Leader leads the session; 0 when it has ended before.
	Leader int
	// Alive are those that lived at the last look.
	Alive []Process
}

// Survivors are the members of a session whose leader has just ended. They are to be
// looked for at once: while they live, no other session gets their leader's number.
func Survivors(leader int) []Process {
	h := Hunt{Leader: leader}
	h.Look()
	return h.Alive
}

// Look finds who is alive now.
func (h *Hunt) Look() {
	all, err := List()
	if err != nil {
		return
	}
	now := map[Process]bool{}
	for _, p := range all {
		now[Process{PID: p.PID, Start: p.Start}] = true
	}
	var known []Process
	for _, p := range h.Alive {
		if now[Process{PID: p.PID, Start: p.Start}] {
			known = append(known, p)
		}
	}
	h.Alive = Tree(all, h.Leader, known)
}

// End sends SIGHUP, SIGTERM and SIGKILL, each when those before did not help, and
// tells whether nothing is left. It begins with a Look of the caller.
func (h *Hunt) End(ctx context.Context, p Patience) bool {
	for _, step := range []struct {
		signal syscall.Signal
		wait   time.Duration
	}{{syscall.SIGHUP, p.Hangup}, {syscall.SIGTERM, p.Terminate}, {syscall.SIGKILL, killed}} {
		h.Signal(step.signal)
		if h.Over(ctx, step.wait) {
			return true
		}
	}
	return false
}

// Signal signals all that are alive.
func (h *Hunt) Signal(sig syscall.Signal) {
	for _, p := range h.Alive {
		Signal(p, sig)
	}
}

// Over waits up to limit for the end of all.
func (h *Hunt) Over(ctx context.Context, limit time.Duration) bool {
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	again := time.NewTicker(tick)
	defer again.Stop()
	for {
		h.Look()
		if len(h.Alive) == 0 {
			return true
		}
		select {
		case <-again.C:
		case <-ctx.Done():
			return false
		}
	}
}
