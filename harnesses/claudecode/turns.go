package claudecode

import (
	"time"

	"meterbridge"
)

// turn is the turn that is under way in the main conversation.
type turn struct {
	ID string `json:"i"`
	// Start is in epoch milliseconds.
	Start int64 `json:"s"`
	// Done: its end was emitted.
	Done bool `json:"d,omitempty"`
}

// beginTurn starts a turn at its first row: where builds name turns, all rows of
// one share promptId; else the prompt's own id names it.
func (p *parser) beginTurn(id []byte) {
	name := p.names.turn.of(id)
	if p.who.side || name == "" || p.when.IsZero() || name == p.state.Turn.ID {
		return
	}
	p.state.Turn = turn{ID: name, Start: p.when.UnixMilli()}
}

// beginCommand starts the turn of a slash command that the model answers, or that
// is interrupted before it does: it is not that of the prompt before it.
func (p *parser) beginCommand(h *heldCommand) {
	if h == nil || h.Turned || p.who.side {
		return
	}
	p.state.Turn = turn{ID: h.ID, Start: h.At}
}

// endTurn emits the turn under way. A turn ends once: the duration that is
// written after an interrupt leaves it interrupted.
func (p *parser) endTurn(outcome string) {
	t := &p.state.Turn
	if p.who.side || t.ID == "" || t.Done || p.when.IsZero() {
		return
	}
	t.Done = true
	p.out.Turns = append(p.out.Turns, meterbridge.Turn{
		Harness: ID, NativeID: t.ID, Session: p.who.credited,
		StartedAt: time.UnixMilli(t.Start).UTC(), EndedAt: p.when, Outcome: outcome,
	})
}
