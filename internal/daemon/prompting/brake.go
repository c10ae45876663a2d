package prompting

import (
	"context"
	"log/slog"
	"sync"
	"time"

	"meterbridge"
	"meterbridge/agents"
	"meterbridge/dashboard"
)

// brakes remembers which turns were stopped by which budget: once each.
type brakes struct {
	mu   sync.Mutex
	done map[string]bool
}

const (
	// brakeBeat is how often budgets are held against agents that work.
	brakeBeat = 5 * time.Second
	// keyGap is between two keys that stop a turn: together they would be another key.
	keyGap = 250 * time.Millisecond
)

// brake stops the turns of agents whose budget is used up and says so.
func (r *Room) brake(ctx context.Context) {
	beat := time.NewTicker(brakeBeat)
	defer beat.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-beat.C:
		}
		rows, err := r.budgets(ctx)
		if err != nil {
			if ctx.Err() == nil {
				r.failed(err)
			}
			continue
		}
		r.Brake(ctx, rows)
	}
}

// Brake stops, once for each turn, the agents that a used-up budget stops.
func (r *Room) Brake(ctx context.Context, rows []dashboard.BudgetAnswer) {
	for _, b := range rows {
		if !b.Reached || b.Action != stop {
			continue
		}
		for _, i := range r.o.Fleet.Agents().List("") {
			works := i.Kind == meterbridge.AIAgent && i.Origin == meterbridge.Started && i.Running() && i.Status == meterbridge.Working
			if works && concerns(b, i) && r.first(b.Name+"/"+i.ID+"/"+i.StatusAt.String()) {
				r.interrupt(ctx, i, b.Name)
			}
		}
	}
}

func (r *Room) first(key string) bool {
	r.brakes.mu.Lock()
	defer r.brakes.mu.Unlock()
	if r.brakes.done == nil || len(r.brakes.done) > 1000 {
		r.brakes.done = map[string]bool{}
	}
	known := r.brakes.done[key]
	r.brakes.done[key] = true
	return !known
}

// interrupt presses the keys that stop a turn of the harness.
func (r *Room) interrupt(ctx context.Context, i agents.Info, budget string) {
	p, _ := r.o.Fleet.Agents().Profile(i.Harness)
	keys := p.Interrupt
	if len(keys) == 0 {
		keys = []string{"\x03"}
	}
	for n, k := range keys {
		if n > 0 {
			gap := time.NewTimer(keyGap)
			select {
			case <-gap.C:
			case <-ctx.Done():
				gap.Stop()
				return
			}
		}
		if err := r.Write(ctx, i.ID, i.Generation, []byte(k)); err != nil {
			r.failed(err)
			return
		}
	}
	r.o.Fleet.Desk().Interrupted(i.ID)
	if r.o.Log != nil {
		r.o.Log.Info("turn stopped by a budget", slog.String("agent", i.ID), slog.String("budget", budget))
	}
}
