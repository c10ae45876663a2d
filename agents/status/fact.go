package status

import (
	"time"

	"meterbridge"
)

// Fact takes what a hook of that generation told. It reports whether it was of the
// agent's own session: what is not is of another one, for example of a child that
// inherited the agent's environment.
func (t *Tracker) Fact(generation int, f meterbridge.StatusFact) (own bool) {
	t.input(func(now time.Time) {
		if generation != t.generation {
			own = true // of an earlier life of the agent
			return
		}
		if own = t.belongs(f, now); own && t.running {
			t.take(f, now)
		}
	})
	return own
}

// moment is when a fact was true: the harness's own time where it is a possible one.
func (t *Tracker) moment(f meterbridge.StatusFact, now time.Time) time.Time {
	if f.At.IsZero() || f.At.After(now) || now.Sub(f.At) > time.Minute {
		return now
	}
	if f.Kind != meterbridge.FactFinished && f.At.Before(t.mac.Since()) {
		return t.mac.Since()
	}
	return f.At
}

// take interprets a fact of the agent's session.
func (t *Tracker) take(f meterbridge.StatusFact, now time.Time) {
	at := t.moment(f, now)
	if f.Model != "" {
		t.model = f.Model
	}
	switch f.Kind {
	case meterbridge.FactTurn:
		t.turn(f, at)
	case meterbridge.FactActivity:
		t.sign(f, at)
	case meterbridge.FactResumed:
		t.sign(f, at)
		if t.questions.resolves(f) {
			t.questions.answered()
			t.step(Signal{Kind: Resume, At: at}, f.Source, f.Confidence)
		}
	case meterbridge.FactNeedsInput:
		t.sign(f, at)
		t.needsInput(f, at)
	case meterbridge.FactFinished:
		t.finished(f, at)
	case meterbridge.FactInterrupted:
		t.questions.answered()
		if !t.past(f) {
			t.step(Signal{Kind: Halt, At: at}, f.Source, f.Confidence)
		}
	case meterbridge.FactSessionEnded:
		t.binding.ended = true
	default:
		t.subagents(f, at)
	}
}

// past reports whether a fact is of a turn before the current one.
func (t *Tracker) past(f meterbridge.StatusFact) bool {
	return f.Turn != "" && f.Turn != t.turns.current && t.turns.known(f.Turn)
}

// turn takes a prompt: of the open turn it was queued behind it, or steers it.
func (t *Tracker) turn(f meterbridge.StatusFact, at time.Time) {
	queued := f.Turn != "" && t.turns.known(f.Turn)
	if !queued {
		t.begin(f, at)
	}
	if f.Prompt != "" {
		t.tell(Event{Kind: PromptTaken, At: at, Prompt: f.Prompt, Turn: f.Turn, Queued: queued})
	}
}

// begin takes the first sign of a turn.
func (t *Tracker) begin(f meterbridge.StatusFact, at time.Time) {
	t.questions.answered()
	t.draft = false // it was sent
	another := f.Turn != "" && t.turns.current != f.Turn && t.open()
	t.turns.begin(f.Turn, f.Automatic)
	told := t.step(Signal{Kind: Work, At: at}, f.Source, f.Confidence)
	if another && !told {
		t.shown.Turn, t.shown.Automatic = f.Turn, f.Automatic
		t.tell(Event{Kind: TurnBegan, At: at, Change: t.shown})
	}
}

// sign takes an event that names a turn: an unseen one has begun.
func (t *Tracker) sign(f meterbridge.StatusFact, at time.Time) {
	if f.Turn != "" && f.Subagent == "" && !t.turns.known(f.Turn) {
		t.begin(f, at)
	}
}

func (t *Tracker) finished(f meterbridge.StatusFact, at time.Time) {
	if t.past(f) {
		return
	}
	t.sign(f, at)
	t.questions.answered()
	if f.Reply != "" {
		t.tell(Event{Kind: Replied, At: at, Reply: f.Reply})
	}
	if f.SubagentsKnown {
		t.background = f.BackgroundWork
		t.step(Signal{Kind: Subagents, At: at, Running: f.Subagents}, f.Source, f.Confidence)
	}
	if f.Error == "" && t.o.Source.HoldStop && t.hold(f, at) {
		return
	}
	t.finish(f, at, at)
}

func (t *Tracker) finish(f meterbridge.StatusFact, arrived, now time.Time) {
	t.step(Signal{Kind: Finish, At: now, Arrived: arrived, Error: f.Error, Detail: f.Detail}, f.Source, f.Confidence)
}

// hold keeps an end back where the transcript shows that the turn may go on.
func (t *Tracker) hold(f meterbridge.StatusFact, at time.Time) bool {
	t.log.poll()
	v, ok := t.log.view()
	if !ok || v.Phase != meterbridge.PhaseBusy && v.Queued == 0 {
		return false
	}
	s := &heldStop{fact: f, arrived: at, threshold: at.Add(-stopSlack)}
	if v.Phase == meterbridge.PhaseBusy && v.TurnAt.Before(s.threshold) {
		s.threshold = v.TurnAt
	}
	t.stop = s
	return true
}

// release lets an end count that was held back, unless a turn goes on.
func (t *Tracker) release(now time.Time) {
	s := t.stop
	t.stop = nil
	t.look(now)
	v, _ := t.log.view()
	running := v.Phase == meterbridge.PhaseBusy || v.Phase == meterbridge.PhaseAnswered && v.TurnID != s.fact.Turn
	if running && !v.TurnAt.Before(s.threshold) {
		return
	}
	t.finish(s.fact, s.arrived, now)
}

// subagents takes what is told of sub-agents.
func (t *Tracker) subagents(f meterbridge.StatusFact, at time.Time) {
	set := f.Subagents
	switch f.Kind {
	case meterbridge.FactSubagentStarted:
		set = t.mac.WithSubagent(meterbridge.RunningSubagent{ID: f.Subagent, Name: f.SubagentName, Since: at})
	case meterbridge.FactSubagentStopped:
		var there bool
		if set, there = t.mac.WithoutSubagent(f.Subagent); !there {
			return
		}
	case meterbridge.FactSubagents:
	default:
		return
	}
	t.step(Signal{Kind: Subagents, At: at, Running: set}, f.Source, f.Confidence)
}
