package daemon

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"meterbridge"
	"meterbridge/agents"
	"meterbridge/agents/terminal"
	"meterbridge/bridge"
	"meterbridge/internal/daemon/fleet"
)

// agentTools are the tools by which agents see and use each other. Each of them
// that touches another one asks for a link first.
type agentTools struct{ f *fleet.Fleet }

// newAgentTools makes the tools of a daemon's fleet.
func newAgentTools(f *fleet.Fleet) ([]bridge.Tool, error) {
	t := &agentTools{f}
	var list []bridge.Tool
	var errs []error
	add := func(tool bridge.Tool, err error) { list, errs = append(list, tool), append(errs, err) }
	add(agentTool("agent_list", bridge.ReadOnly(), t.list))
	add(agentTool("squad_status", bridge.ReadOnly(), t.squad))
	add(agentTool("agent_read", bridge.ReadOnly(), t.read))
	add(agentTool("agent_wait", bridge.ReadOnly(), t.wait))
	add(agentTool("terminal_read", bridge.ReadOnly(), t.screen))
	add(agentTool("terminal_run", bridge.Annotations{Destructive: true, OpenWorld: true}, t.run))
	add(agentTool("terminal_send_keys", bridge.Annotations{Destructive: true, OpenWorld: true}, t.keys))
	return list, errors.Join(errs...)
}

// longTool is how long tools may take that wait.
const longTool = 120 * time.Second

// agentTool makes a tool of a function that answers In.
func agentTool[In, Out any](name string, a bridge.Annotations, ask func(context.Context, bridge.Identity, In) (Out, string, error)) (bridge.Tool, error) {
	tool, err := readTool(name)
	tool.Annotations, tool.Timeout = a, longTool
	tool.Call = func(ctx context.Context, who bridge.Identity, args json.RawMessage) (bridge.Result, error) {
		var in In
		if err := json.Unmarshal(args, &in); err != nil {
			return bridge.Result{}, invalid("%v", err)
		}
		out, text, err := ask(ctx, who, in)
		if err != nil {
			return bridge.Result{}, agentToolError(err)
		}
		return bridge.Result{Text: text, Structured: out}, nil
	}
	return tool, err
}

// agentToolError gives an error its code.
func agentToolError(err error) error {
	var coded *bridge.ToolError
	var rate *terminal.RateError
	code := bridge.CodeFailed
	switch {
	case errors.As(err, &coded), errors.Is(err, context.Canceled), errors.Is(err, context.DeadlineExceeded):
		return err
	case errors.Is(err, bridge.ErrUnknownAgent), errors.Is(err, agents.ErrUnknown):
		code = bridge.CodeNotFound
	case errors.Is(err, bridge.ErrNotRunning), errors.Is(err, terminal.ErrNoPrompt):
		code = bridge.CodeUnavailable
	case errors.As(err, &rate):
		code = bridge.CodeRateLimited
	case errors.Is(err, terminal.ErrBusy):
		code = bridge.CodeBusy
	case errors.Is(err, terminal.ErrInvalid), errors.Is(err, terminal.ErrIncomplete), errors.Is(err, terminal.ErrEmpty), errors.Is(err, agents.ErrAmbiguous):
		code = bridge.CodeInvalidParams
	}
	return &bridge.ToolError{Code: code, Message: err.Error()}
}

// caller is the calling agent; the user's own identity is none.
func (t *agentTools) caller(who bridge.Identity) (agents.Info, error) {
	i, err := t.f.Agents().Get(who.Agent)
	if err != nil || i.ID != who.Agent {
		return agents.Info{}, &bridge.ToolError{
			Code: bridge.CodeUnavailable, Message: "this tool is for agents that meterbridge has started: " +
				"the caller is known as none; start it by `meterbridge agents start`",
		}
	}
	return i, nil
}

