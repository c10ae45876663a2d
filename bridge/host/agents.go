package host

import (
	"encoding/json"
	"errors"
	"time"

	"meterbridge"
	"meterbridge/bridge"
)

// portFault is an error of a port as extensions are told it.
func portFault(err error) *fault {
	switch {
	case errors.Is(err, bridge.ErrUnknownAgent):
		return faulty(bridge.CodeNotFound, "%v", err)
	case errors.Is(err, bridge.ErrNotRunning):
		return faulty(bridge.CodeUnavailable, "%v", err)
	}
	return asFault(err)
}

// agentRecord is an agent as extensions see it. Keys of what is not known are
// left out.
type agentRecord struct {
	ID            string             `json:"id"`
	Name          string             `json:"name"`
	Harness       string             `json:"harness"`
	Kind          bridge.AgentKind   `json:"kind"`
	Status        meterbridge.Status `json:"status"`
	Connected     bool               `json:"connected"`
	SessionTitle  string             `json:"sessionTitle,omitempty"`
	TurnStartedAt int64              `json:"turnStartedAt,omitempty"`
	LastTurn      *turnRecord        `json:"lastTurn,omitempty"`
	Model         string             `json:"model,omitempty"`
}

type turnRecord struct {
	StartedAt *int64             `json:"startedAt"`
	EndedAt   int64              `json:"endedAt"`
	EndedAs   meterbridge.Status `json:"endedAs"`
}

func (p *peer) record(a bridge.AgentInfo) agentRecord {
	o := p.k.h.o.Ports
	r := agentRecord{
		ID: a.ID, Name: a.Name, Harness: a.Harness, Kind: a.Kind, Status: a.Status, Connected: o.linked(p.k.x.Name, a.ID),
		SessionTitle: a.SessionTitle, Model: a.Model,
	}
	if o.HarnessWord != nil {
		r.Harness = o.HarnessWord(a.Harness)
	}
	if !a.TurnStartedAt.IsZero() {
		r.TurnStartedAt = a.TurnStartedAt.UnixMilli()
	}
	if a.LastTurn != nil {
		r.LastTurn = &turnRecord{EndedAt: a.LastTurn.EndedAt.UnixMilli(), EndedAs: a.LastTurn.EndedAs}
		if at := a.LastTurn.StartedAt; !at.IsZero() {
			ms := at.UnixMilli()
			r.LastTurn.StartedAt = &ms
		}
	}
	return r
}

func (p *peer) agentList() (any, *fault) {
	o := p.k.h.o.Ports
	if o.Agents == nil {
		return nil, noPart("agents")
	}
	list, err := o.Agents.List(p.ctx, "")
	if err != nil {
		return nil, portFault(err)
	}
	workspace, records := o.workspace(p.k.x.Name).ID, []agentRecord{}
	for _, a := range list {
		// One of another workspace is there when the user has linked it.
		if workspace == "" || a.Workspace == workspace || o.linked(p.k.x.Name, a.ID) {
			records = append(records, p.record(a))
		}
	}
	return records, nil
}

type agentParams struct {
	AgentID string `json:"agentId"`
	Lines   int    `json:"lines"`
}

func (p *peer) agentGet(in agentParams) (any, *fault) {
	info, f := p.agent(p.ctx, in.AgentID)
	if f != nil {
		return nil, f
	}
	return p.record(info), nil
}

// usualLines is how much of a screen is read when nothing is said.
const usualLines = 100

func (p *peer) readScreen(in agentParams) (any, *fault) {
	if _, f := p.linkedAgent(p.ctx, in.AgentID, ""); f != nil {
		return nil, f
	}
	if p.k.h.o.Ports.Screens == nil {
		return nil, noPart("screens")
	}
	if in.Lines == 0 {
		in.Lines = usualLines
	}
	screen, err := p.k.h.o.Ports.Screens.ReadScreen(p.ctx, in.AgentID, in.Lines)
	if err != nil {
		return nil, portFault(err)
	}
	return map[string]string{"text": screen}, nil
}

func (p *peer) lastReply(in agentParams) (any, *fault) {
	if _, f := p.linkedAgent(p.ctx, in.AgentID, ""); f != nil {
		return nil, f
	}
	if p.k.h.o.Ports.Screens == nil {
		return nil, noPart("replies")
	}
	r, err := p.k.h.o.Ports.Screens.LastReply(p.ctx, in.AgentID)
	if err != nil {
		return nil, portFault(err)
	}
	if r.At.IsZero() {
		return map[string]any{"text": nil, "at": nil}, nil
	}
	return map[string]any{"text": r.Text, "at": r.At.UnixMilli()}, nil
}

type promptParams struct {
	AgentID  string          `json:"agentId"`
	Text     string          `json:"text"`
	Submit   *bool           `json:"submit"`
	WhenBusy bridge.WhenBusy `json:"whenBusy"`
}

