package status

import (
	"time"

	"meterbridge"
)

// questions are what the agent asked a person and what of it is still open.
type questions struct {
	// asked is the last permission that was asked for; its time is zero when none is open.
	asked   meterbridge.StatusFact
	at      time.Time
	allowed bool
	// waiting counts from due, unless something shows before that it was answered.
	waiting *meterbridge.StatusFact
	due     time.Time
}

// answered forgets what was asked.
func (q *questions) answered() {
	q.waiting = nil
	q.at = time.Time{}
}

// needsInput takes a question.
func (t *Tracker) needsInput(f meterbridge.StatusFact, now time.Time) {
	q := &t.questions
	switch f.Question.Kind {
	case meterbridge.Permission:
		q.asked, q.at, q.allowed, q.waiting = f, now, f.Question.Allowed, nil
		if q.allowed {
			return
		}
		if f.Question.Unless > 0 {
			q.waiting, q.due = &f, now.Add(f.Question.Unless)
			return
		}
	case meterbridge.Notice:
		if !q.at.IsZero() && now.Sub(q.at) <= pairing {
			if q.allowed {
				return
			}
			f.Detail, q.waiting = q.asked.Detail, nil
		} else if !t.turnRuns() {
			return
		}
	}
	t.ask(f, now)
}

func (t *Tracker) ask(f meterbridge.StatusFact, now time.Time) {
	t.step(Signal{Kind: Ask, At: now, Detail: f.Detail}, f.Source, f.Confidence)
}

// turnRuns reports whether a turn runs, as the transcript shows it where there is
// one.
func (t *Tracker) turnRuns() bool {
	if v, ok := t.log.view(); ok {
		t.log.poll()
		v, _ = t.log.view()
		return v.Phase == meterbridge.PhaseBusy
	}
	return t.open()
}

// resolves reports whether a tool that ended is the one that was asked about: others
// may end while a question is open.
func (q *questions) resolves(f meterbridge.StatusFact) bool {
	if q.at.IsZero() {
		return true
	}
	return q.asked.Subagent == f.Subagent && (f.Detail == "" || q.asked.Detail == "" || f.Detail == q.asked.Detail)
}