// linked is another agent that the caller may work with.
func (t *agentTools) linked(who bridge.Identity, which string) (agents.Info, error) {
	self, err := t.caller(who)
	if err != nil {
		return agents.Info{}, err
	}
	i, err := t.f.Agents().Get(which)
	switch {
	case err != nil:
		return i, err
	case i.Workspace != self.Workspace:
		return i, fmt.Errorf("%w: %q", agents.ErrUnknown, which)
	case !t.f.Agents().Linked(self.ID, i.ID):
		return i, &bridge.ToolError{Code: bridge.CodeNotConnected, Message: fmt.Sprintf(
			"you are not connected to %s; your user can connect you with `meterbridge agents link %s %s`", i.Name, self.Name, i.Name)}
	}
	return i, nil
}

// terminal is a linked terminal, no coding agent.
func (t *agentTools) terminal(who bridge.Identity, which string) (agents.Info, error) {
	i, err := t.linked(who, which)
	if err == nil && i.Kind != meterbridge.ShellAgent {
		err = &bridge.ToolError{Code: bridge.CodeNotFound, Message: i.Name + " is a coding agent and no terminal; agent_read and agent_wait are for it"}
	}
	return i, err
}

// toolAgent is an agent as another one is told of it.
type toolAgent struct {
	ID      string `json:"id"`
	Name    string `json:"name"`
	Harness string `json:"harness"`
	Kind    string `json:"kind"`
	Status  string `json:"status"`
	// Connected: the caller may work with it.
	Connected bool    `json:"connected"`
	Self      bool    `json:"self"`
	Detail    *string `json:"detail"`
	// SinceMs is how long it has had the status.
	SinceMs      int64   `json:"sinceMs"`
	SessionTitle *string `json:"sessionTitle"`
	Model        *string `json:"model"`
	Dir          string  `json:"dir"`
}

type toolAgents struct {
	Workspace string      `json:"workspace"`
	Agents    []toolAgent `json:"agents"`
}

func (t *agentTools) list(ctx context.Context, who bridge.Identity, _ struct{}) (toolAgents, string, error) {
	self, err := t.caller(who)
	if err != nil {
		return toolAgents{}, "", err
	}
	all, err := t.f.Ports().List(ctx, self.Workspace)
	if err != nil {
		return toolAgents{}, "", err
	}
	out := toolAgents{Workspace: self.Workspace, Agents: []toolAgent{}}
	connected := 0
	for _, b := range all {
		i, err := t.f.Agents().Get(b.ID)
		if err != nil || i.Status == meterbridge.Exited {
			continue
		}
		a := toolAgent{
			ID: b.ID, Name: b.Name, Harness: b.Harness, Kind: string(b.Kind), Status: string(b.Status), Self: b.ID == self.ID,
			Connected: t.f.Agents().Linked(self.ID, b.ID), Detail: orNil(i.Detail), SinceMs: t.f.Now().Sub(i.StatusAt).Milliseconds(),
			SessionTitle: orNil(b.SessionTitle), Model: orNil(b.Model), Dir: b.Dir,
		}
		if a.Connected {
			connected++
		}
		out.Agents = append(out.Agents, a)
	}
	return out, fmt.Sprintf("%d agents and terminals; you are connected to %d of them.", len(out.Agents), connected), nil
}

type toolSquad struct {
	Working    int         `json:"working"`
	NeedsInput int         `json:"needsInput"`
	Done       int         `json:"done"`
	Agents     []toolAgent `json:"agents"`
}

func (t *agentTools) squad(ctx context.Context, who bridge.Identity, _ struct{}) (toolSquad, string, error) {
	all, _, err := t.list(ctx, who, struct{}{})
	out := toolSquad{Agents: []toolAgent{}}
	for _, a := range all.Agents {
		if !a.Connected {
			continue
		}
		switch meterbridge.Status(a.Status) {
		case meterbridge.Working:
			out.Working++
		case meterbridge.NeedsInput:
			out.NeedsInput++
		default:
			out.Done++
		}
		out.Agents = append(out.Agents, a)
	}
	return out, fmt.Sprintf("%d work, %d wait for the user, %d are done or idle.", out.Working, out.NeedsInput, out.Done), err
}

