package queue

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"time"

	"meterbridge"
)

// Options of a queue.
type Options struct {
	Agents    Agents
	Terminals Terminals
	Store     Store
	Rules     Rules
	// Tell hears of each change of a prompt; it must neither wait nor call the queue.
	Tell  func(meterbridge.QueuedPrompt)
	Now   func() time.Time
	NewID func() string
	// DropText: the text of a prompt is forgotten once it has gone out.
	DropText bool
	// Failed hears of what went wrong beside a call; nil for nobody.
	Failed func(error)
}

// Queue brings prompts to agents. Its methods may be called at once; Run must run.
type Queue struct {
	o Options

	mu   sync.Mutex
	open []*meterbridge.QueuedPrompt
	// lines are what is known of each agent's place at the terminal.
	lines map[string]*line
	rates rates
	rank  int64
	// decisions wait for a person, by prompt.
	decisions map[string]chan bool
	wake      chan struct{}
}

// line is one agent's: one prompt is typed at a time.
type line struct {
	typing sync.Mutex
	// held: the last turn was interrupted or ended by an error, so nothing goes out
	// by itself before another has finished or the person says go.
	held bool
	// spent: a prompt went out since the last finish.
	spent bool
	// worked: the agent told that it works since the prompt was typed; of the typing.
	worked bool
	// left is a text that was typed and may still stand in the agent's input.
	left string
	// unsure: a prompt of an earlier life may stand in the agent's input.
	unsure bool
	// heard waits for what the harness tells of the prompt that was typed.
	heard chan Heard
}

// New reads what was left. What was being typed is unknown from then on.
func New(ctx context.Context, o Options) (*Queue, error) {
	q := &Queue{o: o, lines: map[string]*line{}, decisions: map[string]chan bool{}, wake: make(chan struct{}, 1)}
	left, err := o.Store.OpenPrompts(ctx)
	if err != nil {
		return nil, fmt.Errorf("read the prompts that wait: %w", err)
	}
	for _, p := range left {
		q.rank = max(q.rank, p.Rank)
		switch {
		case p.State == meterbridge.PromptWaiting:
			p.State, p.Reason = meterbridge.PromptDropped, "the daemon ended before a person decided"
		case p.State == meterbridge.PromptDelivering && p.Attempt == "":
			p.State = meterbridge.PromptQueued
		case p.State == meterbridge.PromptDelivering:
			p.State, p.Reason = meterbridge.PromptUnknown, "the daemon ended while it was typed"
			// Its text may stand in the agent's input: nothing follows it before the
			// person says so.
			q.lines[p.Agent] = &line{unsure: true}
			p.Text = q.kept(p)
		}
		if p.State == meterbridge.PromptQueued {
			q.open = append(q.open, &p)
		}
		if err := q.save(ctx, &p); err != nil {
			return nil, err
		}
	}
	return q, nil
}

// save keeps a prompt as it is now.
func (q *Queue) save(ctx context.Context, p *meterbridge.QueuedPrompt) error {
	p.ChangedAt = q.o.Now()
	if err := q.o.Store.SavePrompt(context.WithoutCancel(ctx), *p); err != nil {
		return fmt.Errorf("keep prompt %s: %w", p.ID, err)
	}
	if q.o.Tell != nil {
		q.o.Tell(*p)
	}
	return nil
}

// end keeps how a prompt ended and forgets it.
func (q *Queue) end(ctx context.Context, p *meterbridge.QueuedPrompt, s meterbridge.PromptState, reason string) error {
	q.mu.Lock()
	p.State, p.Reason = s, reason
	q.open = slices.DeleteFunc(q.open, func(o *meterbridge.QueuedPrompt) bool { return o.ID == p.ID })
	done := *p
	q.mu.Unlock()
	done.Text = q.kept(done)
	return q.save(ctx, &done)
}

// kept is what is kept of the text of a prompt that has ended: the beginning of one
// that went out, and all of one that its sender may want to send again.
func (q *Queue) kept(p meterbridge.QueuedPrompt) string {
	if q.o.DropText {
		return ""
	}
	gone := p.State == meterbridge.PromptSent || p.State == meterbridge.PromptInserted
	if r := []rune(p.Text); gone && len(r) > meterbridge.PreviewRunes {
		return string(r[:meterbridge.PreviewRunes])
	}
	return p.Text
}

