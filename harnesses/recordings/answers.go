package recordings

import (
	"regexp"
	"time"

	"meterbridge"
	"meterbridge/harnesses/instant"
)

// answer reads a message of the model's: a request with the tools it called. It
// is written again, whole, when the results are there.
func (p *parser) answer(m *message, at time.Time) {
	u := &m.usage
	r := meterbridge.Request{
		NativeID: p.native(m), Session: p.state.Session, Project: p.project(), Model: m.model, EndedAt: at, Tools: m.names(), Place: p.at,
	}
	r.Tokens, r.Rule = u.tokens()
	switch {
	case u.Wrong:
		p.Wrong(r)
	case !u.present:
	case u.empty():
		p.Drop(r, "zero-usage")
	default:
		p.Request(r)
		p.tools(m, at, r.NativeID)
		return
	}
	p.tools(m, at, "")
}

// tools tells of the calls. Their ids are unique only within a conversation.
func (p *parser) tools(m *message, at time.Time, request string) {
	for _, t := range m.calls {
		if t.id == "" {
			continue
		}
		c := meterbridge.ToolCall{
			NativeID: p.state.Session + "/" + t.id, Session: p.state.Session, Request: request,
			Name: t.name, StartedAt: at, OK: outcome(t.status),
		}
		if c.OK != nil {
			c.EndedAt = instant.ISO(t.stamp)
		}
		p.Call(c)
	}
}

// httpStatus is the code of an error in the text that the client shows of it.
var httpStatus = regexp.MustCompile(`\b[45][0-9]{2}\b`)

// status is the HTTP status in an error's text, else a word.
func status(text string) string {
	if code := httpStatus.FindString(text); code != "" {
		return code
	}
	return "error"
}
