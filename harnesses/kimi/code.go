package kimi

import (
	"slices"
	"strconv"

	"meterbridge"
	"meterbridge/harnesses/jsonvalue"
)

// record handles a line of Kimi Code.
func (w *wire) record(kind string, o jsonvalue.Object) {
	switch kind {
	case "config.update":
		if cwd := o["cwd"].Text(); cwd != "" {
			w.m.Project = cwd
			w.Session(meterbridge.Session{ID: w.session, Project: cwd})
		}
	case "turn.prompt":
		w.m.Marked = true
		if kind := o.At("origin", "kind"); kind.Null() || kind.Text() == "user" {
			w.prompt(texts(o["input"]))
		}
	case "context.append_message":
		m := o["message"].Object()
		if !w.m.Marked && m["role"].Text() == "user" && m.At("origin", "kind").Text() == "user" {
			w.prompt(texts(m["content"]))
		}
	case "context.append_loop_event":
		w.loop(o["event"].Object())
	case "context.apply_compaction":
		w.event("compaction")
	case "turn.cancel":
		w.event("interrupted")
	case "usage.record":
		w.usage(o)
	}
}

// loop handles what happens inside a step. What its end says of usage is told
// again by a record of its own, which counts.
func (w *wire) loop(e jsonvalue.Object) {
	switch e["type"].Text() {
	case "step.begin":
		w.begin(e["uuid"].Text())
	case "content.part":
		if e.At("part", "type").Text() == "text" {
			w.reply(e.At("part", "text").Text())
		}
	case "tool.call":
		w.call(e["toolCallId"].Text(), e["name"].Text())
	case "tool.result":
		w.result(e["toolCallId"].Text(), e.At("result", "isError").True())
	}
}

// usage counts a record: that of a step under the step's id, which a fork copies,
// any other under its time.
func (w *wire) usage(o jsonvalue.Object) {
	u := o["usage"].Object()
	var c jsonvalue.Counts
	k := meterbridge.Tokens{Input: c.Of(u["inputOther"]), Output: c.Of(u["output"]), CacheRead: c.Of(u["inputCacheRead"]), CacheWrite5m: c.Of(u["inputCacheCreation"])}
	r := meterbridge.Request{Model: o["model"].Text(), Rule: "usage-record"}
	if w.m.Step != "" && o["usageScope"].Text() != "session" {
		r.NativeID, r.StartedAt, r.Tools = w.m.Step, w.started(), slices.Clone(w.m.Tools)
		w.m.Step, w.m.Begun, w.m.Tools = "", 0, nil
	} else {
		r.NativeID = w.timed(o["time"])
	}
	w.count(r, k, c.Wrong)
}

// timed names a record by its agent and time, and by its number among those of
// the same time.
func (w *wire) timed(v jsonvalue.Value) string {
	ms, _ := v.Int()
	if ms != w.m.Last {
		w.m.Last, w.m.Same = ms, 0
	}
	w.m.Same++
	agent := w.agent
	if agent == "" {
		agent = "main"
	}
	return agent + "@" + strconv.FormatInt(ms, 10) + "#" + strconv.FormatInt(w.m.Same, 10)
}
