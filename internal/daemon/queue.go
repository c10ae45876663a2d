package daemon

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"meterbridge"
	"meterbridge/agents/queue"
	"meterbridge/analytics"
	"meterbridge/dashboard"
	"meterbridge/internal/daemon/prompting"
)

type (
	// PromptAnswer is a prompt of the queue.
	PromptAnswer = dashboard.PromptAnswer
	// PromptList is the answer of `queue` and of `queue log`.
	PromptList = dashboard.PromptList
)

// SendPrompt is a prompt of a person.
type SendPrompt struct {
	Agent, Text string
	// Insert types it without Enter; Command lets it be a command of the agent.
	Insert, Command bool
	// WhenBusy is queue, send or fail; empty for queue.
	WhenBusy string
	// At is the earliest time, AtReset that at which the harness's limit resets, After
	// the agent that must finish first.
	At      time.Time
	AtReset bool
	After   string
}

func (m *Meter) promptRoom() (*prompting.Room, error) {
	if m.prompting == nil {
		return nil, &Fault{Err: ErrNoFleet, Hint: "`meterbridge serve` starts one"}
	}
	return m.prompting, nil
}

// Prompt sends a person's prompt.
func (m *Meter) Prompt(ctx context.Context, p SendPrompt) (PromptAnswer, error) {
	room, err := m.promptRoom()
	if err != nil {
		return PromptAnswer{}, err
	}
	r := queue.Request{
		Sender: meterbridge.PromptSender{Kind: meterbridge.ByPerson, Name: "you"}, Agent: p.Agent, Text: p.Text, Insert: p.Insert,
		WhenBusy: queue.WhenBusy(p.WhenBusy), Command: p.Command, NotBefore: p.At,
	}
	if p.After != "" {
		after, err := m.agent(ctx, p.After)
		if err != nil {
			return PromptAnswer{}, err
		}
		r.After = after.ID
	}
	if p.AtReset {
		if r.NotBefore, err = m.resetOf(ctx, p.Agent); err != nil {
			return PromptAnswer{}, err
		}
	}
	sent, err := room.Submit(ctx, r)
	if err != nil {
		return PromptAnswer{}, promptFault(err)
	}
	return m.promptAnswer(sent, 0), nil
}

// resetOf is when the first limit that is over, or the first of any, of an agent's
// harness resets.
func (m *Meter) resetOf(ctx context.Context, agent string) (time.Time, error) {
	i, err := m.agent(ctx, agent)
	if err != nil {
		return time.Time{}, err
	}
	limits, err := m.ledger.Limits(ctx)
	if err != nil {
		return time.Time{}, answerFault(err)
	}
	var at time.Time
	for _, l := range limits {
		if l.Harness == i.Harness && l.ResetsAt != nil && l.ResetsAt.After(m.opts.Now()) && (at.IsZero() || l.ResetsAt.Before(at)) {
			at = *l.ResetsAt
		}
	}
	if at.IsZero() {
		return at, &Fault{Err: fmt.Errorf("no log of %s tells when a limit resets", i.Harness), Hint: "--at TIME names a time", Nothing: true}
	}
	return at, nil
}

// promptFault is a refusal with its hint.
func promptFault(err error) error {
	refusal := (*queue.Refusal)(nil)
	if !errors.As(err, &refusal) {
		return agentFault(err)
	}
	f := &Fault{Err: refusal}
	switch refusal.Code {
	case queue.CodeNotFound:
		f.Err, f.Nothing, f.Hint = also{refusal, analytics.ErrUnknown}, true, "`meterbridge agents list` lists the agents, `meterbridge queue` the prompts"
	case queue.CodeInvalid:
		f.Wrong = true
		if strings.Contains(refusal.Error(), "is a command") {
			f.Hint = "--command sends a text that begins with ! / # or @"
		}
	case queue.CodeBusy:
		f.Hint = "--when-busy queue sends it when the turn has finished"
	case queue.CodeUnavailable:
		f.Hint = "`meterbridge agents start` with its name starts it again"
	}
	return f
}

