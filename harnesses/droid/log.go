package droid

import (
	"cmp"
	"encoding/json"
	"path"
	"strconv"
	"strings"
	"time"

	"meterbridge"
	"meterbridge/harnesses"
	"meterbridge/harnesses/facts"
	"meterbridge/harnesses/jsonvalue"
)

// log reads the lines of a conversation. They hold no usage.
type log struct {
	facts.Writer
	m memory
}

// memory is what goes on from line to line.
type memory struct {
	// Session is the id of the first line, else that of the file's name.
	Session string `json:"session"`
	Project string `json:"project,omitempty"`
	// Parent is the session that this one came from; Agent: an agent called it.
	Parent string `json:"parent,omitempty"`
	Agent  bool   `json:"agent,omitempty"`
}

func newLog(o harnesses.Options) *log {
	l := &log{Writer: facts.Writer{Harness: id}}
	if json.Unmarshal(o.State, &l.m) != nil || l.m.Session == "" {
		l.m = memory{Session: facts.Name(strings.TrimSuffix(path.Base(o.Rel), ".jsonl"))}
	}
	return l
}

// Line implements harnesses.LineParser.
func (l *log) Line(line []byte, at meterbridge.Place, out *meterbridge.Batch) {
	l.Out = out
	o, ok := l.Object(line, at)
	if !ok {
		return
	}
	switch o["type"].Text() {
	case "session_start":
		l.start(o)
	case "compaction_state":
		l.compacted(o, at)
	case "message":
		l.message(o, at)
	}
}

// Flush implements harnesses.LineParser.
func (l *log) Flush(*meterbridge.Batch) {}

// State implements harnesses.LineParser.
func (l *log) State() []byte {
	return facts.State(l.m)
}

// start reads the first line. A session that an agent called is a sub-agent;
// another one with a parent is a fork, unless a compaction made it.
func (l *log) start(o jsonvalue.Object) {
	l.m.Session, l.m.Project = cmp.Or(o["id"].Text(), l.m.Session), o["cwd"].Text()
	s := meterbridge.Session{ID: l.m.Session, Title: o["title"].Text(), TitleRank: meterbridge.TitleFromModel, Project: l.m.Project}
	caller := o["callingSessionId"].Text()
	switch l.m.Parent = cmp.Or(caller, o["parent"].Text()); {
	case l.m.Parent == "" || l.m.Parent == l.m.Session:
		l.m.Parent = ""
	case caller != "":
		l.m.Agent = true
		s.Parent, s.Relation = l.m.Parent, meterbridge.SubAgent
	default:
		s.Parent, s.Relation = l.m.Parent, meterbridge.Fork
	}
	l.Session(s)
}

func (l *log) compacted(o jsonvalue.Object, at meterbridge.Place) {
	if l.m.Parent != "" && !l.m.Agent {
		l.Session(meterbridge.Session{ID: l.m.Session, Parent: l.m.Parent, Relation: meterbridge.Continuation})
	}
	l.Event(meterbridge.Event{Session: l.m.Session, At: o["timestamp"].Time(), Kind: "compaction", Place: at})
}

func (l *log) message(o jsonvalue.Object, at meterbridge.Place) {
	now := o["timestamp"].Time()
	content := o.At("message", "content")
	switch o.At("message", "role").Text() {
	case "user":
		l.user(cmp.Or(o["id"].Text(), "#"+strconv.FormatInt(at.Line, 10)), content, now, at)
	case "assistant":
		l.assistant(content, now)
	}
}

// user tells of a prompt, or of results of tools, which are messages of the same
// role.
func (l *log) user(native string, content jsonvalue.Value, now time.Time, at meterbridge.Place) {
	texts := []string{content.Text()}
	typed := true
	for _, v := range content.Elements() {
		part := v.Object()
		switch part["type"].Text() {
		case "text":
			texts = append(texts, part["text"].Text())
		case "tool_result":
			typed = false
			if call := part["tool_use_id"].Text(); call != "" {
				l.Call(meterbridge.ToolCall{NativeID: l.m.Session + "/" + call, Session: l.m.Session, EndedAt: now, OK: facts.Outcome(!part["is_error"].True())})
			}
		}
	}
	if text := spoken(texts); typed && text != "" && !now.IsZero() && !l.m.Agent {
		l.Prompt(meterbridge.Prompt{NativeID: l.m.Session + "/" + native, Session: l.m.Session, Project: l.m.Project, At: now, Preview: text, Place: at})
	}
}

// spoken joins the texts of a message that a person wrote; the program adds
// reminders between tags.
func spoken(texts []string) string {
	var all []string
	for _, t := range texts {
		if t = strings.TrimSpace(t); t != "" && !strings.HasPrefix(t, "<system-") {
			all = append(all, t)
		}
	}
	return strings.Join(all, "\n")
}

func (l *log) assistant(content jsonvalue.Value, now time.Time) {
	texts := []string{content.Text()}
	for _, v := range content.Elements() {
		part := v.Object()
		switch part["type"].Text() {
		case "text":
			texts = append(texts, part["text"].Text())
		case "tool_use":
			if call := part["id"].Text(); call != "" {
				l.Call(meterbridge.ToolCall{NativeID: l.m.Session + "/" + call, Session: l.m.Session, Name: part["name"].Text(), StartedAt: now})
			}
		}
	}
	if text := spoken(texts); text != "" {
		l.Session(meterbridge.Session{ID: l.m.Session, LastReply: text, LastReplyAt: now})
	}
}
