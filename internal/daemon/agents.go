package daemon

import (
	"context"
	"errors"
	"slices"
	"strings"
	"time"

	"meterbridge"
	"meterbridge/agents"
	"meterbridge/agents/terminal"
	"meterbridge/analytics"
	"meterbridge/dashboard"
	"meterbridge/harnesses/all"
	"meterbridge/internal/daemon/fleet"
)

type (
	// AgentUsage are the numbers of an agent in a stretch of time.
	AgentUsage = analytics.AgentUsage
	// AgentTimeline is what an agent did over time.
	AgentTimeline = analytics.AgentTimeline
	// AgentRequest is one request of it.
	AgentRequest = analytics.AgentRequest
	// AgentList is the answer of `agents list`.
	AgentList = dashboard.AgentList
	// AgentAnswer is one agent.
	AgentAnswer = dashboard.AgentAnswer
	// LinkAnswer says which agent may work with which.
	LinkAnswer = dashboard.LinkAnswer
	// UsagePart are requests, tokens and cost.
	UsagePart = analytics.Part
	// Subagent says which sub-agent did something.
	Subagent = analytics.Subagent
	// Turn is a prompt until the agent finished or was stopped.
	Turn = analytics.Turn
	// Period is a stretch of time and its zone.
	Period = meterbridge.Period
	// AgentQuery chooses agents.
	AgentQuery = dashboard.AgentQuery
	// StartAgent says what is to be started.
	StartAgent = agents.Start
)

// AnyProgram is the harness of an agent that is any other program.
const AnyProgram = meterbridge.ShellCommand

// ErrNoFleet says that agents can only be started and stopped by a daemon.
var ErrNoFleet = errors.New("no daemon runs, and only a daemon runs agents")

// running is the fleet of the daemon.
func (m *Meter) running() (*fleet.Fleet, error) {
	if m.fleet == nil {
		return nil, &Fault{Err: ErrNoFleet, Hint: "`meterbridge serve` starts one"}
	}
	return m.fleet, nil
}

// Serving reports whether this is a daemon's own view, which runs agents.
func (m *Meter) Serving() bool { return m.fleet != nil }

// registry is that of the daemon, and without one a copy of what is kept: what no
// holder keeps running has ended as far as anybody knows.
func (m *Meter) registry(ctx context.Context) (*agents.Registry, error) {
	if m.fleet != nil {
		return m.fleet.Agents(), nil
	}
	r, err := agents.New(ctx, agents.Options{
		Profiles: all.LaunchProfiles(), Store: m.ledger, History: m.ledger, Now: m.opts.Now,
	})
	if err != nil {
		return nil, err
	}
	lives, err := terminal.HeldNow(m.paths.Journal())
	if err != nil {
		return nil, err
	}
	r.Recover(lives)
	return r, nil
}

// endedLately is how long ago an agent may have ended that is listed all the same.
const endedLately = 24 * time.Hour

// Agents lists agents.
func (m *Meter) Agents(ctx context.Context, q AgentQuery) (AgentList, error) {
	list := AgentList{SchemaVersion: analytics.SchemaVersion, Rows: []AgentAnswer{}, Links: []dashboard.LinkAnswer{}}
	r, err := m.registry(ctx)
	if err != nil {
		return list, err
	}
	faces, err := m.ledger.AgentFaces(ctx)
	if err != nil {
		return list, err
	}
	for _, i := range r.List(q.Workspace) {
		if q.All || i.Running() || m.opts.Now().Sub(i.ExitedAt) < endedLately {
			list.Rows = append(list.Rows, agentAnswer(i, faces[i.ID]))
		}
	}
	for _, l := range r.Links() {
		list.Links = append(list.Links, dashboard.LinkAnswer{From: l.From, To: l.To, CreatedAt: l.CreatedAt.UnixMilli()})
	}
	return list, nil
}

// Agent is one agent.
func (m *Meter) Agent(ctx context.Context, which string) (AgentAnswer, error) {
	i, err := m.agent(ctx, which)
	if err != nil {
		return AgentAnswer{}, err
	}
	return m.answerOf(ctx, i)
}

func (m *Meter) answerOf(ctx context.Context, i agents.Info) (AgentAnswer, error) {
	faces, err := m.ledger.AgentFaces(ctx)
	return agentAnswer(i, faces[i.ID]), err
}

func (m *Meter) agent(ctx context.Context, which string) (agents.Info, error) {
	r, err := m.registry(ctx)
	if err != nil {
		return agents.Info{}, err
	}
	i, err := r.Get(which)
	return i, agentFault(err)
}

