package agents

import (
	"context"
	"fmt"
	"time"

	"meterbridge"
)

// Publication is a status that an agent has from At on, as the status machine says.
type Publication struct {
	Status meterbridge.Status
	At     time.Time
	// Detail is a question, or the error that ended a turn.
	Detail string
	// Source and Confidence tell how it is known.
	Source, Confidence string
	// Turn is the harness's id of the turn, empty when it tells none. Automatic: the
	// harness began it by itself, so it goes on with the turn before it.
	Turn      string
	Automatic bool
}

// EventKind is what happened to an agent.
type EventKind string

// The kinds of events. For one transition the status comes before the turn.
const (
	// EventStatus: the status is another one, or its wording.
	EventStatus    EventKind = "status"
	EventTurnStart EventKind = "turn-start"
	EventTurnEnd   EventKind = "turn-end"
	// EventChanged: the agent came, or something but its status is different.
	EventChanged EventKind = "changed"
)

// Event is one thing that happened.
type Event struct {
	Kind EventKind
	// Agent is how it is since then.
	Agent Info
	At    time.Time
}

// view is what an agent does now.
type view struct {
	status             meterbridge.Status
	at                 time.Time
	detail             string
	source, confidence string
	turnStarted        time.Time
	lastTurn           *LastTurn
	// turn is the newest usage turn; nil before the first.
	turn *meterbridge.AgentTurn
}

// reset is a new agent's view.
func (v *view) reset(at time.Time) {
	*v = view{status: meterbridge.Idle, at: at, source: string(meterbridge.FromProcess), confidence: string(meterbridge.Exact), lastTurn: v.lastTurn}
}

// Publish takes a status of a process of an agent. That of an older one, or of an
// agent that does not run, is dropped.
func (r *Registry) Publish(id string, generation int, p Publication) {
	r.mu.Lock()
	defer r.mu.Unlock()
	e := r.of[id]
	if e == nil || e.Generation != generation || !e.Running() {
		return
	}
	r.publish(e, p)
}

// publish is Publish under the lock.
func (r *Registry) publish(e *entry, p Publication) {
	if p.At.Before(e.view.at) {
		p.At = e.view.at
	}
	if p.Status == e.view.status {
		if p.Detail != e.view.detail {
			e.view.detail = p.Detail
			r.tell(EventStatus, e, p.At)
		}
		r.turned(e, p)
		return
	}
	r.set(e, p)
	r.turned(e, p)
}

// set makes a status the agent's, and tells of it and of the turn of events.
func (r *Registry) set(e *entry, p Publication) {
	before := e.view.status
	e.view.status, e.view.at, e.view.detail = p.Status, p.At, p.Detail
	e.view.source, e.view.confidence = p.Source, p.Confidence
	if p.At.After(e.SeenAt) {
		e.SeenAt = p.At
	}
	r.keepSpan(e)
	ended := before == meterbridge.Working && (p.Status == meterbridge.Finished || p.Status == meterbridge.NeedsInput)
	if ended {
		e.view.lastTurn = &LastTurn{StartedAt: e.view.turnStarted, EndedAt: p.At, EndedAs: p.Status}
	}
	e.view.turnStarted = time.Time{}
	if p.Status == meterbridge.Working {
		e.view.turnStarted = p.At
	}
	r.tell(EventStatus, e, p.At)
	switch {
	case ended:
		r.tell(EventTurnEnd, e, p.At)
	case p.Status == meterbridge.Working:
		r.tell(EventTurnStart, e, p.At)
	}
}

func (r *Registry) keepSpan(e *entry) {
	s := meterbridge.StatusSpan{
		Agent: e.ID, Generation: e.Generation, Span: meterbridge.Span{Status: e.view.status, From: e.view.at},
		Source: e.view.source, Confidence: e.view.confidence,
	}
	r.saver.add(func(ctx context.Context) error { return r.o.History.SaveSpan(ctx, s) })
}

// begin is the start of a process: idle, whatever was before.
func (r *Registry) begin(e *entry, at time.Time) {
	if at.Before(e.view.at) {
		at = e.view.at
	}
	e.view.reset(at)
	r.keepSpan(e)
	r.tell(EventStatus, e, at)
}

// turned keeps the usage turns: one begins with work and lasts until the agent has
// finished, was stopped or exited. A question belongs to it, and so does work that
// the harness begins by itself.
func (r *Registry) turned(e *entry, p Publication) {
	t := e.view.turn
	open := t != nil && t.EndedAt.IsZero() && t.Generation == e.Generation
	switch p.Status {
	case meterbridge.Working:
		r.works(e, p, open)
	case meterbridge.Finished:
		r.endTurn(e, open, p.At, meterbridge.TurnFinished)
	case meterbridge.Idle:
		r.endTurn(e, open, p.At, meterbridge.TurnInterrupted)
	case meterbridge.Exited:
		r.endTurn(e, open, p.At, meterbridge.TurnExited)
	}
}

// works begins, continues or splits a turn.
func (r *Registry) works(e *entry, p Publication, open bool) {
	t := e.view.turn
	switch {
	case open && (p.Turn == "" || p.Turn == t.PromptID):
		return
	case open && t.PromptID == "":
		t.PromptID = p.Turn
	case p.Automatic && t != nil && t.Generation == e.Generation:
		t.EndedAt, t.EndedAs = time.Time{}, ""
	default:
		r.endTurn(e, open, p.At, meterbridge.TurnFinished)
		e.view.turn = &meterbridge.AgentTurn{Agent: e.ID, Generation: e.Generation, PromptID: p.Turn, StartedAt: p.At}
	}
	r.keepTurn(*e.view.turn)
}

func (r *Registry) endTurn(e *entry, open bool, at time.Time, as meterbridge.TurnEnd) {
	if !open {
		return
	}
	e.view.turn.EndedAt, e.view.turn.EndedAs = at, as
	r.keepTurn(*e.view.turn)
}

func (r *Registry) keepTurn(t meterbridge.AgentTurn) {
	r.saver.add(func(ctx context.Context) error { return r.o.History.SaveTurn(ctx, t) })
}

// recall brings back what an agent did when it was kept last.
func (r *Registry) recall(ctx context.Context, e *entry) error {
	e.view.reset(e.CreatedAt)
	if !e.Running() {
		if e.Generation > 0 {
			e.view.status, e.view.at = meterbridge.Exited, e.ExitedAt
		}
		return nil
	}
	spans, err := r.o.History.Spans(ctx, e.ID)
	if err != nil {
		return fmt.Errorf("read what agent %s did: %w", e.ID, err)
	}
	if n := len(spans); n > 0 {
		s := spans[n-1]
		e.view.status, e.view.at, e.view.source, e.view.confidence = s.Status, s.From, s.Source, s.Confidence
		if s.Status == meterbridge.Working {
			e.view.turnStarted = s.From
		}
	}
	turns, err := r.o.History.Turns(ctx, e.ID)
	if err != nil {
		return fmt.Errorf("read what agent %s did: %w", e.ID, err)
	}
	if n := len(turns); n > 0 {
		e.view.turn = &turns[n-1]
	}
	return nil
}

func (r *Registry) changed(e *entry) { r.tell(EventChanged, e, r.o.Now()) }

func (r *Registry) tell(kind EventKind, e *entry, at time.Time) {
	if r.o.Tell != nil {
		r.o.Tell(Event{Kind: kind, Agent: e.info(), At: at})
	}
}
