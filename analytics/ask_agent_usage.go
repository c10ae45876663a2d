package analytics

import (
	"context"
	"database/sql"
	"time"

	"meterbridge"
)

// AgentUsage are the numbers of an agent in a window [since, until), as cards read
// them: its sessions with their sub-agents, times in epoch milliseconds, null where
// something is not reported.
type AgentUsage struct {
	SchemaVersion int    `json:"schemaVersion"`
	AgentID       string `json:"agentId"`
	Harness       string `json:"harness"`
	Since         *int64 `json:"since"`
	Until         *int64 `json:"until"`
	// Status is what it does now.
	Status        string `json:"status"`
	UsageReadable bool   `json:"usageReadable"`
	// Prompts are the turns that overlap the window, without those that ended
	// without a request.
	Prompts int64 `json:"prompts"`
	Part
	CostPartial bool `json:"costPartial"`
	// Model and Provider are those of the newest request, absent when not logged.
	Model    *string `json:"model,omitempty"`
	Provider *string `json:"provider,omitempty"`
	// ElapsedMs runs from the first prompt to the last end, or to now while a turn is
	// open; null without a turn. WorkingMs leaves out what it waited for its user.
	ElapsedMs      *int64 `json:"elapsedMs"`
	WorkingMs      int64  `json:"workingMs"`
	FirstPromptAt  *int64 `json:"firstPromptAt"`
	LastFinishedAt *int64 `json:"lastFinishedAt"`
	// TimingComplete is false when what it did is known from a later time on only.
	TimingComplete bool   `json:"timingComplete"`
	ScannedAt      *int64 `json:"scannedAt"`
	// Subagents and MainOnly come together, where the harness's logs tell the
	// requests of sub-agents apart.
	Subagents *SubagentsPart `json:"subagents,omitempty"`
	MainOnly  *Part          `json:"mainOnly,omitempty"`

	subject  *agentSubject
	from, to int64
}

// AgentUsage answers usage(agent, since, until) for the id of an agent. Zero times
// are no bounds. The errors are ErrNoAgent and ErrShell.
func (l *Ledger) AgentUsage(ctx context.Context, id string, since, until time.Time) (AgentUsage, error) {
	var u AgentUsage
	err := l.onAgent(ctx, id, func(q querier, a *agentSubject) error {
		u = AgentUsage{
			SchemaVersion: SchemaVersion, AgentID: a.ID, Harness: a.Harness, Since: millis(since), Until: millis(until),
			Status: a.status(), UsageReadable: true, ScannedAt: a.scannedAt, subject: a,
		}
		u.from, u.to = bounds(since, until)
		first, err := u.spend(ctx, q)
		u.time()
		u.TimingComplete = a.timed(since, first)
		return err
	})
	return u, err
}

// timed reports whether the history of statuses covers the window: it begins no
// later than since, or without since no later than the first request.
func (a *agentSubject) timed(since time.Time, firstRequest *int64) bool {
	began, ok := a.historyFrom()
	switch {
	case !ok:
		return false
	case since.IsZero():
		return firstRequest == nil || began <= *firstRequest
	}
	return began <= milli(since)
}

// spend fills what was spent and returns when the first request ended.
func (u *AgentUsage) spend(ctx context.Context, q querier) (first *int64, err error) {
	var all, main, below figures
	count := int64(0)
	var newest int64
	for i := range u.subject.shares {
		s := &u.subject.shares[i]
		from, to := s.within(u.from, u.to)
		parts, err := s.spent(ctx, q, from, to)
		if err != nil {
			return nil, err
		}
		for session, f := range parts {
			if all.add(f); session == s.tree[0].id {
				main.add(f)
				continue
			}
			below.add(f)
			count++
		}
		if len(parts) == 0 {
			continue
		}
		if err := u.newest(ctx, q, s, from, to, &newest); err != nil {
			return nil, err
		}
		if f := earliest(s, from); first == nil || f < *first {
			first = &f
		}
	}
	u.Part, u.CostPartial = all.part(), all.partial()
	if u.subject.apart {
		m := main.part()
		u.MainOnly, u.Subagents = &m, &SubagentsPart{Count: count, Part: below.part()}
	}
	return first, nil
}

// earliest is when the first request of a share in a window may have ended.
func earliest(s *stake, from int64) int64 {
	first, _ := s.tree.life()
	return max(first, from)
}

// spent are the figures of a share by session.
func (s *stake) spent(ctx context.Context, q querier, from, to int64) (map[int64]*figures, error) {
	type row struct {
		session int64
		figures
	}
	rows, err := collect(ctx, q, "spent_parts", func(rows *sql.Rows, r *row) error {
		return rows.Scan(append([]any{&r.session}, r.sums()...)...)
	}, s.ids, from, to)
	parts := map[int64]*figures{}
	for i := range rows {
		parts[rows[i].session] = &rows[i].figures
	}
	return parts, err
}

// newest takes model and provider from the share whose last request is the newest.
func (u *AgentUsage) newest(ctx context.Context, q querier, s *stake, from, to int64, newest *int64) error {
	_, err := collect(ctx, q, "agent_newest", func(rows *sql.Rows, _ *struct{}) error {
		var at int64
		var model, provider *string
		if err := rows.Scan(&at, text{&model}, text{&provider}); err != nil {
			return err
		}
		if u.Model == nil && u.Provider == nil || at >= *newest {
			*newest, u.Model, u.Provider = at, model, provider
		}
		return nil
	}, s.ids, from, to)
	return err
}

// time fills what follows from statuses and turns.
func (u *AgentUsage) time() {
	a := u.subject
	now := min(a.now, u.to)
	var last *agentTurn
	for i := range a.turns {
		t := &a.turns[i]
		if !t.counted || !t.overlaps(u.from, u.to, a.now) {
			continue
		}
		if u.Prompts++; u.FirstPromptAt == nil {
			u.FirstPromptAt = &t.start
		}
		if t.endedAs == meterbridge.TurnFinished && *t.end < u.to {
			u.LastFinishedAt = t.end
		}
		u.WorkingMs += a.working(max(u.from, t.start), min(now, t.until(a.now)))
		last = t
	}
	if last == nil {
		return
	}
	end := now
	switch {
	case last.end == nil || *last.end >= u.to: // open at the end of the window
	case u.LastFinishedAt != nil:
		end = *u.LastFinishedAt
	default:
		end = *last.end
	}
	elapsed := max(0, end-*u.FirstPromptAt)
	u.ElapsedMs = &elapsed
}

// working is how long the agent worked in [from, to).
func (a *agentSubject) working(from, to int64) (ms int64) {
	for _, s := range a.spans {
		if s.Status == meterbridge.Working {
			ms += max(0, min(a.ended(s), to)-max(milli(s.From), from))
		}
	}
	return ms
}

// ended is when a span ended, or now.
func (a *agentSubject) ended(s meterbridge.StatusSpan) int64 {
	if s.To.IsZero() {
		return max(a.now, milli(s.From))
	}
	return milli(s.To)
}

// Unreadable turns the answer into that of a harness whose logs hold no usage:
// what was spent is unknown, and every turn counts as a prompt.
func (u *AgentUsage) Unreadable() {
	u.UsageReadable, u.CostPartial = false, false
	u.Part = Part{}
	u.Subagents, u.MainOnly, u.Model, u.Provider = nil, nil, nil, nil
	for i := range u.subject.turns {
		u.subject.turns[i].counted = true
	}
	u.Prompts, u.FirstPromptAt, u.LastFinishedAt, u.ElapsedMs, u.WorkingMs = 0, nil, nil, nil, 0
	u.time()
}
