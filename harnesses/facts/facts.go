// Package facts writes what a parser found into a batch, under the name of its
// harness, with the traces that explain asks for; it reads what all line parsers
// read in the same way. It imports the domain and harnesses/jsonvalue; the parsers
// of harnesses call it.
package facts

import (
	"strings"
	"time"

	"meterbridge"
)

// Writer writes the facts of one source.
type Writer struct {
	// Harness is the id of the harness, Store the name space of its native ids.
	Harness, Store string
	// Trace asks for a trace of each record with usage.
	Trace bool
	Out   *meterbridge.Batch
}

// Request counts a request. One without a time, or whose numbers are wrong, is
// named instead: the day of usage is never guessed.
func (w *Writer) Request(r meterbridge.Request) {
	if r.EndedAt.IsZero() {
		w.Problem(r.Place, "wrong-type", "usage without any time")
		w.Drop(r, "no-time")
		return
	}
	if r.StartedAt.After(r.EndedAt) {
		r.StartedAt = time.Time{}
	}
	r.Harness, r.Store = w.Harness, w.Store
	w.Out.Requests = append(w.Out.Requests, r)
	w.trace(r, meterbridge.Counted, r.Rule)
}

// Wrong names a record whose numbers are none, and drops it.
func (w *Writer) Wrong(r meterbridge.Request) {
	w.Problem(r.Place, "wrong-type", "a number of the tokens is no whole number up to 2^53")
	w.Drop(r, "wrong-type")
}

// Drop tells that a record with usage is no request, and why.
func (w *Writer) Drop(r meterbridge.Request, rule string) {
	r.NativeID = ""
	w.trace(r, meterbridge.Dropped, rule)
}

// Merge tells that a record with usage is part of the request with its native id.
func (w *Writer) Merge(r meterbridge.Request, rule string) {
	w.trace(r, meterbridge.Merged, rule)
}

func (w *Writer) trace(r meterbridge.Request, v meterbridge.Verdict, rule string) {
	if !w.Trace {
		return
	}
	w.Out.Traces = append(w.Out.Traces, meterbridge.Trace{
		Place: r.Place, Store: w.Store, NativeID: r.NativeID, Session: r.Session, At: r.EndedAt,
		Model: r.Model, Tokens: r.Tokens, Verdict: v, Rule: rule,
	})
}

// Session tells what is known of a session. A title is one line of at most
// meterbridge.PreviewRunes characters.
func (w *Writer) Session(s meterbridge.Session) {
	s.Harness = w.Harness
	if s.Title = Title(s.Title); s.Title == "" {
		s.TitleRank = meterbridge.NoTitle
	}
	if s.LastReply == "" {
		s.LastReplyAt = time.Time{}
	}
	w.Out.Sessions = append(w.Out.Sessions, s)
}

// Prompt tells of a prompt; one of blanks is none.
func (w *Writer) Prompt(p meterbridge.Prompt) {
	if p.Preview = Clip(strings.TrimSpace(p.Preview)); p.Preview == "" {
		return
	}
	p.Harness = w.Harness
	w.Out.Prompts = append(w.Out.Prompts, p)
}

// Call tells of a call of a tool.
func (w *Writer) Call(c meterbridge.ToolCall) {
	c.Harness = w.Harness
	w.Out.ToolCalls = append(w.Out.ToolCalls, c)
}

// Turn tells of a turn.
func (w *Writer) Turn(t meterbridge.Turn) {
	t.Harness = w.Harness
	w.Out.Turns = append(w.Out.Turns, t)
}

// Event tells of something that is no request; without a time it is left out.
func (w *Writer) Event(e meterbridge.Event) {
	if e.At.IsZero() {
		return
	}
	e.Harness = w.Harness
	w.Out.Events = append(w.Out.Events, e)
}

// Problem names input that could not be read.
func (w *Writer) Problem(at meterbridge.Place, reason, detail string) {
	w.Out.Problems = append(w.Out.Problems, meterbridge.Problem{Reason: reason, Detail: detail, Place: at})
}

// Cost names a recorded cost that is not taken over; reason is what it is.
func (w *Writer) Cost(at meterbridge.Place, reason string) {
	switch reason {
	case "":
	case "wrong-type":
		w.Problem(at, reason, "a cost is no number")
	default:
		w.Problem(at, reason, "a cost is below 0 or beyond what a request can cost")
	}
}

// Name makes an id of a part of a path, which may hold any bytes.
func Name(part string) string { return strings.ToValidUTF8(part, "\uFFFD") }

// Outcome is how a call ended, where a log tells it.
func Outcome(ok bool) *bool { return &ok }

// Clip is the beginning of a text, as much as a preview holds.
func Clip(text string) string {
	n := 0
	for i := range text {
		if n == meterbridge.PreviewRunes {
			return text[:i]
		}
		n++
	}
	return text
}

// Title is the first line of a text with something in it, as much as a preview holds.
func Title(text string) string {
	line, _, _ := strings.Cut(strings.TrimSpace(text), "\n")
	return Clip(strings.TrimSpace(line))
}
