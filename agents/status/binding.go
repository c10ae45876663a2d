package status

import (
	"time"

	"meterbridge"
)

// binding is the conversation that is the agent's.
type binding struct {
	session string
	// waits: the first session that is told of is the agent's.
	waits bool
	// ended: the session ended, so that the next one that starts is the agent's.
	ended bool
}

// bind makes a session the agent's.
func (t *Tracker) bind(session string, now time.Time) {
	known := t.binding.session
	t.binding = binding{session: session}
	if session != known {
		t.tell(Event{Kind: SessionBound, At: now, Session: session})
	}
}

// belongs reports whether a fact is of the agent's session. A child that inherited
// the agent's environment has another one, which never counts.
func (t *Tracker) belongs(f meterbridge.StatusFact, now time.Time) bool {
	b := &t.binding
	switch {
	case f.Session == "" || f.Session == b.session:
	case b.waits && f.Subagent == "":
		t.bind(f.Session, now)
	case f.Kind == meterbridge.FactSessionStarted && (b.ended || f.Reason == meterbridge.SessionAnother):
		t.bind(f.Session, now)
		t.log.name(f.Transcript)
		t.turns.begin("", false)
	default:
		return false
	}
	if f.Transcript != "" && f.Subagent == "" {
		t.log.name(f.Transcript)
	}
	return true
}
