package facts

import (
	"strings"
	"time"

	"meterbridge"
)

// keptSessions is how many sessions are remembered from one flush to the next.
const keptSessions = 64

// Sessions gathers what the records of a log say of its sessions, by the
// ledger's own rules, and hands on what changed: where every record names its
// session anew. The zero value is empty.
type Sessions struct {
	list  []gathered
	index map[string]int
}

type gathered struct {
	meterbridge.Session
	changed bool
}

// Add lays what a record says over what is known of its session.
func (s *Sessions) Add(f meterbridge.Session) {
	if f.ID == "" {
		return
	}
	g := s.of(f.ID)
	g.title(f.Title, f.TitleRank)
	g.reply(f.LastReply, f.LastReplyAt)
	if f.Parent != "" && f.Parent != f.ID && (f.Parent != g.Parent || f.Relation != g.Relation) {
		g.Parent, g.Relation, g.changed = f.Parent, f.Relation, true
	}
	g.set(&g.AgentType, f.AgentType)
	g.set(&g.Project, f.Project)
	g.set(&g.Branch, f.Branch)
	g.set(&g.Version, f.Version)
}

func (s *Sessions) of(id string) *gathered {
	if s.index == nil {
		s.index = map[string]int{}
	}
	i, ok := s.index[id]
	if !ok {
		i = len(s.list)
		s.index[strings.Clone(id)] = i
		s.list = append(s.list, gathered{meterbridge.Session{ID: id}, true})
	}
	return &s.list[i]
}

func (g *gathered) title(text string, rank meterbridge.TitleRank) {
	if text = Title(text); text == "" || rank < g.TitleRank || text == g.Title && rank == g.TitleRank {
		return
	}
	g.Title, g.TitleRank, g.changed = text, rank, true
}

func (g *gathered) reply(text string, at time.Time) {
	if text == "" || at.Before(g.LastReplyAt) || text == g.LastReply && at.Equal(g.LastReplyAt) {
		return
	}
	g.LastReply, g.LastReplyAt, g.changed = text, at, true
}

func (g *gathered) set(to *string, from string) {
	if from != "" && from != *to {
		*to, g.changed = from, true
	}
}

// Flush hands on what changed since the last one.
func (s *Sessions) Flush(w *Writer) {
	for i := range s.list {
		if g := &s.list[i]; g.changed {
			w.Session(g.Session)
			g.changed = false
		}
	}
	if len(s.list) > keptSessions {
		*s = Sessions{}
	}
}
