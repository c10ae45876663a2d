package cline

import (
	"cmp"
	"io/fs"
	"path"
	"strconv"
	"strings"
	"time"

	"github.com/cespare/xxhash/v2"

	"meterbridge"
	"meterbridge/harnesses"
	"meterbridge/harnesses/facts"
	"meterbridge/harnesses/jsonvalue"
)

// document reads a session or its messages.
type document struct {
	kind string
	opt  harnesses.Options
}

// Document implements harnesses.DocumentParser.
func (d *document) Document(content []byte, out *meterbridge.Batch) {
	w := facts.Writer{Harness: id, Store: store, Trace: d.opt.Trace, Out: out}
	o, ok := jsonvalue.Parse(content)
	switch {
	case !ok:
		w.Problem(meterbridge.Place{Line: 1, Hash: xxhash.Sum64(content)}, "malformed-json", "a "+d.kind+" file is not a JSON object")
	case d.kind == kindSession:
		if s := sessionOf(o, path.Base(path.Dir(d.opt.Rel))); s.ID != "" {
			w.Session(s)
		}
	default:
		c := d.conversation(o)
		c.Writer = w
		c.read(o)
	}
}

// sessionOf reads a session's own file, or its row in the index.
func sessionOf(o jsonvalue.Object, named string) meterbridge.Session {
	s := meterbridge.Session{
		ID: cmp.Or(o["session_id"].Text(), named), Project: cmp.Or(o["cwd"].Text(), o["workspace_root"].Text()),
		Title: o.At("metadata", "title").Text(), TitleRank: meterbridge.TitleFromModel,
	}
	if s.Title == "" {
		s.Title, s.TitleRank = typed(o["prompt"].Text()), meterbridge.TitleFromPrompt
	}
	if parent := o["parent_session_id"].Text(); parent != "" && parent != s.ID {
		s.Parent, s.Relation = parent, meterbridge.SubAgent
	}
	return s
}

// conversation is a session while its messages are read.
type conversation struct {
	facts.Writer
	session meterbridge.Session
	// calls are the requests of calls that wait for their result, by the call's id.
	calls map[string]string
}

// conversation finds out whose messages a file holds: those of the session that
// its folder is named after, or of one of its agents.
func (d *document) conversation(o jsonvalue.Object) *conversation {
	dir, name := path.Split(d.opt.Rel)
	folder, agent := path.Base(dir), strings.TrimSuffix(name, ".messages.json")
	c := &conversation{calls: map[string]string{}}
	own, _ := jsonvalue.Parse(beside(d.opt.Siblings, path.Join(dir, folder+".json")))
	root := sessionOf(own, folder)
	c.session = meterbridge.Session{ID: cmp.Or(o["sessionId"].Text(), folder), Project: root.Project}
	if agent != folder {
		if c.session.ID == root.ID || c.session.ID == folder {
			c.session.ID = folder + "/" + agent
		}
		c.session.Parent, c.session.Relation, c.session.AgentType = root.ID, meterbridge.SubAgent, o["agent"].Text()
	}
	return c
}

func beside(files fs.FS, name string) []byte {
	if files == nil || !fs.ValidPath(name) {
		return nil
	}
	content, err := fs.ReadFile(files, name)
	if err != nil {
		return nil
	}
	return content
}

func (c *conversation) read(o jsonvalue.Object) {
	for n, v := range o["messages"].Elements() {
		m := v.Object()
		at := meterbridge.Place{Line: int64(n + 1), Hash: xxhash.Sum64(v)}
		switch m["role"].Text() {
		case "user":
			c.user(m, at)
		case "assistant":
			c.assistant(m, at)
		}
	}
	c.Session(c.session)
}

// native is the id of what a message tells: its own is unique in its session.
func (c *conversation) native(m jsonvalue.Object, at meterbridge.Place) string {
	return c.session.ID + ":" + cmp.Or(m["id"].Text(), "#"+strconv.FormatInt(at.Line, 10))
}

