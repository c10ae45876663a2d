package claudecode

import (
	"time"

	"meterbridge"
	"meterbridge/harnesses/walk"
)

// longestReply bounds the characters of a last reply that are kept.
const longestReply = 1 << 15

// longestTitle bounds the characters of a title that are kept.
const longestTitle = 400

// keptSessions is how many sessions are remembered from one flush to the next.
const keptSessions = 16

// sessions collects what is learnt about sessions until it is flushed.
type sessions struct {
	facts []facts
	index map[string]int
	// last is the entry that was used last.
	last int
}

type facts struct {
	session meterbridge.Session
	changed bool
	// reply is the raw text of the newest answer.
	reply   []byte
	replied bool
}

func (s *sessions) of(id string) *facts {
	if s.last < len(s.facts) && s.facts[s.last].session.ID == id {
		return &s.facts[s.last]
	}
	i, ok := s.index[id]
	if !ok {
		if s.index == nil {
			s.index = map[string]int{}
		}
		i = len(s.facts)
		s.index[id] = i
		s.facts = append(s.facts, facts{session: meterbridge.Session{Harness: ID, ID: id}, changed: true})
	}
	s.last = i
	return &s.facts[i]
}

// set keeps a value and notes whether it is new.
func (f *facts) set(field *string, value string) {
	if value != "" && *field != value {
		*field = value
		f.changed = true
	}
}

// title keeps the best title, the last among equals.
func (s *sessions) title(id, text string, rank meterbridge.TitleRank) {
	f := s.of(id)
	if text == "" || rank < f.session.TitleRank {
		return
	}
	f.session.Title, f.session.TitleRank, f.changed = text, rank, true
}

// reply keeps the newest text of the agent.
func (s *sessions) reply(id string, m *message, when time.Time) {
	if when.IsZero() || !m.replies() {
		return
	}
	f := s.of(id)
	f.reply = m.reply(f.reply[:0])
	f.replied, f.session.LastReplyAt = true, when
}

// flush emits what changed since the last one.
func (s *sessions) flush(out *meterbridge.Batch) {
	for i := range s.facts {
		f := &s.facts[i]
		if !f.changed && !f.replied {
			continue
		}
		if f.replied {
			f.session.LastReply = walk.Unquote(f.reply, longestReply)
		}
		out.Sessions = append(out.Sessions, f.session)
		f.changed, f.replied = false, false
	}
	if len(s.facts) > keptSessions {
		*s = sessions{}
	}
}

// describe keeps what the row's envelope says of its session.
func (p *parser) describe() {
	r, n := &p.row, &p.names
	if p.who.own == "" {
		return
	}
	f := p.sessions.of(p.who.own)
	f.set(&f.session.Project, n.cwd.of(r.cwd))
	f.set(&f.session.Branch, n.branch.of(r.branch))
	f.set(&f.session.Version, n.version.of(r.version))
	switch {
	case p.who.side:
		f.set(&f.session.Parent, p.who.parent)
		f.session.Relation = meterbridge.SubAgent
		f.set(&f.session.AgentType, n.agentType.of(r.agentType))
	case p.who.origin != "":
		f.set(&f.session.Parent, p.who.origin)
		f.session.Relation = meterbridge.Fork
	}
}

// bookkeeping reads the rows that tell of the session itself.
func (p *parser) bookkeeping() {
	r := &p.row
	switch string(r.kind) {
	case "custom-title":
		p.title(meterbridge.TitleFromUser)
	case "ai-title":
		p.title(meterbridge.TitleFromModel)
	case "summary":
		p.summary()
	case "relocated":
		p.describe()
	case "derived-from":
		p.link(p.who.own, walk.Unquote(r.link, 0), meterbridge.Fork)
	case "continued-in":
		p.link(walk.Unquote(r.link, 0), p.who.own, meterbridge.Continuation)
	}
}

// title keeps the title of the row for its session.
func (p *parser) title(rank meterbridge.TitleRank) {
	if p.who.own != "" {
		p.sessions.title(p.who.own, walk.Unquote(p.row.title, longestTitle), rank)
	}
}

// link notes that one session came from another.
func (p *parser) link(child, parent string, relation meterbridge.Relation) {
	if child == "" || parent == "" || child == parent {
		return
	}
	f := p.sessions.of(child)
	f.set(&f.session.Parent, parent)
	f.session.Relation = relation
}
