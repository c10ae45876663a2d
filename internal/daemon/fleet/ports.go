package fleet

import (
	"context"
	"encoding/json"
	"errors"

	"meterbridge/agents"
	"meterbridge/agents/terminal"
	"meterbridge/bridge"
)

// Ports are what the bridge asks of agents and terminals.
type Ports struct{ f *Fleet }

// Ports are those of the fleet.
func (f *Fleet) Ports() Ports { return Ports{f} }

var (
	_ bridge.Agents    = Ports{}
	_ bridge.Screens   = Ports{}
	_ bridge.Terminals = Ports{}
	_ bridge.Usage     = Ports{}
)

// List implements bridge.Agents.
func (p Ports) List(ctx context.Context, workspace string) ([]bridge.AgentInfo, error) {
	faces, err := p.f.o.Ledger.AgentFaces(ctx)
	if err != nil {
		return nil, err
	}
	list := []bridge.AgentInfo{}
	for _, i := range p.f.agents.List(workspace) {
		list = append(list, bridgeInfo(i, faces[i.ID].Title, faces[i.ID].Model))
	}
	return list, nil
}

// Get implements bridge.Agents.
func (p Ports) Get(ctx context.Context, id string) (bridge.AgentInfo, error) {
	i, err := p.f.agents.Get(id)
	if err != nil || i.ID != id {
		return bridge.AgentInfo{}, bridge.ErrUnknownAgent
	}
	faces, err := p.f.o.Ledger.AgentFaces(ctx)
	return bridgeInfo(i, faces[id].Title, faces[id].Model), err
}

// bridgeInfo is an agent as the bridge knows it.
func bridgeInfo(i agents.Info, title, model string) bridge.AgentInfo {
	b := bridge.AgentInfo{
		ID: i.ID, Name: i.Name, Harness: i.Harness, Kind: bridge.AgentKind(i.Kind), Workspace: i.Workspace, Dir: i.Dir, Status: i.Status,
		SessionTitle: title, Model: model, Dangerous: i.Dangerous, TurnStartedAt: i.TurnStartedAt,
	}
	if b.Model == "" {
		b.Model = i.Model
	}
	if n := len(i.Bindings); n > 0 {
		b.Session = i.Bindings[n-1].Session
	}
	if t := i.LastTurn; t != nil {
		b.LastTurn = &bridge.LastTurn{StartedAt: t.StartedAt, EndedAt: t.EndedAt, EndedAs: t.EndedAs}
	}
	return b
}

// Watch implements bridge.Agents.
func (p Ports) Watch(ctx context.Context) (<-chan bridge.AgentEvent, error) {
	kinds := map[agents.EventKind]bridge.AgentEventKind{
		agents.EventStatus: bridge.AgentStatus, agents.EventTurnStart: bridge.AgentTurnStart,
		agents.EventTurnEnd: bridge.AgentTurnEnd, agents.EventChanged: bridge.AgentChanged,
	}
	in, out := p.f.Watch(ctx), make(chan bridge.AgentEvent)
	p.f.chores.Go(func() {
		defer close(out)
		for e := range in {
			select {
			case out <- bridge.AgentEvent{Kind: kinds[e.Kind], Agent: e.Agent.ID, Status: e.Agent.Status, At: e.At}:
			case <-ctx.Done():
				return
			case <-p.f.ctx.Done():
				return
			}
		}
	})
	return out, nil
}

// ReadScreen implements bridge.Screens.
func (p Ports) ReadScreen(ctx context.Context, agent string, lines int) (string, error) {
	text, err := p.f.rack.Screen(ctx, agent, lines)
	return text, p.terminalError(agent, err)
}

// terminalError tells a terminal that does not run from an agent that is not known.
func (p Ports) terminalError(agent string, err error) error {
	switch {
	case errors.Is(err, terminal.ErrUnknown):
		if i, known := p.f.agents.Get(agent); known != nil || i.ID != agent {
			return bridge.ErrUnknownAgent
		}
		return bridge.ErrNotRunning
	case errors.Is(err, terminal.ErrExited):
		return bridge.ErrNotRunning
	}
	return err
}

