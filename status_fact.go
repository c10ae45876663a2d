package meterbridge

import "time"

// FactKind is what a StatusFact tells.
type FactKind string

// The kinds of facts. What a fact means for the status depends on what is known
// already: agents/status decides it.
const (
	// FactTurn: a prompt was taken. With the id of the open turn it was queued
	// behind it or steers it, and no turn starts.
	FactTurn FactKind = "turn"
	// FactActivity: something happened in Turn. With the id of an unseen turn that
	// turn has begun; otherwise it says nothing.
	FactActivity FactKind = "activity"
	// FactResumed: the agent goes on after a question; it never revives one that ended.
	FactResumed FactKind = "resumed"
	// FactNeedsInput: the agent waits for a person; Detail is the question.
	FactNeedsInput FactKind = "needs-input"
	// FactFinished: the turn ended, by an error where Error is set.
	FactFinished FactKind = "finished"
	// FactInterrupted: a person ended the turn.
	FactInterrupted FactKind = "interrupted"
	// FactSubagentStarted and FactSubagentStopped tell of the sub-agent Subagent;
	// FactSubagents is the whole set of those that run.
	FactSubagentStarted FactKind = "subagent-started"
	FactSubagentStopped FactKind = "subagent-stopped"
	FactSubagents       FactKind = "subagents"
	// FactSessionStarted and FactSessionEnded tell of Session; Reason is the
	// harness's word ("startup", "resume", "clear").
	FactSessionStarted FactKind = "session-started"
	FactSessionEnded   FactKind = "session-ended"
	// FactExited: the process says that it ends.
	FactExited FactKind = "exited"
)

// SessionAnother is the Reason of a session that the same process began beside its
// earlier one; the harness vouches for it.
const SessionAnother = "another"

// FactSource is where a fact, or a published status, comes from.
type FactSource string

// The sources of facts.
const (
	FromHook       FactSource = "hook"
	FromKey        FactSource = "key"
	FromTranscript FactSource = "transcript"
	FromTitle      FactSource = "title"
	FromOutput     FactSource = "output"
	FromProcess    FactSource = "process"
)

// Confidence is how sure a fact, or a published status, is.
type Confidence string

// The confidences.
const (
	// Exact: the harness said so.
	Exact Confidence = "exact"
	// Inferred: it follows from something that the harness wrote.
	Inferred Confidence = "inferred"
	// Guessed: it usually means that.
	Guessed Confidence = "guessed"
)

// RunningSubagent is a sub-agent that runs.
type RunningSubagent struct {
	// ID is the harness's own; Name its kind or title, empty when not told.
	ID, Name string
	// Since is when it was started; zero when not told: then its first sight counts.
	Since time.Time
}

// StatusFact is what one hook payload, transcript record, title, key or process
// tells of a session. Empty strings, zero times and nil say nothing.
type StatusFact struct {
	Kind       FactKind
	Source     FactSource
	Confidence Confidence
	// At is the harness's own time; zero where it tells none: then the arrival counts.
	At time.Time
	// Session is the harness's id of the conversation, Turn its id of the prompt
	// or turn in it.
	Session, Turn string
	// Detail is a question's text, at most 300 characters on one line.
	Detail string
	// Error is the kind of error that ended the turn.
	Error string
	// Subagent is the id of the sub-agent that the fact is about, SubagentName its kind.
	Subagent, SubagentName string
	// Subagents is the whole set of FactSubagents; FactFinished may carry one too
	// (SubagentsKnown). Others also run in the background where BackgroundWork says so.
	Subagents      []RunningSubagent
	SubagentsKnown bool
	BackgroundWork bool
	// Reason is the harness's word for why a session started or ended.
	Reason string
	// Question tells how a FactNeedsInput is meant.
	Question Question
	// Prompt is the submitted text as the harness shows it; Automatic: the harness
	// submitted it by itself (a background task ended).
	Prompt    string
	Automatic bool
	// Reply is the agent's last message.
	Reply string
	// Transcript is the path of the session's log, Dir its working directory.
	Transcript, Dir string
	// Model is the model as the harness names it.
	Model string
}

