package daemon

import (
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"meterbridge/internal/daemon/asking"
)

// HeldCall is a call of a tool that waits for a person.
type HeldCall struct {
	ID      string    `json:"id"`
	SinceAt time.Time `json:"sinceAt"`
	Agent   string    `json:"agent"`
	// AgentName is what its user calls it.
	AgentName string `json:"agentName"`
	// Tool is PACKAGE/TOOL, Exposed its name for agents.
	Tool      string          `json:"tool"`
	Exposed   string          `json:"exposed"`
	Arguments json.RawMessage `json:"arguments"`
}

// HeldCalls are the calls that wait for a person, the oldest first.
func (m *Meter) HeldCalls() []HeldCall {
	if m.asking == nil {
		return nil
	}
	var list []HeldCall
	for _, h := range m.asking.Waiting() {
		list = append(list, HeldCall{h.ID, h.Since.UTC(), h.Agent, m.agentName(h.Agent), h.Tool, h.Exposed, h.Args})
	}
	return list
}

// DecideCall answers for a call that waits: once, agent, always or decline.
func (m *Meter) DecideCall(id, answer string) error {
	if m.asking == nil {
		return &Fault{Err: ErrNoFleet, Hint: "`meterbridge serve` starts one"}
	}
	err := m.asking.Decide(id, asking.Answer(answer))
	switch {
	case errors.Is(err, asking.ErrUnknown):
		return &Fault{Err: err, Hint: "`meterbridge confirm` shows those that wait", Nothing: true}
	case errors.Is(err, asking.ErrAnswer):
		return &Fault{Err: err, Wrong: true}
	case err != nil:
		return fmt.Errorf("allow the call: %w", err)
	}
	return nil
}
