package bridge

import (
	"context"
	"encoding/json"
	"errors"
	"time"

	"meterbridge"
)

// What the bridge asks of the rest of the house. internal/daemon hands in what
// fills these interfaces; a nil one means that this daemon has no such part, and
// what needs it answers CodeUnavailable.

// ErrUnknownAgent says that there is no agent or terminal of that id, ErrNotRunning
// that there is one and that it does not run.
var (
	ErrUnknownAgent = errors.New("there is no such agent")
	ErrNotRunning   = errors.New("the agent does not run")
)

// AgentKind tells AI agents from plain terminals.
type AgentKind string

// The kinds of agents.
const (
	KindAI    AgentKind = "ai"
	KindShell AgentKind = "shell"
)

// AgentInfo is what a caller may learn of an agent or terminal. Whether it is
// connected to the caller is not in it: links are the bridge's own.
type AgentInfo struct {
	// ID is the agent's, Name what its user calls it.
	ID, Name string
	// Harness is the design's id; a card is told its own word for it.
	Harness   string
	Kind      AgentKind
	Workspace string
	// Dir is the folder it works in; empty when not known.
	Dir    string
	Status meterbridge.Status
	// SessionTitle and Model are empty when not known.
	SessionTitle, Model string
	// Session is the id of the session that it is bound to now; empty when none is.
	Session string
	// Dangerous: it acts without asking its user.
	Dangerous bool
	// TurnStartedAt is zero while no turn runs.
	TurnStartedAt time.Time
	// LastTurn is nil before the first turn has ended.
	LastTurn *LastTurn
}

// LastTurn is an agent's newest turn that ended. StartedAt is zero when it is not
// known; EndedAs is meterbridge.Finished or meterbridge.NeedsInput.
type LastTurn struct {
	StartedAt, EndedAt time.Time
	EndedAs            meterbridge.Status
}

// AgentEventKind is what happened to an agent.
type AgentEventKind string

// The kinds of events. For one transition the status comes before the turn.
const (
	// AgentStatus: the status became Status at At.
	AgentStatus AgentEventKind = "status"
	// AgentTurnStart and AgentTurnEnd: a turn began or ended at At.
	AgentTurnStart AgentEventKind = "turn-start"
	AgentTurnEnd   AgentEventKind = "turn-end"
	// AgentChanged: it came, went, or has another name or model.
	AgentChanged AgentEventKind = "changed"
)

// AgentEvent is one thing that happened to one agent.
type AgentEvent struct {
	Kind   AgentEventKind
	Agent  string
	Status meterbridge.Status
	At     time.Time
}

// Agents knows the agents and terminals.
type Agents interface {
	// List are those of a workspace, in the order in which they came; "" is every
	// workspace.
	List(ctx context.Context, workspace string) ([]AgentInfo, error)
	// Get is one of them, else ErrUnknownAgent.
	Get(ctx context.Context, id string) (AgentInfo, error)
	// Watch tells what happens until ctx ends, in order; then the channel is closed. A
	// reader that is too slow misses events and gets AgentChanged of the agents concerned.
	Watch(ctx context.Context) (<-chan AgentEvent, error)
}

// Reply is the last answer of an agent as its log has it. Both are zero when the
// log has none.
type Reply struct {
	Text string
	At   time.Time
}

// Output is a piece of what a terminal printed, without control sequences.
type Output struct {
	Text string
	At   time.Time
}

// Screens shows what agents and terminals show.
type Screens interface {
	// ReadScreen is the last lines (1 to 500) of the screen, else ErrNotRunning.
	ReadScreen(ctx context.Context, agent string, lines int) (string, error)
	LastReply(ctx context.Context, agent string) (Reply, error)
	// Output tells what is printed from now on until ctx ends, a piece every 100 ms or
	// 64 KiB; then the channel is closed.
	Output(ctx context.Context, agent string) (<-chan Output, error)
}

// WhenBusy says what becomes of a prompt for an agent that works.
type WhenBusy string

// What becomes of a prompt for a busy agent.
const (
	BusyQueue WhenBusy = "queue"
	BusySend  WhenBusy = "send"
	BusyFail  WhenBusy = "fail"
)

// Sender is who asks for something: an extension, or an agent.
type Sender struct {
	// Extension is the package's name, Instance that of the card; empty for an agent.
	Extension, Instance string
	// Agent is the calling agent's id; empty for an extension.
	Agent string
	// Name is what people are told.
	Name string
}

// Prompt is a text for an agent.
type Prompt struct {
	Sender Sender
	Agent  string
	// Text has 1 to 20,000 characters.
	Text string
	// Submit: the text is sent, not only typed.
	Submit   bool
	WhenBusy WhenBusy
}

// Delivery says what became of a prompt.
type Delivery string

