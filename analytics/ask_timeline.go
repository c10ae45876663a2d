package analytics

import (
	"context"
	"database/sql"
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
	a := Timeline{
		SchemaVersion: SchemaVersion, Since: millis(since), Until: millis(until),
		UsageReadable: true, RequestTimes: "end", Statuses: []TimedStatus{}, Turns: []Turn{},
	}
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
		from, to := bounds(since, until)
		if err := a.requests(ctx, q, t, from, to); err != nil {
			return err
		}
		if err := a.tools(ctx, q, t, from, to); err != nil {
			return err
		}
		if err := a.turns(ctx, q, t, from, to); err != nil {
			return err
		}
		a.ScannedAt, err = scannedAt(ctx, q)
		return err
	})
	return a, err
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

func (a *Timeline) turns(ctx context.Context, q querier, t tree, from, to int64) error {
	turns, err := turnsOf(ctx, q, t)
	if err != nil {
		return err
	}
	for _, turn := range turns {
		if turn.overlaps(from, to) {
			a.Turns = append(a.Turns, turn)
		}
	}
	a.Turns = a.Turns[max(0, len(a.Turns)-mostTimed):]
	return nil
}

// subagents are the marks of the tree's sub-agents by session number.
func (t tree) subagents() map[int64]*Subagent {
	marks := map[int64]*Subagent{}
	for i, b := range t[1:] {
		marks[b.id] = &Subagent{ID: t.agentID(i + 1), Name: b.agentType}
	}
	return marks
}
