package terminal

import (
	"context"
	"errors"
	"fmt"
	"slices"
)

// MaxWaiting is how many commands may wait for their turn in one terminal.
const MaxWaiting = 16

// ErrBusy says that another command runs and this one could not start in time.
var ErrBusy = errors.New("the terminal is busy")

// turns lets one command after the other, in order of arrival. The terminal's
// lock guards it.
type turns struct {
	waiting []chan struct{}
	taken   bool
	// command is the one that runs, or that ran last and may still do so.
	command string
}

// enter waits for this caller's turn.
func (t *Terminal) enter(ctx context.Context) error {
	t.mu.Lock()
	q := &t.turns
	if !q.taken {
		q.taken = true
		t.mu.Unlock()
		return nil
	}
	if len(q.waiting) >= MaxWaiting {
		defer t.mu.Unlock()
		return fmt.Errorf("%w: %d commands wait behind %q", ErrBusy, MaxWaiting, q.command)
	}
	turn := make(chan struct{})
	q.waiting = append(q.waiting, turn)
	t.mu.Unlock()
	select {
	case <-turn:
		return nil
	case <-ctx.Done():
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if i := slices.Index(q.waiting, turn); i >= 0 {
		q.waiting = slices.Delete(q.waiting, i, i+1)
	} else {
		q.pass() // it became ours at the same moment
	}
	return t.busy(ctx.Err())
}

// busy says why a command did not start.
func (t *Terminal) busy(err error) error {
	if errors.Is(err, context.DeadlineExceeded) {
		return fmt.Errorf("%w: %q runs", ErrBusy, t.turns.command)
	}
	return err
}

// leave gives the turn to the next.
func (t *Terminal) leave() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.turns.pass()
}

func (q *turns) pass() {
	if len(q.waiting) == 0 {
		q.taken = false
		return
	}
	close(q.waiting[0])
	q.waiting = q.waiting[1:]
}
