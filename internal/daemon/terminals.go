package daemon

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"time"

	"meterbridge/agents"
	"meterbridge/agents/terminal"
	"meterbridge/analytics"
	"meterbridge/dashboard/terminals"
	"meterbridge/internal/control"
)

type (
	// TerminalScreen is what a terminal shows.
	TerminalScreen = terminals.Screen
	// TerminalRun is what a command in a terminal did.
	TerminalRun = terminals.Run
)

// Screen has the last lines of an agent's screen, 0 for all that are given at once.
func (m *Meter) Screen(ctx context.Context, which string, lines int) (TerminalScreen, error) {
	i, t, err := m.terminal(which)
	if err != nil {
		return TerminalScreen{}, err
	}
	if lines == 0 {
		lines = terminal.MostLines
	}
	if lines < 0 || lines > terminal.MostLines {
		return TerminalScreen{}, terminalFault(fmt.Errorf("%w: %d lines, allowed are 1 to %d", terminal.ErrInvalid, lines, terminal.MostLines))
	}
	look, err := t.Look(ctx)
	if errors.Is(err, terminal.ErrExited) {
		return lastScreen(i, t, lines)
	}
	if err != nil {
		return TerminalScreen{}, terminalFault(err)
	}
	text, err := t.Text(ctx, lines)
	return TerminalScreen{
		SchemaVersion: analytics.SchemaVersion, AgentID: i.ID, Generation: look.Generation, Text: text,
		Title: look.Title, Cols: look.Cols, Rows: look.Rows,
	}, terminalFault(err)
}

// lastScreen is what a program that has ended has left.
func lastScreen(i agents.Info, t *terminal.Terminal, lines int) (TerminalScreen, error) {
	text, state, err := t.Last(lines)
	return TerminalScreen{
		SchemaVersion: analytics.SchemaVersion, AgentID: i.ID, Generation: state.Generation, Text: text, Cols: state.Cols, Rows: state.Rows, Exited: true,
	}, terminalFault(err)
}

// RunCommand runs a command in an agent's shell for a person. A timeout of 0 is the
// longest.
func (m *Meter) RunCommand(ctx context.Context, which, command string, timeout time.Duration) (TerminalRun, error) {
	i, _, err := m.terminal(which)
	if err != nil {
		return TerminalRun{}, err
	}
	r, err := m.fleet.Terminals().Run(ctx, terminal.Caller{}, i.ID, command, timeout)
	if err != nil {
		return TerminalRun{}, terminalFault(err)
	}
	return TerminalRun{
		SchemaVersion: analytics.SchemaVersion, ExitCode: r.Code, Output: r.Output, Truncated: r.Truncated, TimedOut: r.TimedOut,
		Exited: r.Exited, Reason: orNil(r.Reason),
	}, nil
}

// Runs are the newest commands and texts that callers other than a person sent to a
// terminal.
func (m *Meter) Runs(ctx context.Context, which string, last int) (terminals.RunList, error) {
	i, err := m.agent(ctx, which)
	if err != nil {
		return terminals.RunList{}, err
	}
	list := terminals.RunList{SchemaVersion: analytics.SchemaVersion, AgentID: i.ID, Rows: []terminals.RunLine{}}
	runs, err := m.ledger.Runs(ctx, i.ID, last)
	for _, r := range runs {
		line := terminals.RunLine{
			Caller: r.Caller, At: r.At.UnixMilli(), Verb: r.Verb, Command: orNil(r.Command), Bytes: r.Bytes, Ms: r.Took.Milliseconds(), Outcome: r.Outcome,
		}
		if r.ExitCode.OK {
			line.ExitCode = &r.ExitCode.N
		}
		list.Rows = append(list.Rows, line)
	}
	return list, answerFault(err)
}

// terminal is the terminal of an agent that the daemon runs.
func (m *Meter) terminal(which string) (agents.Info, *terminal.Terminal, error) {
	f, err := m.running()
	if err != nil {
		return agents.Info{}, nil, err
	}
	i, err := f.Agents().Get(which)
	if err != nil {
		return i, nil, agentFault(err)
	}
	t, err := f.Terminals().Terminal(i.ID)
	return i, t, terminalFault(err)
}

