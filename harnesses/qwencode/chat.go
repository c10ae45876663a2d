package qwencode

import (
	"cmp"
	"strings"
	"time"

	"meterbridge"
	"meterbridge/harnesses/facts"
	"meterbridge/harnesses/jsonvalue"
)

// longestReply bounds the characters of a last reply that are kept.
const longestReply = 1 << 15

// message is the message of a chat row.
type message struct {
	// text is what was said, thoughts left out.
	text  string
	calls []call
	// answered: it holds results of tools.
	answered bool
}

type call struct{ id, name string }

func readMessage(o jsonvalue.Object) (m message) {
	var text strings.Builder
	for _, v := range o["parts"].Elements() {
		part := v.Object()
		if f := part["functionCall"].Object(); f != nil {
			m.calls = append(m.calls, call{f["id"].Text(), f["name"].Text()})
		}
		m.answered = m.answered || !part["functionResponse"].Null()
		if !part["thought"].True() && text.Len() < longestReply {
			text.WriteString(part["text"].Clip(longestReply))
		}
	}
	m.text = text.String()
	return m
}

func (m *message) names() []string {
	var out []string
	for _, c := range m.calls {
		out = append(out, c.name)
	}
	return out
}

// prompt reads a row of the user's side: what a person typed, unless the row says
// who else wrote it, holds the result of a tool, or is a command to the client.
func (p *parser) prompt() {
	m := readMessage(p.row["message"].Object())
	from := p.row["provenance"].Text()
	if m.answered || from != "" && from != "real_user" || isCommand(m.text) || p.when.IsZero() {
		return
	}
	id := cmp.Or(p.row["uuid"].Text(), p.place())
	p.Prompt(meterbridge.Prompt{NativeID: id, Session: p.session, Project: p.row["cwd"].Text(), At: p.when, Preview: m.text, Place: p.at})
}

// isCommand reports whether a text is a slash and one plain word, alone or with
// arguments. A path is no command.
func isCommand(text string) bool {
	words := strings.Fields(text)
	return len(words) > 0 && len(words[0]) > 1 && words[0][0] == '/' && !strings.ContainsAny(words[0][1:], "/.\\")
}

// calls tells of the calls that an answer asks for.
func (p *parser) calls(m *message, request string) {
	for _, c := range m.calls {
		if c.id != "" {
			p.Call(meterbridge.ToolCall{NativeID: p.session + "/" + c.id, Session: p.session, Request: request, Name: c.name, StartedAt: p.when})
		}
	}
}

// call reads the telemetry of a call. It tells the end; the start is when the
// model asked for it, which no row tells of a sub-agent's calls: there it is the
// end less the time it took.
func (p *parser) call(e jsonvalue.Object) {
	id := e["call_id"].Text()
	if id == "" {
		return
	}
	c := meterbridge.ToolCall{NativeID: p.session + "/" + id, Session: p.session, Name: e["function_name"].Text(), EndedAt: p.when, OK: outcome(e["status"].Text())}
	if response := e["response_id"].Text(); response != "" {
		c.Request = p.session + "/" + response
	}
	if agent := p.agent(e); agent != "" {
		c.Session = p.session + "/" + agent
		if ms, ok := e["duration_ms"].Int(); ok && ms >= 0 && ms < int64(24*time.Hour/time.Millisecond) && !p.when.IsZero() {
			c.StartedAt = p.when.Add(-time.Duration(ms) * time.Millisecond)
		}
	}
	p.Call(c)
}

// result reads the result of a call.
func (p *parser) result() {
	r := p.row["toolCallResult"].Object()
	if id := r["callId"].Text(); id != "" {
		p.Call(meterbridge.ToolCall{NativeID: p.session + "/" + id, Session: p.session, EndedAt: p.when, OK: outcome(r["status"].Text())})
	}
}

// outcome tells of a call's status how it ended; nil where it does not say.
func outcome(status string) *bool {
	switch status {
	case "success":
		return facts.Outcome(true)
	case "error", "cancelled":
		return facts.Outcome(false)
	}
	return nil
}
