package analytics

import (
	"context"
	"database/sql"
	"errors"
	"slices"
	"time"
)

// WindowUsage are the numbers of one session in a window [since, until), as
// cards read them: sub-agents included, times in epoch milliseconds, null where
// something is not reported or cannot be known from a log.
type WindowUsage struct {
	SchemaVersion int    `json:"schemaVersion"`
	Session       string `json:"session"`
	Harness       string `json:"harness"`
	Since         *int64 `json:"since"`
	Until         *int64 `json:"until"`
	// Status is known only while a live agent runs the session.
	Status        *string `json:"status"`
	UsageReadable bool    `json:"usageReadable"`
	// Prompts counts those that were typed in the window, as every report does; a
	// prompt that ended without a request is none. Null where the harness logs no
	// prompts. What follows from turns (the times) is of those that overlap the window.
	Prompts *int64 `json:"prompts"`
	Part
	CostPartial bool `json:"costPartial"`
	// Model and Provider are those of the newest request; null when not logged.
	Model    *string `json:"model"`
	Provider *string `json:"provider"`
	// ElapsedMs runs from the first prompt to the last finished turn (or the last
	// sign of life of an open one). WorkingMs needs the status history of a live
	// agent: it is null for a session of which only the log is known, 0 without a turn.
	ElapsedMs      *int64 `json:"elapsedMs"`
	WorkingMs      *int64 `json:"workingMs"`
	FirstPromptAt  *int64 `json:"firstPromptAt"`
	LastFinishedAt *int64 `json:"lastFinishedAt"`
	// TimingComplete is false: turns come from the log.
	TimingComplete bool   `json:"timingComplete"`
	ScannedAt      *int64 `json:"scannedAt"`
	// Subagents and MainOnly come together, where the harness's logs tell the
	// requests of sub-agents apart.
	Subagents *SubagentsPart `json:"subagents,omitempty"`
	MainOnly  *Part          `json:"mainOnly,omitempty"`

	// turns overlap the window, counted or not; told are all that were told.
	turns    int64
	told     []Turn
	from, to int64
}

// Part are requests, tokens and cost; nil is not reported. Requests is nil
// where a row of the log stands for more than one request.
type Part struct {
	Requests         *int64 `json:"requests"`
	InputTokens      *int64 `json:"inputTokens"`
	OutputTokens     *int64 `json:"outputTokens"`
	ReasoningTokens  *int64 `json:"reasoningTokens"`
	CacheReadTokens  *int64 `json:"cacheReadTokens"`
	CacheWriteTokens *int64 `json:"cacheWriteTokens"`
	TotalTokens      *int64 `json:"totalTokens"`
	CostMicroUSD     *int64 `json:"costMicroUsd"`
}

// SubagentsPart is the part of sub-agents; Count is how many had a request.
type SubagentsPart struct {
	Count int64 `json:"count"`
	Part
}

// Window answers usage(session, since, until). Zero times are no bounds. The
// errors are those of an ID: ErrUnknown, *AmbiguousError.
func (l *Ledger) Window(ctx context.Context, id string, since, until time.Time) (WindowUsage, error) {
	k, err := l.subject(ctx, id, nil)
	if errors.Is(err, errLargeFamily) {
		return l.largeWindow(ctx, id, since, until)
	}
	if err != nil {
		return WindowUsage{}, err
	}
	u := newWindow(k.session, k.harness, since, until)
	from, to := bounds(since, until)
	unanswered := l.unanswered(&k)
	u.sum(&k, from, to)
	u.time(k.turns(k.tree, unanswered), from, to)
	u.count(&k, unanswered, from, to)
	u.ScannedAt = l.families.scannedAt()
	return u, nil
}

// largeWindow has DuckDB make the sums.
func (l *Ledger) largeWindow(ctx context.Context, id string, since, until time.Time) (WindowUsage, error) {
	var u WindowUsage
	if err := l.freshen(ctx); err != nil {
		return u, err
	}
	err := l.reading(ctx, func(q *sql.Conn) error {
		f, err := findSession(ctx, q, id)
		if err != nil {
			return err
		}
		t, err := treeOf(ctx, q, f.id)
		if err != nil {
			return err
		}
		turns, err := turnsOf(ctx, q, t)
		if err != nil {
			return err
		}
		u, err = windowOf(ctx, q, f, t, turns, since, until)
		return err
	})
	return u, err
}

func newWindow(session, harness string, since, until time.Time) WindowUsage {
	return WindowUsage{
		SchemaVersion: SchemaVersion, Session: session, Harness: harness, UsageReadable: true,
		Since: millis(since), Until: millis(until),
	}
}

// sum fills what was spent out of the family.
func (u *WindowUsage) sum(k *subject, from, to int64) {
	parts := map[int64]*figures{}
	in := k.tree.set()
	var newest *spentRow
	for i := range k.requests {
		s := &k.requests[i]
		if !in[s.session] || s.ended < from || s.ended >= to {
			continue
		}
		if parts[s.session] == nil {
			parts[s.session] = &figures{}
		}
		parts[s.session].spend(s)
		if newest == nil || s.ended > newest.ended || (s.ended == newest.ended && s.line > newest.line) {
			newest = s
		}
	}
	u.fill(k.tree[0].id, parts, k.logsSubagents)
	if newest != nil {
		u.Model, u.Provider = textOrNil(newest.model), textOrNil(newest.provider)
	}
}

