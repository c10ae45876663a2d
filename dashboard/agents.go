package dashboard

import (
	"context"
	"time"

	"meterbridge/analytics"
)

// AgentReader answers about agents, by id, name or a unique beginning of one. Zero
// times are no bounds.
type AgentReader interface {
	Agents(ctx context.Context, q AgentQuery) (AgentList, error)
	Agent(ctx context.Context, which string) (AgentAnswer, error)
	AgentUsage(ctx context.Context, which string, since, until time.Time) (analytics.AgentUsage, error)
	AgentTimeline(ctx context.Context, which string, since, until time.Time) (analytics.AgentTimeline, error)
}

// AgentQuery chooses agents.
type AgentQuery struct {
	// Workspace is empty for all of them.
	Workspace string
	// All: those that ended more than a day ago too.
	All bool
}

// AgentList is the answer of `agents list`.
type AgentList struct {
	SchemaVersion int           `json:"schemaVersion"`
	Rows          []AgentAnswer `json:"rows"`
	Links         []LinkAnswer  `json:"links"`
}

// AgentAnswer is one agent or terminal as it is now. Times are epoch milliseconds.
type AgentAnswer struct {
	ID      string `json:"id"`
	Name    string `json:"name"`
	Harness string `json:"harness"`
	Kind    string `json:"kind" enum:"ai,shell"`
	// Origin is started for what Meterbridge runs, hooks for what it was told of.
	Origin    string `json:"origin" enum:"started,hooks"`
	Workspace string `json:"workspace"`
	Dir       string `json:"dir"`
	// Argv is what a terminal of any program runs, or further arguments.
	Argv   []string `json:"argv"`
	Status string   `json:"status" enum:"working,needs-input,finished,idle,exited"`
	// StatusAt is when the status was established, Detail a question or an error.
	StatusAt int64   `json:"statusAt"`
	Detail   *string `json:"detail"`
	// Source and Confidence tell how the status is known.
	Source     *string `json:"source"`
	Confidence *string `json:"confidence"`
	// SessionTitle and Model are of the newest session that is bound; LastTurn is
	// absent before the first one has ended.
	SessionTitle  *string         `json:"sessionTitle"`
	Model         *string         `json:"model"`
	TurnStartedAt *int64          `json:"turnStartedAt"`
	LastTurn      *LastTurnAnswer `json:"lastTurn,omitempty"`
	Dangerous     bool            `json:"dangerous"`
	// Generation counts its processes; PID is that of the newest.
	Generation int            `json:"generation"`
	PID        *int           `json:"pid"`
	CreatedAt  int64          `json:"createdAt"`
	StartedAt  *int64         `json:"startedAt"`
	ExitedAt   *int64         `json:"exitedAt"`
	ExitCode   *int64         `json:"exitCode"`
	Sessions   []BoundSession `json:"sessions"`
}

// LastTurnAnswer is the newest turn that ended.
type LastTurnAnswer struct {
	StartedAt *int64 `json:"startedAt"`
	EndedAt   int64  `json:"endedAt"`
	EndedAs   string `json:"endedAs" enum:"finished,needs-input"`
}

// BoundSession is a session that is an agent's now.
type BoundSession struct {
	Session string `json:"session"`
	// Binding tells how that is known; inferred is by process and folder.
	Binding string `json:"binding" enum:"given,hook,inferred"`
	// Since is null for a session that was the agent's from its beginning.
	Since *int64 `json:"since"`
}

// LinkAnswer says that one agent may work with another agent or terminal.
type LinkAnswer struct {
	From      string `json:"from"`
	To        string `json:"to"`
	CreatedAt int64  `json:"createdAt"`
}
