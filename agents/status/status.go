// Package status decides what an agent is doing from what its hooks, its
// transcript, its terminal's title, its person's keys and its process tell.
// Machine is pure: signals in, at most one publication out. Tracker owns the
// clock, the polls of transcripts and the meaning of facts. It imports the domain
// only, and nothing in it names a harness; internal/daemon/fleet feeds it.
package status

import (
	"time"

	"meterbridge"
)

// The times of the machine.
const (
	// Quiet is how long after a guess and the last output the guess is settled.
	Quiet = 3 * time.Second
	// Grace is how long after a dismissal hooks of the turn before say nothing.
	Grace = 5 * time.Second
	// Answered is how old an answer must be to count as the end of a turn.
	Answered = 10 * time.Second
	// QueuedSettle is how long a turn that ended may wait for a prompt that is
	// queued behind it.
	QueuedSettle = 3 * time.Second
	// SubagentSettle is how long after the last sub-agent a parent that had ended
	// may begin again, SubagentWait the longest wait for sub-agents.
	SubagentSettle = 3 * time.Second
	SubagentWait   = time.Hour
)

// Origin tells who established a status.
type Origin string

// The origins of publications.
const (
	ByHook       Origin = "hook"
	ByUser       Origin = "user"
	ByReset      Origin = "reset"
	ByTranscript Origin = "transcript"
)

// Publication is a status that begins.
type Publication struct {
	Status meterbridge.Status
	At     time.Time
	Origin Origin
	// Quiet: only the wording changed.
	Quiet bool
	// Error is the kind of error that ended the turn; empty for none.
	Error string
	// Detail is a question's text, or that of an error.
	Detail string
}

// SignalKind is what happened.
type SignalKind int

// The signals of the machine.
const (
	// Spawn: a process began. Exit: it ended.
	Spawn SignalKind = iota
	Exit
	// Work: a turn began, or its first sign came.
	Work
	// Resume: the agent goes on; it never revives one that ended.
	Resume
	// Ask: it waits for a person; Detail is the question.
	Ask
	// Finish: its turn ended; Error says by what error. Arrived is when that was told.
	Finish
	// Press: a person pressed keys that mean Key.
	Press
	// Silence: a guess was followed by no output for Quiet.
	Silence
	// Look: View is what the transcript shows.
	Look
	// Subagents: Running is the whole set of those that run.
	Subagents
	// Settle: the clock says At.
	Settle
	// Halt: a person ended the turn, as its hook says.
	Halt
)

// Signal is one thing that happened at a time.
type Signal struct {
	Kind    SignalKind
	At      time.Time
	Detail  string
	Error   string
	Key     Key
	View    meterbridge.TranscriptView
	Running []meterbridge.RunningSubagent
	// Arrived is when a Finish that was held back came in; zero for At.
	Arrived time.Time
	// Source is where it comes from; empty for the usual one of its kind.
	Source meterbridge.FactSource
}