type readIn struct {
	Agent    string `json:"agent"`
	Terminal string `json:"terminal"`
	Lines    int    `json:"lines"`
}

type toolAgentRead struct {
	ID     string  `json:"id"`
	Name   string  `json:"name"`
	Status string  `json:"status"`
	Detail *string `json:"detail"`
	// LastReply is the newest text of the agent as its log has it.
	LastReply   *string `json:"lastReply"`
	LastReplyAt *int64  `json:"lastReplyAt"`
	// Screen is null when the agent does not run here.
	Screen *string `json:"screen"`
}

// linesOfAgent is how much of a screen is read unless told otherwise, linesOfShell
// of that of a terminal.
const (
	linesOfAgent = 40
	linesOfShell = 100
)

func (t *agentTools) read(ctx context.Context, who bridge.Identity, in readIn) (toolAgentRead, string, error) {
	i, err := t.linked(who, in.Agent)
	if err != nil {
		return toolAgentRead{}, "", err
	}
	if in.Lines == 0 {
		in.Lines = linesOfAgent
	}
	out := toolAgentRead{ID: i.ID, Name: i.Name, Status: string(i.Status), Detail: orNil(i.Detail)}
	reply, err := t.f.Ports().LastReply(ctx, i.ID)
	if err != nil {
		return out, "", err
	}
	out.LastReply, out.LastReplyAt = orNil(reply.Text), epoch(reply.At)
	text, err := t.f.Ports().ReadScreen(ctx, i.ID, in.Lines)
	switch {
	case err == nil:
		out.Screen = &text
	case !errors.Is(err, bridge.ErrNotRunning):
		return out, "", err
	}
	return out, fmt.Sprintf("%s is %s.", i.Name, i.Status), nil
}

type waitIn struct {
	Agent          string `json:"agent"`
	TimeoutSeconds int    `json:"timeoutSeconds"`
}

type toolWaited struct {
	ID       string  `json:"id"`
	Name     string  `json:"name"`
	Status   string  `json:"status"`
	Detail   *string `json:"detail"`
	TimedOut bool    `json:"timedOut"`
	// LastReply is the newest text of the agent, null while it works.
	LastReply *string `json:"lastReply"`
}

// defaultWait is how long an agent is waited for unless told otherwise.
const defaultWait = 60

func (t *agentTools) wait(ctx context.Context, who bridge.Identity, in waitIn) (toolWaited, string, error) {
	i, err := t.linked(who, in.Agent)
	if err != nil {
		return toolWaited{}, "", err
	}
	if in.TimeoutSeconds == 0 {
		in.TimeoutSeconds = defaultWait
	}
	limited, cancel := context.WithTimeout(ctx, time.Duration(in.TimeoutSeconds)*time.Second)
	defer cancel()
	t.untilDone(limited, i)
	if ctx.Err() != nil {
		return toolWaited{}, "", ctx.Err()
	}
	if i, err = t.f.Agents().Get(i.ID); err != nil {
		return toolWaited{}, "", err
	}
	out := toolWaited{ID: i.ID, Name: i.Name, Status: string(i.Status), Detail: orNil(i.Detail), TimedOut: i.Status == meterbridge.Working}
	if !out.TimedOut {
		reply, err := t.f.Ports().LastReply(ctx, i.ID)
		if err != nil {
			return out, "", err
		}
		out.LastReply = orNil(reply.Text)
	}
	return out, fmt.Sprintf("%s is %s.", i.Name, i.Status), nil
}

// untilDone returns when the agent does not work, or the context ends.
func (t *agentTools) untilDone(ctx context.Context, i agents.Info) {
	events := t.f.Watch(ctx)
	if now, err := t.f.Agents().Get(i.ID); err != nil || now.Status != meterbridge.Working {
		return
	}
	for e := range events {
		if e.Agent.ID == i.ID && e.Agent.Status != meterbridge.Working {
			return
		}
	}
}