// LastReply implements bridge.Screens.
func (p Ports) LastReply(ctx context.Context, agent string) (bridge.Reply, error) {
	if i, err := p.f.agents.Get(agent); err != nil || i.ID != agent {
		return bridge.Reply{}, bridge.ErrUnknownAgent
	}
	if !p.f.o.KeepText {
		return bridge.Reply{}, nil
	}
	faces, err := p.f.o.Ledger.AgentFaces(ctx)
	face := faces[agent]
	if face.LastReply == "" {
		return bridge.Reply{}, err
	}
	return bridge.Reply{Text: face.LastReply, At: face.LastReplyAt}, err
}

// Output implements bridge.Screens.
func (p Ports) Output(ctx context.Context, agent string) (<-chan bridge.Output, error) {
	t, err := p.f.rack.Terminal(agent)
	if err != nil {
		return nil, p.terminalError(agent, err)
	}
	printed, out := t.SubscribeText(), make(chan bridge.Output)
	ctx, cancel := context.WithCancel(ctx)
	stop := context.AfterFunc(p.f.ctx, cancel)
	p.f.chores.Go(func() {
		defer cancel()
		defer stop()
		defer close(out)
		defer printed.Close()
		for {
			b, _, err := printed.Next(ctx)
			if err != nil {
				return
			}
			select {
			case out <- bridge.Output{Text: string(b), At: p.f.o.Now()}:
			case <-ctx.Done():
				return
			}
		}
	})
	return out, nil
}

// callerOf is a sender as terminals count it.
func callerOf(s bridge.Sender) terminal.Caller {
	id := s.Agent
	if id == "" {
		if id = s.Extension; s.Instance != "" {
			id += "/" + s.Instance
		}
	}
	return terminal.Caller{ID: id}
}

// Run implements bridge.Terminals.
func (p Ports) Run(ctx context.Context, r bridge.Run) (bridge.RunResult, error) {
	result, err := p.f.rack.Run(ctx, callerOf(r.Sender), r.Agent, r.Command, r.Timeout)
	return bridge.RunResult{
		ExitCode: result.Code, Output: result.Output, Truncated: result.Truncated, TimedOut: result.TimedOut,
	}, p.terminalError(r.Agent, err)
}

// Write implements bridge.Terminals.
func (p Ports) Write(ctx context.Context, k bridge.Keys) error {
	return p.terminalError(k.Agent, p.f.rack.Write(ctx, callerOf(k.Sender), k.Agent, k.Text, k.Submit))
}

// Usage implements bridge.Usage.
func (p Ports) Usage(ctx context.Context, agent string, s bridge.Stretch) (json.RawMessage, error) {
	if err := p.f.agents.Flush(ctx); err != nil {
		return nil, err
	}
	u, err := p.f.o.Ledger.AgentUsage(ctx, agent, s.Since, s.Until)
	if err != nil {
		return nil, err
	}
	if !p.f.readable(u.Harness) {
		u.Unreadable()
	}
	return json.Marshal(u)
}

// Timeline implements bridge.Usage.
func (p Ports) Timeline(ctx context.Context, agent string, s bridge.Stretch) (json.RawMessage, error) {
	if err := p.f.agents.Flush(ctx); err != nil {
		return nil, err
	}
	t, err := p.f.o.Ledger.AgentTimeline(ctx, agent, s.Since, s.Until)
	if err != nil {
		return nil, err
	}
	if !p.f.readable(t.Harness) {
		t.Unreadable()
	}
	return json.Marshal(t)
}

// readable reports whether the logs of a harness hold usage.
func (f *Fleet) readable(harness string) bool { return f.of[harness].Declaration.UsageReadable }

// SendKeys types for an agent or extension.
func (p Ports) SendKeys(ctx context.Context, from bridge.Sender, agent string, keys []byte) error {
	return p.terminalError(agent, p.f.rack.Write(ctx, callerOf(from), agent, string(keys), false))
}
