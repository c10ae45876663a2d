package terminal

import (
	"context"
	"fmt"
	"syscall"
	"time"
)

// stopTick is how often the process table is asked for what is still alive.
const stopTick = 20 * time.Millisecond

// Stop ends the program and its whole process tree: SIGHUP to the foreground, the
// terminal is closed, then SIGTERM, then SIGKILL to what is left. It returns when
// nothing is left; an error names what would not end.
func (t *Terminal) Stop(ctx context.Context) error {
	t.mu.Lock()
	p, h := t.program, &hunt{alive: t.left}
	t.mu.Unlock()
	if p != nil {
		h.leader = p.cmd.Process.Pid
	}
	h.look()
	if p != nil {
		if group, err := foreground(p.master); err == nil {
			signalGroup(group, syscall.SIGHUP)
		}
		signalGroup(h.leader, syscall.SIGHUP)
		p.close()
	}
	for _, step := range []struct {
		signal syscall.Signal
		wait   time.Duration
	}{{syscall.SIGHUP, t.opts.Hangup}, {syscall.SIGTERM, t.opts.Terminate}, {syscall.SIGKILL, 2 * time.Second}} {
		h.signal(step.signal)
		if h.over(ctx, step.wait) {
			break
		}
	}
	return t.finished(ctx, p, h)
}

// finished waits for the last of the program's goroutines.
func (t *Terminal) finished(ctx context.Context, p *program, h *hunt) error {
	if n := len(h.alive); n > 0 {
		return fmt.Errorf("stop terminal %s: %d processes did not end, the first is %d", t.id, n, h.alive[0].pid)
	}
	if p == nil {
		return nil
	}
	select {
	case <-p.gone:
		return nil
	case <-ctx.Done():
		return fmt.Errorf("stop terminal %s: %w", t.id, ctx.Err())
	}
}

// survivors are the members of a session whose leader has just ended. They are
// looked for at once: while they live, no other session gets their leader's number.
func survivors(leader int) []process {
	h := hunt{leader: leader}
	h.look()
	return h.alive
}

// hunt follows the processes of one session until all have ended; leader is 0 when
// its leader has ended before. Those seen once
// stay in it, because the death of their parents makes them nobody's.
type hunt struct {
	leader int
	alive  []process
}

// look finds who is alive now.
func (h *hunt) look() {
	all, err := processes()
	if err != nil {
		return
	}
	now := map[process]bool{}
	for _, p := range all {
		now[process{pid: p.pid, start: p.start}] = true
	}
	var known []process
	for _, p := range h.alive {
		if now[process{pid: p.pid, start: p.start}] {
			known = append(known, p)
		}
	}
	h.alive = tree(all, h.leader, known)
}

func (h *hunt) signal(sig syscall.Signal) {
	for _, p := range h.alive {
		signalProcess(p, sig)
	}
}

// over waits up to limit for the end of all.
func (h *hunt) over(ctx context.Context, limit time.Duration) bool {
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	tick := time.NewTicker(stopTick)
	defer tick.Stop()
	for {
		h.look()
		if len(h.alive) == 0 {
			return true
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			return false
		}
	}
}

// Interrupt ends what runs in the foreground of a shell, not the shell: ^C, and
// SIGKILL to the foreground group when it is still there after 1.5 s.
func (t *Terminal) Interrupt(ctx context.Context) error {
	p, err := t.running()
	if err != nil {
		return err
	}
	if err := p.write(ctx, []byte{3}); err != nil {
		return err
	}
	limited, cancel := context.WithTimeout(ctx, 1500*time.Millisecond)
	defer cancel()
	ended := func() bool { return t.program != p || p.leads() }
	if t.await(limited, stopTick, ended) == nil {
		return nil
	}
	if group, err := foreground(p.master); err == nil && group != p.cmd.Process.Pid {
		signalGroup(group, syscall.SIGKILL)
	}
	return ctx.Err()
}

// Signal sends a signal to the process group that keys go to.
func (t *Terminal) Signal(sig syscall.Signal) error {
	p, err := t.running()
	if err != nil {
		return err
	}
	group, err := foreground(p.master)
	if err != nil {
		return fmt.Errorf("signal terminal %s: %w", t.id, err)
	}
	signalGroup(group, sig)
	return nil
}
