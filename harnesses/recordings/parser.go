package recordings

import (
	"bytes"
	"cmp"
	"fmt"
	"path"
	"strings"
	"time"

	"meterbridge"
	"meterbridge/harnesses"
	"meterbridge/harnesses/facts"
	"meterbridge/harnesses/instant"
	"meterbridge/harnesses/walk"
)

// state is the parser's memory at a checkpoint.
type state struct {
	Session string `json:"s,omitempty"`
	Kind    string `json:"k,omitempty"`
	// Last is the last time that was told, epoch milliseconds.
	Last int64 `json:"l,omitempty"`
	Talk talk  `json:"t,omitempty"`
}

// parser reads one recording.
type parser struct {
	facts.Writer
	dropText bool
	// parent is the session in whose folder an agent's recording lies.
	parent  string
	project func() string

	state    state
	sessions facts.Sessions
	at       meterbridge.Place
}

func newParser(harness string, o harnesses.Options) *parser {
	p := &parser{Writer: facts.Writer{Harness: harness, Store: Store, Trace: o.Trace}, dropText: o.DropText}
	p.state = facts.Memory[state](o.State)
	dir, name := path.Split(o.Rel)
	if dirs := strings.Split(strings.TrimSuffix(dir, "/"), "/"); len(dirs) == 4 {
		p.parent = dirs[3]
		p.state.Kind = cmp.Or(p.state.Kind, "subagent")
	}
	p.state.Session = cmp.Or(p.state.Session, strings.TrimSuffix(name, path.Ext(name)))
	known, dirOf := false, ""
	p.project = func() string {
		if !known {
			known, dirOf = true, projectOf(o.Siblings, o.Rel)
		}
		return dirOf
	}
	return p
}

// Line reads one line of a recording.
func (p *parser) Line(line []byte, at meterbridge.Place, out *meterbridge.Batch) {
	line = bytes.Trim(line, " \t\r\n\x00")
	if len(line) == 0 {
		return
	}
	p.at, p.Out = at, out
	var r row
	if r.read(line) != nil {
		p.Problem(at, "malformed-json", "a line is not valid JSON")
		return
	}
	switch {
	case r.isRewind:
		p.rewind(r.rewind)
	case r.set != nil:
		p.patch(r.set)
	case r.message.kind != "":
		p.message(&r.message, false)
	default:
		p.patch(&r.head)
	}
}

// patch takes over what is said of the conversation; messages in it replace it.
func (p *parser) patch(h *head) {
	p.state.Session = cmp.Or(h.session, p.state.Session)
	p.state.Kind = cmp.Or(h.kind, p.state.Kind)
	if p.clock(h.started).IsZero() {
		p.clock(h.updated)
	}
	p.describe(meterbridge.Session{Title: h.summary, TitleRank: meterbridge.TitleFromSummary})
	if h.messages == nil {
		return
	}
	p.state.Talk = nil
	c := walk.Over(h.messages)
	c.Elements(func() {
		var m message
		c.Each(func(key string) bool { return m.member(&c, key) })
		p.message(&m, true)
	})
}

// describe adds a fact of the conversation to what is known of it.
func (p *parser) describe(f meterbridge.Session) {
	f.ID, f.Project = p.state.Session, p.project()
	if p.state.Kind == "subagent" && p.parent != "" {
		f.Parent, f.Relation = p.parent, meterbridge.SubAgent
	}
	p.sessions.Add(f)
}

// clock reads a time and remembers it.
func (p *parser) clock(stamp string) time.Time {
	at := instant.ISO(stamp)
	if !at.IsZero() {
		p.state.Last = at.UnixMilli()
	}
	return at
}

// when is a message's own time, else the last one that was told.
func (p *parser) when(stamp string) time.Time {
	if at := p.clock(stamp); !at.IsZero() {
		return at
	}
	return p.last()
}

func (p *parser) last() time.Time { return instant.Millis(p.state.Last) }

// message reads one message. repeated: it lies in a copy of the conversation.
func (p *parser) message(m *message, repeated bool) {
	if m.kind == "" {
		return
	}
	at := p.when(m.stamp)
	switch m.kind {
	case "user":
		p.user(m, at)
	case "gemini":
		p.answer(m, at)
	case "error":
		p.event(at, repeated, "error", status(m.text))
	case "info":
		if m.text == "Request cancelled." {
			p.event(at, repeated, "interrupted", "")
		}
	}
	p.describe(p.state.Talk.add(m, at))
}

func (p *parser) user(m *message, at time.Time) {
	if p.state.Kind == "subagent" || at.IsZero() {
		return
	}
	p.Prompt(meterbridge.Prompt{
		NativeID: p.native(m), Session: p.state.Session, Project: p.project(), At: at, Preview: m.prompt(), Place: p.at,
	})
}

// native is the identity of a message: its id within the conversation, else the
// number of its line.
func (p *parser) native(m *message) string {
	if m.id == "" {
		return fmt.Sprintf("%s#%d", p.state.Session, p.at.Line)
	}
	return p.state.Session + "/" + m.id
}

func (p *parser) event(at time.Time, repeated bool, kind, detail string) {
	if repeated {
		return // the line that it is a copy of has told it
	}
	p.Event(meterbridge.Event{Session: p.state.Session, At: at, Kind: kind, Detail: detail, Place: p.at})
}

// rewind takes messages back from the conversation. What they spent stays spent;
// the reply before them is the last one from now on.
func (p *parser) rewind(to string) {
	p.state.Talk.cut(to)
	p.event(p.last(), false, "rewind", "")
	p.describe(meterbridge.Session{LastReply: p.state.Talk.reply(), LastReplyAt: p.last()})
}

// Flush hands on what was gathered.
func (p *parser) Flush(out *meterbridge.Batch) {
	p.Out = out
	p.sessions.Flush(&p.Writer)
}

// State is what the next lines need.
func (p *parser) State() []byte {
	s := p.state
	if p.dropText {
		s.Talk = s.Talk.silent()
	}
	return facts.State(s)
}
