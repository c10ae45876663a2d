package status

import (
	"time"

	"meterbridge"
)

// EventKind is what happened to an agent.
type EventKind string

// The kinds of events.
const (
	// StatusChanged: Change began.
	StatusChanged EventKind = "status"
	// TurnBegan: another turn began, and the status stays Change's.
	TurnBegan EventKind = "turn"
	// SessionBound: the agent's conversation is Session now.
	SessionBound EventKind = "session"
	// PromptTaken: the harness took a prompt: Prompt as it shows it. Queued: it waits
	// behind the open turn, or steers it.
	PromptTaken EventKind = "prompt"
	// Replied: the agent's last message is Reply.
	Replied EventKind = "reply"
)

// Change is a status as it is shown, and how it is known.
type Change struct {
	Publication
	Source     meterbridge.FactSource
	Confidence meterbridge.Confidence
	// Turn is the harness's id of the newest turn; empty where it has none.
	// Automatic: the harness began it by itself.
	Turn      string
	Automatic bool
}

// Event is one thing that happened to an agent.
type Event struct {
	Kind       EventKind
	Agent      string
	Generation int
	At         time.Time
	Change     Change
	Session    string
	Prompt     string
	// Turn is the id of the turn that took the prompt.
	Turn   string
	Queued bool
	Reply  string
}

// Info is what is known of an agent at a moment.
type Info struct {
	Change
	Generation int
	// Running: a process of it runs.
	Running   bool
	Session   string
	Subagents []meterbridge.RunningSubagent
	// BackgroundWork: more turns may begin by themselves.
	BackgroundWork bool
	// OwnQueue is how many prompts wait in the harness's own queue.
	OwnQueue int
	Model    string
	// Draft: what a person typed may still stand in the agent's input.
	Draft bool
}