// fill fills what was spent, in all and by part, out of the sums of sessions;
// apart: the logs of the harness tell sub-agents.
func (u *WindowUsage) fill(top int64, parts map[int64]*figures, apart bool) {
	var all, main, agents figures
	count := int64(0)
	for session, f := range parts {
		if all.add(f); session == top {
			main = *f
			continue
		}
		agents.add(f)
		count++
	}
	u.Part, u.CostPartial = all.part(), all.partial()
	if apart {
		m := main.part()
		u.MainOnly, u.Subagents = &m, &SubagentsPart{Count: count, Part: agents.part()}
	}
}

// count counts the prompts of the family.
func (u *WindowUsage) count(k *subject, unanswered []bool, from, to int64) {
	if !k.logsPrompts {
		return
	}
	in := k.tree.set()
	u.Prompts = new(int64)
	for i, p := range k.family.prompts {
		if in[p.session] && !unanswered[i] && p.at >= from && p.at < to {
			*u.Prompts++
		}
	}
}

func windowOf(ctx context.Context, q querier, f found, t tree, turns []Turn, since, until time.Time) (WindowUsage, error) {
	u := newWindow(f.Session, f.Harness, since, until)
	from, to := bounds(since, until)
	if err := u.spend(ctx, q, t, from, to); err != nil {
		return u, err
	}
	u.time(turns, from, to)
	if err := u.ask(ctx, q, t, from, to); err != nil {
		return u, err
	}
	var err error
	u.ScannedAt, err = scannedAt(ctx, q)
	return u, err
}

// ask counts the prompts.
func (u *WindowUsage) ask(ctx context.Context, q querier, t tree, from, to int64) error {
	asked, err := yes(ctx, q, "logs_prompts", u.Harness)
	if err != nil || !asked {
		return err
	}
	_, err = collect(ctx, q, "session_asked", func(rows *sql.Rows, _ *struct{}) error {
		u.Prompts = new(int64)
		return rows.Scan(u.Prompts)
	}, t.ids(), from, to)
	return err
}

// spend fills what was spent, in all and by part.
func (u *WindowUsage) spend(ctx context.Context, q querier, t tree, from, to int64) error {
	from, to = t.within(from, to)
	type row struct {
		session int64
		figures
	}
	rows, err := collect(ctx, q, "spent_parts", func(rows *sql.Rows, r *row) error {
		return rows.Scan(append([]any{&r.session}, r.sums()...)...)
	}, t.ids(), from, to)
	if err != nil {
		return err
	}
	parts := map[int64]*figures{}
	for i := range rows {
		parts[rows[i].session] = &rows[i].figures
	}
	apart, err := yes(ctx, q, "has_subagents", u.Harness)
	if err != nil {
		return err
	}
	u.fill(t[0].id, parts, apart)
	return u.newest(ctx, q, t, from, to)
}

func (u *WindowUsage) newest(ctx context.Context, q querier, t tree, from, to int64) error {
	_, err := collect(ctx, q, "newest", func(rows *sql.Rows, _ *struct{}) error {
		return rows.Scan(text{&u.Model}, text{&u.Provider})
	}, t.ids(), from, to)
	return err
}

// time fills what follows from the turns.
func (u *WindowUsage) time(turns []Turn, from, to int64) {
	u.told, u.from, u.to = turns, from, to
	counted, last := int64(0), int64(0)
	open := false
	for _, t := range turns {
		if !t.overlaps(from, to) {
			continue
		}
		u.turns++
		if !t.Counted {
			continue
		}
		if counted++; u.FirstPromptAt == nil {
			u.FirstPromptAt = &t.Start
		}
		last, open = min(t.seen, to), t.End == nil
		if t.EndedAs == "finished" && *t.End < to {
			u.LastFinishedAt = t.End
		}
	}
	if counted == 0 {
		u.WorkingMs = new(int64)
		return
	}
	if u.LastFinishedAt != nil && !open {
		last = *u.LastFinishedAt
	}
	elapsed := max(0, last-*u.FirstPromptAt)
	u.ElapsedMs = &elapsed
}

// Unreadable turns the answer into that of a harness whose logs hold no usage:
// what was spent is unknown, and every turn counts as a prompt.
func (u *WindowUsage) Unreadable() {
	u.UsageReadable, u.CostPartial = false, false
	u.Part = Part{}
	u.Subagents, u.MainOnly = nil, nil
	all := slices.Clone(u.told)
	for i := range all {
		all[i].Counted = true
	}
	u.turns, u.FirstPromptAt, u.LastFinishedAt, u.WorkingMs = 0, nil, nil, nil
	u.time(all, u.from, u.to)
	u.Prompts = &u.turns
}

// yes answers a question about a harness: whether its logs tell prompts, or the
// requests of sub-agents, so that a count of 0 means none.
func yes(ctx context.Context, q querier, name, harness string) (bool, error) {
	rows, err := collect(ctx, q, name, func(rows *sql.Rows, yes *bool) error { return rows.Scan(yes) }, harness)
	return len(rows) > 0 && rows[0], err
}

// scannedAt is when sources were last read, in epoch milliseconds; nil before the first scan.
func scannedAt(ctx context.Context, q querier) (*int64, error) {
	rows, err := collect(ctx, q, "scanned_at", func(rows *sql.Rows, at **int64) error { return rows.Scan(at) })
	if err != nil || len(rows) == 0 {
		return nil, err
	}
	return rows[0], nil
}