// terminalFault gives an error about terminals its hint.
func terminalFault(err error) error {
	f := &Fault{Err: err}
	switch {
	case err == nil:
		return nil
	case errors.Is(err, terminal.ErrUnknown), errors.Is(err, terminal.ErrExited):
		f.Err, f.Hint = errors.New("the agent has no terminal that runs"), "`meterbridge agents start` with its name starts it again"
	case errors.Is(err, terminal.ErrInvalid), errors.Is(err, terminal.ErrEmpty), errors.Is(err, terminal.ErrLongLine):
		f.Wrong = true
	case errors.Is(err, terminal.ErrIncomplete):
		f.Wrong, f.Hint = true, "quote the whole command, so that this shell takes nothing out of it"
	case errors.Is(err, terminal.ErrNoPrompt):
		f.Hint = "commands run in bash, zsh and fish; `meterbridge agents attach` types into anything"
	case errors.Is(err, terminal.ErrBusy):
		f.Hint = "wait for it, or end it in `meterbridge agents attach`"
	default:
		return err
	}
	return f
}

// viewed joins a viewer to an agent's terminal.
func (m *Meter) viewed(which string, cols, rows int) (*terminal.Viewer, func() terminal.State, error) {
	_, t, err := m.terminal(which)
	if err != nil {
		return nil, nil, err
	}
	v, err := t.Attach(cols, rows)
	return v, t.State, terminalFault(err)
}

// viewers joins people's terminals, over the socket, to those of agents.
type viewers struct{ meter *Meter }

// Attach implements control.Attacher.
func (v viewers) Attach(_ context.Context, a control.Attachment) (control.Viewer, func() control.Ended, error) {
	i, _, err := v.meter.terminal(a.Agent)
	if err == nil && i.ID == a.Within {
		// It would show itself showing itself, without end.
		err = &Fault{Err: errors.New("this is the agent's own terminal"), Hint: "attach from another one"}
	}
	var view *terminal.Viewer
	var state func() terminal.State
	if err == nil {
		view, state, err = v.meter.viewed(a.Agent, a.Cols, a.Rows)
	}
	if err != nil {
		r := &control.Refusal{Text: err.Error()}
		if f := (*Fault)(nil); errors.As(err, &f) {
			r.Hint, r.Nothing = f.Hint, f.Nothing
		}
		return nil, nil, r
	}
	return view, func() control.Ended {
		code, signal := ending(state())
		return control.Ended{Code: code, Signal: signal}
	}, nil
}

func ending(s terminal.State) (code *int, signal string) {
	if s.Signal == "" {
		code = &s.Code
	}
	return code, s.Signal
}

// faces are the terminals as HTTP has them.
type faces struct{ meter *Meter }

// Screen implements terminals.Terminals.
func (f faces) Screen(ctx context.Context, agent string, lines int) (terminals.Screen, error) {
	s, err := f.meter.Screen(ctx, agent, lines)
	return s, refusal(err)
}

// Runs implements terminals.Terminals.
func (f faces) Runs(ctx context.Context, agent string, last int) (terminals.RunList, error) {
	l, err := f.meter.Runs(ctx, agent, last)
	return l, refusal(err)
}

// Run implements terminals.Terminals.
func (f faces) Run(ctx context.Context, agent, command string, timeout time.Duration) (terminals.Run, error) {
	r, err := f.meter.RunCommand(ctx, agent, command, timeout)
	return r, refusal(err)
}

// Attach implements terminals.Terminals.
func (f faces) Attach(_ context.Context, agent string, cols, rows int) (terminals.Viewer, func() terminals.Ended, error) {
	view, state, err := f.meter.viewed(agent, cols, rows)
	if err != nil {
		return nil, nil, refusal(err)
	}
	return view, func() terminals.Ended {
		code, signal := ending(state())
		return terminals.Ended{Code: code, Signal: orNil(signal)}
	}, nil
}

// refusal is a fault as HTTP tells it; another error stays what it is.
func refusal(err error) error {
	var f *Fault
	if !errors.As(err, &f) {
		return err
	}
	r := &terminals.Refusal{Status: http.StatusConflict, Text: f.Error(), Hint: f.Hint}
	switch {
	case f.Nothing:
		r.Status = http.StatusNotFound
	case f.Wrong:
		r.Status = http.StatusUnprocessableEntity
	}
	return r
}
