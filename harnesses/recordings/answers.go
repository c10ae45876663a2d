package recordings

import (
	"regexp"
	"time"

	"meterbridge"
	"meterbridge/harnesses/record"
)

// The rules by which a record with usage makes no row.
const (
	ruleZero   = "zero-usage"
	ruleWrong  = "wrong-type"
	ruleNoTime = "no-time"
)

// answer reads a message of the model's: a request with the tools it called. It
// is written again, whole, when the results are there.
func (p *parser) answer(m *message, at time.Time) {
	if p.request(m, at) {
		p.tools(m, at, p.native(m))
		return
	}
	p.tools(m, at, "")
}

// request makes a request of an answer with tokens; what stands against it is named.
func (p *parser) request(m *message, at time.Time) bool {
	u := &m.usage
	if !u.present && !u.Wrong {
		return false
	}
	r := meterbridge.Request{
		Harness: p.harness, Store: Store, NativeID: p.native(m), Session: p.state.Session, Project: p.project(),
		Model: m.model, EndedAt: at, Tools: m.names(), Place: p.at,
	}
	r.Tokens, r.Rule = u.tokens()
	if rule := p.unspent(u, at); rule != "" {
		if p.trace {
			r.NativeID = ""
			p.traces.Add(&r, meterbridge.Dropped, rule)
		}
		return false
	}
	p.out.Requests = append(p.out.Requests, r)
	if p.trace {
		p.traces.Counted(&r)
	}
	return true
}

// unspent says why an answer is no request; empty for one that is.
func (p *parser) unspent(u *usage, at time.Time) string {
	switch {
	case u.Wrong:
		p.problem("wrong-type", "a number of the tokens is no whole number from 0 to 2^53")
		return ruleWrong
	case u.empty():
		return ruleZero
	case at.IsZero():
		p.problem("wrong-type", "a message with tokens has no time, nor has anything before it")
		return ruleNoTime
	}
	return ""
}

// tools tells of the calls. Their ids are unique only within a conversation.
func (p *parser) tools(m *message, at time.Time, request string) {
	for _, t := range m.calls {
		if t.id == "" {
			continue
		}
		c := meterbridge.ToolCall{
			Harness: p.harness, NativeID: p.state.Session + "/" + t.id, Session: p.state.Session, Request: request,
			Name: t.name, StartedAt: at, OK: outcome(t.status),
		}
		if end, ok := record.Time(t.stamp); ok && c.OK != nil {
			c.EndedAt = end
		}
		p.out.ToolCalls = append(p.out.ToolCalls, c)
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

// talkLimit bounds how far back a rewind is followed.
const talkLimit = 512

// talk is the conversation as it stands, for the last reply: a rewind takes
// messages back.
type talk struct{ said []said }

type said struct {
	id, reply string
	at        time.Time
}

func (t *talk) clear() { t.said = t.said[:0] }

// add appends a message, or replaces the one of the same id.
func (t *talk) add(m *message, at time.Time) {
	s := said{id: m.id, at: at}
	if m.kind == "gemini" {
		s.reply = record.Cut(m.text, record.LongestReply)
	}
	for i := range t.said {
		if m.id != "" && t.said[i].id == m.id {
			t.said[i] = s
			return
		}
	}
	if len(t.said) >= talkLimit {
		t.said = append(t.said[:0], t.said[talkLimit/2:]...)
	}
	t.said = append(t.said, s)
}

// cut takes back a message and those after it; all, when it is not known.
func (t *talk) cut(id string) {
	for i := range t.said {
		if t.said[i].id == id {
			t.said = t.said[:i]
			return
		}
	}
	t.clear()
}

// reply is the newest text of the agent.
func (t *talk) reply() (string, time.Time) {
	for i := len(t.said) - 1; i >= 0; i-- {
		if t.said[i].reply != "" {
			return t.said[i].reply, t.said[i].at
		}
	}
	return "", time.Time{}
}
