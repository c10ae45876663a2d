// Package treelog reads the session logs of Pi and of the programs that took
// over its format: one JSON object per line (or per row of a database), a
// header first, then entries that form a tree by id and parentId. What differs
// between the programs stands in a Dialect; everything else is here. It imports
// the domain, the contract of a harness and the JSON cursor, and never a
// harness; the harnesses that write such logs call it.
package treelog

import (
	"meterbridge"
	"meterbridge/harnesses"
)

// Dialect is what differs between the programs that write such logs.
type Dialect struct {
	// Harness and Store are those of its requests.
	Harness, Store string
	// Native is the id of what an entry tells, of the session, the entry's id
	// and its timestamp as written; all three are never empty.
	Native func(session, entry, timestamp string) string
	// Bookkeeping reports rows that only repeat a reply, by provider and model;
	// nil when there are none.
	Bookkeeping func(provider, model string) bool
}

// Origin is what is known of a session from outside of its log.
type Origin struct {
	// Session stands in when the log has no header.
	Session string
	// Parent and Relation are used when the header names no parent.
	Parent   string
	Relation meterbridge.Relation
	// AgentType is the kind of a sub-agent, where it is known.
	AgentType string
	// Precision is that of the session's answers; empty for single requests.
	Precision meterbridge.Precision
}

// Parser reads the entries of one session in their order. It is a LineParser.
type Parser struct {
	dialect Dialect
	origin  Origin
	opt     harnesses.Options
	m       memory

	// The entry being read.
	out *meterbridge.Batch
	at  meterbridge.Place
	e   entry
	// when is the entry's time in ms, copied says that a fork brought it along.
	when   int64
	copied bool

	// reply is the newest text of the agent, not yet emitted, replied its time.
	reply   string
	replied int64
}

// New returns a parser that goes on from opt.State.
func New(d Dialect, o Origin, opt harnesses.Options) *Parser {
	return &Parser{dialect: d, origin: o, opt: opt, m: remember(opt.State)}
}
