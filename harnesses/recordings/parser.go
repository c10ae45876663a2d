package recordings

import (
	"cmp"
	"encoding/json"
	"fmt"
	"path"
	"strings"
	"time"

	"github.com/cespare/xxhash/v2"

	"meterbridge"
	"meterbridge/harnesses"
	"meterbridge/harnesses/record"
	"meterbridge/harnesses/walk"
)

// state is the parser's memory at a checkpoint.
type state struct {
	Session string `json:"s,omitempty"`
	Kind    string `json:"k,omitempty"`
	// Last is the last time that was told, epoch milliseconds.
	Last int64 `json:"l,omitempty"`
}

// parser reads one recording.
type parser struct {
	harness string
	trace   bool
	// parent is the session in whose folder an agent's recording lies.
	parent  string
	project func() string

	state    state
	sessions record.Sessions
	traces   record.Traces
	talk     talk

	at  meterbridge.Place
	out *meterbridge.Batch
}

func newParser(harness string, o harnesses.Options) *parser {
	p := &parser{harness: harness, trace: o.Trace}
	if json.Unmarshal(o.State, &p.state) != nil {
		p.state = state{}
	}
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
	line = record.Line(line, at.Line)
	if len(line) == 0 {
		return
	}
	p.at, p.out = at, out
	var r row
	if r.read(line) != nil {
		p.problem("malformed-json", "a line is not valid JSON")
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
	if _, ok := p.clock(h.started); !ok {
		p.clock(h.updated)
	}
	p.describe(meterbridge.Session{Title: record.Title(h.summary), TitleRank: meterbridge.TitleFromSummary})
	if h.messages == nil {
		return
	}
	p.talk.clear()
	c := walk.Over(h.messages)
	c.Elements(func() {
		var m message
		c.Each(func(key string) bool { return m.member(&c, key) })
		p.message(&m, true)
	})
}

// describe adds a fact of the conversation to what is known of it.
func (p *parser) describe(f meterbridge.Session) {
	f.Harness, f.ID, f.Project = p.harness, p.state.Session, p.project()
	if p.state.Kind == "subagent" && p.parent != "" {
		f.Parent, f.Relation = p.parent, meterbridge.SubAgent
	}
	p.sessions.Add(f)
}

// clock reads a time and remembers it.
func (p *parser) clock(stamp string) (time.Time, bool) {
	at, ok := record.Time(stamp)
	if ok {
		p.state.Last = at.UnixMilli()
	}
	return at, ok
}

// when is a message's own time, else the last one that was told.
func (p *parser) when(stamp string) time.Time {
	if at, ok := p.clock(stamp); ok {
		return at
	}
	return record.Millis(p.state.Last)
}

// message reads one message. repeated: it lies in a copy of the conversation.
func (p *parser) message(m *message, repeated bool) {
	at := p.when(m.stamp)
	p.talk.add(m, at)
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
	if m.kind != "" {
		p.describe(meterbridge.Session{})
	}
}

func (p *parser) user(m *message, at time.Time) {
	text := m.prompt()
	if text == "" || p.state.Kind == "subagent" || at.IsZero() {
		return
	}
	p.out.Prompts = append(p.out.Prompts, meterbridge.Prompt{
		Harness: p.harness, NativeID: p.native(m), Session: p.state.Session, Project: p.project(), At: at, Preview: text, Place: p.at,
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
	if repeated || at.IsZero() {
		return // the line that it is a copy of has told it
	}
	p.out.Events = append(p.out.Events, meterbridge.Event{
		Harness: p.harness, Session: p.state.Session, At: at, Kind: kind, Detail: detail, Place: p.at,
	})
}

// rewind takes messages back from the conversation. What they spent stays spent.
func (p *parser) rewind(to string) {
	p.talk.cut(to)
	p.event(record.Millis(p.state.Last), false, "rewind", "")
}

// Flush hands on what was gathered.
func (p *parser) Flush(out *meterbridge.Batch) {
	if text, at := p.talk.reply(); text != "" && !at.IsZero() {
		p.describe(meterbridge.Session{LastReply: text, LastReplyAt: at})
	}
	p.sessions.Flush(out)
	p.traces.Flush(out)
}

// State is what the next lines need.
func (p *parser) State() []byte {
	b, err := json.Marshal(p.state)
	if err != nil {
		return nil
	}
	return b
}

func (p *parser) problem(reason, detail string) {
	p.out.Problems = append(p.out.Problems, meterbridge.Problem{Reason: reason, Detail: detail, Place: p.at})
}

func hash(content []byte) uint64 { return xxhash.Sum64(content) }
