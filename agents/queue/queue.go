// Package queue brings prompts to agents: in order, one for each turn that ended,
// never into an open question, a person's draft or a shell. What it accepts is kept
// before it says so, and each step of the typing is kept before it is done, so that a
// crash repeats nothing. It imports the domain only; agents, terminals, budgets and
// consent are given to it through the interfaces of this file, and internal/daemon
// fills them.
package queue

import (
	"context"
	"errors"
	"time"

	"meterbridge"
)

// Agent is what the queue must know of an agent.
type Agent struct {
	ID, Name   string
	Kind       meterbridge.AgentKind
	Running    bool
	Generation int
	Dangerous  bool
	Status     meterbridge.Status
	// OwnQueue is how many prompts wait in the harness's own queue.
	OwnQueue int
	// Confirms: the harness tells which prompts it takes.
	Confirms bool
}

// ErrUnknownAgent says that there is no agent of that id.
var ErrUnknownAgent = errors.New("there is no such agent")

// Agents knows the agents.
type Agents interface {
	Agent(ctx context.Context, which string) (Agent, error)
}

// Look is what a terminal shows when something is to be typed.
type Look struct {
	Generation int
	// Leads: keys go to the agent's program and not to one that it, or a shell, runs.
	Leads bool
	// Pastes: the program asked for paste brackets.
	Pastes bool
	// Drawing: the program is in the middle of a drawing.
	Drawing bool
	// KeyAt is when a person last typed; Draft: what they typed may not be sent yet.
	KeyAt time.Time
	Draft bool
	// Text is the screen, Row the line of the cursor; empty where it is hidden.
	Text, Row string
	// Input is what stands in the agent's input.
	Input Input
}

// Terminals types.
type Terminals interface {
	Look(ctx context.Context, agent string) (Look, error)
	// Write types into the process of that generation and into no later one.
	Write(ctx context.Context, agent string, generation int, b []byte) error
}

// Store keeps prompts. What was saved is there after a crash.
type Store interface {
	// OpenPrompts are those that may still go out, by rank.
	OpenPrompts(ctx context.Context) ([]meterbridge.QueuedPrompt, error)
	SavePrompt(ctx context.Context, p meterbridge.QueuedPrompt) error
}

// Rules decides who may send what.
type Rules interface {
	// Permitted and Linked say whether the sender may prompt at all, and this agent;
	// an error's text is the reason. They are asked again before a prompt goes out.
	Permitted(ctx context.Context, s meterbridge.PromptSender) error
	Linked(ctx context.Context, s meterbridge.PromptSender, agent string) error
	// Held is the budget that holds automatic prompts to the agent; empty for none.
	Held(ctx context.Context, agent string) (budget string, err error)
	// Visible reports whether a person can see a question about a prompt of the sender.
	Visible(s meterbridge.PromptSender) bool
}

// Code is why a prompt was refused, in the words of the bridge.
type Code string

// The codes of refusals.
const (
	CodeInvalid      Code = "INVALID_PARAMS"
	CodeDenied       Code = "PERMISSION_DENIED"
	CodeNotFound     Code = "NOT_FOUND"
	CodeNotConnected Code = "NOT_CONNECTED"
	CodeRate         Code = "RATE_LIMITED"
	CodeBudget       Code = "BUDGET_PAUSED"
	CodeUnavailable  Code = "UNAVAILABLE"
	CodeBusy         Code = "BUSY"
	CodeNotVisible   Code = "NOT_VISIBLE"
	CodeCancelled    Code = "USER_CANCELLED"
	CodeQuota        Code = "QUOTA_EXCEEDED"
)

// Refusal is why a prompt was not taken.
type Refusal struct {
	Code    Code
	Message string
	// After is when it may be tried again; zero where that is not known.
	After time.Duration
}

// Error implements error.
func (r *Refusal) Error() string { return string(r.Code) + ": " + r.Message }

func refuse(code Code, message string) error { return &Refusal{Code: code, Message: message} }

// WhenBusy says what becomes of a prompt for an agent that works.
type WhenBusy string

// What becomes of it.
const (
	BusyQueue WhenBusy = "queue"
	BusySend  WhenBusy = "send"
	BusyFail  WhenBusy = "fail"
)

// Request is a prompt that somebody sends.
type Request struct {
	Sender meterbridge.PromptSender
	Agent  string
	Text   string
	// Insert types the text without Enter.
	Insert bool
	// WhenBusy is empty for BusyQueue.
	WhenBusy WhenBusy
	// Command: a text that begins a command of the agent (! / # @) is meant so.
	Command bool
	// NotBefore and After are conditions; zero for none.
	NotBefore time.Time
	After     string
	// Checked: permission, link and rate were checked by the caller.
	Checked bool
}

// The limits of senders that are no persons.
const (
	MostCharacters = 20000
	MostQueued     = 10
	PerMinute      = 6
	consentTime    = 2 * time.Minute
)

// The times of a delivery.
const (
	// enterAfter is between the text and Enter: some harnesses take what comes at
	// once for a part of the paste.
	enterAfter = 200 * time.Millisecond
	// confirmTime is how long a harness may take to tell that it took a prompt.
	confirmTime = 3 * time.Second
	// lateTime is how much longer it is waited, without another key, before a prompt
	// counts as not taken: a busy machine takes its time.
	lateTime = 10 * time.Second
	// stillness is how long a person must not have typed.
	stillness = 2 * time.Second
	// beat is how often what waits is looked at.
	beat = 500 * time.Millisecond
)
