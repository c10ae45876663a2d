package meterbridge

import (
	"math"
	"time"
)

// Count is a number that a log may not report. The zero value means "not
// reported", which is never the same as a reported 0.
type Count struct {
	N  int64
	OK bool
}

// Reported returns the count n, reported.
func Reported(n int64) Count { return Count{N: n, OK: true} }

// MaxCount is the greatest count that a log, or a person, may state of one
// request: 2^53, what a float holds exactly. A greater one is no count but a
// fault, and sums of a few that are below never overflow.
const MaxCount = 1 << 53

// Plus adds two counts; it is "not reported" only when both are.
func (c Count) Plus(d Count) Count {
	return Count{N: plus(c.N, d.N), OK: c.OK || d.OK}
}

// plus is a + b, held at the ends of the range: a sum never changes its sign.
func plus(a, b int64) int64 {
	switch {
	case b > 0 && a > math.MaxInt64-b:
		return math.MaxInt64
	case b < 0 && a < math.MinInt64-b:
		return math.MinInt64
	}
	return a + b
}

// Tokens are the token classes of one request. They are disjoint but for
// Reasoning, which is a part of Output. A class that the harness does not
// report is null.
type Tokens struct {
	// Input is the uncached prompt: no cache read, no cache write.
	Input Count
	// Output includes reasoning.
	Output Count
	// Reasoning is the part of Output spent on thinking.
	Reasoning Count
	// CacheRead is the part of the prompt served from a cache.
	CacheRead Count
	// CacheWrite5m holds writes with a five-minute lifetime and writes whose
	// lifetime the log does not tell.
	CacheWrite5m Count
	// CacheWrite1h holds writes with a one-hour lifetime.
	CacheWrite1h Count
}

// CacheWrite is the sum of both lifetimes; null when neither is reported.
func (t Tokens) CacheWrite() Count { return t.CacheWrite5m.Plus(t.CacheWrite1h) }

// Prompt is the whole prompt: uncached input, cache reads and cache writes.
func (t Tokens) Prompt() int64 {
	return plus(plus(t.Input.N, t.CacheRead.N), plus(t.CacheWrite5m.N, t.CacheWrite1h.N))
}

// Total is input + output + cache reads + cache writes.
func (t Tokens) Total() int64 { return plus(t.Prompt(), t.Output.N) }

// Precision tells what one row of a source stands for.
type Precision string

// The precisions a source can declare, finest first.
const (
	PerRequest Precision = "request"
	PerTurn    Precision = "turn"
	PerRun     Precision = "run"
	PerSession Precision = "session"
)

// RuleRemainder is the rule of rows that complete finer ones of the same run:
// what they tell of reasoning may lie in the output of those.
const RuleRemainder = "remainder"

// Request is one model request as its harness logged it: the ledger's row.
// Empty strings and zero times mean "not logged".
type Request struct {
	Harness string
	// Store is the name space of NativeID that the harness declares.
	Store string
	// NativeID is the harness's own id of the request, scoped so that it is
	// unique within Store; only where there is none, the session and the number
	// of the record in it.
	NativeID string
	// Session is the id of the conversation that spent the request. A sub-agent
	// is a session of its own whose Parent is the session that started it.
	Session string
	// Project is the working directory as logged; Branch the git branch.
	Project, Branch string
	// Model and Provider are as logged.
	Model, Provider string
	// ResponseID and RequestID are the provider's; they join mirrors and telemetry.
	ResponseID, RequestID string
	// StartedAt is the send time, zero where the log has none; EndedAt is always set.
	StartedAt, EndedAt time.Time
	Tokens             Tokens
	WebSearches        Count
	// ServiceTier, Speed and Geo choose the price: "priority", "fast", "us".
	ServiceTier, Speed, Geo string
	// Recorded is the cost that the harness wrote; null when it wrote none, or a
	// zero that only means "not recorded".
	Recorded NullPico
	// Precision is empty for PerRequest.
	Precision Precision
	// Calls is how many model requests the row stands for, where that is not one:
	// 0 for a row that only completes finer ones of the same run, the number for
	// totals that count them. Null is one.
	Calls Count
	// Tools are the names of the tools that the answer called, in order.
	Tools []string
	// Aborted: the answer was interrupted, so Output is a floor.
	Aborted bool
	// Purpose tells requests that are no answer to a prompt: "compaction".
	Purpose string
	// Side marks a record found where its harness also writes replays of other
	// sessions' records (a sub-agent's file). A side record never replaces one
	// that is not.
	Side bool
	// CopiedAt is when a fork copied the record, under an id of its own, from
	// another session whose record the source does not hold. Zero for a record
	// that is no copy; one whose original is there is not emitted at all. The
	// ledger makes it one with its original (Sign) as soon as it knows that.
	CopiedAt time.Time
	// Rule names how the parser made this row of its records ("single-record",
	// "last-snapshot", ...), for explain.
	Rule string
	// Place is where the deciding record lies.
	Place Place
}

// ID is the identity of the request.
func (r *Request) ID() ID { return NewID(r.Harness, r.Store, r.NativeID) }

// Counts is the number of model requests that the row counts as.
func (r *Request) Counts() int64 {
	if r.Calls.OK {
		return r.Calls.N
	}
	return 1
}

// At is the instant that decides the day of a report: when the answer ended.
func (r *Request) At() time.Time { return r.EndedAt }

// PricedAt is the instant that chooses the price: the start, where logged.
func (r *Request) PricedAt() time.Time {
	if r.StartedAt.IsZero() {
		return r.EndedAt
	}
	return r.StartedAt
}