func (p *peer) prompt(in promptParams) (any, *fault) {
	if _, f := p.linkedAgent(p.ctx, in.AgentID, bridge.KindAI); f != nil {
		return nil, f
	}
	if f := p.rate("agents.prompt"); f != nil {
		return nil, f
	}
	if p.k.h.o.Ports.Prompts == nil {
		return nil, noPart("prompts")
	}
	if in.WhenBusy == "" {
		in.WhenBusy = bridge.BusyQueue
	}
	delivered, err := p.k.h.o.Ports.Prompts.Prompt(p.ctx, bridge.Prompt{
		Sender: p.sender(), Agent: in.AgentID, Text: in.Text, Submit: in.Submit == nil || *in.Submit, WhenBusy: in.WhenBusy,
	})
	if err != nil {
		return nil, portFault(err)
	}
	return map[string]any{"delivered": delivered}, nil
}

func (p *peer) sender() bridge.Sender {
	return bridge.Sender{Extension: p.k.x.Name, Name: p.k.x.DisplayName.Text()}
}

type runParams struct {
	AgentID   string `json:"agentId"`
	Command   string `json:"command"`
	TimeoutMs int64  `json:"timeoutMs"`
}

// usualRun is how long a command may take when nothing is said.
const usualRun = 30 * time.Second

func (p *peer) terminalRun(in runParams) (any, *fault) {
	if _, f := p.linkedAgent(p.ctx, in.AgentID, bridge.KindShell); f != nil {
		return nil, f
	}
	if f := p.rate("terminals.run"); f != nil {
		return nil, f
	}
	if p.k.h.o.Ports.Terminals == nil {
		return nil, noPart("terminals")
	}
	limit := time.Duration(in.TimeoutMs) * time.Millisecond
	if limit == 0 {
		limit = usualRun
	}
	r, err := p.k.h.o.Ports.Terminals.Run(p.ctx, bridge.Run{Sender: p.sender(), Agent: in.AgentID, Command: in.Command, Timeout: limit})
	if err != nil {
		return nil, portFault(err)
	}
	return map[string]any{"exitCode": r.ExitCode, "output": r.Output, "truncated": r.Truncated, "timedOut": r.TimedOut}, nil
}

type writeParams struct {
	AgentID string `json:"agentId"`
	Text    string `json:"text"`
	Submit  bool   `json:"submit"`
}

func (p *peer) terminalWrite(in writeParams) (any, *fault) {
	if _, f := p.linkedAgent(p.ctx, in.AgentID, bridge.KindShell); f != nil {
		return nil, f
	}
	if p.k.h.o.Ports.Terminals == nil {
		return nil, noPart("terminals")
	}
	err := p.k.h.o.Ports.Terminals.Write(p.ctx, bridge.Keys{Sender: p.sender(), Agent: in.AgentID, Text: in.Text, Submit: in.Submit})
	if err != nil {
		return nil, portFault(err)
	}
	return nil, nil
}

type stretchParams struct {
	AgentID string `json:"agentId"`
	Since   int64  `json:"since"`
	Until   *int64 `json:"until"`
}

func (in stretchParams) stretch() bridge.Stretch {
	s := bridge.Stretch{Since: time.UnixMilli(in.Since)}
	if in.Until != nil {
		s.Until = time.UnixMilli(*in.Until)
	}
	return s
}

// counted finds the agent that is asked about, which must be one with usage.
func (p *peer) counted(in stretchParams) *fault {
	info, f := p.linkedAgent(p.ctx, in.AgentID, "")
	switch {
	case f != nil && info.Kind == bridge.KindShell && f.code == bridge.CodeNotConnected:
	case f != nil:
		return f
	case info.Kind != bridge.KindShell && in.Until != nil && *in.Until < in.Since:
		return faulty(bridge.CodeInvalidParams, "until: lies before since")
	}
	if info.Kind == bridge.KindShell {
		return faulty(bridge.CodeInvalidParams, "agentId: a terminal has no usage")
	}
	if p.k.h.o.Ports.Usage == nil {
		return noPart("usage")
	}
	return nil
}

func (p *peer) usage(in stretchParams) (any, *fault) {
	if f := p.counted(in); f != nil {
		return nil, f
	}
	return told(p.k.h.o.Ports.Usage.Usage(p.ctx, in.AgentID, in.stretch()))
}

func (p *peer) timeline(in stretchParams) (any, *fault) {
	if f := p.counted(in); f != nil {
		return nil, f
	}
	return told(p.k.h.o.Ports.Usage.Timeline(p.ctx, in.AgentID, in.stretch()))
}

func (p *peer) summary(in struct {
	Period string `json:"period"`
},
) (any, *fault) {
	if p.k.h.o.Ports.Usage == nil {
		return nil, noPart("usage")
	}
	return told(p.k.h.o.Ports.Usage.Summary(p.ctx, in.Period))
}

func told(answer json.RawMessage, err error) (any, *fault) {
	if err != nil {
		return nil, portFault(err)
	}
	return answer, nil
}
