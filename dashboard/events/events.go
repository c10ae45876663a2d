// Package events tells clients what changes, as server-sent events. It knows no
// ledger: whoever changes something publishes it, internal/daemon wires both. It
// imports nothing of the project but the other rooms of dashboard.
package events

import "meterbridge/dashboard"

// Type is what an event tells of.
type Type string

// The types of events.
const (
	// Usage: requests came in or changed. Data is a UsageChange.
	Usage Type = "usage"
	// Scan: sources begin or cease to be read. Data is a dashboard.ScanState.
	Scan Type = "scan"
	// Budget: a budget's state changed. Data is that state, as budgets answers it.
	Budget Type = "budget"
	// Prices: another price table is in force. Data is a PriceChange.
	Prices Type = "prices"
	// Health: the daemon's state changed. Data is a dashboard.Health.
	Health Type = "health"
	// AgentStatus: an agent has another status, or another wording of it. Data is a
	// StatusChange.
	AgentStatus Type = "agent-status"
	// AgentTurn: a turn of an agent began or ended. Data is a TurnChange. It comes
	// after the status of the same transition.
	AgentTurn Type = "agent-turn"
	// AgentChanged: an agent came, or something but its status is different. Data is
	// an AgentChange.
	AgentChanged Type = "agent-changed"
	// Prompt: a prompt of the queue is in another state. Data is a PromptChange.
	Prompt Type = "prompt"
	// Reset: events were missed that are no longer kept; ask for everything again.
	// Only a hub sends it.
	Reset Type = "reset"
)

// UsageChange is the data of a usage event.
type UsageChange struct {
	Harness string `json:"harness"`
	// Sessions are those with new or changed requests; more than MostSessions are
	// cut, and Cut is true.
	Sessions []string `json:"sessions"`
	Cut      bool     `json:"cut"`
	// Revision of the ledger from which on answers have the change.
	Revision uint64 `json:"revision"`
}

// MostSessions are named in one event.
const MostSessions = 100

// NewUsageChange bounds the sessions.
func NewUsageChange(harness string, sessions []string, revision uint64) UsageChange {
	c := UsageChange{Harness: harness, Sessions: sessions, Revision: revision}
	if c.Sessions == nil {
		c.Sessions = []string{}
	}
	if len(sessions) > MostSessions {
		c.Sessions, c.Cut = sessions[:MostSessions], true
	}
	return c
}

// PriceChange is the data of a prices event.
type PriceChange struct {
	TableVersion string `json:"tableVersion"`
}

// ScanChange is the data of a scan event.
type ScanChange = dashboard.ScanState

// StatusChange is the data of an agent-status event; times are epoch milliseconds.
type StatusChange struct {
	AgentID string `json:"agentId"`
	Status  string `json:"status"`
	At      int64  `json:"at"`
	// Detail is a question or an error; null without one.
	Detail *string `json:"detail"`
	// Source and Confidence tell how it is known.
	Source     string `json:"source"`
	Confidence string `json:"confidence"`
}

// TurnChange is the data of an agent-turn event; Phase is start or end.
type TurnChange struct {
	AgentID string `json:"agentId"`
	Phase   string `json:"phase"`
	At      int64  `json:"at"`
}

// PromptChange is the data of a prompt event.
type PromptChange struct {
	ID      string `json:"id"`
	AgentID string `json:"agentId"`
	State   string `json:"state"`
	At      int64  `json:"at"`
}

// AgentChange is the data of an agent-changed event.
type AgentChange struct {
	AgentID string `json:"agentId"`
	At      int64  `json:"at"`
}
