// Package agents knows which agents there are: it starts and stops them by their
// launch profiles, remembers which sessions of the logs are whose, what each did
// when, and which may work with which. It imports the domain only: terminals, the
// ledger, hooks and the status machine are given to it through the small
// interfaces of this file, and no harness is named here. internal/daemon/fleet
// wires it; commands, HTTP and the bridge ask it through that.
package agents

import (
	"context"
	"errors"

	"meterbridge"
)

// Errors that callers tell apart.
var (
	// ErrUnknown: no agent answers to the id or name.
	ErrUnknown = errors.New("no such agent")
	// ErrAmbiguous: several do.
	ErrAmbiguous = errors.New("several agents answer to this")
	// ErrRunning: a process of the agent runs already.
	ErrRunning = errors.New("the agent runs")
	// ErrNotRunning: none does.
	ErrNotRunning = errors.New("the agent does not run")
	// ErrTaken: another agent has the name.
	ErrTaken = errors.New("another agent has this name")
	// ErrInvalid: what was asked for is outside its bounds.
	ErrInvalid = errors.New("that cannot be")
	// ErrNoProgram: the harness's program is not installed where the daemon looks.
	ErrNoProgram = errors.New("the program is not on the PATH of the daemon")
	// ErrCannot: the harness has no way to do what was asked for.
	ErrCannot = errors.New("the harness cannot do this")
)

// Process is what is to run in an agent's terminal.
type Process struct {
	// Generation tells it from earlier and later processes of the agent.
	Generation int
	Argv       []string
	// Shell names the prompt marks that it is to print; empty for none.
	Shell string
	Dir   string
	// Env is added to the daemon's own environment, as NAME=value.
	Env []string
	// Cols and Rows are the size; 0 is the terminal's own choice.
	Cols, Rows int
}

// Runner runs the terminals of agents, each by its agent's id.
type Runner interface {
	// Start runs a process in the agent's terminal, which is made when it is not
	// there yet, and returns its process id.
	Start(ctx context.Context, id string, p Process) (pid int, err error)
	// Stop ends the process and its descendants, and returns when they are gone.
	Stop(ctx context.Context, id string) error
	// Write types into the terminal. A program typed it, no person.
	Write(ctx context.Context, id string, b []byte) error
	// Screen is the last n logical lines of the screen.
	Screen(ctx context.Context, id string, n int) (string, error)
}

// Store keeps agents. What was saved is there after a crash.
type Store interface {
	// Agents are all that are kept, in the order in which they became known.
	Agents(ctx context.Context) ([]meterbridge.Agent, []meterbridge.Binding, []meterbridge.Link, error)
	// SaveAgent keeps an agent and its bindings as they are now.
	SaveAgent(ctx context.Context, a meterbridge.Agent, bindings []meterbridge.Binding) error
	// RemoveAgent forgets an agent: its bindings, its history and its links with it.
	RemoveAgent(ctx context.Context, id string) error
	// SaveLinks keeps the links from an agent as they are now.
	SaveLinks(ctx context.Context, from string, links []meterbridge.Link) error
}

// History keeps what agents did when.
type History interface {
	// SaveSpan keeps a span. It ends the one before it, which held until it began.
	SaveSpan(ctx context.Context, s meterbridge.StatusSpan) error
	// SaveTurn keeps a turn; one that began at the same time is replaced.
	SaveTurn(ctx context.Context, t meterbridge.AgentTurn) error
	// Spans and Turns are those of an agent, oldest first.
	Spans(ctx context.Context, agent string) ([]meterbridge.StatusSpan, error)
	Turns(ctx context.Context, agent string) ([]meterbridge.AgentTurn, error)
}
