package vscodecopilot

import (
	"cmp"

	"github.com/cespare/xxhash/v2"

	"meterbridge"
	"meterbridge/harnesses"
	"meterbridge/harnesses/facts"
	"meterbridge/harnesses/jsonvalue"
)

// document reads a session that is one document.
type document struct{ opt harnesses.Options }

// Document implements harnesses.DocumentParser.
func (d *document) Document(content []byte, out *meterbridge.Batch) {
	w := facts.Writer{Harness: id, Store: store, Trace: d.opt.Trace, Out: out}
	o, ok := jsonvalue.Parse(content)
	if !ok {
		w.Problem(meterbridge.Place{Line: 1, Hash: xxhash.Sum64(content)}, "malformed-json", "a session is not a JSON object")
		return
	}
	c := chat{Writer: w, session: cmp.Or(o["sessionId"].Text(), named(d.opt.Rel)), project: projectOf(d.opt)}
	c.Session(meterbridge.Session{ID: c.session, Project: c.project, Title: o["customTitle"].Text(), TitleRank: meterbridge.TitleFromModel})
	for i, v := range o["requests"].Elements() {
		at := meterbridge.Place{Line: int64(i) + 1, Hash: xxhash.Sum64(v)}
		c.whole(v.Object(), at)
	}
}

// whole writes down a request with all of its members.
func (c *chat) whole(o jsonvalue.Object, at meterbridge.Place) turn {
	var t turn
	t.read(o)
	c.prompt(&t, o.At("message", "text").Text(), at)
	c.write(&t, at)
	c.answer(&t, o["response"])
	return t
}
