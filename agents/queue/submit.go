package queue

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"meterbridge"
)

// Submit takes a prompt: it is typed at once where its agent is free, else kept. The
// error is a *Refusal, in the order of the contract: permission, agent, link, rate,
// budget, running, busy, visible, consent.
func (q *Queue) Submit(ctx context.Context, r Request) (meterbridge.QueuedPrompt, error) {
	switch r.WhenBusy {
	case "":
		r.WhenBusy = BusyQueue
	case BusyQueue, BusySend, BusyFail:
	default:
		return meterbridge.QueuedPrompt{}, refuse(CodeInvalid, fmt.Sprintf("a busy agent's prompt is to %s, %s or %s, not %q", BusyQueue, BusySend, BusyFail, r.WhenBusy))
	}
	text, err := acceptable(r)
	if err != nil {
		return meterbridge.QueuedPrompt{}, err
	}
	a, err := q.admit(ctx, r)
	if err != nil {
		return meterbridge.QueuedPrompt{}, err
	}
	p := &meterbridge.QueuedPrompt{
		ID: q.o.NewID(), Agent: a.ID, Sender: r.Sender, Text: text, Length: length(r.Text), Submit: !r.Insert, State: meterbridge.PromptQueued,
		NotBefore: r.NotBefore, AfterAgent: r.After, CreatedAt: q.o.Now(),
	}
	if a.Dangerous && r.Sender.Kind != meterbridge.ByPerson {
		if err := q.consent(ctx, p); err != nil {
			return *p, err
		}
	}
	return q.accept(ctx, p, a, r)
}

// acceptable is the text as it is typed.
func acceptable(r Request) (string, error) {
	if n := length(r.Text); n == 0 || r.Sender.Kind != meterbridge.ByPerson && n > MostCharacters {
		return "", refuse(CodeInvalid, fmt.Sprintf("a prompt has 1 to %d characters, this one %d", MostCharacters, n))
	}
	text := Clean(r.Text)
	if !r.Insert {
		text = strings.Trim(text, " \t\n") // harnesses do so
	}
	if text == "" {
		return "", refuse(CodeInvalid, "nothing of the text can be typed")
	}
	if c := CommandOf(text); c != "" && !(r.Command && r.Sender.Kind == meterbridge.ByPerson) {
		return "", refuse(CodeInvalid, fmt.Sprintf("a text that begins with %s is a command of the agent, not a prompt", c))
	}
	return text, nil
}

// admit makes the checks up to busy.
func (q *Queue) admit(ctx context.Context, r Request) (Agent, error) {
	person := r.Sender.Kind == meterbridge.ByPerson
	checks := !person && !r.Checked
	if checks {
		if err := q.o.Rules.Permitted(ctx, r.Sender); err != nil {
			return Agent{}, refuse(CodeDenied, err.Error())
		}
	}
	a, err := q.o.Agents.Agent(ctx, r.Agent)
	switch {
	case errors.Is(err, ErrUnknownAgent):
		return a, refuse(CodeNotFound, fmt.Sprintf("there is no agent %q", r.Agent))
	case err != nil:
		return a, err
	case a.Kind != meterbridge.AIAgent:
		return a, refuse(CodeNotFound, fmt.Sprintf("%s is a terminal, and takes no prompts", a.Name))
	}
	if checks {
		if err := q.o.Rules.Linked(ctx, r.Sender, a.ID); err != nil {
			return a, refuse(CodeNotConnected, err.Error())
		}
		if wait := q.take(r.Sender); wait > 0 {
			return a, &Refusal{Code: CodeRate, Message: fmt.Sprintf("at most %d prompts a minute", PerMinute), After: wait}
		}
	}
	if !person {
		if err := q.afford(ctx, a); err != nil {
			return a, err
		}
	}
	return a, q.ready(ctx, a, r)
}

// take counts a prompt of a sender and returns how long it must wait.
func (q *Queue) take(s meterbridge.PromptSender) time.Duration {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.rates.take(string(s.Kind)+"/"+s.ID, q.o.Now())
}

