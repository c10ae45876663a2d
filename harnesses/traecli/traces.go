package traecli

import (
	"cmp"
	"io/fs"
	"path"
	"strings"
	"time"

	"meterbridge"
	"meterbridge/harnesses"
	"meterbridge/harnesses/facts"
	"meterbridge/harnesses/instant"
	"meterbridge/harnesses/jsonvalue"
)

// traces reads the spans of a session.
type traces struct {
	facts.Writer
	session string
	project string
	m       traceMemory
}

// keptTraces is how many traces are remembered: the spans of one lie together.
const keptTraces = 32

// traceMemory is what the traces seen last have spent, the newest at the end.
type traceMemory struct {
	Traces []spent `json:"traces,omitempty"`
}

type spent struct {
	Trace string `json:"trace"`
	Total int64  `json:"total"`
}

// greatest reports whether no span of the trace before held more.
func (m *traceMemory) greatest(trace string, total int64) bool {
	for i := range m.Traces {
		if t := &m.Traces[i]; t.Trace == trace {
			was := t.Total
			t.Total = max(was, total)
			return total >= was
		}
	}
	m.Traces = append(m.Traces, spent{trace, total})
	m.Traces = m.Traces[max(0, len(m.Traces)-keptTraces):]
	return true
}

func newTraces(o harnesses.Options) *traces {
	t := &traces{Writer: facts.Writer{Harness: id, Store: store, Trace: o.Trace}, session: sessionOf(o.Rel), m: facts.Memory[traceMemory](o.State)}
	if o.Siblings == nil {
		return t
	}
	if content, err := fs.ReadFile(o.Siblings, path.Join(path.Dir(o.Rel), "session.json")); err == nil {
		root, _ := jsonvalue.Parse(content)
		t.project = folderOf(root)
	}
	return t
}

// folderOf is the working directory of which session.json tells.
func folderOf(o jsonvalue.Object) string { return o.At("metadata", "cwd").Text() }

// Line implements harnesses.LineParser.
func (t *traces) Line(line []byte, at meterbridge.Place, out *meterbridge.Batch) {
	t.Out = out
	o, ok := t.Object(line, at)
	if !ok {
		return
	}
	trace := o["traceID"].Text()
	tags := tagsOf(o["tags"])
	if trace == "" || !hasUsage(tags) {
		return
	}
	r := meterbridge.Request{
		NativeID: t.session + "/" + trace, Session: t.session, Project: t.project,
		Model:     cmp.Or(tags["model.name"].Text(), tags["semantic.name"].Text()),
		Precision: meterbridge.PerTurn, Rule: "greatest-span", Place: at,
	}
	r.StartedAt, r.EndedAt = times(o)
	var c jsonvalue.Counts
	read := c.Of(tags["usage.cache_read_tokens"])
	r.Tokens = meterbridge.Tokens{
		Input: c.Of(tags["usage.input_tokens"]), Output: c.Of(tags["usage.output_tokens"]),
		Reasoning: c.Of(tags["usage.reasoning_tokens"]), CacheRead: read,
	}
	if r.Tokens.Input.N >= read.N {
		r.Tokens.Input = jsonvalue.Minus(r.Tokens.Input, read)
	}
	r.Tokens.Reasoning.N = min(r.Tokens.Reasoning.N, r.Tokens.Output.N)
	switch {
	case c.Wrong:
		t.Wrong(r)
	case r.Tokens.Total() == 0:
		t.Drop(r, "zero-usage")
	case !t.m.greatest(trace, r.Tokens.Total()):
		t.Merge(r, "smaller-span")
	default:
		t.Request(r)
	}
}

// times are the begin and the end of a span, which has microseconds.
func times(o jsonvalue.Object) (start, end time.Time) {
	begin, _ := o["startTime"].Int()
	length, _ := o["duration"].Int()
	start = instant.Millis(begin / 1000)
	if start.IsZero() || length <= 0 || length/1000 > int64(1e10) {
		return start, start
	}
	return start, instant.Millis((begin + length) / 1000)
}

// tagsOf are the values of a list of keys and values; the last of a key counts.
func tagsOf(v jsonvalue.Value) jsonvalue.Object {
	tags := jsonvalue.Object{}
	for _, e := range v.Elements() {
		o := e.Object()
		if key := o["key"].Text(); key != "" {
			tags[key] = o["value"]
		}
	}
	return tags
}

func hasUsage(tags jsonvalue.Object) bool {
	for key := range tags {
		if strings.HasPrefix(key, "usage.") {
			return true
		}
	}
	return false
}

// Flush implements harnesses.LineParser.
func (t *traces) Flush(*meterbridge.Batch) {}

// State implements harnesses.LineParser.
func (t *traces) State() []byte { return facts.State(t.m) }

// document reads session.json.
type document struct{ opt harnesses.Options }

// Document implements harnesses.DocumentParser.
func (d *document) Document(content []byte, out *meterbridge.Batch) {
	w := facts.Writer{Harness: id, Store: store, Out: out}
	o, ok := jsonvalue.Parse(content)
	if !ok {
		w.Problem(meterbridge.Place{Line: 1}, "malformed-json", "a session is not a JSON object")
		return
	}
	w.Session(meterbridge.Session{
		ID: sessionOf(d.opt.Rel), Project: folderOf(o),
		Title: cmp.Or(o.At("metadata", "title").Text(), o["title"].Text()), TitleRank: meterbridge.TitleFromModel,
	})
}
