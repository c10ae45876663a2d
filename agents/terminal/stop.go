package terminal

import (
	"context"
	"fmt"
	"syscall"
	"time"

	"meterbridge/agents/terminal/process"
)

// stopTick is how often is looked at what ends without output.
const stopTick = 20 * time.Millisecond

// Stop ends the program and everything that it started: SIGHUP to the foreground, the
// terminal is closed, then SIGTERM, then SIGKILL to what is left, whatever session it
// made for itself. Only what serves others stays (Options.Keeps). It returns when
// nothing is left; an error names what would not end.
func (t *Terminal) Stop(ctx context.Context) error {
	t.mu.Lock()
	p, h, generation := t.program, &process.Hunt{Alive: t.left}, t.state.Generation
	t.mu.Unlock()
	h.Alive = append(h.Alive, t.escaped(generation)...)
	if p != nil {
		h.Leader = p.line.Leader().PID
	}
	h.Look()
	if p != nil {
		if group, err := p.line.Foreground(); err == nil {
			process.SignalGroup(group, syscall.SIGHUP)
		}
		process.SignalGroup(h.Leader, syscall.SIGHUP)
		p.line.Hangup()
	}
	h.End(ctx, t.opts.patience())
	return t.finished(ctx, p, h)
}

// finished waits for the last of the program's goroutines.
func (t *Terminal) finished(ctx context.Context, p *program, h *process.Hunt) error {
	if n := len(h.Alive); n > 0 {
		return fmt.Errorf("stop terminal %s: %d processes did not end, the first is %d", t.id, n, h.Alive[0].PID)
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

// interruptLimit is how long what runs has to end after ^C, and how long a shell has to
// start what was typed before it gets one.
const interruptLimit = 1500 * time.Millisecond

// Interrupt ends what runs in the foreground of a shell, not the shell: ^C, and
// SIGKILL to the foreground group when it is still there after 1.5 s.
func (t *Terminal) Interrupt(ctx context.Context) error {
	p, err := t.running()
	if err != nil {
		return err
	}
	// A ^C between a shell's line editor and the start of a command is lost.
	t.within(ctx, func() bool { return t.program != p || t.marks.last != typedMark })
	if err := t.press(ctx, p); err != nil {
		return err
	}
	ended := t.within(ctx, func() bool {
		return t.program != p || p.leads() && (p.nonce == "" || t.marks.prompt() || t.marks.last == 'D')
	})
	if ended {
		return nil
	}
	if group, err := p.line.Foreground(); err == nil && group != p.line.Leader().PID {
		process.SignalGroup(group, syscall.SIGKILL)
	}
	return ctx.Err()
}

// within waits for something that takes no longer than an interruption may.
func (t *Terminal) within(ctx context.Context, ready func() bool) bool {
	ctx, cancel := context.WithTimeout(ctx, interruptLimit)
	defer cancel()
	return t.await(ctx, stopTick, ready) == nil
}

// press sends ^C.
func (t *Terminal) press(ctx context.Context, p *program) error {
	t.mu.Lock()
	t.marks.broken, t.marks.pressed = true, time.Now()
	t.mu.Unlock()
	return p.write(ctx, []byte{3})
}

// Signal sends a signal to the process group that keys go to.
func (t *Terminal) Signal(sig syscall.Signal) error {
	p, err := t.running()
	if err != nil {
		return err
	}
	group, err := p.line.Foreground()
	if err != nil {
		return fmt.Errorf("signal terminal %s: %w", t.id, err)
	}
	process.SignalGroup(group, sig)
	return nil
}
