package vscodecopilot

import (
	"cmp"
	"encoding/json"

	"meterbridge"
	"meterbridge/harnesses"
	"meterbridge/harnesses/facts"
	"meterbridge/harnesses/jsonvalue"
)

// The kinds of changes.
const (
	whole = 0 // the session as it was when the log began
	set   = 1 // another value at a path
	push  = 2 // further elements of an array, after cutting it to a length
)

// changes reads a session that is a log of changes.
type changes struct {
	chat
	opt harnesses.Options
	m   memory
	at  meterbridge.Place
}

// memory is what is known of the session's requests, in their order.
type memory struct {
	Session string `json:"session"`
	Project string `json:"project,omitempty"`
	Turns   []turn `json:"turns,omitempty"`
}

func newChanges(o harnesses.Options) *changes {
	c := &changes{chat: chat{Writer: facts.Writer{Harness: id, Store: store, Trace: o.Trace}}, opt: o}
	if json.Unmarshal(o.State, &c.m) != nil || c.m.Session == "" {
		c.m = memory{Session: named(o.Rel), Project: projectOf(o)}
	}
	c.session, c.project = c.m.Session, c.m.Project
	return c
}

// Line implements harnesses.LineParser.
func (c *changes) Line(line []byte, at meterbridge.Place, out *meterbridge.Batch) {
	c.Out, c.at = out, at
	o, ok := c.Object(line, at)
	if !ok {
		return
	}
	kind, _ := o["kind"].Int()
	path := pathOf(o["k"])
	switch {
	case o["kind"].Null():
	case kind == whole:
		c.begin(o["v"].Object())
	case len(path) == 1 && path[0].Text() == "customTitle" && kind == set:
		c.Session(meterbridge.Session{ID: c.session, Title: o["v"].Text(), TitleRank: meterbridge.TitleFromModel})
	case len(path) == 0 || path[0].Text() != "requests":
	case kind == push && len(path) == 1:
		c.push(o)
	case len(path) > 2:
		c.change(path, o["v"])
	}
}

// Flush implements harnesses.LineParser.
func (c *changes) Flush(*meterbridge.Batch) {}

// State implements harnesses.LineParser.
func (c *changes) State() []byte {
	return facts.State(c.m)
}

func pathOf(v jsonvalue.Value) (path []jsonvalue.Value) {
	for _, e := range v.Elements() {
		path = append(path, e)
	}
	return path
}

func (c *changes) begin(o jsonvalue.Object) {
	c.m.Session = cmp.Or(o["sessionId"].Text(), c.m.Session)
	c.session, c.m.Turns = c.m.Session, nil
	c.Session(meterbridge.Session{ID: c.session, Project: c.project, Title: o["customTitle"].Text(), TitleRank: meterbridge.TitleFromModel})
	c.add(o["requests"])
}

func (c *changes) push(o jsonvalue.Object) {
	if n, ok := o["i"].Int(); ok && n >= 0 && n < int64(len(c.m.Turns)) {
		c.m.Turns = c.m.Turns[:n]
	}
	c.add(o["v"])
}

func (c *changes) add(list jsonvalue.Value) {
	for _, v := range list.Elements() {
		c.m.Turns = append(c.m.Turns, c.chat.whole(v.Object(), c.at))
	}
}

// change takes over a member of a request, or a part of its result.
func (c *changes) change(path []jsonvalue.Value, v jsonvalue.Value) {
	n, ok := path[1].Int()
	if !ok || n < 0 || n >= int64(len(c.m.Turns)) {
		return
	}
	t := &c.m.Turns[n]
	switch name := path[2].Text(); {
	case name == "response":
		c.answer(t, v)
		return
	case len(path) > 3:
		return
	case name == "result":
		t.result(v)
	default:
		t.read(jsonvalue.Object{name: v})
	}
	c.write(t, c.at)
}
