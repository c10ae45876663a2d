package status

import (
	"time"

	"meterbridge"
)

// arm sets the timer for what is due next.
func (t *Tracker) arm() {
	due := t.nextDue()
	if t.timer != nil {
		t.timer.Stop()
	}
	if due.IsZero() {
		return
	}
	t.timer = time.AfterFunc(max(0, due.Sub(t.o.Now())), t.tick)
}

// tick does what is due.
func (t *Tracker) tick() {
	t.input(func(now time.Time) {
		if !t.running {
			return
		}
		if q := &t.questions; q.waiting != nil && !now.Before(q.due) {
			f := *q.waiting
			q.waiting = nil
			t.ask(f, now)
		}
		if due := t.pollDue(); !due.IsZero() && !now.Before(due) {
			t.look(now)
		}
		if t.stop != nil && !now.Before(t.stop.arrived.Add(stopHold)) {
			t.release(now)
		}
		if due := t.silenceDue(); !due.IsZero() && !now.Before(due) {
			t.step(Signal{Kind: Silence, At: now}, meterbridge.FromKey, meterbridge.Guessed)
		}
		if due := t.mac.Due(); !due.IsZero() && !now.Before(due) {
			t.step(Signal{Kind: Settle, At: now}, meterbridge.FromHook, meterbridge.Inferred)
		}
		if due := t.output.due(); !due.IsZero() && !now.Before(due) {
			t.quietened(now)
		}
	})
}

// nextDue is the earliest moment at which tick has something to do; zero for never.
func (t *Tracker) nextDue() time.Time {
	if !t.running {
		return time.Time{}
	}
	dues := []time.Time{t.pollDue(), t.silenceDue(), t.mac.Due(), t.output.due()}
	if t.questions.waiting != nil {
		dues = append(dues, t.questions.due)
	}
	if t.stop != nil {
		dues = append(dues, t.stop.arrived.Add(stopHold))
	}
	var next time.Time
	for _, d := range dues {
		if !d.IsZero() && (next.IsZero() || d.Before(next)) {
			next = d
		}
	}
	return next
}

// silenceDue is when a guess is settled: some time after it and the last output.
func (t *Tracker) silenceDue() time.Time {
	guess := t.mac.Guess()
	if guess.IsZero() {
		return guess
	}
	if t.output.last.After(guess) {
		guess = t.output.last
	}
	return guess.Add(Quiet)
}

// pollDue is when the transcript is to be looked at.
func (t *Tracker) pollDue() time.Time {
	if t.log.off() {
		return time.Time{}
	}
	switch {
	case !t.mac.Guess().IsZero():
		return t.polled.Add(pollSoon)
	case t.shown.Status == meterbridge.Working, t.shown.Status == meterbridge.NeedsInput, t.polled.Sub(t.changed) < pollAfter:
		return t.polled.Add(pollOften)
	}
	return time.Time{}
}

// look reads what is new in the transcript and holds it against the state.
func (t *Tracker) look(now time.Time) {
	t.polled = now
	t.log.poll()
	v, ok := t.log.view()
	if !ok {
		return
	}
	sure := meterbridge.Exact
	if v.Phase == meterbridge.PhaseAnswered {
		sure = meterbridge.Inferred
	}
	if v.TurnID != "" && !t.turns.known(v.TurnID) && v.TurnAt.After(t.mac.Since()) {
		t.turns.begin(v.TurnID, v.Automatic)
	}
	if t.step(Signal{Kind: Look, At: now, View: v}, meterbridge.FromTranscript, sure) {
		t.questions.answered()
	}
}
