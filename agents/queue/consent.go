package queue

import (
	"context"
	"fmt"
	"time"

	"meterbridge"
)

// consent waits until a person has decided on a prompt to an agent that acts without
// asking.
func (q *Queue) consent(ctx context.Context, p *meterbridge.QueuedPrompt) error {
	p.State, p.Reason = meterbridge.PromptWaiting, "a person must decide: the agent acts without asking"
	answer := make(chan bool, 1)
	q.mu.Lock()
	q.decisions[p.ID] = answer
	q.open = append(q.open, p)
	shown := *p
	q.mu.Unlock()
	defer func() {
		q.mu.Lock()
		delete(q.decisions, p.ID)
		q.mu.Unlock()
	}()
	if err := q.save(ctx, &shown); err != nil {
		return err
	}
	limit := time.NewTimer(consentTime)
	defer limit.Stop()
	why := "nobody decided in time"
	select {
	case yes := <-answer:
		if yes {
			q.mu.Lock()
			q.forget(p.ID)
			p.State, p.Reason, p.Attempt = meterbridge.PromptQueued, "", consentGiven
			q.mu.Unlock()
			return nil
		}
		why = "a person declined it"
	case <-limit.C:
	case <-ctx.Done():
		why = "the sender did not wait"
	}
	if err := q.end(ctx, p, meterbridge.PromptDropped, why); err != nil {
		return err
	}
	return refuse(CodeCancelled, why)
}

// forget takes a prompt out of those that are open. The lock is held.
func (q *Queue) forget(id string) {
	for i, p := range q.open {
		if p.ID == id {
			q.open = append(q.open[:i], q.open[i+1:]...)
			return
		}
	}
}

// Decide is a person's decision on a prompt that waits for it.
func (q *Queue) Decide(id string, send bool) error {
	q.mu.Lock()
	defer q.mu.Unlock()
	answer, ok := q.decisions[id]
	if !ok {
		return refuse(CodeNotFound, fmt.Sprintf("no prompt %q waits for a decision", id))
	}
	delete(q.decisions, id)
	answer <- send
	return nil
}

// rates counts what senders sent within a minute.
type rates struct{ sent map[string][]time.Time }

// mostSenders bounds how many are counted.
const mostSenders = 1000

// take counts one more, or says how long to wait.
func (r *rates) take(sender string, now time.Time) time.Duration {
	if r.sent == nil || len(r.sent) > mostSenders {
		r.sent = map[string][]time.Time{}
	}
	list := r.sent[sender]
	for len(list) > 0 && now.Sub(list[0]) >= time.Minute {
		list = list[1:]
	}
	r.sent[sender] = list
	if len(list) >= PerMinute {
		return list[0].Add(time.Minute).Sub(now)
	}
	r.sent[sender] = append(list, now)
	return 0
}
