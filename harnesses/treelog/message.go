package treelog

import (
	"strconv"
	"strings"

	"meterbridge"
	"meterbridge/harnesses/walk"
)

// The rules by which rows are made, and by which usage makes none.
const (
	ruleMessage    = "single-record"
	ruleTool       = "usage-of-tool"
	ruleCompaction = "usage-of-compaction"
	ruleSummary    = "usage-of-summary"
	ruleEntry      = "usage-entry"
	ruleZero       = "zero-usage"
	ruleWrong      = "wrong-type"
	ruleNoTime     = "no-time"
	ruleCopy       = "delivery-copy"
)

// spending is what a row is made of beside its usage.
type spending struct {
	purpose, rule   string
	model, provider string
	response        string
	started         int64
	precision       meterbridge.Precision
	tools           []string
	aborted         bool
}

// native is the id of what the entry tells. Entries of the first builds have no
// id: the session and the number of the record stand for it.
func (p *Parser) native() string {
	if p.e.id == "" || p.e.timestamp == "" {
		return p.session() + "#" + strconv.FormatInt(p.at.Line, 10)
	}
	return p.dialect.Native(p.session(), p.e.id, p.e.timestamp)
}

// message reads an entry with a message.
func (p *Parser) message() {
	m := &p.e.message
	switch m.role {
	case "user":
		p.prompt()
	case "assistant":
		p.assistant()
	case "toolResult":
		p.toolResult()
	}
}

// prompt reads a message of the user's side. An agent's task for another agent
// is no prompt of a person.
func (p *Parser) prompt() {
	raw := p.e.message.firstText()
	if p.m.Sub || p.when == 0 || (len(raw) == 0 && !p.e.message.hasImage) {
		return
	}
	preview := walk.Unquote(raw, meterbridge.PreviewRunes)
	p.out.Prompts = append(p.out.Prompts, meterbridge.Prompt{
		Harness: p.dialect.Harness, NativeID: p.native(), Session: p.session(), Project: p.m.Project,
		At: instant(p.when), Preview: preview, Place: p.at,
	})
	if !p.m.Titled && preview != "" {
		p.m.Titled = true
		p.emit(meterbridge.Session{Title: strings.Join(strings.Fields(preview), " "), TitleRank: meterbridge.TitleFromPrompt})
	}
}

// assistant reads an answer.
func (p *Parser) assistant() {
	m := &p.e.message
	if p.dialect.Bookkeeping != nil && p.dialect.Bookkeeping(m.provider, m.model) {
		p.trace(&m.usage, spending{model: m.model}, meterbridge.Dropped, ruleCopy, "")
		return
	}
	p.inForce(m.provider, m.model)
	switch m.stopReason {
	case "aborted":
		p.event("interrupted", m.stopReason)
	case "error":
		p.event("error", statusIn(m.failure))
	}
	s := spending{
		rule: ruleMessage, model: m.model, provider: m.provider, response: m.responseID, started: m.timestamp,
		aborted: m.stopReason == "aborted" || m.stopReason == "error", tools: m.tools(), precision: p.origin.Precision,
	}
	request := p.spend(&m.usage, s)
	p.calls(request)
	if raw := m.lastText(); len(raw) > 0 && !p.copied && m.stopReason != "error" {
		p.reply, p.replied = walk.Unquote(raw, 0), p.when
	}
}

// statusIn is the HTTP status that an error's text begins with, else its kind.
func statusIn(failure []byte) string {
	if len(failure) >= 3 && failure[0] >= '4' && failure[0] <= '5' {
		if _, err := strconv.Atoi(string(failure[:3])); err == nil && (len(failure) == 3 || failure[3] == ' ' || failure[3] == ':') {
			return string(failure[:3])
		}
	}
	return "error"
}

// tools are the names of the calls in their order.
func (m *message) tools() (names []string) {
	for _, b := range m.blocks {
		if b.kind == "toolCall" && b.name != "" {
			names = append(names, b.name)
		}
	}
	return names
}

// calls emits the calls of an answer. A call's id is unique only within it.
func (p *Parser) calls(request string) {
	for _, b := range p.e.message.blocks {
		if b.kind != "toolCall" || b.id == "" {
			continue
		}
		from := request
		if from == "" {
			from = p.native()
		}
		p.m.open(b.id, from)
		p.out.ToolCalls = append(p.out.ToolCalls, meterbridge.ToolCall{
			Harness: p.dialect.Harness, NativeID: from + "/" + b.id, Session: p.session(), Request: request,
			Name: b.name, StartedAt: instant(p.when),
		})
	}
}

// toolResult reads what a tool gave back, and what models it called spent.
func (p *Parser) toolResult() {
	m := &p.e.message
	p.spend(&m.usage, spending{purpose: "tool", rule: ruleTool})
	from := p.m.close(m.toolCallID)
	if from == "" {
		return // the call was not seen: nothing names it
	}
	c := meterbridge.ToolCall{Harness: p.dialect.Harness, NativeID: from + "/" + m.toolCallID, Session: p.session(), Name: m.toolName, EndedAt: instant(p.when)}
	if m.hasIsError {
		ok := !m.isError
		c.OK = &ok
	}
	p.out.ToolCalls = append(p.out.ToolCalls, c)
}

// spend makes a row of a usage, if it tells of tokens, and returns its native id.
func (p *Parser) spend(u *usage, s spending) string {
	if !u.present {
		return ""
	}
	rule := ""
	switch {
	case u.wrong:
		p.problem("wrong-type", "a number of the usage is no whole number up to 2^53")
		rule = ruleWrong
	case u.zero():
		rule = ruleZero
	case p.when == 0:
		p.problem("wrong-type", "an entry with tokens has no time, nor has its session")
		rule = ruleNoTime
	}
	if rule != "" {
		p.trace(u, s, meterbridge.Dropped, rule, "")
		return ""
	}
	r := p.request(u, s)
	p.out.Requests = append(p.out.Requests, r)
	p.trace(u, s, meterbridge.Counted, s.rule, r.NativeID)
	return r.NativeID
}

func (p *Parser) request(u *usage, s spending) meterbridge.Request {
	r := meterbridge.Request{
		Harness: p.dialect.Harness, Store: p.dialect.Store, NativeID: p.native(), Session: p.session(), Project: p.m.Project,
		Model: s.model, Provider: s.provider, ResponseID: s.response, EndedAt: instant(p.when), Tokens: u.tokens(),
		Precision: s.precision, Tools: s.tools, Aborted: s.aborted, Purpose: s.purpose, Rule: s.rule, Place: p.at,
	}
	if s.started <= p.when {
		r.StartedAt = instant(s.started)
	}
	var reason string
	switch r.Recorded, reason = u.recorded(); reason {
	case "wrong-type":
		p.problem(reason, "a cost is no number")
	case "refused-cost":
		p.problem(reason, "a cost is below 0 or beyond what a request can cost")
	}
	return r
}

func (p *Parser) trace(u *usage, s spending, v meterbridge.Verdict, rule, native string) {
	if !p.opt.Trace || !u.present {
		return
	}
	p.out.Traces = append(p.out.Traces, meterbridge.Trace{
		Place: p.at, Store: p.dialect.Store, NativeID: native, Session: p.session(), At: instant(p.when),
		Model: s.model, Tokens: u.tokens(), Verdict: v, Rule: rule,
	})
}
