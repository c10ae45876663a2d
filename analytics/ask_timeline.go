package analytics

import (
	"cmp"
	"context"
	"database/sql"
	"errors"
	"slices"
	"strings"
	"time"
)

// Timeline is what a session did in a window [since, until), sub-agents
// included. Times are epoch milliseconds.
type Timeline struct {
	SchemaVersion int    `json:"schemaVersion"`
	Session       string `json:"session"`
	Harness       string `json:"harness"`
	Since         *int64 `json:"since"`
	Until         *int64 `json:"until"`
	UsageReadable bool   `json:"usageReadable"`
	// RequestTimes is "start-end" when any request has a start, else "end".
	RequestTimes string `json:"requestTimes"`
	// Truncated: only the newest requests (or tool calls) are here.
	Truncated bool           `json:"truncated"`
	ScannedAt *int64         `json:"scannedAt"`
	Requests  []TimedRequest `json:"requests"`
	// Statuses is empty for a session that no live agent covers.
	Statuses  []TimedStatus `json:"statuses"`
	Turns     []Turn        `json:"turns"`
	ToolCalls []TimedTool   `json:"toolCalls"`
}

// TimedRequest is one request; StartedAt is null where the log has no send
// time, a token class is null where it is not reported.
type TimedRequest struct {
	StartedAt        *int64    `json:"startedAt"`
	EndedAt          int64     `json:"endedAt"`
	Model            *string   `json:"model,omitempty"`
	InputTokens      *int64    `json:"inputTokens"`
	OutputTokens     *int64    `json:"outputTokens"`
	ReasoningTokens  *int64    `json:"reasoningTokens"`
	CacheReadTokens  *int64    `json:"cacheReadTokens"`
	CacheWriteTokens *int64    `json:"cacheWriteTokens"`
	Tools            []string  `json:"tools"`
	Subagent         *Subagent `json:"subagent,omitempty"`
}

// Subagent says which sub-agent did something; Name is its kind, absent when not logged.
type Subagent struct {
	ID   string  `json:"id"`
	Name *string `json:"name,omitempty"`
}

// TimedStatus is a status that held from From until To.
type TimedStatus struct {
	Status string `json:"status"`
	From   int64  `json:"from"`
	To     *int64 `json:"to"`
}

// TimedTool is one tool call; OK is null while its result is unknown.
type TimedTool struct {
	Name      string    `json:"name"`
	StartedAt *int64    `json:"startedAt"`
	EndedAt   *int64    `json:"endedAt"`
	OK        *bool     `json:"ok"`
	Subagent  *Subagent `json:"subagent,omitempty"`
}

const (
	mostTimed = 2000
	// longestSpan: a start further before the end than this is no send time.
	longestSpan = 30 * time.Minute
)

// Timeline answers timeline(session, since, until). Zero times are no bounds.
func (l *Ledger) Timeline(ctx context.Context, id string, since, until time.Time) (Timeline, error) {
	a := newTimeline(since, until)
	from, to := bounds(since, until)
	k, err := l.subject(ctx, id, func(q querier, k subject) error { return a.tools(ctx, q, k.tree, from, to) })
	if errors.Is(err, errLargeFamily) {
		return l.largeTimeline(ctx, id, a, from, to)
	}
	if err != nil {
		return a, err
	}
	a.Session, a.Harness, a.ScannedAt = k.session, k.harness, l.families.scannedAt()
	a.list(&k, from, to)
	a.overlapping(k.turns(k.tree, l.unanswered(&k)), from, to)
	return a, nil
}

func newTimeline(since, until time.Time) Timeline {
	return Timeline{
		SchemaVersion: SchemaVersion, Since: millis(since), Until: millis(until),
		UsageReadable: true, RequestTimes: "end", Statuses: []TimedStatus{}, Turns: []Turn{},
	}
}

// largeTimeline has DuckDB find the newest requests.
func (l *Ledger) largeTimeline(ctx context.Context, id string, a Timeline, from, to int64) (Timeline, error) {
	if err := l.freshen(ctx); err != nil {
		return a, err
	}
	err := l.reading(ctx, func(q *sql.Conn) error {
		f, err := findSession(ctx, q, id)
		if err != nil {
			return err
		}
		a.Session, a.Harness = f.Session, f.Harness
		t, err := treeOf(ctx, q, f.id)
		if err != nil {
			return err
		}
		if err := a.requests(ctx, q, t, from, to); err != nil {
			return err
		}
		if err := a.tools(ctx, q, t, from, to); err != nil {
			return err
		}
		turns, err := turnsOf(ctx, q, t)
		if err != nil {
			return err
		}
		a.overlapping(turns, from, to)
		a.ScannedAt, err = scannedAt(ctx, q)
		return err
	})
	return a, err
}

