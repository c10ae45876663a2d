package queue

import (
	"context"
	"errors"
	"strings"
	"time"

	"meterbridge"
)

// errNotNow says that a prompt cannot be typed at this moment, and stays.
var errNotNow = errors.New("not now")

// Heard is what a harness tells about prompts.
type Heard struct {
	Agent string
	At    time.Time
	// Prompt is the text as the harness shows it; empty when only a turn began.
	Prompt string
	Turn   string
	// Works: the agent works now.
	Works bool
}

// deliver types a prompt, if it may be typed now.
func (q *Queue) deliver(ctx context.Context, p *meterbridge.QueuedPrompt, whileBusy bool) error {
	l := q.line(p.Agent)
	l.typing.Lock()
	defer l.typing.Unlock()
	q.mu.Lock()
	gone := p.State != meterbridge.PromptQueued
	q.mu.Unlock()
	if gone {
		return errNotNow // it went out, or was taken back, meanwhile
	}
	ctx = context.WithoutCancel(ctx) // what was begun is brought to its end
	if reason := q.lost(ctx, p); reason != "" {
		return q.end(ctx, p, meterbridge.PromptDropped, reason)
	}
	look, err := q.gate(ctx, p, whileBusy)
	if err != nil {
		return err
	}
	q.mu.Lock()
	p.State, p.Reason, p.Attempt = meterbridge.PromptDelivering, "", ""
	// From here on: its turn may finish before it is known that it was taken.
	l.heard, l.spent, l.worked = make(chan Heard, 16), true, false
	q.mu.Unlock()
	defer func() {
		q.mu.Lock()
		// After one that was not taken no turn ends: the next may be tried, unless the
		// text still stands in the input.
		l.heard, l.spent = nil, l.spent && p.State != meterbridge.PromptFailed
		q.mu.Unlock()
	}()
	return q.typeIn(ctx, p, look, l, whileBusy)
}

// lost is why a prompt may not go out any more; empty when it may.
func (q *Queue) lost(ctx context.Context, p *meterbridge.QueuedPrompt) string {
	a, err := q.o.Agents.Agent(ctx, p.Agent)
	switch {
	case errors.Is(err, ErrUnknownAgent):
		return "the agent was removed"
	case err != nil || p.Sender.Kind == meterbridge.ByPerson:
		return ""
	}
	if err := q.o.Rules.Permitted(ctx, p.Sender); err != nil {
		return err.Error()
	}
	if err := q.o.Rules.Linked(ctx, p.Sender, p.Agent); err != nil {
		return err.Error()
	}
	if a.Dangerous && !q.consented(p) {
		return "the agent acts without asking now"
	}
	return ""
}

// consented reports whether a person said that this prompt may go to an agent that
// acts without asking.
func (q *Queue) consented(p *meterbridge.QueuedPrompt) bool { return p.Attempt == consentGiven }

// consentGiven marks a prompt that a person let through.
const consentGiven = "consented"

// gate says whether a prompt may be typed now, and shows the terminal.
func (q *Queue) gate(ctx context.Context, p *meterbridge.QueuedPrompt, whileBusy bool) (Look, error) {
	a, err := q.o.Agents.Agent(ctx, p.Agent)
	if err != nil {
		return Look{}, err
	}
	if !a.Running {
		return Look{}, errNotNow
	}
	free := (a.Status == meterbridge.Idle || a.Status == meterbridge.Finished) && a.OwnQueue == 0
	if !free && !(whileBusy && a.Status == meterbridge.Working) {
		return Look{}, errNotNow
	}
	if p.Sender.Kind != meterbridge.ByPerson {
		if budget, err := q.o.Rules.Held(ctx, a.ID); err != nil || budget != "" {
			return Look{}, q.note(ctx, p, heldBy+budget, err)
		}
	}
	look, err := q.o.Terminals.Look(ctx, a.ID)
	if err != nil {
		return look, q.note(ctx, p, "its terminal cannot be looked at", nil)
	}
	still := look.KeyAt.IsZero() || q.o.Now().Sub(look.KeyAt) >= stillness
	switch {
	case look.Generation != a.Generation, look.Drawing:
		return look, errNotNow
	case q.leftOver(p.Agent, look):
		return look, q.note(ctx, p, "the input still holds a text that was typed before: send or clear it there, or `queue go`", nil)
	case !look.Leads:
		return look, q.note(ctx, p, "another program has the terminal", nil)
	case look.drafted():
		return look, q.note(ctx, p, "a text stands in the agent's input: send or clear it there", nil)
	case !still:
		return look, q.note(ctx, p, "a person is typing", nil)
	case !look.Pastes && strings.Contains(p.Text, "\n"):
		return look, q.note(ctx, p, "the agent does not take texts of several lines yet", nil)
	}
	return look, nil
}

