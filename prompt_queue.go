package meterbridge

import "time"

// PromptState is what became of a prompt that was given to the queue.
type PromptState string

// The states of a prompt.
const (
	// PromptQueued waits for its agent; PromptWaiting for a person's consent.
	PromptQueued  PromptState = "queued"
	PromptWaiting PromptState = "waiting"
	// PromptDelivering is being typed.
	PromptDelivering PromptState = "delivering"
	// PromptSent was taken by the agent; PromptInserted was typed without Enter.
	PromptSent     PromptState = "sent"
	PromptInserted PromptState = "inserted"
	// PromptDropped never went out, PromptFailed was typed and not taken; Reason says why.
	PromptDropped PromptState = "dropped"
	PromptFailed  PromptState = "failed"
	// PromptUnknown was being typed when the daemon died: it may have gone out or not,
	// and is never repeated by itself.
	PromptUnknown PromptState = "unknown"
)

// Open reports whether the prompt may still go out.
func (s PromptState) Open() bool {
	return s == PromptQueued || s == PromptWaiting || s == PromptDelivering
}

// SenderKind tells who sends a prompt.
type SenderKind string

// The kinds of senders.
const (
	ByPerson    SenderKind = "person"
	ByAgent     SenderKind = "agent"
	ByExtension SenderKind = "extension"
)

// PromptSender is who sends a prompt.
type PromptSender struct {
	Kind SenderKind
	// ID is the agent's, or the card's or the extension's; empty for a person.
	ID string
	// Package is the extension's package; Name what people are told.
	Package, Name string
}

// QueuedPrompt is a prompt on its way to an agent.
type QueuedPrompt struct {
	ID, Agent string
	Sender    PromptSender
	// Text is as it is typed; empty in what is kept of a past one where no texts are kept.
	Text string
	// Length is that of the text as it was given, in characters.
	Length int
	Submit bool
	State  PromptState
	Reason string
	// Rank orders the prompts of an agent.
	Rank int64
	// NotBefore is the earliest time; AfterAgent an agent that must finish first.
	NotBefore  time.Time
	AfterAgent string
	// Attempt is how far the typing got: "", "pasting", "pasted", "entering", "entered".
	Attempt              string
	CreatedAt, ChangedAt time.Time
	// SentAt is when it was taken, Turn the harness's id of the turn that it started.
	SentAt time.Time
	Turn   string
}
