package kiro

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

// log reads the lines of a conversation.
type log struct {
	facts.Writer
	session string
	m       memory
}

// memory is what goes on from line to line.
type memory struct {
	// Now is the time of the last prompt in ms: answers have none.
	Now int64 `json:"now,omitempty"`
	// Titled: the first prompt was seen.
	Titled bool `json:"titled,omitempty"`
}

func newLog(o harnesses.Options) *log {
	l := &log{Writer: facts.Writer{Harness: id}, session: sessionOf(o.Rel)}
	l.m = facts.Memory[memory](o.State)
	return l
}

// Line implements harnesses.LineParser.
func (l *log) Line(line []byte, at meterbridge.Place, out *meterbridge.Batch) {
	l.Out = out
	o, ok := l.Object(line, at)
	if !ok {
		return
	}
	data := o["data"].Object()
	switch o["kind"].Text() {
	case "Prompt":
		l.prompt(data, at)
	case "AssistantMessage":
		l.answer(data, at)
	case "ToolResults":
		l.results(data)
	}
}

// Flush implements harnesses.LineParser.
func (l *log) Flush(*meterbridge.Batch) {}

// State implements harnesses.LineParser.
func (l *log) State() []byte {
	return facts.State(l.m)
}

func (l *log) now() time.Time { return instant.Millis(l.m.Now) }

func (l *log) native(id string, at meterbridge.Place) string {
	return scoped(l.session, cmp.Or(id, "#"+strconv.FormatInt(at.Line, 10)))
}

// scoped is an id by which something is known everywhere: the program's own are
// UUIDs, which a copy of the file under another name, and so of another session,
// keeps; a shorter one is good within its session.
func scoped(session, id string) string {
	if len(id) == len("00000000-0000-0000-0000-000000000000") {
		return id
	}
	return session + "/" + id
}

func (l *log) prompt(data jsonvalue.Object, at meterbridge.Place) {
	if t := data.At("meta", "timestamp").Seconds(); !t.IsZero() {
		l.m.Now = t.UnixMilli()
	}
	text := texts(data)
	if text == "" || l.m.Now == 0 {
		return
	}
	native := l.native(data["message_id"].Text(), at)
	l.Prompt(meterbridge.Prompt{NativeID: native, Session: l.session, At: l.now(), Preview: text, Place: at})
	l.Turn(meterbridge.Turn{NativeID: native, Session: l.session, StartedAt: l.now()})
	if !l.m.Titled {
		l.m.Titled = true
		l.Session(meterbridge.Session{ID: l.session, Title: text, TitleRank: meterbridge.TitleFromPrompt})
	}
}

// texts joins the texts of a message.
func texts(data jsonvalue.Object) string {
	var all []string
	for _, part := range data["content"].Elements() {
		o := part.Object()
		if t := o["data"].Text(); o["kind"].Text() == "text" && strings.TrimSpace(t) != "" {
			all = append(all, t)
		}
	}
	return strings.Join(all, "\n")
}

func (l *log) answer(data jsonvalue.Object, at meterbridge.Place) {
	if text := texts(data); text != "" {
		l.Session(meterbridge.Session{ID: l.session, LastReply: text, LastReplyAt: l.now()})
	}
	for _, part := range data["content"].Elements() {
		o := part.Object()
		if id := o.At("data", "toolUseId").Text(); id != "" && o["kind"].Text() == "toolUse" {
			l.Call(meterbridge.ToolCall{NativeID: l.native(id, at), Session: l.session, Name: o.At("data", "name").Text()})
		}
	}
}

func (l *log) results(data jsonvalue.Object) {
	for _, part := range data["content"].Elements() {
		o := part.Object()
		id := o.At("data", "toolUseId").Text()
		if id == "" || o["kind"].Text() != "toolResult" {
			continue
		}
		c := meterbridge.ToolCall{NativeID: scoped(l.session, id), Session: l.session}
		switch o.At("data", "status").Text() {
		case "success":
			c.OK = facts.Outcome(true)
		case "error":
			c.OK = facts.Outcome(false)
		}
		l.Call(c)
	}
}
