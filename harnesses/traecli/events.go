package traecli

import (
	"strconv"

	"meterbridge"
	"meterbridge/harnesses"
	"meterbridge/harnesses/facts"
)

// events reads what happened in a session, as far as it has a time.
type events struct {
	facts.Writer
	session string
	project string
	m       turnMemory
}

// turnMemory is the turn under way.
type turnMemory struct {
	Turn string `json:"turn,omitempty"`
}

func newEvents(o harnesses.Options) *events {
	e := &events{Writer: facts.Writer{Harness: id, Store: store, Trace: o.Trace}, session: sessionOf(o.Rel)}
	e.project = newTraces(o).project
	e.m = facts.Memory[turnMemory](o.State)
	return e
}

// Line implements harnesses.LineParser.
func (e *events) Line(line []byte, at meterbridge.Place, out *meterbridge.Batch) {
	e.Out = out
	o, ok := e.Object(line, at)
	if !ok {
		return
	}
	now := o["created_at"].Time()
	if now.IsZero() {
		return
	}
	switch {
	case !o["agent_start"].Null():
		e.m.Turn = e.session + "/" + strconv.FormatInt(at.Line, 10)
		e.Turn(meterbridge.Turn{NativeID: e.m.Turn, Session: e.session, StartedAt: now})
	case !o["agent_end"].Null() && e.m.Turn != "":
		e.Turn(meterbridge.Turn{NativeID: e.m.Turn, Session: e.session, EndedAt: now, Outcome: "finished"})
		e.m.Turn = ""
	case !o["message"].Null():
		message := o.At("message", "message").Object()
		e.message(message["role"].Text(), message["content"].Spoken(), meterbridge.Prompt{
			NativeID: e.session + "/p" + strconv.FormatInt(at.Line, 10), Session: e.session, Project: e.project, At: now, Place: at,
		})
	}
}

func (e *events) message(role, text string, p meterbridge.Prompt) {
	switch role {
	case "user":
		p.Preview = text
		e.Prompt(p)
	case "assistant":
		e.Session(meterbridge.Session{ID: e.session, LastReply: text, LastReplyAt: p.At})
	}
}

// Flush implements harnesses.LineParser.
func (e *events) Flush(*meterbridge.Batch) {}

// State implements harnesses.LineParser.
func (e *events) State() []byte { return facts.State(e.m) }