// Prompts are those that wait, of an agent or for "" of all.
func (m *Meter) Prompts(ctx context.Context, agent string) (PromptList, error) {
	list := PromptList{SchemaVersion: analytics.SchemaVersion, Rows: []PromptAnswer{}}
	agent, err := m.agentID(ctx, agent)
	if err != nil {
		return list, err
	}
	var open []meterbridge.QueuedPrompt
	if m.prompting != nil {
		open = m.prompting.Queue().Open(agent)
	} else if open, err = m.ledger.OpenPrompts(ctx); err != nil {
		return list, answerFault(err)
	}
	place := map[string]int{}
	for _, p := range open {
		if agent != "" && p.Agent != agent {
			continue
		}
		place[p.Agent]++
		list.Rows = append(list.Rows, m.promptAnswer(p, place[p.Agent]))
	}
	return list, nil
}

func (m *Meter) agentID(ctx context.Context, which string) (string, error) {
	if which == "" {
		return "", nil
	}
	i, err := m.agent(ctx, which)
	return i.ID, err
}

// PromptLog are the newest prompts that went out or were dropped, with what the
// turns that they started spent.
func (m *Meter) PromptLog(ctx context.Context, agent string, most int) (PromptList, error) {
	list := PromptList{SchemaVersion: analytics.SchemaVersion, Rows: []PromptAnswer{}}
	agent, err := m.agentID(ctx, agent)
	if err != nil {
		return list, err
	}
	log, err := m.ledger.PromptLog(ctx, agent, most)
	if err != nil {
		return list, answerFault(err)
	}
	turns := map[string][]meterbridge.AgentTurn{}
	for _, p := range log {
		if _, known := turns[p.Agent]; !known {
			if turns[p.Agent], err = m.ledger.Turns(ctx, p.Agent); err != nil {
				return list, answerFault(err)
			}
		}
		row := m.promptAnswer(p, 0)
		if err := m.spentBy(ctx, p, turns[p.Agent], &row); err != nil {
			return list, err
		}
		list.Rows = append(list.Rows, row)
	}
	return list, nil
}

// turnSlack is how far the start of a turn may lie from when its prompt was taken.
const turnSlack = 2 * time.Second

// turnOf is the turn that a prompt started: that of its id, else the one that began
// when it was taken.
func turnOf(p meterbridge.QueuedPrompt, turns []meterbridge.AgentTurn) (meterbridge.AgentTurn, bool) {
	if p.SentAt.IsZero() {
		return meterbridge.AgentTurn{}, false
	}
	i := slices.IndexFunc(turns, func(t meterbridge.AgentTurn) bool { return p.Turn != "" && t.PromptID == p.Turn })
	if i < 0 {
		i = slices.IndexFunc(turns, func(t meterbridge.AgentTurn) bool {
			return t.StartedAt.Sub(p.SentAt).Abs() <= turnSlack && (p.Turn == "" || t.PromptID == "")
		})
	}
	if i < 0 {
		return meterbridge.AgentTurn{}, false
	}
	return turns[i], true
}

// spentBy adds what a prompt's turn spent.
func (m *Meter) spentBy(ctx context.Context, p meterbridge.QueuedPrompt, turns []meterbridge.AgentTurn, row *PromptAnswer) error {
	t, ok := turnOf(p, turns)
	if !ok {
		return nil
	}
	started := t.StartedAt.UnixMilli()
	row.TurnStartedAt = &started
	until := time.Time{}
	if !t.EndedAt.IsZero() {
		ended := t.EndedAt.UnixMilli()
		row.TurnEndedAt, until = &ended, t.EndedAt.Add(turnSlack)
		if next := slices.IndexFunc(turns, func(o meterbridge.AgentTurn) bool { return o.StartedAt.After(t.StartedAt) }); next >= 0 && turns[next].StartedAt.Before(until) {
			until = turns[next].StartedAt
		}
	}
	u, err := m.ledger.AgentUsage(ctx, p.Agent, t.StartedAt, until)
	if err != nil {
		return answerFault(err)
	}
	row.Requests, row.TotalTokens, row.CostMicroUSD = u.Requests, u.TotalTokens, u.CostMicroUSD
	return nil
}

