// Package totals turns running totals, which a harness only ever raises, into
// rows with a time: what was there at first sight is one row of the session, and
// each later difference a row of the stretch of work between two readings. The
// rows of a session always add up to its greatest total. It imports the domain;
// the parsers of harnesses whose logs hold totals call it.
package totals

import (
	"time"

	"meterbridge"
	"meterbridge/harnesses/instant"
)

// bucket is the longest stretch of a row of differences: short enough that no
// row spans midnight in any zone, long enough that a session has few rows.
const bucket = 15 * time.Minute

// The rules of rows.
const (
	// RuleFirst: the total at first sight.
	RuleFirst = "session-total"
	// RuleGrowth: the difference to the reading before.
	RuleGrowth = "growth-of-total"
)

// Reading is what a source says of a session now.
type Reading struct {
	// Start is when the session began, End the time that the totals belong to.
	Start, End time.Time
	Tokens     meterbridge.Tokens
	Cost       meterbridge.NullPico
	Model      string
}

// Counter is what is remembered of one session's totals.
type Counter struct {
	Rows []Row `json:"rows,omitempty"`
	// High are the greatest totals seen, Cost likewise as decimal USD.
	High meterbridge.Tokens `json:"high"`
	Cost string             `json:"cost,omitempty"`
}

// Row is a stretch of a session. Times are epoch milliseconds.
type Row struct {
	// ID tells the rows of a session apart; empty for that of first sight.
	ID     string             `json:"id,omitempty"`
	Start  int64              `json:"start,omitempty"`
	End    int64              `json:"end"`
	Tokens meterbridge.Tokens `json:"tokens"`
	Cost   string             `json:"cost,omitempty"`
	Model  string             `json:"model,omitempty"`
}

// Seed makes totals that the session took over from another the ground from
// which it counts. It does nothing once the session was read.
func (c *Counter) Seed(inherited meterbridge.Tokens) {
	if len(c.Rows) == 0 && c.High == (meterbridge.Tokens{}) {
		c.High = inherited
	}
}

// Read takes a reading. A total that falls adds nothing: an older copy of the
// file was put back, and what is above the greatest one is new.
func (c *Counter) Read(r Reading) {
	spent, cost := over(r.Tokens, c.High), overUSD(r.Cost, c.Cost)
	first := len(c.Rows) == 0
	switch {
	case spent.Total() == 0 && spent.Reasoning.N == 0 && (!cost.OK || cost.Amount.IsZero()):
		c.extend(r)
	case first:
		c.Rows = []Row{{Start: millis(r.Start), End: millis(r.End), Tokens: spent, Cost: usd(cost), Model: r.Model}}
	default:
		c.grow(r, spent, cost)
	}
	c.High = high(c.High, r.Tokens)
	if overUSD(r.Cost, c.Cost).OK {
		c.Cost = r.Cost.Amount.String()
	}
}

// extend lets the last row end with the newest message: it came late.
func (c *Counter) extend(r Reading) {
	if n := len(c.Rows); n > 0 {
		c.Rows[n-1].End = max(c.Rows[n-1].End, millis(r.End))
	}
}

func (c *Counter) grow(r Reading, spent meterbridge.Tokens, cost meterbridge.NullPico) {
	last := &c.Rows[len(c.Rows)-1]
	end := max(millis(r.End), last.End)
	id := "@" + instant.Millis(end).Truncate(bucket).Format("20060102T1504Z")
	if last.ID == id && last.Model == r.Model {
		last.End, last.Tokens, last.Cost = end, plus(last.Tokens, spent), plusUSD(last.Cost, cost)
		return
	}
	for i := range c.Rows { // another model within the same stretch
		if c.Rows[i].ID == id {
			id += "/" + r.Model
		}
	}
	if last.ID == id {
		last.End, last.Tokens, last.Cost = end, plus(last.Tokens, spent), plusUSD(last.Cost, cost)
		return
	}
	c.Rows = append(c.Rows, Row{ID: id, Start: last.End, End: end, Tokens: spent, Cost: usd(cost), Model: r.Model})
}

// Requests are the rows as requests made after a pattern, whose NativeID begins
// each one's.
func (c *Counter) Requests(like meterbridge.Request) []meterbridge.Request {
	out := make([]meterbridge.Request, 0, len(c.Rows))
	for _, row := range c.Rows {
		r := like
		r.NativeID += row.ID
		r.StartedAt, r.EndedAt = instant.Millis(row.Start), instant.Millis(row.End)
		r.Tokens, r.Model, r.Recorded = row.Tokens, row.Model, amount(row.Cost)
		r.Tokens.Reasoning.N = min(r.Tokens.Reasoning.N, r.Tokens.Output.N)
		r.Precision, r.Rule = meterbridge.PerRun, RuleGrowth
		if row.ID == "" {
			r.Precision, r.Rule = meterbridge.PerSession, RuleFirst
		}
		out = append(out, r)
	}
	return out
}

func millis(t time.Time) int64 {
	if t.IsZero() {
		return 0
	}
	return t.UnixMilli()
}
