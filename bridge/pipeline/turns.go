package pipeline

import (
	"context"
	"sync"

	"meterbridge/bridge"
)

// turns give each caller its share of running calls; more wait in order.
type turns struct {
	running, waiting int
	mu               sync.Mutex
	// of holds callers with calls; guarded by mu.
	of map[string]*turn
}

// turn is one caller's calls.
type turn struct {
	running int
	// queue holds one channel per waiting call, closed when it may run.
	queue []chan struct{}
}

// take waits for a turn and returns the function that gives it back.
func (t *turns) take(ctx context.Context, who string) (leave func(), err error) {
	t.mu.Lock()
	c := t.of[who]
	if c == nil {
		c = &turn{}
		t.of[who] = c
	}
	leave = func() { t.leave(who, c) }
	if c.running < t.running {
		c.running++
		t.mu.Unlock()
		return leave, nil
	}
	if len(c.queue) >= t.waiting {
		t.mu.Unlock()
		return nil, refused(bridge.CodeBusy, "%d calls run and %d wait already; wait for some of them", t.running, t.waiting)
	}
	ready := make(chan struct{})
	c.queue = append(c.queue, ready)
	t.mu.Unlock()
	select {
	case <-ready:
		return leave, nil
	case <-ctx.Done():
		t.giveUp(who, c, ready)
		return nil, ctx.Err()
	}
}

// giveUp takes a call out of the queue, or gives its turn back if it just came.
func (t *turns) giveUp(who string, c *turn, ready chan struct{}) {
	t.mu.Lock()
	for i, q := range c.queue {
		if q == ready {
			c.queue = append(c.queue[:i], c.queue[i+1:]...)
			t.mu.Unlock()
			return
		}
	}
	t.mu.Unlock()
	t.leave(who, c)
}

// leave hands the turn to the next in the queue.
func (t *turns) leave(who string, c *turn) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if len(c.queue) > 0 {
		close(c.queue[0])
		c.queue = c.queue[1:]
		return
	}
	if c.running--; c.running == 0 {
		delete(t.of, who)
	}
}