// IsAgent reports whether a word names an agent outright, rather than by its beginning.
func (m *Meter) IsAgent(ctx context.Context, word string) bool {
	i, err := m.agent(ctx, word)
	return err == nil && (i.ID == word || i.Name == word || strings.HasPrefix(word, "ag-"))
}

// AgentUsage is what an agent spent and did in a stretch of time.
func (m *Meter) AgentUsage(ctx context.Context, which string, since, until time.Time) (AgentUsage, error) {
	i, err := m.settled(ctx, which)
	if err != nil {
		return AgentUsage{}, err
	}
	u, err := m.ledger.AgentUsage(ctx, i.ID, since, until)
	if err == nil && !usageReadable(i.Harness) {
		u.Unreadable()
	}
	return u, agentFault(err)
}

// AgentTimeline shows an agent over time.
func (m *Meter) AgentTimeline(ctx context.Context, which string, since, until time.Time) (AgentTimeline, error) {
	i, err := m.settled(ctx, which)
	if err != nil {
		return AgentTimeline{}, err
	}
	t, err := m.ledger.AgentTimeline(ctx, i.ID, since, until)
	if err == nil && !usageReadable(i.Harness) {
		t.Unreadable()
	}
	return t, agentFault(err)
}

// settled is an agent of which everything that happened is in the ledger.
func (m *Meter) settled(ctx context.Context, which string) (agents.Info, error) {
	i, err := m.agent(ctx, which)
	if err != nil || m.fleet == nil {
		return i, err
	}
	return i, m.fleet.Agents().Flush(ctx)
}

// StartAgent starts a new agent.
func (m *Meter) StartAgent(ctx context.Context, s StartAgent) (AgentAnswer, error) {
	f, err := m.running()
	if err != nil {
		return AgentAnswer{}, err
	}
	i, err := f.Start(ctx, s)
	if err != nil {
		return AgentAnswer{}, agentFault(err)
	}
	return m.answerOf(ctx, i)
}

// beginning is how long a program may take to show that it does not stay.
const beginning = 300 * time.Millisecond

// Begun is an agent a moment after its start, and what its program has left when it
// has ended by then: null while it runs.
func (m *Meter) Begun(ctx context.Context, id string) (AgentAnswer, *TerminalScreen, error) {
	_, t, err := m.terminal(id)
	if err != nil {
		return AgentAnswer{}, nil, err
	}
	moment, cancel := context.WithTimeout(ctx, beginning)
	defer cancel()
	if state, err := t.Wait(moment); err != nil || state.Phase != terminal.Exited {
		a, err := m.Agent(ctx, id)
		return a, nil, err
	}
	m.fleet.Agents().Exited(id, t.State().Generation, m.opts.Now(), exitOf(t.State()))
	s, err := m.Screen(ctx, id, 0)
	if err != nil {
		return AgentAnswer{}, nil, err
	}
	a, err := m.Agent(ctx, id)
	return a, &s, err
}

func exitOf(s terminal.State) meterbridge.Count {
	if s.Signal != "" {
		return meterbridge.Count{}
	}
	return meterbridge.Reported(int64(s.Code))
}

// RestartAgent starts the process of an agent again.
func (m *Meter) RestartAgent(ctx context.Context, which string, cols, rows int) (AgentAnswer, error) {
	f, err := m.running()
	if err != nil {
		return AgentAnswer{}, err
	}
	i, err := f.Restart(ctx, which, cols, rows)
	if err != nil {
		return AgentAnswer{}, agentFault(err)
	}
	return m.answerOf(ctx, i)
}

// StopAgent ends the process of an agent.
func (m *Meter) StopAgent(ctx context.Context, which string) (AgentAnswer, error) {
	return m.change(ctx, func(r *agents.Registry) (agents.Info, error) { return r.Stop(ctx, which) })
}

// RemoveAgent forgets an agent that does not run. What its sessions spent stays.
func (m *Meter) RemoveAgent(ctx context.Context, which string) (AgentAnswer, error) {
	return m.change(ctx, func(r *agents.Registry) (agents.Info, error) {
		i, err := r.Remove(which)
		return i, errors.Join(err, r.Flush(ctx))
	})
}

// RenameAgent gives an agent another name.
func (m *Meter) RenameAgent(ctx context.Context, which, name string) (AgentAnswer, error) {
	return m.change(ctx, func(r *agents.Registry) (agents.Info, error) { return r.Rename(which, name) })
}

func (m *Meter) change(ctx context.Context, fn func(*agents.Registry) (agents.Info, error)) (AgentAnswer, error) {
	f, err := m.running()
	if err != nil {
		return AgentAnswer{}, err
	}
	i, err := fn(f.Agents())
	if err != nil {
		return AgentAnswer{}, agentFault(err)
	}
	return m.answerOf(ctx, i)
}

