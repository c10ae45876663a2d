package meterbridge

import "time"

// Relation tells how a session came from its parent.
type Relation string

// The relations between a session and its parent.
const (
	// SubAgent sessions are folded into their root in reports.
	SubAgent Relation = "subagent"
	// Fork sessions own only what was newly spent in them.
	Fork Relation = "fork"
	// Continuation sessions go on where their parent stopped.
	Continuation Relation = "continuation"
)

// TitleRank orders the sources of a title; a title replaces another of the same
// or a lower rank.
type TitleRank int

// The ranks, weakest first.
const (
	NoTitle TitleRank = iota
	TitleFromPrompt
	TitleFromSummary
	TitleFromModel
	TitleFromUser
)

// Session holds facts about one conversation. A parser may emit it many times
// with whatever it has just learnt; empty fields say nothing and change
// nothing, the last non-empty value wins (titles: by rank, then the last).
type Session struct {
	Harness, ID string
	Parent      string
	Relation    Relation
	// AgentType is the kind of a sub-agent as its harness names it; empty for a
	// main session, and for a sub-agent whose kind the log does not tell.
	AgentType string
	Title     string
	TitleRank TitleRank
	Project   string
	Branch    string
	// LastReply is the newest text of the agent, LastReplyAt its time.
	LastReply   string
	LastReplyAt time.Time
	// Version is the harness's version.
	Version string
}

// PreviewRunes is the longest preview of a prompt that is kept.
const PreviewRunes = 200

// Prompt is one prompt that a person typed. It is identified by (Harness,
// NativeID): a copy in a fork is the same prompt.
type Prompt struct {
	Harness, NativeID, Session string
	// Project is the working directory in which it was typed; empty when not logged.
	Project string
	At      time.Time
	// Preview holds at most PreviewRunes characters of the text.
	Preview string
	// CopiedAt is as that of a Request.
	CopiedAt time.Time
	Place    Place
}

// ToolCall is one call of a tool by the agent. The start and the end may come
// from different lines: both carry the same NativeID and are merged; zero times,
// empty names and a nil OK say nothing.
type ToolCall struct {
	Harness, NativeID, Session string
	// Request is the native id of the request that asked for the call; empty when unknown.
	Request            string
	Name               string
	StartedAt, EndedAt time.Time
	// OK is nil while the result is unknown.
	OK *bool
}

// Turn is a prompt until the agent finished or was stopped, where a log marks
// both. Start and end may be emitted apart, under the same NativeID.
type Turn struct {
	Harness, NativeID, Session string
	StartedAt, EndedAt         time.Time
	// Outcome is "finished", "interrupted" or "failed"; empty while running.
	Outcome string
}

// Limit is what a log says about the provider's rate limits at one moment.
type Limit struct {
	Harness, Session string
	At               time.Time
	// Name is "primary", "secondary" or the provider's own name.
	Name string
	// Window is the length of the limit's window; zero when not logged.
	Window time.Duration
	// UsedPercent is null when not logged.
	UsedPercent *float64
	// ResetsAt is zero when not logged.
	ResetsAt time.Time
	Plan     string
}

// Event is something that happened in a session and is no request.
type Event struct {
	Harness, Session string
	At               time.Time
	// Kind is "error", "compaction", "rewind" or "interrupted".
	Kind string
	// Detail is a short technical text ("429", "manual"); never a prompt.
	Detail string
	// Place makes the event unique within its source.
	Place Place
}
