package meterbridge

import "time"

// AgentKind tells an agent that works by itself from a terminal that waits for
// commands.
type AgentKind string

// The kinds of agents.
const (
	// AIAgent is a coding agent.
	AIAgent AgentKind = "ai"
	// ShellAgent is a shell, or any other program in a terminal.
	ShellAgent AgentKind = "shell"
)

// ShellCommand is the harness of an agent that is any other program.
const ShellCommand = "shell-command"

// DefaultWorkspace holds the agents that name no other one.
const DefaultWorkspace = "default"

// AgentOrigin tells how an agent came to be known.
type AgentOrigin string

// The origins of agents.
const (
	// Started: Meterbridge started it and runs its terminal.
	Started AgentOrigin = "started"
	// Hooked: it was started by hand, and is known by its hooks alone.
	Hooked AgentOrigin = "hooks"
)

// Agent is a process, live or past, that Meterbridge started or was told of. It
// keeps its id over restarts; each of them is a new generation.
type Agent struct {
	// ID is unique for ever; Name is for people and unique among those that are kept.
	ID, Name string
	// Harness is an id of design.md, "shell-bash", ... or ShellCommand.
	Harness string
	Kind    AgentKind
	Origin  AgentOrigin
	// Workspace is never empty.
	Workspace string
	// Dir is the absolute folder in which it works.
	Dir string
	// Argv is what ShellCommand runs; for other harnesses further arguments of their
	// program. Nil for none.
	Argv []string
	// Model is what was asked for at its start; empty for the harness's own choice.
	Model string
	// Dangerous: it was started so that it asks nobody before it acts.
	Dangerous bool
	// Trust: the person said that its folder can be trusted.
	Trust bool
	// Generation counts its processes, from 1; 0 before the first.
	Generation int
	// PID is the process id of the newest process; 0 when it is not known.
	PID int
	// CreatedAt is when it became known, StartedAt when its newest process began.
	CreatedAt, StartedAt time.Time
	// ExitedAt is when the newest process ended; zero while it runs.
	ExitedAt time.Time
	// ExitCode is that of the newest process; null while it runs, and where a signal ended it.
	ExitCode Count
	// SeenAt is the last sign of life.
	SeenAt time.Time
}

// Running reports whether a process of the agent runs.
func (a *Agent) Running() bool { return a.Generation > 0 && a.ExitedAt.IsZero() }

// BindingSource tells how it is known that a session is an agent's.
type BindingSource string

// The sources of bindings, surest first.
const (
	// BoundGiven: the agent was started with the session's id.
	BoundGiven BindingSource = "given"
	// BoundByHook: a hook of the agent's process named the session.
	BoundByHook BindingSource = "hook"
	// BoundInferred: the session began in the agent's folder while only it could
	// have begun it.
	BoundInferred BindingSource = "inferred"
)

// Binding says that what a session spends from From until To is an agent's. A
// session is bound to one agent at a time.
type Binding struct {
	Agent string
	// Harness and Session name the session as logs do.
	Harness, Session string
	Source           BindingSource
	// Generation is the agent's when it was bound.
	Generation int
	// From is zero for a session that was the agent's from its beginning; To is
	// zero while it is bound.
	From, To time.Time
}

// Link is the user's consent that agent From may work with the agent or terminal To.
type Link struct {
	From, To  string
	CreatedAt time.Time
}

// StatusSpan is a status of an agent, and how it is known.
type StatusSpan struct {
	Agent      string
	Generation int
	Span
	// Source is "hook", "key", "transcript", "title", "output" or "process";
	// Confidence is "exact", "inferred" or "guessed".
	Source, Confidence string
}

// AgentTurn is a usage turn of an agent: from a prompt until it finished, was
// stopped or exited. Answering a question of the agent continues it.
type AgentTurn struct {
	Agent string
	// Generation is that of the process that ran it.
	Generation int
	// PromptID is the harness's own id of the turn; empty where it has none.
	PromptID string
	// StartedAt is never zero; EndedAt is zero while it is open.
	StartedAt, EndedAt time.Time
	// EndedAs is empty while it is open.
	EndedAs TurnEnd
}

// TurnEnd is how a turn ended.
type TurnEnd string

// The ends of turns.
const (
	TurnFinished    TurnEnd = "finished"
	TurnInterrupted TurnEnd = "interrupted"
	TurnExited      TurnEnd = "exited"
)

// RunRecord is one command, or one text, that a caller other than a person sent
// to a terminal.
type RunRecord struct {
	// Caller is the agent or extension that asked, Agent the terminal.
	Caller, Agent string
	At            time.Time
	// Verb is "run" or "write".
	Verb string
	// Command holds at most 200 characters; empty where no texts are kept.
	Command string
	// ExitCode is null where none is known.
	ExitCode Count
	// Bytes is the length of the output, or of the text that was written.
	Bytes int64
	Took  time.Duration
	// Outcome is "ok", "timeout" or a code of an error.
	Outcome string
}
