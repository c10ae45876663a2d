package policy

import (
	"context"
	"sync"
)

// Gates let so many in at once for each name; more wait in order.
type Gates struct {
	most int
	mu   sync.Mutex
	of   map[string]*gate
}

type gate struct {
	inside int
	// waiting has one channel per visitor, closed when it may come in.
	waiting []chan struct{}
}

// NewGates returns gates that let most in at once.
func NewGates(most int) *Gates { return &Gates{most: most, of: map[string]*gate{}} }

// Enter waits for its turn and returns the function that leaves.
func (g *Gates) Enter(ctx context.Context, name string) (leave func(), err error) {
	g.mu.Lock()
	at := g.of[name]
	if at == nil {
		at = &gate{}
		g.of[name] = at
	}
	leave = func() { g.leave(name, at) }
	if at.inside < g.most {
		at.inside++
		g.mu.Unlock()
		return leave, nil
	}
	turn := make(chan struct{})
	at.waiting = append(at.waiting, turn)
	g.mu.Unlock()
	select {
	case <-turn:
		return leave, nil
	case <-ctx.Done():
		g.giveUp(name, at, turn)
		return nil, context.Cause(ctx)
	}
}

// giveUp takes a visitor out of the row, or lets go of a turn that just came.
func (g *Gates) giveUp(name string, at *gate, turn chan struct{}) {
	g.mu.Lock()
	for i, other := range at.waiting {
		if other == turn {
			at.waiting = append(at.waiting[:i], at.waiting[i+1:]...)
			g.mu.Unlock()
			return
		}
	}
	g.mu.Unlock()
	g.leave(name, at)
}

func (g *Gates) leave(name string, at *gate) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if len(at.waiting) > 0 {
		close(at.waiting[0])
		at.waiting = at.waiting[1:]
		return
	}
	if at.inside--; at.inside == 0 {
		delete(g.of, name)
	}
}
