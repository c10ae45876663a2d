package testkit

import (
	"cmp"
	"maps"
	"slices"

	"meterbridge"
)

// facts merges what a unit says beside its requests.
func (m *Memory) facts(u *meterbridge.Unit) {
	for _, s := range u.Batch.Sessions {
		m.session(s)
	}
	for _, p := range u.Batch.Prompts {
		k := key{p.Harness, p.NativeID}
		if _, ok := m.prompts[k]; !ok {
			m.prompts[k] = p
		}
	}
	for _, c := range u.Batch.ToolCalls {
		m.call(c)
	}
	for _, t := range u.Batch.Turns {
		m.turn(t)
	}
	for _, l := range u.Batch.Limits {
		if !slices.ContainsFunc(m.limits, func(o meterbridge.Limit) bool { return sameLimit(&o, &l) }) {
			m.limits = append(m.limits, l)
		}
	}
	for _, e := range u.Batch.Events {
		if !slices.Contains(m.events, e) {
			m.events = append(m.events, e)
		}
	}
}

func sameLimit(a, b *meterbridge.Limit) bool {
	return a.Harness == b.Harness && a.Session == b.Session && a.Name == b.Name && a.At.Equal(b.At)
}

func (m *Memory) session(s meterbridge.Session) {
	k := key{s.Harness, s.ID}
	old, ok := m.sessions[k]
	if !ok {
		m.sessions[k] = &s
		return
	}
	if s.Title != "" && s.TitleRank >= old.TitleRank {
		old.Title, old.TitleRank = s.Title, s.TitleRank
	}
	if s.LastReply != "" && !s.LastReplyAt.Before(old.LastReplyAt) {
		old.LastReply, old.LastReplyAt = s.LastReply, s.LastReplyAt
	}
	set(&old.Parent, s.Parent)
	set(&old.Relation, s.Relation)
	set(&old.AgentType, s.AgentType)
	set(&old.Project, s.Project)
	set(&old.Branch, s.Branch)
	set(&old.Version, s.Version)
}

func (m *Memory) call(c meterbridge.ToolCall) {
	k := key{c.Harness, c.NativeID}
	old, ok := m.calls[k]
	if !ok {
		m.calls[k] = &c
		return
	}
	set(&old.Name, c.Name)
	set(&old.Request, c.Request)
	set(&old.StartedAt, c.StartedAt)
	set(&old.EndedAt, c.EndedAt)
	if c.OK != nil {
		old.OK = c.OK
	}
}

func (m *Memory) turn(t meterbridge.Turn) {
	k := key{t.Harness, t.NativeID}
	old, ok := m.turns[k]
	if !ok {
		m.turns[k] = &t
		return
	}
	set(&old.StartedAt, t.StartedAt)
	set(&old.EndedAt, t.EndedAt)
	set(&old.Outcome, t.Outcome)
}

// set takes over what says something.
func set[T comparable](to *T, from T) {
	var nothing T
	if from != nothing {
		*to = from
	}
}

// Rows returns the requests, by harness and native id.
func (m *Memory) Rows() []Row {
	m.mu.Lock()
	defer m.mu.Unlock()
	var out []Row
	for _, r := range m.rows {
		out = append(out, *r)
	}
	slices.SortFunc(out, func(a, b Row) int {
		return cmp.Or(cmp.Compare(a.Harness, b.Harness), cmp.Compare(a.Store, b.Store), cmp.Compare(a.NativeID, b.NativeID))
	})
	return out
}

// Sources returns the sources in the order of their numbers.
func (m *Memory) Sources() []Stored {
	m.mu.Lock()
	defer m.mu.Unlock()
	var out []Stored
	for _, id := range slices.Sorted(maps.Keys(m.sources)) {
		out = append(out, *m.sources[id])
	}
	return out
}

// Sessions returns the sessions by harness and id.
func (m *Memory) Sessions() []meterbridge.Session {
	m.mu.Lock()
	defer m.mu.Unlock()
	return sorted(m.sessions)
}

// Prompts returns the prompts by harness and native id.
func (m *Memory) Prompts() []meterbridge.Prompt {
	m.mu.Lock()
	defer m.mu.Unlock()
	var out []meterbridge.Prompt
	for _, k := range slices.SortedFunc(maps.Keys(m.prompts), order) {
		out = append(out, m.prompts[k])
	}
	return out
}

// ToolCalls returns the tool calls by harness and native id.
func (m *Memory) ToolCalls() []meterbridge.ToolCall {
	m.mu.Lock()
	defer m.mu.Unlock()
	return sorted(m.calls)
}

// Turns returns the turns by harness and native id.
func (m *Memory) Turns() []meterbridge.Turn {
	m.mu.Lock()
	defer m.mu.Unlock()
	return sorted(m.turns)
}

// Limits returns the observations of rate limits as they came.
func (m *Memory) Limits() []meterbridge.Limit {
	m.mu.Lock()
	defer m.mu.Unlock()
	return slices.Clone(m.limits)
}

// Events returns the events as they came.
func (m *Memory) Events() []meterbridge.Event {
	m.mu.Lock()
	defer m.mu.Unlock()
	return slices.Clone(m.events)
}

// Problems returns the problems of all sources, in their order.
func (m *Memory) Problems() []meterbridge.Problem {
	var out []meterbridge.Problem
	for _, s := range m.Sources() {
		out = append(out, s.Problems...)
	}
	return out
}

func order(a, b key) int {
	return cmp.Or(cmp.Compare(a.harness, b.harness), cmp.Compare(a.id, b.id))
}

func sorted[T any](from map[key]*T) []T {
	var out []T
	for _, k := range slices.SortedFunc(maps.Keys(from), order) {
		out = append(out, *from[k])
	}
	return out
}
