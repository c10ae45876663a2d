package meterbridge

import "time"

// Status is what an agent is doing at a moment.
type Status string

// The statuses of an agent.
const (
	Working    Status = "working"
	NeedsInput Status = "needs-input"
	// Finished agents ended their turn and were not prompted since.
	Finished Status = "finished"
	// Idle agents wait for a prompt and have no answer to show: before the first
	// one, and after an interrupt.
	Idle   Status = "idle"
	Exited Status = "exited"
)

// Span is a status that held from From until To; To is zero while it holds.
type Span struct {
	Status   Status
	From, To time.Time
}
