package analytics

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"math"
	"slices"
	"time"

	"meterbridge"
)

// ErrNoAgent says that no agent has an id.
var ErrNoAgent = errors.New("no such agent")

// ErrShell says that a shell was asked for what only agents have.
var ErrShell = errors.New("a shell has no usage of its own")

// agentSubject is an agent with what is known of it: the sessions that are its
// own, and its statuses and turns, oldest first.
type agentSubject struct {
	meterbridge.Agent
	shares []stake
	spans  []meterbridge.StatusSpan
	turns  []agentTurn
	// apart: the logs of the harness tell sub-agents.
	apart     bool
	scannedAt *int64
	now       int64
}

// stake is what of a session, with its sub-agents, is an agent's: the requests that
// ended in [from, to).
type stake struct {
	tree     tree
	ids      []int32
	from, to int64
}

// within narrows a window to the share.
func (s *stake) within(from, to int64) (int64, int64) {
	return s.tree.within(max(from, s.from), min(to, s.to))
}

// agentTurn is a usage turn as the numbers of a window need it.
type agentTurn struct {
	start int64
	// end is nil while it is open.
	end     *int64
	endedAs meterbridge.TurnEnd
	counted bool
}

// until is when the turn ended, or now.
func (t *agentTurn) until(now int64) int64 {
	if t.end == nil {
		return max(now, t.start)
	}
	return *t.end
}

// overlaps reports whether the turn has a part in [from, to).
func (t *agentTurn) overlaps(from, to, now int64) bool { return t.start < to && t.until(now) >= from }

// onAgent reads an agent in one transaction and has fn answer a question about it.
func (l *Ledger) onAgent(ctx context.Context, id string, fn func(q querier, a *agentSubject) error) error {
	if err := l.freshen(ctx); err != nil {
		return err
	}
	return l.reading(ctx, func(q *sql.Conn) error {
		a := &agentSubject{now: milli(l.opts.Now())}
		if err := a.read(ctx, q, id); err != nil {
			return err
		}
		return fn(q, a)
	})
}

func (a *agentSubject) read(ctx context.Context, q querier, id string) (err error) {
	all, err := collect(ctx, q, "agents", scanAgent)
	if err != nil {
		return err
	}
	at := slices.IndexFunc(all, func(a meterbridge.Agent) bool { return a.ID == id })
	if at < 0 {
		return fmt.Errorf("agent %q: %w", id, ErrNoAgent)
	}
	if a.Agent = all[at]; a.Kind == meterbridge.ShellAgent {
		return fmt.Errorf("agent %q: %w", id, ErrShell)
	}
	if err := a.readShares(ctx, q); err != nil {
		return err
	}
	if a.spans, err = spansOf(ctx, q, id); err != nil {
		return err
	}
	if err := a.readTurns(ctx, q); err != nil {
		return err
	}
	if a.apart, err = yes(ctx, q, "has_subagents", a.Harness); err != nil {
		return err
	}
	a.scannedAt, err = scannedAt(ctx, q)
	return err
}

// readShares finds the trees of the bound sessions. A session that the log does not
// show yet has none, and one below another that is bound too comes once.
func (a *agentSubject) readShares(ctx context.Context, q querier) error {
	bindings, err := collect(ctx, q, "agent_bindings", scanBinding, a.ID)
	if err != nil {
		return err
	}
	for _, b := range bindings {
		list, err := sessionsNamed(ctx, q, "session_exact", b.Session, b.Harness)
		if err != nil {
			return err
		}
		for _, f := range list {
			t, err := treeOf(ctx, q, f.id)
			if err != nil {
				return err
			}
			from, to := bounds(b.From, b.To)
			a.add(stake{tree: t, ids: t.ids(), from: from, to: to})
		}
	}
	return nil
}

// add adds a share without the sessions that an earlier one has at the same time.
func (a *agentSubject) add(s stake) {
	for _, had := range a.shares {
		if had.from < s.to && s.from < had.to {
			s.ids = slices.DeleteFunc(s.ids, func(id int32) bool { return slices.Contains(had.ids, id) })
		}
	}
	if len(s.ids) > 0 {
		a.shares = append(a.shares, s)
	}
}

