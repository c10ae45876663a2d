package analytics

import (
	"context"
	"database/sql"
)

// Turn is a prompt until the agent finished or was stopped. Times are epoch
// milliseconds.
type Turn struct {
	Start int64 `json:"start"`
	// End is null while the turn is open.
	End *int64 `json:"end"`
	// EndedAs is "finished", "interrupted" or "exited"; absent while open.
	EndedAs string `json:"endedAs,omitempty"`
	// Counted is false for a turn that ended without a single request.
	Counted bool `json:"counted"`

	// seen is the last sign of life: the end, or the last request of an open turn.
	seen int64
}

// turnMark is what the ledger knows of a turn.
type turnMark struct {
	start    int64
	stop     *int64
	outcome  string
	logged   bool
	prompts  int64
	requests int64
	lastEnd  *int64
	// called: the last request called tools, so the agent had not finished by it.
	called, aborted, interrupted bool
	next                         *int64
}

// turnsOf are the turns of the tree's first session over its whole life.
func turnsOf(ctx context.Context, q querier, t tree) ([]Turn, error) {
	from, to := t.life()
	marks, err := collectRows(ctx, q, "turns", turnsQuery("SELECT unnest($1::INTEGER[]) AS session, $2::INTEGER AS top", "r.ended_at BETWEEN $3 AND $4"), scanTurn,
		t.ids(), t[0].id, from, to)
	if err != nil {
		return nil, err
	}
	turns := make([]Turn, len(marks))
	for i, m := range marks {
		turns[i] = m.turn()
	}
	return turns, nil
}

// turnsQuery is ask_turns.sql over the sessions of member and the requests r
// within bounds.
func turnsQuery(member, bounds string) string {
	return fill(question("turns"), map[string]string{"member": member, "bounds": bounds})
}

func scanTurn(rows *sql.Rows, m *turnMark) error {
	var top int32
	return rows.Scan(&top, &m.start, &m.stop, &m.outcome, &m.logged, &m.prompts, &m.requests, &m.lastEnd, &m.called, &m.aborted, &m.interrupted, &m.next)
}

func (m turnMark) turn() Turn {
	t := Turn{Start: m.start, seen: m.start}
	if m.lastEnd != nil {
		t.seen = max(t.seen, *m.lastEnd)
	}
	if t.EndedAs = m.ending(); t.EndedAs != "" {
		if m.stop != nil {
			t.seen = *m.stop
		}
		t.End = new(int64)
		*t.End = t.seen
	}
	t.Counted = m.requests > 0 || t.End == nil
	return t
}

// ending is how the turn ended, empty while it is open. A log that marks turns
// says so itself; where it only has a prompt, the next turn ends this one, and
// the last one is over when its last answer called no tool. An end in an error
// is an end: finished.
func (m turnMark) ending() string {
	switch {
	case m.outcome == "interrupted" || m.interrupted && !m.logged:
		return "interrupted"
	case m.stop != nil || m.outcome != "":
		return "finished"
	case m.logged && m.next != nil:
		return "exited"
	case m.logged:
		return ""
	case m.aborted:
		return "interrupted"
	case m.next != nil || m.requests > 0 && !m.called:
		return "finished"
	}
	return ""
}

// overlaps reports whether the turn has a part in [from, to).
func (t Turn) overlaps(from, to int64) bool {
	return t.Start < to && t.seen >= from
}
