package copilotcli

import (
	"cmp"
	"io/fs"
	"time"

	"meterbridge"
	"meterbridge/harnesses"
	"meterbridge/harnesses/facts"
	"meterbridge/harnesses/instant"
	"meterbridge/harnesses/jsonvalue"
)

// spans reads the spans of OpenTelemetry that a user had written to a file. They
// repeat the requests of a session's own log: only those count whose session has
// none.
type spans struct {
	facts.Writer
	beside fs.FS
	logged map[string]bool
}

func newSpans(o harnesses.Options) *spans {
	return &spans{Writer: facts.Writer{Harness: id, Store: store, Trace: o.Trace}, beside: o.Siblings, logged: map[string]bool{}}
}

// Line implements harnesses.LineParser.
func (s *spans) Line(line []byte, at meterbridge.Place, out *meterbridge.Batch) {
	s.Out = out
	o, ok := s.Object(line, at)
	if !ok {
		return
	}
	a := o["attributes"].Object()
	session := a["gen_ai.conversation.id"].Text()
	if o["type"].Text() != "span" || a["gen_ai.operation.name"].Text() != "chat" || session == "" {
		return // a span of an agent sums up those of its requests
	}
	r := meterbridge.Request{
		NativeID: o["traceId"].Text() + ":" + o["spanId"].Text(), Session: session, ResponseID: a["gen_ai.response.id"].Text(),
		Model:     cmp.Or(a["gen_ai.response.model"].Text(), a["gen_ai.request.model"].Text()),
		StartedAt: pair(o["startTime"]), EndedAt: pair(o["endTime"]), Rule: "chat-span", Place: at,
	}
	var n jsonvalue.Counts
	t := &r.Tokens
	t.CacheRead, t.CacheWrite5m = n.Of(a["gen_ai.usage.cache_read.input_tokens"]), n.Of(a["gen_ai.usage.cache_creation.input_tokens"])
	t.Output, t.Reasoning = n.Of(a["gen_ai.usage.output_tokens"]), n.Of(a["gen_ai.usage.reasoning.output_tokens"])
	t.Input = jsonvalue.Minus(n.Of(a["gen_ai.usage.input_tokens"]), t.CacheRead, t.CacheWrite5m)
	t.Reasoning.N = min(t.Reasoning.N, t.Output.N)
	switch {
	case n.Wrong:
		s.Wrong(r)
	case t.Total() == 0:
		s.Drop(r, "zero-usage")
	case s.hasLog(session):
		s.Drop(r, "told-by-events")
	default:
		s.Request(r)
	}
}

// hasLog reports whether the session's own log lies beside.
func (s *spans) hasLog(session string) bool {
	if has, known := s.logged[session]; known || s.beside == nil {
		return has
	}
	has := false
	for _, path := range []string{"session-state/" + session + "/events.jsonl", "session-state/" + session + ".jsonl", "history-session-state/" + session + ".jsonl"} {
		_, err := fs.Stat(s.beside, path)
		has = has || err == nil
	}
	s.logged[session] = has
	return has
}

// pair is an instant as seconds and nanoseconds.
func pair(v jsonvalue.Value) time.Time {
	var parts [2]int64
	for i, p := range v.Elements() {
		n, ok := p.Int()
		if !ok || i > 1 || n < 0 || i == 1 && n >= 1e9 || i == 0 && n > 1e12 {
			return time.Time{}
		}
		parts[i] = n
	}
	return instant.Millis(parts[0]*1000 + parts[1]/1e6)
}

// Flush implements harnesses.LineParser.
func (s *spans) Flush(*meterbridge.Batch) {}

// State implements harnesses.LineParser.
func (s *spans) State() []byte { return nil }
