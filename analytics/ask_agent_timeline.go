package analytics

import (
	"cmp"
	"context"
	"database/sql"
	"slices"
	"time"
)

// AgentTimeline is what an agent did in a window [since, until), as cards read it.
// Times are epoch milliseconds.
type AgentTimeline struct {
	SchemaVersion int    `json:"schemaVersion"`
	AgentID       string `json:"agentId"`
	Harness       string `json:"harness"`
	Since         *int64 `json:"since"`
	Until         *int64 `json:"until"`
	UsageReadable bool   `json:"usageReadable"`
	// RequestTimes is "start-end" when any request has a start, "end" when none
	// has, "none" for a harness without readable logs.
	RequestTimes string `json:"requestTimes"`
	// Truncated: only the newest requests are here.
	Truncated bool   `json:"truncated"`
	ScannedAt *int64 `json:"scannedAt"`
	// Requests are those that ended in the window, oldest first.
	Requests []AgentRequest `json:"requests"`
	// Statuses cover the window from the beginning of the history without gaps.
	Statuses []TimedStatus `json:"statuses"`
	// Turns are those that overlap the window; one that is open has no EndedAs.
	Turns []Turn `json:"turns"`
}

// AgentRequest is one request; StartedAt is null where the log has no send time, a
// token class is null where it is not reported.
type AgentRequest struct {
	StartedAt        *int64    `json:"startedAt"`
	EndedAt          int64     `json:"endedAt"`
	Model            *string   `json:"model,omitempty"`
	InputTokens      *int64    `json:"inputTokens"`
	OutputTokens     *int64    `json:"outputTokens"`
	CacheReadTokens  *int64    `json:"cacheReadTokens"`
	CacheWriteTokens *int64    `json:"cacheWriteTokens"`
	Tools            []string  `json:"tools,omitempty"`
	Subagent         *Subagent `json:"subagent,omitempty"`
}

// AgentTimeline answers timeline(agent, since, until) for the id of an agent. Zero
// times are no bounds. The errors are ErrNoAgent and ErrShell.
func (l *Ledger) AgentTimeline(ctx context.Context, id string, since, until time.Time) (AgentTimeline, error) {
	var t AgentTimeline
	err := l.onAgent(ctx, id, func(q querier, a *agentSubject) error {
		t = AgentTimeline{
			SchemaVersion: SchemaVersion, AgentID: a.ID, Harness: a.Harness, Since: millis(since), Until: millis(until),
			UsageReadable: true, RequestTimes: "end", ScannedAt: a.scannedAt,
			Requests: []AgentRequest{}, Statuses: []TimedStatus{}, Turns: []Turn{},
		}
		from, to := bounds(since, until)
		t.lay(a, from, to)
		return t.list(ctx, q, a, from, to)
	})
	return t, err
}

// lay fills statuses and turns.
func (t *AgentTimeline) lay(a *agentSubject, from, to int64) {
	end := to
	if t.Until == nil {
		end = a.now
	}
	for i, s := range a.spans {
		start, stop := max(milli(s.From), from), min(a.ended(s), end)
		if i == len(a.spans)-1 {
			stop = end // what holds now is said of the whole rest of the window
		}
		if start < stop {
			t.Statuses = append(t.Statuses, TimedStatus{Status: string(s.Status), From: start, To: &stop})
		}
	}
	for i := range a.turns {
		if turn := &a.turns[i]; turn.overlaps(from, to, a.now) {
			t.Turns = append(t.Turns, Turn{Start: turn.start, End: turn.end, EndedAs: string(turn.endedAs), Counted: turn.counted})
		}
	}
}

// list fills the newest requests.
func (t *AgentTimeline) list(ctx context.Context, q querier, a *agentSubject, from, to int64) error {
	for i := range a.shares {
		s := &a.shares[i]
		first, last := s.within(from, to)
		rows, err := s.timed(ctx, q, first, last)
		if err != nil {
			return err
		}
		t.Requests = append(t.Requests, rows...)
	}
	slices.SortStableFunc(t.Requests, func(a, b AgentRequest) int { return cmp.Compare(a.EndedAt, b.EndedAt) })
	if over := len(t.Requests) - mostTimed; over > 0 {
		t.Truncated, t.Requests = true, t.Requests[over:]
	}
	for _, r := range t.Requests {
		if r.StartedAt != nil {
			t.RequestTimes = "start-end"
		}
	}
	return nil
}

// timed are the newest requests of a share, one more than are shown.
func (s *stake) timed(ctx context.Context, q querier, from, to int64) ([]AgentRequest, error) {
	names := s.tree.subagents()
	return collect(ctx, q, "timeline", func(rows *sql.Rows, r *AgentRequest) error {
		var session int64
		var tools *string
		err := rows.Scan(&session, &r.StartedAt, &r.EndedAt, text{&r.Model}, &r.InputTokens, &r.OutputTokens, new(sql.NullInt64),
			&r.CacheReadTokens, &r.CacheWriteTokens, text{&tools})
		if tools != nil {
			r.Tools = splitToolNames(*tools)
		}
		r.Subagent = names[session]
		return err
	}, s.ids, from, to, longestSpan.Milliseconds(), mostTimed+1)
}

// Unreadable turns the answer into that of a harness whose logs hold no usage.
func (t *AgentTimeline) Unreadable() {
	t.UsageReadable, t.RequestTimes, t.Truncated, t.Requests = false, "none", false, []AgentRequest{}
	for i := range t.Turns {
		t.Turns[i].Counted = true
	}
}
