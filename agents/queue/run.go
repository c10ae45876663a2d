package queue

import (
	"context"
	"errors"
	"sync"
	"time"

	"meterbridge"
)

// Change is a status of an agent that begins.
type Change struct {
	Agent  string
	Status meterbridge.Status
	// Failed: an error ended the turn. ByPerson: a person ended it.
	Failed, ByPerson bool
}

// Changed takes a change of an agent's status; it neither waits nor fails. A turn
// that finished lets one prompt go; after an interrupt or an error nothing goes by
// itself before the next one has finished.
func (q *Queue) Changed(c Change) {
	l := q.line(c.Agent)
	q.mu.Lock()
	switch {
	case c.Status == meterbridge.Finished && !c.Failed:
		l.held, l.spent = false, false
		q.after(c.Agent)
	case c.Status == meterbridge.Finished, c.Status == meterbridge.Idle && c.ByPerson:
		l.held = true
	case c.Status == meterbridge.Idle:
		l.held, l.spent, l.left, l.unsure = false, false, "", false // a new process
	}
	q.mu.Unlock()
	q.nudge()
}

// after meets the condition of prompts that wait for an agent to finish. The lock
// is held.
func (q *Queue) after(agent string) {
	for _, p := range q.open {
		if p.AfterAgent == agent {
			p.AfterAgent = ""
		}
	}
}

// Run sends what waits until ctx ends.
func (q *Queue) Run(ctx context.Context) {
	ticker := time.NewTicker(beat)
	defer ticker.Stop()
	var typing sync.WaitGroup
	defer typing.Wait()
	for {
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
		case <-q.wake:
		}
		for _, p := range q.next() {
			typing.Go(func() {
				if err := q.deliver(ctx, p, false); err != nil && !errors.Is(err, errNotNow) {
					q.failed(err)
				}
			})
		}
	}
}

// next is the first prompt of each agent's queue that may go.
func (q *Queue) next() []*meterbridge.QueuedPrompt {
	q.mu.Lock()
	defer q.mu.Unlock()
	first := map[string]*meterbridge.QueuedPrompt{}
	for _, p := range q.open {
		l := q.lines[p.Agent]
		blocked := l != nil && (l.held || l.spent || l.heard != nil)
		if blocked || !q.may(p) {
			continue
		}
		// One that a budget holds lets those pass that none holds.
		if f := first[p.Agent]; f == nil || budgeted(f) && !budgeted(p) || budgeted(f) == budgeted(p) && p.Rank < f.Rank {
			first[p.Agent] = p
		}
	}
	list := make([]*meterbridge.QueuedPrompt, 0, len(first))
	for _, p := range first {
		list = append(list, p)
	}
	return list
}