// What becomes of a prompt.
const (
	DeliverySent     Delivery = "sent"
	DeliveryQueued   Delivery = "queued"
	DeliveryInserted Delivery = "inserted"
)

// Prompts delivers prompts. Permission, link and rate have been checked by the
// bridge; budget, dangerous mode and whether it runs are the callee's to check, which
// answers with a *ToolError.
type Prompts interface {
	Prompt(ctx context.Context, p Prompt) (Delivery, error)
}

// Run is one command for a terminal.
type Run struct {
	Sender Sender
	Agent  string
	// Command has 1 to 20,000 characters.
	Command string
	// Timeout is 1 to 120 s; the command goes on after it.
	Timeout time.Duration
}

// RunResult is what a command printed.
type RunResult struct {
	// ExitCode is nil when the shell does not tell, or the time ran out.
	ExitCode *int
	// Output is the last 64 KiB; Truncated tells that there was more before.
	Output    string
	Truncated bool
	TimedOut  bool
}

// Keys are typed into a terminal.
type Keys struct {
	Sender Sender
	Agent  string
	// Text has 1 to 20,000 characters; Submit types Enter after it.
	Text   string
	Submit bool
}

// Terminals runs commands in terminals that are open.
type Terminals interface {
	Run(ctx context.Context, r Run) (RunResult, error)
	Write(ctx context.Context, k Keys) error
}

// Stretch is a stretch of time, [Since, Until); a zero Until is now.
type Stretch struct{ Since, Until time.Time }

// Usage has the numbers of agents, as JSON of the contract that the commands
// agents usage, timeline and usage print.
type Usage interface {
	Usage(ctx context.Context, agent string, s Stretch) (json.RawMessage, error)
	Timeline(ctx context.Context, agent string, s Stretch) (json.RawMessage, error)
	// Summary is of all harnesses, for "today", "7d" or "30d".
	Summary(ctx context.Context, period string) (json.RawMessage, error)
}

// Reports answers what the commands of the same names answer. Question and answer
// are JSON: the flags in camelCase, and what --json prints.
type Reports interface {
	Report(ctx context.Context, question json.RawMessage) (json.RawMessage, error)
	Sessions(ctx context.Context, question json.RawMessage) (json.RawMessage, error)
	Explain(ctx context.Context, question json.RawMessage) (json.RawMessage, error)
	Price(ctx context.Context, question json.RawMessage) (json.RawMessage, error)
}

// ErrNoConsent says that nothing was ever consented to.
var ErrNoConsent = errors.New("there is no record of consent")

// Consent keeps what the user consented to: a text of bridge/policy, with a
// checksum of its own.
type Consent interface {
	// Load returns the text as it was saved, ErrNoConsent on a machine where none ever
	// was. Any other error means that there was one: then nothing may be visible.
	Load() ([]byte, error)
	// Save replaces the text whole or not at all and keeps the one before.
	Save(text []byte) error
}

// CallRecord is the trace of one call of a tool. It holds no value of an argument
// unless the user wants that.
type CallRecord struct {
	ID             string
	Started, Ended time.Time
	// Agent is who called, Session the agent's at that time; empty when not known.
	Agent, Session string
	// By is "link" or "switch", what let the agent see the tool; "built-in" for our own.
	By string
	// Package and Version are empty for built-in tools.
	Package, Version string
	// Tool is the local id, Exposed the name that the agent called.
	Tool, Exposed string
	// ToolDigest and TreeDigest are zero for built-in tools.
	ToolDigest, TreeDigest Digest
	// Instance is the card or process that answered; empty when none did.
	Instance string
	// Queued, Woke and Handled are how long it waited for its turn, for the extension
	// to be ready, and for its handler.
	Queued, Woke, Handled time.Duration
	ArgumentBytes         int
	// ArgumentShape has the keys and types of the arguments and no value.
	ArgumentShape json.RawMessage
	// Arguments and Answer are the values, secrets blanked; empty unless they are wanted.
	Arguments, Answer string
	// ResultBytes is the size of the answer as JSON, Items its number of items.
	ResultBytes, Items int
	// Removed counts characters that were cleaned away, Progress the lines of progress.
	Removed, Progress int
	// Outcome is ok, tool_error, cancelled or a code.
	Outcome string
	// Era is the client's revision of MCP, TraceID that of its _meta; empty when unknown.
	Era, TraceID string
}

// CallQuery chooses calls, the newest first; empty fields choose all.
type CallQuery struct {
	Agent, Package, Tool string
	Since                time.Time
	// Most is how many are wanted, 0 for 100.
	Most int
}

// Calls keeps the traces of calls.
type Calls interface {
	Record(ctx context.Context, c CallRecord) error
	Recent(ctx context.Context, q CallQuery) ([]CallRecord, error)
}