// afford refuses automatic prompts while a budget holds them, and too many of them.
func (q *Queue) afford(ctx context.Context, a Agent) error {
	budget, err := q.o.Rules.Held(ctx, a.ID)
	if err != nil {
		return err
	}
	if budget != "" {
		return refuse(CodeBudget, fmt.Sprintf("the budget %s is used up, and holds prompts that no person sends", budget))
	}
	n := 0
	for _, p := range q.Open(a.ID) {
		if p.Sender.Kind != meterbridge.ByPerson {
			n++
		}
	}
	if n >= MostQueued {
		return refuse(CodeQuota, fmt.Sprintf("%d prompts wait for %s already", n, a.Name))
	}
	return nil
}

// ready checks that the agent runs, that it may be sent to now where that is asked
// for, and that a person can see what must be decided.
func (q *Queue) ready(ctx context.Context, a Agent, r Request) error {
	later := !r.NotBefore.IsZero() || r.After != ""
	if !a.Running && !later {
		return refuse(CodeUnavailable, a.Name+" does not run")
	}
	if r.After != "" {
		if _, err := q.o.Agents.Agent(ctx, r.After); err != nil {
			return refuse(CodeNotFound, fmt.Sprintf("there is no agent %q to wait for", r.After))
		}
	}
	asks := a.Status == meterbridge.NeedsInput
	busy := asks || a.Status == meterbridge.Working
	if !later && (busy && r.WhenBusy == BusyFail || asks && r.WhenBusy == BusySend) {
		message := a.Name + " works"
		if asks {
			message = a.Name + " waits for a person's answer"
		}
		return refuse(CodeBusy, message)
	}
	if a.Dangerous && r.Sender.Kind != meterbridge.ByPerson && !q.o.Rules.Visible(r.Sender) {
		return refuse(CodeNotVisible, "the agent acts without asking, and nobody can see the question whether to send this")
	}
	return nil
}

// accept keeps a prompt and types it where it may be typed now.
func (q *Queue) accept(ctx context.Context, p *meterbridge.QueuedPrompt, a Agent, r Request) (meterbridge.QueuedPrompt, error) {
	q.mu.Lock()
	q.rank++
	p.Rank = q.rank
	q.mu.Unlock()
	if err := q.save(ctx, p); err != nil {
		return *p, err
	}
	later := !r.NotBefore.IsZero() || r.After != ""
	free := a.Status == meterbridge.Idle || a.Status == meterbridge.Finished
	send := r.WhenBusy == BusySend && a.Status == meterbridge.Working && p.Submit
	behind := q.ahead(a.ID) && !send
	l := q.line(a.ID)
	q.mu.Lock()
	if l.held && p.Sender.Kind == meterbridge.ByPerson {
		behind = false // the person interrupted what waits, and goes on with this
	}
	q.open = append(q.open, p)
	q.mu.Unlock()
	if !later && !behind && (free || send) {
		if err := q.deliver(ctx, p, send); err != nil && !errors.Is(err, errNotNow) {
			return q.now(p), err
		}
	}
	q.nudge()
	return q.now(p), nil
}

// ahead reports whether a prompt waits that could go next.
func (q *Queue) ahead(agent string) bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	return slices.ContainsFunc(q.open, func(p *meterbridge.QueuedPrompt) bool { return p.Agent == agent && q.may(p) && !budgeted(p) })
}

// may reports whether the conditions of a prompt are met. The lock is held.
func (q *Queue) may(p *meterbridge.QueuedPrompt) bool {
	return p.State == meterbridge.PromptQueued && !q.o.Now().Before(p.NotBefore) && p.AfterAgent == ""
}

// heldBy begins the reason of a prompt that a budget holds.
const heldBy = "held by the budget "

// budgeted reports whether a budget held the prompt when it was tried last.
func budgeted(p *meterbridge.QueuedPrompt) bool { return strings.HasPrefix(p.Reason, heldBy) }

// now is a copy of a prompt as it is.
func (q *Queue) now(p *meterbridge.QueuedPrompt) meterbridge.QueuedPrompt {
	q.mu.Lock()
	defer q.mu.Unlock()
	return *p
}