// QuestionKind tells how a question came to be known.
type QuestionKind string

// The kinds of questions.
const (
	// Asked: the harness waits now.
	Asked QuestionKind = "asked"
	// Permission: a permission is asked for; the hook that tells of it may answer.
	Permission QuestionKind = "permission"
	// Notice: a later reminder of a question, or the first sign of it.
	Notice QuestionKind = "notice"
)

// Question says how a FactNeedsInput is meant.
type Question struct {
	Kind QuestionKind
	// Unless is how long the question must stay unanswered before it counts; zero
	// counts at once.
	Unless time.Duration
	// Allowed: it was answered with yes at once, so nobody is asked.
	Allowed bool
}

// TranscriptPhase is what a session's log says of the conversation.
type TranscriptPhase string

// The phases of a transcript.
const (
	// PhaseNone: the log says nothing yet.
	PhaseNone TranscriptPhase = ""
	// PhaseBusy: the agent works.
	PhaseBusy TranscriptPhase = "busy"
	// PhaseAnswered: the agent gave an answer, and nothing says that the turn ended.
	PhaseAnswered TranscriptPhase = "answered"
	// PhaseEnded: the turn ended.
	PhaseEnded TranscriptPhase = "ended"
	// PhaseInterrupted: a person ended the turn.
	PhaseInterrupted TranscriptPhase = "interrupted"
	// PhaseFailed: an error ended the turn.
	PhaseFailed TranscriptPhase = "error"
)

// TranscriptView is the state of a conversation as its log shows it.
type TranscriptView struct {
	Phase TranscriptPhase
	// At is the time of the record that set the phase.
	At time.Time
	// TurnAt is when the last turn started, TurnID its id where the log has one.
	TurnAt time.Time
	TurnID string
	// Automatic: the harness started that turn by itself.
	Automatic bool
	// AssistantAt is the time of the agent's last message.
	AssistantAt time.Time
	// Queued is how many prompts wait in the harness's own queue.
	Queued int
	// Error is the kind of error of PhaseFailed, ErrorText what a person is told.
	Error, ErrorText string
}

// LaunchHooks says where an agent's hooks report to, for one launch.
type LaunchHooks struct {
	// Dir is the launch's own folder (0700); files are made below it.
	Dir string
	// URL is the endpoint without the harness ("http://127.0.0.1:7433/hooks").
	// The token is never here: the agent has it in its environment (HookTokenVariable).
	URL string
	// Forwarder is the command line before the harness's id that takes a payload on
	// standard input ("/usr/bin/meterbridge-lite hook"), quoted for a shell.
	Forwarder string
	// Version is the harness's, empty when unknown: then only events are asked for
	// that every version has.
	Version string
	// WorkDir is the folder in which the agent is started.
	WorkDir string
	// Getenv looks up the user's own environment; ReadFile reads a file of the user.
	Getenv   func(string) string
	ReadFile func(string) ([]byte, error)
}

// LaunchLayer is what is added to one launch so that the agent tells of itself:
// no file of the user is touched.
type LaunchLayer struct {
	// Args are put behind the program's name, Env are further variables ("NAME=value").
	Args, Env []string
	Files     []LaunchFile
}

// LaunchFile is a file of a launch, made with mode 0600 before the start.
type LaunchFile struct {
	Path    string
	Content []byte
}

// The variables of an agent's environment that name it and where its hooks go.
const (
	AgentVariable      = "METERBRIDGE_AGENT"
	GenerationVariable = "METERBRIDGE_GENERATION"
	HookURLVariable    = "METERBRIDGE_HOOK_URL"
	HookTokenVariable  = "METERBRIDGE_HOOK_TOKEN"
)