// readTurns reads the turns and counts those with a request.
func (a *agentSubject) readTurns(ctx context.Context, q querier) error {
	list, err := agentTurnsOf(ctx, q, a.ID)
	if err != nil || len(list) == 0 {
		return err
	}
	for _, t := range list {
		a.turns = append(a.turns, agentTurn{start: milli(t.StartedAt), end: millis(t.EndedAt), endedAs: t.EndedAs})
	}
	for i := range a.shares {
		if err := a.countTurns(ctx, q, &a.shares[i]); err != nil {
			return err
		}
	}
	for i := range a.turns {
		// An open turn may still get one.
		a.turns[i].counted = a.turns[i].counted || a.turns[i].end == nil
	}
	return nil
}

// countTurns marks the turns to which a request of a share belongs: the one that
// was open at its start, else at its end.
func (a *agentSubject) countTurns(ctx context.Context, q querier, s *stake) error {
	from, to := s.within(math.MinInt64, math.MaxInt64)
	type spent struct {
		started *int64
		ended   int64
	}
	rows, err := collect(ctx, q, "agent_requests", func(rows *sql.Rows, r *spent) error {
		return rows.Scan(&r.started, &r.ended)
	}, s.ids, from, to, longestSpan.Milliseconds())
	if err != nil {
		return err
	}
	for _, r := range rows {
		t := a.turnAt(r.ended)
		if r.started != nil {
			if begun := a.turnAt(*r.started); begun != nil {
				t = begun
			}
		}
		if t != nil {
			t.counted = true
		}
	}
	return nil
}

// turnAt is the turn that was open at a moment, its end included.
func (a *agentSubject) turnAt(at int64) *agentTurn {
	i, found := slices.BinarySearchFunc(a.turns, at, func(t agentTurn, at int64) int { return int(sign(t.start - at)) })
	if !found {
		i--
	}
	if i < 0 || a.turns[i].until(math.MaxInt64) < at {
		return nil
	}
	return &a.turns[i]
}

func sign(n int64) int64 {
	switch {
	case n < 0:
		return -1
	case n > 0:
		return 1
	}
	return 0
}

// historyFrom is when the agent's statuses begin; false without any.
func (a *agentSubject) historyFrom() (int64, bool) {
	if len(a.spans) == 0 {
		return 0, false
	}
	return milli(a.spans[0].From), true
}

// status is what the agent does now.
func (a *agentSubject) status() string {
	if len(a.spans) == 0 {
		if a.Running() {
			return string(meterbridge.Idle)
		}
		return string(meterbridge.Exited)
	}
	return string(a.spans[len(a.spans)-1].Status)
}

// SessionAgent is the agent to which a session is bound now, empty for none.
func (l *Ledger) SessionAgent(ctx context.Context, harness, session string) (id string, err error) {
	err = l.reading(ctx, func(q *sql.Conn) error {
		all, err := collect(ctx, q, "agent_bindings", scanBinding, "")
		for _, b := range all {
			if b.Harness == harness && b.Session == session && b.To.IsZero() {
				id = b.Agent
			}
		}
		return err
	})
	return id, err
}

// Begun is a main session that had a request since a moment.
type Begun struct {
	Session, Project string
	// FirstAt and LastAt are of all of its requests.
	FirstAt, LastAt time.Time
}

// Begun are the main sessions of a harness with a request that ended at or after
// since, the newest first.
func (l *Ledger) Begun(ctx context.Context, harness string, since time.Time) (list []Begun, err error) {
	err = l.reading(ctx, func(q *sql.Conn) error {
		list, err = collect(ctx, q, "agent_begun", func(rows *sql.Rows, b *Begun) error {
			var first, last int64
			err := rows.Scan(&b.Session, &b.Project, &first, &last)
			b.FirstAt, b.LastAt = fromMilli(first), fromMilli(last)
			return err
		}, harness, milli(since))
		return err
	})
	return list, err
}
