package analytics

import (
	"context"
	"database/sql"
	"fmt"
	"time"

	"meterbridge"
)

// BridgeCall is the trace of one call of a tool over the bridge. It holds no value
// of an argument unless the user wants that. Texts that are not known are empty.
type BridgeCall struct {
	ID             string
	Started, Ended time.Time
	// Agent called; Session is its session as it was known then.
	Agent, Session string
	// Via is link, switch or built-in.
	Via string
	// Package and Version are those of an extension. Tool is its own name for it,
	// Exposed that for agents.
	Package, Version, Tool, Exposed string
	ToolDigest, TreeDigest          string
	Instance                        string
	// Queued, Woke and Handled are kept in whole ms.
	Queued, Woke, Handled time.Duration
	ArgumentBytes         int
	// ArgumentShape is JSON: keys and types.
	ArgumentShape      string
	ResultBytes, Items int
	// Removed counts characters that were cleaned away, Progress lines.
	Removed, Progress int
	// Outcome is ok, tool_error, cancelled or a code.
	Outcome      string
	Era, TraceID string
	// Arguments and Answer are the values, secrets blanked; empty where nobody wanted them.
	Arguments, Answer string
}

// bridgeCallsKept is how long calls are kept.
const bridgeCallsKept = 90 * 24 * time.Hour

// SaveBridgeCalls keeps calls, and forgets those that are older than 90 days.
func (l *Ledger) SaveBridgeCalls(ctx context.Context, calls []BridgeCall) error {
	err := l.keep(ctx, func(do func(string, ...any) error) error {
		for _, c := range calls {
			err := do("INSERT INTO bridge_call VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
				c.ID, milli(c.Started), milli(c.Ended), c.Agent, c.Session, c.Via, c.Package, c.Version, c.Tool, c.Exposed, c.ToolDigest, c.TreeDigest, c.Instance,
				c.Queued.Milliseconds(), c.Woke.Milliseconds(), c.Handled.Milliseconds(), c.ArgumentBytes, c.ArgumentShape, c.ResultBytes, c.Items,
				c.Removed, c.Progress, c.Outcome, c.Era, c.TraceID, c.Arguments, c.Answer)
			if err != nil {
				return err
			}
		}
		return do("DELETE FROM bridge_call WHERE started_at < ?", milli(l.opts.Now().Add(-bridgeCallsKept)))
	})
	if err != nil {
		return fmt.Errorf("keep calls of tools: %w", err)
	}
	return nil
}

// BridgeCallQuery chooses calls; empty fields choose all.
type BridgeCallQuery struct {
	Agent, Package, Tool string
	Since                time.Time
	// Most is how many are wanted, 0 for 100.
	Most int
}

// BridgeCalls are calls of tools, the newest first.
func (l *Ledger) BridgeCalls(ctx context.Context, q BridgeCallQuery) (calls []BridgeCall, err error) {
	since := int64(0)
	if !q.Since.IsZero() {
		since = milli(q.Since)
	}
	if q.Most <= 0 {
		q.Most = 100
	}
	err = l.reading(ctx, func(c *sql.Conn) (err error) {
		calls, err = collect(ctx, c, "bridge_calls", scanBridgeCall, q.Agent, q.Package, q.Tool, since, q.Most)
		return err
	})
	return calls, err
}

func scanBridgeCall(rows *sql.Rows, c *BridgeCall) error {
	var started, ended, queued, woke, handled int64
	err := rows.Scan(&c.ID, &started, &ended, &c.Agent, &c.Session, &c.Via, &c.Package, &c.Version, &c.Tool, &c.Exposed, &c.ToolDigest, &c.TreeDigest, &c.Instance,
		&queued, &woke, &handled, &c.ArgumentBytes, &c.ArgumentShape, &c.ResultBytes, &c.Items, &c.Removed, &c.Progress, &c.Outcome, &c.Era, &c.TraceID, &c.Arguments, &c.Answer)
	c.Started, c.Ended = fromMilli(started), fromMilli(ended)
	c.Queued, c.Woke, c.Handled = time.Duration(queued)*time.Millisecond, time.Duration(woke)*time.Millisecond, time.Duration(handled)*time.Millisecond
	return err
}

// BridgeToolStats are the calls of one tool, and the requests that carried their
// results.
type BridgeToolStats struct {
	// Tool is the name for agents; Package is empty for our own.
	Tool, Package string
	// Calls are all, OK went well, Cancelled were cancelled.
	Calls, OK, Cancelled int64
	ResultBytes          int64
	Progress             int64
	// Median and Slow (the 95th percentile) are how long the handler took, Woke the
	// median of the wait for the extension.
	Median, Slow, Woke time.Duration
	Newest             time.Time
	// Carried are the calls whose results a known request carried. Requests are those
	// requests, each once; FreshTokens is their new input, uncached or written to the
	// cache, results and all else; Cost is what they cost in all, not OK without a price.
	Carried, Requests, FreshTokens int64
	Cost                           meterbridge.NullPico
	// Unpriced are the requests without a cost.
	Unpriced int64
}

// BridgeStats sums up the calls of each tool, the most called first. Zero times
// are open.
func (l *Ledger) BridgeStats(ctx context.Context, since, until time.Time) (stats []BridgeToolStats, err error) {
	from, to := int64(0), int64(1)<<62
	if !since.IsZero() {
		from = milli(since)
	}
	if !until.IsZero() {
		to = milli(until)
	}
	err = l.reading(ctx, func(c *sql.Conn) (err error) {
		stats, err = collect(ctx, c, "bridge_stats", scanBridgeStats, from, to)
		return err
	})
	return stats, err
}

func scanBridgeStats(rows *sql.Rows, s *BridgeToolStats) error {
	var median, slow, woke, newest int64
	err := rows.Scan(&s.Tool, &s.Package, &s.Calls, &s.OK, &s.Cancelled, &s.ResultBytes, &s.Progress, &median, &slow, &woke, &newest,
		&s.Carried, &s.Requests, &s.FreshTokens, amount{&s.Cost}, &s.Unpriced)
	if err != nil {
		return err
	}
	s.Median, s.Slow, s.Woke = time.Duration(median)*time.Millisecond, time.Duration(slow)*time.Millisecond, time.Duration(woke)*time.Millisecond
	s.Newest = fromMilli(newest)
	return nil
}
