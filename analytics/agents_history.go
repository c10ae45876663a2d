package analytics

import (
	"context"
	"database/sql"
	"time"

	"meterbridge"
)

// SaveSpan keeps a span of an agent's statuses. Spans that were open until then end
// where it begins.
func (l *Ledger) SaveSpan(ctx context.Context, s meterbridge.StatusSpan) error {
	return l.keep(ctx, func(do func(string, ...any) error) error {
		from := milli(s.From)
		if err := do("DELETE FROM status_span WHERE agent = ? AND from_ms >= ?", s.Agent, from); err != nil {
			return err
		}
		if err := do("UPDATE status_span SET to_ms = ? WHERE agent = ? AND (to_ms IS NULL OR to_ms > ?)", from, s.Agent, from); err != nil {
			return err
		}
		return do("INSERT INTO status_span VALUES (?, ?, ?, ?, ?, ?, ?)",
			s.Agent, s.Generation, string(s.Status), from, nullMilli(s.To), s.Source, s.Confidence)
	})
}

// SaveTurn keeps a turn of an agent; one that began at the same time is replaced.
func (l *Ledger) SaveTurn(ctx context.Context, t meterbridge.AgentTurn) error {
	return l.keep(ctx, func(do func(string, ...any) error) error {
		if err := do("DELETE FROM agent_turn WHERE agent = ? AND started_at = ?", t.Agent, milli(t.StartedAt)); err != nil {
			return err
		}
		return do("INSERT INTO agent_turn VALUES (?, ?, ?, ?, ?, ?)",
			t.Agent, t.Generation, t.PromptID, milli(t.StartedAt), nullMilli(t.EndedAt), string(t.EndedAs))
	})
}

// SaveRun keeps what a caller other than a person sent to a terminal.
func (l *Ledger) SaveRun(ctx context.Context, r meterbridge.RunRecord) error {
	var code any
	if r.ExitCode.OK {
		code = r.ExitCode.N
	}
	return l.keep(ctx, func(do func(string, ...any) error) error {
		return do("INSERT INTO terminal_run VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
			r.Caller, r.Agent, milli(r.At), r.Verb, r.Command, code, r.Bytes, r.Took.Milliseconds(), r.Outcome)
	})
}

// Runs are what callers other than a person sent to a terminal, the newest first.
func (l *Ledger) Runs(ctx context.Context, agent string, most int) (runs []meterbridge.RunRecord, err error) {
	err = l.reading(ctx, func(q *sql.Conn) error {
		runs, err = collect(ctx, q, "agent_runs", func(rows *sql.Rows, r *meterbridge.RunRecord) error {
			var at, took int64
			var code sql.NullInt64
			err := rows.Scan(&r.Caller, &r.Agent, &at, &r.Verb, &r.Command, &code, &r.Bytes, &took, &r.Outcome)
			r.At, r.Took = fromMilli(at), time.Duration(took)*time.Millisecond
			r.ExitCode = meterbridge.Count{N: code.Int64, OK: code.Valid}
			return err
		}, agent, most)
		return err
	})
	return runs, err
}

// Spans are the statuses of an agent, oldest first.
func (l *Ledger) Spans(ctx context.Context, agent string) (spans []meterbridge.StatusSpan, err error) {
	err = l.reading(ctx, func(q *sql.Conn) error {
		spans, err = spansOf(ctx, q, agent)
		return err
	})
	return spans, err
}

func spansOf(ctx context.Context, q querier, agent string) ([]meterbridge.StatusSpan, error) {
	return collect(ctx, q, "agent_spans", func(rows *sql.Rows, s *meterbridge.StatusSpan) error {
		var from int64
		var to sql.NullInt64
		err := rows.Scan(&s.Agent, &s.Generation, &s.Status, &from, &to, &s.Source, &s.Confidence)
		s.From, s.To = fromMilli(from), fromNull(to)
		return err
	}, agent)
}

// Turns are the turns of an agent, oldest first.
func (l *Ledger) Turns(ctx context.Context, agent string) (turns []meterbridge.AgentTurn, err error) {
	err = l.reading(ctx, func(q *sql.Conn) error {
		turns, err = agentTurnsOf(ctx, q, agent)
		return err
	})
	return turns, err
}

func agentTurnsOf(ctx context.Context, q querier, agent string) ([]meterbridge.AgentTurn, error) {
	return collect(ctx, q, "agent_turns", func(rows *sql.Rows, t *meterbridge.AgentTurn) error {
		var start int64
		var end sql.NullInt64
		err := rows.Scan(&t.Agent, &t.Generation, &t.PromptID, &start, &end, &t.EndedAs)
		t.StartedAt, t.EndedAt = fromMilli(start), fromNull(end)
		return err
	}, agent)
}
