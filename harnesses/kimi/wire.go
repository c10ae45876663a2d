package kimi

import (
	"strconv"
	"time"

	"meterbridge"
	"meterbridge/harnesses"
	"meterbridge/harnesses/facts"
	"meterbridge/harnesses/instant"
	"meterbridge/harnesses/jsonvalue"
)

// wire reads the lines of one agent.
type wire struct {
	facts.Writer
	opt harnesses.Options
	// session is the agent's own session, agent its name below the person's.
	session, agent string
	m              memory
	at             meterbridge.Place
	now            time.Time
}

// memory is what goes on from line to line.
type memory struct {
	Project string `json:"project,omitempty"`
	Model   string `json:"model,omitempty"`
	// Placed: the configuration was asked for both.
	Placed bool `json:"placed,omitempty"`
	// Step is the id of the step that runs, Begun its begin in ms, Tools what it called.
	Step  string   `json:"step,omitempty"`
	Begun int64    `json:"begun,omitempty"`
	Tools []string `json:"tools,omitempty"`
	// Last is the time of the last record without a step, Same how many had it.
	Last int64 `json:"last,omitempty"`
	Same int64 `json:"same,omitempty"`
	// Marked: the log marks prompts as such. Titled: there was one.
	Marked bool `json:"marked,omitempty"`
	Titled bool `json:"titled,omitempty"`
}

func newWire(o harnesses.Options) *wire {
	w := &wire{Writer: facts.Writer{Harness: id, Store: store, Trace: o.Trace}, opt: o}
	root, agent := owner(o.Rel)
	w.session, w.agent = root, agent
	if agent != "" {
		w.session = root + "/" + agent
	}
	w.m = facts.Memory[memory](o.State)
	return w
}

// Line implements harnesses.LineParser.
func (w *wire) Line(line []byte, at meterbridge.Place, out *meterbridge.Batch) {
	w.Out, w.at = out, at
	o, ok := w.Object(line, at)
	if !ok {
		return
	}
	if at.Line == 1 && w.agent != "" {
		root, _ := owner(w.opt.Rel)
		w.Session(meterbridge.Session{ID: w.session, Parent: root, Relation: meterbridge.SubAgent})
	}
	if message := o["message"].Object(); message != nil && o["type"].Null() {
		w.now = o["timestamp"].Seconds()
		w.old(message["type"].Text(), message["payload"].Object(), false)
		return
	}
	w.now = o["time"].Millis()
	w.record(o["type"].Text(), o)
}

// Flush implements harnesses.LineParser.
func (w *wire) Flush(*meterbridge.Batch) {}

// State implements harnesses.LineParser.
func (w *wire) State() []byte {
	return facts.State(w.m)
}

// prompt tells of what a person typed: not of what one agent asks another.
func (w *wire) prompt(text string) {
	if w.agent != "" || w.now.IsZero() || text == "" {
		return
	}
	w.Prompt(meterbridge.Prompt{
		NativeID: w.session + "/p" + strconv.FormatInt(w.at.Line, 10), Session: w.session, Project: w.m.Project, At: w.now, Preview: text, Place: w.at,
	})
	if !w.m.Titled {
		w.m.Titled = true
		w.Session(meterbridge.Session{ID: w.session, Title: text, TitleRank: meterbridge.TitleFromPrompt})
	}
}

// texts joins what was typed: a text, or parts of which some are texts.
func texts(v jsonvalue.Value) string {
	all := v.Text()
	for _, part := range v.Elements() {
		if o := part.Object(); o["type"].Text() == "text" {
			if all != "" {
				all += "\n"
			}
			all += o["text"].Text()
		}
	}
	return all
}

func (w *wire) event(kind string) {
	w.Event(meterbridge.Event{Session: w.session, At: w.now, Kind: kind, Place: w.at})
}

// begin notes that a step begins.
func (w *wire) begin(step string) { w.m.Step, w.m.Begun, w.m.Tools = step, w.now.UnixMilli(), nil }

func (w *wire) call(call, name string) {
	if call == "" {
		return
	}
	w.m.Tools = append(w.m.Tools, name)
	w.Call(meterbridge.ToolCall{NativeID: w.session + "/" + call, Session: w.session, Name: name, StartedAt: w.now})
}

func (w *wire) result(call string, failed bool) {
	if call != "" {
		w.Call(meterbridge.ToolCall{NativeID: w.session + "/" + call, Session: w.session, EndedAt: w.now, OK: facts.Outcome(!failed)})
	}
}

func (w *wire) reply(text string) {
	if text != "" {
		w.Session(meterbridge.Session{ID: w.session, LastReply: text, LastReplyAt: w.now})
	}
}

// count counts a record with usage; its classes are disjoint.
func (w *wire) count(r meterbridge.Request, k meterbridge.Tokens, wrong bool) {
	r.Session, r.Project, r.EndedAt, r.Tokens, r.Place = w.session, w.m.Project, w.now, k, w.at
	switch {
	case wrong:
		w.Wrong(r)
	case k.Total() == 0:
		w.Drop(r, "zero-usage")
	default:
		w.Request(r)
	}
}

// started is when the step began that runs.
func (w *wire) started() time.Time { return instant.Millis(w.m.Begun) }
