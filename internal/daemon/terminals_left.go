package daemon

import (
	"context"

	"meterbridge/agents/terminal"
)

// LeftProcess is a process that was started in an agent's terminal and has left it. It
// may serve others, and is never ended.
type LeftProcess struct {
	PID     int    `json:"pid"`
	Program string `json:"program"`
	Agent   string `json:"agent"`
	// AgentID and Generation name the terminal.
	AgentID    string `json:"agentId"`
	Generation int    `json:"generation"`
}

// LeftBehind lists what agents of this installation left running outside their
// terminals. Where the system shows no environments of processes it finds none.
func (m *Meter) LeftBehind(ctx context.Context) ([]LeftProcess, error) {
	r, err := m.registry(ctx)
	if err != nil {
		return nil, err
	}
	names := map[string]string{}
	for _, a := range r.List("") {
		names[a.ID] = a.Name
	}
	list := []LeftProcess{}
	for _, l := range m.left() {
		if name, ours := names[l.Terminal]; ours {
			list = append(list, LeftProcess{PID: l.PID, Program: l.Program, Agent: name, AgentID: l.Terminal, Generation: l.Generation})
		}
	}
	return list, nil
}

// left are all processes outside of terminals; without a daemon no terminal is known.
func (m *Meter) left() []terminal.Left {
	if m.fleet != nil {
		return m.fleet.Terminals().LeftBehind()
	}
	left, err := terminal.LeftBehind()
	if err != nil {
		return nil // the system does not tell
	}
	return left
}
