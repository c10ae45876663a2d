package augment

import (
	"cmp"
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

// document reads one session.
type document struct{ opt harnesses.Options }

// Document implements harnesses.DocumentParser.
func (d *document) Document(content []byte, out *meterbridge.Batch) {
	w := facts.Writer{Harness: id, Store: store, Trace: d.opt.Trace, Out: out}
	o, ok := jsonvalue.Parse(content)
	if !ok {
		w.Problem(meterbridge.Place{Line: 1, Hash: xxhash.Sum64(content)}, "malformed-json", "a session is not a JSON object")
		return
	}
	s := session{Writer: w, id: cmp.Or(o["sessionId"].Text(), strings.TrimSuffix(path.Base(d.opt.Rel), ".json"))}
	s.model, s.now, s.modified = o.At("agentState", "modelId").Text(), o["created"].Time(), o["modified"].Time()
	for i, v := range o["chatHistory"].Elements() {
		s.exchange(v.Object(), meterbridge.Place{Line: int64(i) + 1, Hash: xxhash.Sum64(v)})
	}
	s.end(o)
}

// session gathers what its exchanges tell.
type session struct {
	facts.Writer
	id, model string
	// now is the end of the exchange before, at first the session's begin; modified
	// is when the file was last written.
	now, modified    time.Time
	first, lastReply string
	replied          time.Time
}

// end tells what is known of the session as a whole.
func (s *session) end(o jsonvalue.Object) {
	f := meterbridge.Session{ID: s.id, LastReply: s.lastReply, LastReplyAt: s.replied}
	switch {
	case o["customTitle"].Text() != "":
		f.Title, f.TitleRank = o["customTitle"].Text(), meterbridge.TitleFromUser
	case o["title"].Text() != "":
		f.Title, f.TitleRank = o["title"].Text(), meterbridge.TitleFromModel
	default:
		f.Title, f.TitleRank = s.first, meterbridge.TitleFromPrompt
	}
	s.Session(f)
}

// exchange is one call of the model, with what was sent and what came back.
func (s *session) exchange(o jsonvalue.Object, at meterbridge.Place) {
	x := o["exchange"].Object()
	end := o["finishedAt"].Time()
	if o["isHistorySummary"].True() {
		s.Event(meterbridge.Event{Session: s.id, At: later(end, s.now), Kind: "compaction", Place: at})
		return
	}
	native := s.id + "/" + number(o["sequenceId"], at)
	s.prompt(x, native, at)
	s.results(x)
	if end.IsZero() && o["completed"].True() {
		end = s.modified
	}
	s.now = later(end, s.now)
	a := readAnswer(x["response_nodes"])
	r := meterbridge.Request{
		NativeID: native, Session: s.id, Model: cmp.Or(x["model_id"].Text(), s.model), RequestID: x["request_id"].Text(),
		EndedAt: end, Tokens: a.tokens, Tools: a.tools(), Rule: "last-usage-node", Place: at,
	}
	counted := s.count(&r, &a, o["completed"].True())
	s.calls(&a, native, counted, end)
	if text := cmp.Or(a.text, x["response_text"].Text()); strings.TrimSpace(text) != "" {
		s.lastReply, s.replied = text, s.now
	}
}

// count counts a completed exchange with usage, and reports whether it did.
func (s *session) count(r *meterbridge.Request, a *answer, completed bool) bool {
	switch {
	case !a.usage:
		return false
	case !completed:
		s.Drop(*r, "running")
	case a.wrong:
		s.Wrong(*r)
	case a.tokens.Total() == 0:
		s.Drop(*r, "zero-usage")
	default:
		s.Request(*r)
		return !r.EndedAt.IsZero()
	}
	return false
}

func later(a, b time.Time) time.Time {
	if a.After(b) {
		return a
	}
	return b
}

// number is the exchange's own number, else its place in the history.
func number(v jsonvalue.Value, at meterbridge.Place) string {
	if n, ok := v.Int(); ok {
		return strconv.FormatInt(n, 10)
	}
	return "#" + strconv.FormatInt(at.Line, 10)
}

// prompt tells of what a person typed; an exchange that only brings results of
// tools has no text.
func (s *session) prompt(x jsonvalue.Object, native string, at meterbridge.Place) {
	text := x["request_message"].Text()
	if strings.TrimSpace(text) == "" || s.now.IsZero() {
		return
	}
	s.first = cmp.Or(s.first, text)
	s.Prompt(meterbridge.Prompt{NativeID: native, Session: s.id, At: s.now, Preview: text, Place: at})
}

// results tells how the tools ended that an earlier exchange called.
func (s *session) results(x jsonvalue.Object) {
	for _, v := range x["request_nodes"].Elements() {
		o := v.Object()["tool_result_node"].Object()
		if call := o["tool_use_id"].Text(); call != "" {
			s.Call(meterbridge.ToolCall{NativeID: s.id + "/" + call, Session: s.id, EndedAt: s.now, OK: facts.Outcome(!o["is_error"].True())})
		}
	}
}

func (s *session) calls(a *answer, native string, counted bool, end time.Time) {
	if !counted {
		native = ""
	}
	for _, c := range a.called {
		s.Call(meterbridge.ToolCall{NativeID: s.id + "/" + c.id, Session: s.id, Request: native, Name: c.name, StartedAt: end})
	}
}