// promptAnswer is a prompt as it is shown.
func (m *Meter) promptAnswer(p meterbridge.QueuedPrompt, place int) PromptAnswer {
	ms := func(t time.Time) *int64 {
		if t.IsZero() {
			return nil
		}
		n := t.UnixMilli()
		return &n
	}
	a := PromptAnswer{
		ID: p.ID, AgentID: p.Agent, AgentName: p.Agent, State: string(p.State), Reason: orNil(p.Reason), Text: p.Text, Length: p.Length, Submit: p.Submit,
		Sender:    dashboard.PromptSender{Kind: string(p.Sender.Kind), ID: orNil(p.Sender.ID), Package: orNil(p.Sender.Package), Name: p.Sender.Name},
		CreatedAt: p.CreatedAt.UnixMilli(), SentAt: ms(p.SentAt), NotBefore: ms(p.NotBefore), After: orNil(p.AfterAgent), Turn: orNil(p.Turn),
	}
	if place > 0 {
		a.Place = &place
	}
	if m.fleet != nil {
		if i, err := m.fleet.Agents().Get(p.Agent); err == nil {
			a.AgentName = i.Name
		}
	}
	return a
}

// EditPrompt gives a prompt that waits another text.
func (m *Meter) EditPrompt(ctx context.Context, id, text string) (PromptAnswer, error) {
	return m.changePrompt(func(q *queue.Queue) (meterbridge.QueuedPrompt, error) { return q.Edit(ctx, id, text) })
}

// MovePrompt puts a prompt at a place of its agent's queue, 1 for the first.
func (m *Meter) MovePrompt(ctx context.Context, id string, place int) (PromptAnswer, error) {
	return m.changePrompt(func(q *queue.Queue) (meterbridge.QueuedPrompt, error) { return q.Move(ctx, id, place) })
}

// RemovePrompt takes a prompt out.
func (m *Meter) RemovePrompt(ctx context.Context, id string) (PromptAnswer, error) {
	return m.changePrompt(func(q *queue.Queue) (meterbridge.QueuedPrompt, error) { return q.Remove(ctx, id) })
}

func (m *Meter) changePrompt(fn func(*queue.Queue) (meterbridge.QueuedPrompt, error)) (PromptAnswer, error) {
	room, err := m.promptRoom()
	if err != nil {
		return PromptAnswer{}, err
	}
	p, err := fn(room.Queue())
	if err != nil {
		return PromptAnswer{}, promptFault(err)
	}
	return m.promptAnswer(p, 0), nil
}

// GoOn lets an agent's queue go on after an interrupt or an error.
func (m *Meter) GoOn(ctx context.Context, agent string) error {
	room, err := m.promptRoom()
	if err != nil {
		return err
	}
	id, err := m.agentID(ctx, agent)
	if err != nil {
		return err
	}
	room.Queue().Go(id)
	return nil
}

// DecidePrompt is a person's decision on a prompt that waits for it.
func (m *Meter) DecidePrompt(id string, send bool) error {
	room, err := m.promptRoom()
	if err != nil {
		return err
	}
	if err := room.Queue().Decide(id, send); err != nil {
		return promptFault(err)
	}
	return nil
}

// Decider says that a person sits before the decisions until leave is called.
func (m *Meter) Decider() (leave func(), err error) {
	room, err := m.promptRoom()
	if err != nil {
		return nil, err
	}
	return room.Decider(), nil
}