// list fills the newest requests out of the family.
func (a *Timeline) list(k *subject, from, to int64) {
	var newest []*spentRow
	in := k.tree.set()
	for i := range k.family.requests {
		if s := &k.family.requests[i]; in[s.session] && s.ended >= from && s.ended < to {
			newest = append(newest, s)
		}
	}
	slices.SortFunc(newest, func(a, b *spentRow) int {
		return cmp.Or(cmp.Compare(a.ended, b.ended), cmp.Compare(a.source, b.source), cmp.Compare(a.line, b.line))
	})
	if len(newest) > mostTimed {
		a.Truncated, newest = true, newest[len(newest)-mostTimed:]
	}
	names := k.tree.subagents()
	a.Requests = make([]TimedRequest, len(newest))
	for i, s := range newest {
		if a.Requests[i] = s.timed(names[s.session]); a.Requests[i].StartedAt != nil {
			a.RequestTimes = "start-end"
		}
	}
}

// timed is a request as a timeline has it.
func (s *spentRow) timed(of *Subagent) TimedRequest {
	t := &s.tokens
	r := TimedRequest{
		EndedAt: s.ended, Model: textOrNil(s.model), InputTokens: reported(t.Input), OutputTokens: reported(t.Output), ReasoningTokens: reported(t.Reasoning),
		CacheReadTokens: reported(t.CacheRead), CacheWriteTokens: plus(reported(t.CacheWrite5m), reported(t.CacheWrite1h)),
		Tools: []string{}, Subagent: of,
	}
	if at := s.started.Int64; s.started.Valid && at <= s.ended && at >= s.ended-longestSpan.Milliseconds() {
		r.StartedAt = &at
	}
	if s.tools != "" {
		r.Tools = splitToolNames(s.tools)
	}
	return r
}

func (a *Timeline) requests(ctx context.Context, q querier, t tree, from, to int64) (err error) {
	from, to = t.within(from, to)
	names := t.subagents()
	a.Requests, err = collect(ctx, q, "timeline", func(rows *sql.Rows, r *TimedRequest) error {
		var session int64
		var tools *string
		err := rows.Scan(&session, &r.StartedAt, &r.EndedAt, text{&r.Model}, &r.InputTokens, &r.OutputTokens, &r.ReasoningTokens,
			&r.CacheReadTokens, &r.CacheWriteTokens, text{&tools})
		r.Tools = []string{}
		if tools != nil {
			r.Tools = strings.Split(*tools, "\n")
		}
		r.Subagent = names[session]
		return err
	}, t.ids(), from, to, longestSpan.Milliseconds(), mostTimed+1)
	if err != nil {
		return err
	}
	if len(a.Requests) > mostTimed {
		a.Truncated, a.Requests = true, a.Requests[1:]
	}
	for _, r := range a.Requests {
		if r.StartedAt != nil {
			a.RequestTimes = "start-end"
		}
	}
	return nil
}

func (a *Timeline) tools(ctx context.Context, q querier, t tree, from, to int64) (err error) {
	names := t.subagents()
	a.ToolCalls, err = collect(ctx, q, "timeline_tools", func(rows *sql.Rows, c *TimedTool) error {
		var session int64
		err := rows.Scan(&session, &c.Name, &c.StartedAt, &c.EndedAt, &c.OK)
		c.Subagent = names[session]
		return err
	}, t.ids(), from, to, mostTimed+1)
	if len(a.ToolCalls) > mostTimed {
		a.Truncated, a.ToolCalls = true, a.ToolCalls[1:]
	}
	return err
}

// overlapping fills the newest turns that have a part in the window.
func (a *Timeline) overlapping(turns []Turn, from, to int64) {
	for _, turn := range turns {
		if turn.overlaps(from, to) {
			a.Turns = append(a.Turns, turn)
		}
	}
	a.Turns = a.Turns[max(0, len(a.Turns)-mostTimed):]
}

// subagents are the marks of the tree's sub-agents by session number.
func (t tree) subagents() map[int64]*Subagent {
	marks := map[int64]*Subagent{}
	for i, b := range t[1:] {
		marks[b.id] = &Subagent{ID: t.agentID(i + 1), Name: b.agentType}
	}
	return marks
}