// user reads a prompt, or what tools gave back.
func (c *conversation) user(m jsonvalue.Object, at meterbridge.Place) {
	when := m["ts"].Millis()
	text := m["content"].Text()
	for _, v := range m["content"].Elements() {
		b := v.Object()
		switch b["type"].Text() {
		case "text":
			text = cmp.Or(text, b["text"].Text())
		case "tool_result":
			c.result(b, when)
		}
	}
	if text = typed(text); text != "" && c.session.Parent == "" && !when.IsZero() {
		c.Prompt(meterbridge.Prompt{NativeID: c.native(m, at), Session: c.session.ID, Project: c.session.Project, At: when, Preview: text, Place: at})
	}
}

func (c *conversation) result(b jsonvalue.Object, when time.Time) {
	call := b["tool_use_id"].Text()
	request, ok := c.calls[call]
	if !ok {
		return
	}
	r := meterbridge.ToolCall{NativeID: request + "/" + call, Session: c.session.ID, EndedAt: when}
	if failed := b["is_error"]; failed.True() || failed.False() {
		r.OK = facts.Outcome(!failed.True())
	}
	c.Call(r)
}

// typed takes the wrapper off a prompt.
func typed(text string) string {
	rest, ok := strings.CutPrefix(strings.TrimSpace(text), "<user_input")
	if !ok {
		return text
	}
	_, rest, _ = strings.Cut(rest, ">")
	inside, _, _ := strings.Cut(rest, "</user_input>")
	return strings.TrimSpace(inside)
}

// assistant counts an answer.
func (c *conversation) assistant(m jsonvalue.Object, at meterbridge.Place) {
	r := c.request(m, at)
	var texts string
	type call struct{ id, name string }
	var calls []call
	texts = m["content"].Text()
	for _, v := range m["content"].Elements() {
		b := v.Object()
		switch b["type"].Text() {
		case "text":
			texts = cmp.Or(b["text"].Text(), texts)
		case "tool_use":
			r.Tools = append(r.Tools, b["name"].Text())
			calls = append(calls, call{b["id"].Text(), b["name"].Text()})
		}
	}
	request := c.count(&r, m["metrics"])
	for _, k := range calls {
		c.calls[k.id] = r.NativeID
		c.Call(meterbridge.ToolCall{NativeID: r.NativeID + "/" + k.id, Session: c.session.ID, Request: request, Name: k.name, StartedAt: r.EndedAt})
	}
	if texts != "" {
		c.session.LastReply, c.session.LastReplyAt = texts, r.EndedAt
	}
}

func (c *conversation) request(m jsonvalue.Object, at meterbridge.Place) meterbridge.Request {
	return meterbridge.Request{
		NativeID: c.native(m, at), Session: c.session.ID, Project: c.session.Project, Model: m.At("modelInfo", "id").Text(),
		Provider: m.At("modelInfo", "provider").Text(), EndedAt: m["ts"].Millis(), Rule: "single-record", Place: at,
	}
}

// count counts a request if its metrics tell of tokens, and returns its id.
// inputTokens is the whole prompt.
func (c *conversation) count(r *meterbridge.Request, metrics jsonvalue.Value) string {
	if metrics.Null() {
		return ""
	}
	o := metrics.Object()
	var n jsonvalue.Counts
	t := &r.Tokens
	t.CacheRead, t.CacheWrite5m, t.Output = n.Of(o["cacheReadTokens"]), n.Of(o["cacheWriteTokens"]), n.Of(o["outputTokens"])
	t.Input = jsonvalue.Minus(n.Of(o["inputTokens"]), t.CacheRead, t.CacheWrite5m)
	var reason string
	r.Recorded, reason = jsonvalue.USD(o["cost"], false)
	c.Cost(r.Place, reason)
	switch {
	case n.Wrong:
		c.Wrong(*r)
		return ""
	case t.Total() == 0:
		c.Drop(*r, "zero-usage")
		return ""
	}
	c.Request(*r)
	return r.NativeID
}
