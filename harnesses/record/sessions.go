package record

import "meterbridge"

// keptSessions is how many sessions are remembered from one flush to the next.
const keptSessions = 64

// Sessions gathers facts of sessions by the ledger's own rules and hands on those
// that changed since they were last handed on. The zero value is empty.
type Sessions struct {
	list  []gathered
	index map[string]int
}

type gathered struct {
	meterbridge.Session
	changed bool
}

// Add lays a fact over what is known of its session.
func (s *Sessions) Add(f meterbridge.Session) {
	if f.ID == "" {
		return
	}
	g := s.of(f)
	if f.Title != "" && f.TitleRank >= g.TitleRank && (f.Title != g.Title || f.TitleRank != g.TitleRank) {
		g.Title, g.TitleRank, g.changed = f.Title, f.TitleRank, true
	}
	if f.LastReply != "" && !f.LastReplyAt.Before(g.LastReplyAt) && f.LastReply != g.LastReply {
		g.LastReply, g.LastReplyAt, g.changed = f.LastReply, f.LastReplyAt, true
	}
	for _, x := range []struct {
		to   *string
		from string
	}{{&g.Parent, f.Parent}, {&g.AgentType, f.AgentType}, {&g.Project, f.Project}, {&g.Branch, f.Branch}, {&g.Version, f.Version}} {
		if x.from != "" && x.from != *x.to {
			*x.to, g.changed = x.from, true
		}
	}
	if f.Relation != "" && f.Relation != g.Relation {
		g.Relation, g.changed = f.Relation, true
	}
}

func (s *Sessions) of(f meterbridge.Session) *gathered {
	if s.index == nil {
		s.index = map[string]int{}
	}
	i, ok := s.index[f.ID]
	if !ok {
		i = len(s.list)
		s.index[f.ID] = i
		s.list = append(s.list, gathered{meterbridge.Session{Harness: f.Harness, ID: f.ID}, true})
	}
	return &s.list[i]
}

// Flush hands on what changed.
func (s *Sessions) Flush(out *meterbridge.Batch) {
	for i := range s.list {
		if g := &s.list[i]; g.changed {
			out.Sessions = append(out.Sessions, g.Session)
			g.changed = false
		}
	}
	if len(s.list) > keptSessions {
		*s = Sessions{}
	}
}