// drafted reports whether a person's text stands in the agent's input: as the screen
// shows it where that can be told, else as the keys were that they typed.
func (l Look) drafted() bool {
	if l.Input.Known && l.Input.Sure {
		return !l.Input.Empty
	}
	return l.Draft
}

// note keeps why a prompt waits.
func (q *Queue) note(ctx context.Context, p *meterbridge.QueuedPrompt, why string, err error) error {
	if err != nil {
		return err
	}
	q.mu.Lock()
	same := p.Reason == why
	p.Reason = why
	now := *p
	q.mu.Unlock()
	if same {
		return errNotNow
	}
	return errors.Join(errNotNow, q.save(ctx, &now))
}

// step keeps how far the typing got, before it is done.
func (q *Queue) step(ctx context.Context, p *meterbridge.QueuedPrompt, attempt string) error {
	q.mu.Lock()
	p.Attempt = attempt
	now := *p
	q.mu.Unlock()
	return q.save(ctx, &now)
}

// typeIn types the text and Enter, and waits until the harness tells that it took it.
func (q *Queue) typeIn(ctx context.Context, p *meterbridge.QueuedPrompt, look Look, l *line, whileBusy bool) error {
	text := p.Text
	if p.Submit && strings.HasSuffix(text, `\`) {
		text += " " // before Enter a backslash begins a new line in some harnesses
	}
	if look.Pastes {
		text = "\x1b[200~" + strings.ReplaceAll(text, "\n", "\r") + "\x1b[201~"
	}
	if err := q.step(ctx, p, "pasting"); err != nil {
		return err
	}
	q.leave(l, p.Text)
	if err := q.o.Terminals.Write(ctx, p.Agent, look.Generation, []byte(text)); err != nil {
		return q.end(ctx, p, meterbridge.PromptFailed, "it could not be typed: "+err.Error())
	}
	if !p.Submit {
		return q.end(ctx, p, meterbridge.PromptInserted, "")
	}
	if err := q.step(ctx, p, "pasted"); err != nil {
		return err
	}
	pause(enterAfter)
	for try := range 2 {
		if reason := q.mayEnter(ctx, p, look.Generation, whileBusy); reason != "" {
			return q.end(ctx, p, meterbridge.PromptFailed, reason)
		}
		if err := q.step(ctx, p, "entering"); err != nil {
			return err
		}
		if err := q.o.Terminals.Write(ctx, p.Agent, look.Generation, []byte{'\r'}); err != nil {
			return q.end(ctx, p, meterbridge.PromptFailed, "Enter could not be pressed: "+err.Error())
		}
		if err := q.step(ctx, p, "entered"); err != nil {
			return err
		}
		if q.confirmed(ctx, p, l, whileBusy, confirmTime) {
			return q.sent(ctx, p)
		}
		if try == 0 && !q.stillThere(ctx, p) {
			break
		}
	}
	if q.confirmed(ctx, p, l, whileBusy, lateTime) {
		return q.sent(ctx, p)
	}
	// Its text may stand in the input, unless that is seen to be empty.
	if look, err := q.o.Terminals.Look(ctx, p.Agent); err != nil || !look.Input.Known || !look.Input.Empty {
		q.mu.Lock()
		l.unsure = true
		q.mu.Unlock()
	}
	return q.end(ctx, p, meterbridge.PromptFailed, "not-confirmed: nothing showed that the agent took it")
}

func (q *Queue) sent(ctx context.Context, p *meterbridge.QueuedPrompt) error {
	q.leave(q.line(p.Agent), "")
	q.mu.Lock()
	if p.SentAt.IsZero() {
		p.SentAt = q.o.Now()
	}
	q.mu.Unlock()
	return q.end(ctx, p, meterbridge.PromptSent, "")
}

// mayEnter is why Enter may not be pressed: in a question that has opened meanwhile
// it would answer it.
func (q *Queue) mayEnter(ctx context.Context, p *meterbridge.QueuedPrompt, generation int, whileBusy bool) string {
	a, err := q.o.Agents.Agent(ctx, p.Agent)
	switch {
	case err != nil:
		return err.Error()
	case !a.Running || a.Generation != generation:
		return "the agent ended before Enter"
	case a.Status == meterbridge.NeedsInput:
		return "the agent asked a question before Enter; the text was not sent"
	case a.Status == meterbridge.Working && !whileBusy:
		return "the agent began to work before Enter; the text was not sent"
	}
	if look, err := q.o.Terminals.Look(ctx, p.Agent); err != nil || !look.Leads {
		return "another program has the terminal; Enter was not pressed"
	}
	return ""
}

// confirmed waits for what the harness tells: the prompt's own text, or where it
// tells none, that it works now. That may be told late of the turn before: a text that
// still stands in the input was not taken.
func (q *Queue) confirmed(ctx context.Context, p *meterbridge.QueuedPrompt, l *line, whileBusy bool, within time.Duration) bool {
	a, err := q.o.Agents.Agent(ctx, p.Agent)
	confirms := err == nil && a.Confirms
	limit := time.NewTimer(within)
	defer limit.Stop()
	for {
		select {
		case h := <-l.heard:
			took := h.Prompt != "" && Took(p.Text, h.Prompt)
			l.worked = l.worked || h.Works
			if took || h.Works && !confirms && !whileBusy && !q.stillThere(ctx, p) {
				q.mu.Lock()
				p.SentAt, p.Turn = h.At, h.Turn
				q.mu.Unlock()
				return true
			}
		case <-limit.C:
			// The text is gone from the screen, and the agent works: it was taken.
			return (l.worked || whileBusy) && !q.stillThere(ctx, p)
		}
	}
}

// stillThere reports whether the agent's input still shows the text.
func (q *Queue) stillThere(ctx context.Context, p *meterbridge.QueuedPrompt) bool {
	look, err := q.o.Terminals.Look(ctx, p.Agent)
	return err == nil && shows(look, p.Text)
}

// leave notes what text may stand in the agent's input.
func (q *Queue) leave(l *line, text string) {
	q.mu.Lock()
	defer q.mu.Unlock()
	l.left = text
}

// leftOver reports whether a text of an earlier prompt still stands in the agent's
// input: another one would be joined with it.
func (q *Queue) leftOver(agent string, look Look) bool {
	l := q.line(agent)
	q.mu.Lock()
	defer q.mu.Unlock()
	if l.left != "" && !shows(look, l.left) {
		l.left = ""
	}
	return l.left != "" || l.unsure
}

// Hear takes what a harness tells about prompts; it neither waits nor fails.
func (q *Queue) Hear(h Heard) {
	q.mu.Lock()
	defer q.mu.Unlock()
	l := q.lines[h.Agent]
	if l == nil || l.heard == nil {
		return
	}
	select {
	case l.heard <- h:
	default:
	}
}

func pause(d time.Duration) {
	timer := time.NewTimer(d)
	defer timer.Stop()
	<-timer.C
}
