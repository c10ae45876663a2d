package mux

import (
	"cmp"
	"strconv"
	"strings"
	"time"

	"meterbridge"
	"meterbridge/harnesses"
	"meterbridge/harnesses/facts"
	"meterbridge/harnesses/instant"
	"meterbridge/harnesses/jsonvalue"
)

// chat reads the messages of a workspace.
type chat struct {
	facts.Writer
	folder string
}

func newChat(o harnesses.Options) *chat {
	return &chat{Writer: facts.Writer{Harness: id, Store: store, Trace: o.Trace}, folder: workspaceOf(o.Rel)}
}

// message is a message with what its metadata tell.
type message struct {
	id, session string
	// at is when it was sent, or when its answer began; end when that ended.
	at, end time.Time
	about   jsonvalue.Object
	parts   jsonvalue.Value
	place   meterbridge.Place
}

// Line implements harnesses.LineParser.
func (c *chat) Line(line []byte, at meterbridge.Place, out *meterbridge.Batch) {
	c.Out = out
	o, ok := c.Object(line, at)
	if !ok {
		return
	}
	m := message{id: o["id"].Text(), session: cmp.Or(o["workspaceId"].Text(), c.folder), about: o["metadata"].Object(), parts: o["parts"], place: at}
	if m.id == "" {
		m.id = c.folder + "/" + strconv.FormatInt(at.Line, 10)
	}
	if m.at = m.about["timestamp"].Millis(); m.at.IsZero() {
		m.at = o["createdAt"].Time()
	}
	m.end = m.at
	if length, ok := m.about["duration"].Int(); ok && length > 0 && length < 1e10 && !m.at.IsZero() {
		m.end = instant.Millis(m.at.UnixMilli() + length)
	}
	switch o["role"].Text() {
	case "user":
		c.prompt(m)
	case "assistant":
		c.answer(m)
	}
}

// prompt tells of what a person typed.
func (c *chat) prompt(m message) {
	if m.about["synthetic"].True() || m.at.IsZero() {
		return
	}
	c.Prompt(meterbridge.Prompt{NativeID: m.id, Session: m.session, At: m.at, Preview: m.parts.Spoken(), Place: m.place})
}

func (c *chat) answer(m message) {
	if boundary(m.about["compacted"]) {
		c.Event(meterbridge.Event{Session: m.session, At: m.end, Kind: "compaction", Place: m.place})
	}
	r := meterbridge.Request{NativeID: m.id, Rule: "answer"}
	names, calls := c.called(m)
	counted := c.count(m, m.about, m.about["model"].Text(), &r, names)
	for _, call := range calls {
		if counted {
			call.Request = m.id
		}
		c.Call(call)
	}
	for i, v := range m.about["toolModelUsages"].Elements() {
		c.tool(m, v.Object(), i)
	}
	if text := m.parts.Spoken(); strings.TrimSpace(text) != "" && !m.end.IsZero() {
		c.Session(meterbridge.Session{ID: m.session, LastReply: text, LastReplyAt: m.end})
	}
}

// boundary reports whether a message sums up what was compacted.
func boundary(v jsonvalue.Value) bool { return !v.Null() && !v.False() }

// tool counts what a model spent that a tool called.
func (c *chat) tool(m message, o jsonvalue.Object, n int) {
	r := meterbridge.Request{NativeID: m.id + "/" + cmp.Or(o["toolCallId"].Text(), "#"+strconv.Itoa(n)), Rule: "model-of-a-tool", Purpose: o["toolName"].Text()}
	if at := o["timestamp"].Millis(); !at.IsZero() {
		m.at, m.end = at, at
	}
	c.count(m, o, o["model"].Text(), &r, nil)
}

// count counts a record with usage, and reports whether it did.
func (c *chat) count(m message, o jsonvalue.Object, name string, r *meterbridge.Request, tools []string) bool {
	if o["usage"].Null() {
		return false
	}
	s := usage(o["usage"].Object(), o["providerMetadata"].Object())
	r.Provider, r.Model = model(name)
	r.Session, r.EndedAt, r.Tokens, r.Recorded, r.Tools = m.session, m.end, s.tokens, s.recorded, tools
	r.Aborted, r.Precision, r.Place = o["partial"].True(), meterbridge.PerTurn, m.place
	if m.at.Before(m.end) {
		r.StartedAt = m.at
	}
	switch {
	case s.wrong:
		c.Wrong(*r)
	case s.tokens.Total() == 0:
		c.Drop(*r, "zero-usage")
	default:
		c.Request(*r)
		return !r.EndedAt.IsZero()
	}
	return false
}

// called are the tools that an answer called.
func (c *chat) called(m message) (names []string, calls []meterbridge.ToolCall) {
	for _, v := range m.parts.Elements() {
		o := v.Object()
		name, call := o["toolName"].Text(), o["toolCallId"].Text()
		if o["type"].Text() != "dynamic-tool" || name == "" || call == "" {
			continue
		}
		names = append(names, name)
		t := meterbridge.ToolCall{NativeID: m.id + "/" + call, Session: m.session, Name: name, StartedAt: o["timestamp"].Millis()}
		switch o["state"].Text() {
		case "output-available":
			t.OK = facts.Outcome(!o.At("output", "success").False())
		case "output-error":
			t.OK = facts.Outcome(false)
		}
		calls = append(calls, t)
	}
	return names, calls
}

// Flush implements harnesses.LineParser.
func (c *chat) Flush(*meterbridge.Batch) {}

// State implements harnesses.LineParser.
func (c *chat) State() []byte { return nil }