// line is the agent's.
func (q *Queue) line(agent string) *line {
	q.mu.Lock()
	defer q.mu.Unlock()
	l := q.lines[agent]
	if l == nil {
		l = &line{}
		q.lines[agent] = l
	}
	return l
}

// Open are the prompts that may still go out to an agent (all agents for ""), in
// their order.
func (q *Queue) Open(agent string) []meterbridge.QueuedPrompt {
	q.mu.Lock()
	defer q.mu.Unlock()
	list := []meterbridge.QueuedPrompt{}
	for _, p := range q.open {
		if agent == "" || p.Agent == agent {
			list = append(list, *p)
		}
	}
	slices.SortFunc(list, byRank)
	return list
}

func byRank(a, b meterbridge.QueuedPrompt) int {
	if a.Agent != b.Agent {
		if a.Agent < b.Agent {
			return -1
		}
		return 1
	}
	return int(a.Rank - b.Rank)
}

// waiting finds a prompt that has not gone out.
func (q *Queue) waiting(id string) (*meterbridge.QueuedPrompt, error) {
	for _, p := range q.open {
		if p.ID == id && p.State == meterbridge.PromptQueued {
			return p, nil
		}
	}
	return nil, refuse(CodeNotFound, fmt.Sprintf("no prompt %q waits", id))
}

// change changes a prompt that waits.
func (q *Queue) change(ctx context.Context, id string, fn func(p *meterbridge.QueuedPrompt) error) (meterbridge.QueuedPrompt, error) {
	q.mu.Lock()
	p, err := q.waiting(id)
	if err == nil {
		err = fn(p)
	}
	if err != nil {
		q.mu.Unlock()
		return meterbridge.QueuedPrompt{}, err
	}
	now := *p
	q.mu.Unlock()
	err = q.save(ctx, &now)
	q.nudge()
	return now, err
}

// Edit gives a prompt that waits another text.
func (q *Queue) Edit(ctx context.Context, id, text string) (meterbridge.QueuedPrompt, error) {
	return q.change(ctx, id, func(p *meterbridge.QueuedPrompt) error {
		clean, err := acceptable(Request{Sender: p.Sender, Text: text, Command: p.Sender.Kind == meterbridge.ByPerson})
		if err == nil {
			p.Text, p.Length = clean, length(text)
		}
		return err
	})
}

// Move puts a prompt that waits at a place of its agent's queue, 1 for the first.
func (q *Queue) Move(ctx context.Context, id string, place int) (meterbridge.QueuedPrompt, error) {
	q.mu.Lock()
	p, err := q.waiting(id)
	if err != nil {
		q.mu.Unlock()
		return meterbridge.QueuedPrompt{}, err
	}
	var others []*meterbridge.QueuedPrompt
	for _, o := range q.open {
		if o.Agent == p.Agent && o != p {
			others = append(others, o)
		}
	}
	slices.SortFunc(others, func(a, b *meterbridge.QueuedPrompt) int { return byRank(*a, *b) })
	place = min(max(place, 1), len(others)+1)
	var changed []meterbridge.QueuedPrompt
	for i, o := range slices.Insert(others, place-1, p) {
		if rank := int64(i + 1); o.Rank != rank {
			o.Rank = rank
			changed = append(changed, *o)
		}
	}
	now := *p
	q.mu.Unlock()
	for i := range changed {
		if err := q.save(ctx, &changed[i]); err != nil {
			return now, err
		}
	}
	return now, nil
}

// Remove takes a prompt out that waits.
func (q *Queue) Remove(ctx context.Context, id string) (meterbridge.QueuedPrompt, error) {
	q.mu.Lock()
	p, err := q.waiting(id)
	q.mu.Unlock()
	if err != nil {
		return meterbridge.QueuedPrompt{}, err
	}
	err = q.end(ctx, p, meterbridge.PromptDropped, "removed by a person")
	return *p, err
}

// Go lets an agent's queue go on after an interrupt or an error.
func (q *Queue) Go(agent string) {
	l := q.line(agent)
	q.mu.Lock()
	l.held, l.spent, l.left, l.unsure = false, false, "", false
	q.mu.Unlock()
	q.nudge()
}

func (q *Queue) nudge() {
	select {
	case q.wake <- struct{}{}:
	default:
	}
}

func (q *Queue) failed(err error) {
	if err != nil && q.o.Failed != nil {
		q.o.Failed(err)
	}
}
