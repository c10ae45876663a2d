package prompting

import (
	"context"
	"maps"
	"sync"

	"meterbridge"
	"meterbridge/agents/queue"
)

// counts are what became of prompts since the start, by harness and result: sent,
// inserted, dropped, failed, and queued for those that had to wait.
type counts struct {
	mu   sync.Mutex
	made map[string]map[string]int64
}

func (c *counts) add(harness string, state meterbridge.PromptState) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.made == nil {
		c.made = map[string]map[string]int64{}
	}
	if c.made[harness] == nil {
		c.made[harness] = map[string]int64{}
	}
	c.made[harness][string(state)]++
}

// Submit takes a prompt into the queue: see queue.Submit.
func (r *Room) Submit(ctx context.Context, q queue.Request) (meterbridge.QueuedPrompt, error) {
	p, err := r.queue.Submit(ctx, q)
	if err == nil && p.State == meterbridge.PromptQueued {
		r.counts.add(r.harness(p.Agent), p.State)
	}
	return p, err
}

// tell counts how a prompt ended and passes the change on.
func (r *Room) tell(p meterbridge.QueuedPrompt) {
	switch p.State {
	case meterbridge.PromptSent, meterbridge.PromptInserted, meterbridge.PromptDropped, meterbridge.PromptFailed:
		r.counts.add(r.harness(p.Agent), p.State)
	}
	if r.o.Tell != nil {
		r.o.Tell(p)
	}
}

func (r *Room) harness(agent string) string {
	i, err := r.o.Fleet.Agents().Get(agent)
	if err != nil {
		return "unknown" // it was removed
	}
	return i.Harness
}

// Waiting is how many prompts may still go out, by harness.
func (r *Room) Waiting() map[string]int {
	n := map[string]int{}
	for _, p := range r.queue.Open("") {
		n[r.harness(p.Agent)]++
	}
	return n
}

// Delivered is what became of prompts since the start, by harness and result.
func (r *Room) Delivered() map[string]map[string]int64 {
	r.counts.mu.Lock()
	defer r.counts.mu.Unlock()
	out := map[string]map[string]int64{}
	for harness, made := range r.counts.made {
		out[harness] = maps.Clone(made)
	}
	return out
}