// LinkAgents lets one agent work with another agent or terminal.
func (m *Meter) LinkAgents(_ context.Context, from, to string) (dashboard.LinkAnswer, error) {
	f, err := m.running()
	if err != nil {
		return dashboard.LinkAnswer{}, err
	}
	l, err := f.Agents().Link(from, to)
	return dashboard.LinkAnswer{From: l.From, To: l.To, CreatedAt: l.CreatedAt.UnixMilli()}, agentFault(err)
}

// UnlinkAgents removes a link.
func (m *Meter) UnlinkAgents(_ context.Context, from, to string) error {
	f, err := m.running()
	if err != nil {
		return err
	}
	return agentFault(f.Agents().Unlink(from, to))
}

// AgentHarnesses are the ids that can be started as agents.
func AgentHarnesses() []string {
	var ids []string
	for id := range all.LaunchProfiles() {
		ids = append(ids, id)
	}
	slices.Sort(ids)
	return ids
}

// also is an error that is another one too, and does not say so.
type also struct {
	error
	is error
}

func (a also) Unwrap() []error { return []error{a.error, a.is} }

// agentFault gives an error about agents its hint.
func agentFault(err error) error {
	f := &Fault{Err: err}
	switch {
	case err == nil:
		return nil
	case errors.Is(err, agents.ErrUnknown), errors.Is(err, analytics.ErrNoAgent):
		f.Err = also{err, analytics.ErrUnknown}
		f.Nothing, f.Hint = true, "`meterbridge agents list --all` lists the agents"
	case errors.Is(err, agents.ErrAmbiguous):
		f.Wrong, f.Hint = true, "give more characters, or the id"
	case errors.Is(err, agents.ErrTaken):
		f.Wrong, f.Hint = true, "choose another name"
	case errors.Is(err, agents.ErrInvalid), errors.Is(err, agents.ErrCannot):
		f.Wrong = true
	case errors.Is(err, analytics.ErrShell):
		f.Wrong, f.Hint = true, "usage and timelines are of coding agents"
	case errors.Is(err, agents.ErrRunning):
		f.Hint = "`meterbridge agents attach` shows its terminal, `meterbridge agents stop` ends it"
	case errors.Is(err, agents.ErrNotRunning):
		f.Hint = "`meterbridge agents start` with its name starts it again"
	case errors.Is(err, agents.ErrNoProgram):
		f.Hint = "install it, or start the daemon again with a PATH that has it"
	default:
		return err
	}
	return f
}

// agentAnswer is an agent as answers have it.
func agentAnswer(i agents.Info, face analytics.AgentFace) AgentAnswer {
	a := AgentAnswer{
		ID: i.ID, Name: i.Name, Harness: i.Harness, Kind: string(i.Kind), Origin: string(i.Origin), Workspace: i.Workspace, Dir: i.Dir,
		Argv: listed(i.Argv), Status: string(i.Status), StatusAt: i.StatusAt.UnixMilli(), Detail: orNil(i.Detail),
		Source: orNil(i.Source), Confidence: orNil(i.Confidence), SessionTitle: orNil(face.Title), Model: orNil(face.Model),
		TurnStartedAt: epoch(i.TurnStartedAt), Dangerous: i.Dangerous, Generation: i.Generation, CreatedAt: i.CreatedAt.UnixMilli(),
		StartedAt: epoch(i.StartedAt), ExitedAt: epoch(i.ExitedAt), Sessions: []dashboard.BoundSession{},
	}
	if a.Model == nil {
		a.Model = orNil(i.Model)
	}
	if i.PID != 0 {
		a.PID = &i.PID
	}
	if i.ExitCode.OK {
		a.ExitCode = &i.ExitCode.N
	}
	if t := i.LastTurn; t != nil {
		a.LastTurn = &dashboard.LastTurnAnswer{StartedAt: epoch(t.StartedAt), EndedAt: t.EndedAt.UnixMilli(), EndedAs: string(t.EndedAs)}
	}
	for _, b := range i.Bindings {
		a.Sessions = append(a.Sessions, dashboard.BoundSession{Session: b.Session, Binding: string(b.Source), Since: epoch(b.From)})
	}
	return a
}

func orNil(s string) *string {
	if s == "" {
		return nil
	}
	return &s
}

// epoch is t in epoch milliseconds; nil for a zero time.
func epoch(t time.Time) *int64 {
	if t.IsZero() {
		return nil
	}
	ms := t.UnixMilli()
	return &ms
}
