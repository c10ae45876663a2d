package messagestore

import (
	"bytes"
	"cmp"
	"strconv"
	"time"

	"meterbridge"
)

// The rules by which a row is made of a message.
const (
	// ruleMessage: one finished message is one request; output and reasoning lie apart.
	ruleMessage = "single-record"
	// ruleInside: the total proves that reasoning lies inside output.
	ruleInside = "reasoning-inside-output"
	// ruleUnproved: there is no total, so reasoning was added as the product does itself.
	ruleUnproved = "reasoning-added-without-total"
	// ruleStep: one of several steps of a message of an old build.
	ruleStep = "step-of-message"
)

// The rules by which a record with usage makes no row.
const (
	ruleSteps   = "told-by-steps"
	ruleFailed  = "failed-without-usage"
	ruleRunning = "running"
	ruleZero    = "zero-usage"
	ruleWrong   = "wrong-type"
	ruleNoTime  = "no-time"
	ruleCopy    = "fork-copy"
)

// conversation is what is known of the session of a message.
type conversation struct {
	id, project string
	// parent is the session that started this one as a sub-agent.
	parent, agent, directory string
	// created is 0 where it is not known.
	created int64
}

// scribe writes messages down as facts.
type scribe struct {
	harness string
	trace   bool
	// told: the problems of the record at hand were named before.
	told bool
	out  *meterbridge.Batch
}

// message writes down a message and what its parts tell. written is when the
// record was last written, 0 where that is not known; it ends an answer that
// was cut off. copied: a fork copied the message, and its original tells of it.
func (s *scribe) message(m *message, p *parts, in *conversation, at meterbridge.Place, written int64, copied *message) {
	p.sort()
	switch {
	case m.role == "user" && copied == nil:
		s.user(m, p, in, at)
	case m.role == "assistant" && copied != nil:
		s.traceOf(m, in, at, copied.id, meterbridge.Merged, ruleCopy)
	case m.role == "assistant":
		s.assistant(m, p, in, at, written)
	}
}

// user writes down a prompt: a text that a person typed, in a session that no
// agent started.
func (s *scribe) user(m *message, p *parts, in *conversation, at meterbridge.Place) {
	switch {
	case p.compaction != "":
		s.event(m, at, "compaction", p.compaction)
	case p.typed && in.parent == "":
		s.out.Prompts = append(s.out.Prompts, meterbridge.Prompt{
			Harness: s.harness, NativeID: m.id, Session: m.session, Project: projectOf(m, in),
			At: millis(m.created), Preview: p.prompt, CopiedAt: in.copiedAt(m), Place: at,
		})
	}
}

func (s *scribe) assistant(m *message, p *parts, in *conversation, at meterbridge.Place, written int64) {
	s.failure(m, at)
	s.check(m, p, at)
	rule := unspent(m)
	if rule == "" && endOf(m, in, written).IsZero() {
		s.problem(at, "wrong-type", "a message with tokens has no time, nor has its session")
		rule = ruleNoTime
	}
	if rule != "" {
		s.traceOf(m, in, at, "", meterbridge.Dropped, rule)
		s.tools(m, p, "")
		return
	}
	if steps := requestsOf(m, p); len(steps) > 1 {
		s.steps(m, p, steps, in, at, written)
		return
	}
	r := s.request(m, in, at, m.usage, m.cost, written)
	r.Tools = p.names()
	s.out.Requests = append(s.out.Requests, r)
	s.traceOf(m, in, at, m.id, meterbridge.Counted, r.Rule)
	s.tools(m, p, m.id)
}

// unspent says why a message without usage is no request; empty for one with usage.
func unspent(m *message) string {
	switch {
	case m.usage.wrong:
		return ruleWrong
	case !m.usage.zero():
		return ""
	case m.failure.name != "":
		return ruleFailed
	case m.completed == 0:
		return ruleRunning
	}
	return ruleZero
}

// check names the numbers of a message, and of its steps, that are none, and the
// costs that are not taken over.
func (s *scribe) check(m *message, p *parts, at meterbridge.Place) {
	s.checkNumbers(m.usage, m.cost, at)
	for _, st := range p.steps {
		s.checkNumbers(st.usage, st.cost, at)
	}
}

func (s *scribe) checkNumbers(u usage, cost []byte, at meterbridge.Place) {
	if u.odd {
		s.problem(at, "wrong-type", "a number of the tokens is no whole number up to 2^53")
	}
	switch _, reason := price(cost); reason {
	case "wrong-type":
		s.problem(at, reason, "a cost is no number")
	case "refused-cost":
		s.problem(at, reason, "a cost is below 0 or beyond what a request can cost")
	}
}

// request is the row of a message, or of one step of it.
func (s *scribe) request(m *message, in *conversation, at meterbridge.Place, u usage, cost []byte, written int64) meterbridge.Request {
	r := meterbridge.Request{
		Harness: s.harness, Store: Store, NativeID: m.id, Session: m.session,
		Project: projectOf(m, in), Model: m.model, Provider: m.provider,
		StartedAt: millis(m.created), EndedAt: endOf(m, in, written),
		Aborted: m.cutOff(), CopiedAt: in.copiedAt(m), Place: at,
	}
	r.Recorded, _ = price(cost)
	r.Tokens, r.Rule = tokensOf(u)
	if m.compaction() {
		r.Purpose = "compaction"
	}
	return r
}

// endOf is when an answer ended; one without any time gets that of its session's
// begin.
func endOf(m *message, in *conversation, written int64) time.Time {
	if end := m.end(written); !end.IsZero() {
		return end
	}
	return millis(in.created)
}

func projectOf(m *message, in *conversation) string {
	if in.directory != "" {
		return in.directory
	}
	return m.cwd
}

// tokensOf turns a tokens object into classes. Output and reasoning lie apart,
// unless the total says that output holds the reasoning.
func tokensOf(u usage) (meterbridge.Tokens, string) {
	t := meterbridge.Tokens{
		Input: u.input, Output: u.output.Plus(u.reasoning), Reasoning: u.reasoning,
		CacheRead: u.read, CacheWrite5m: u.write,
	}
	inside := u.input.N + u.output.N + u.read.N + u.write.N
	switch {
	case u.reasoning.N == 0:
		return t, ruleMessage
	case !u.total.OK:
		return t, ruleUnproved
	case u.total.N == inside && u.output.N >= u.reasoning.N:
		t.Output = u.output
		return t, ruleInside
	}
	return t, ruleMessage
}

// requestsOf are the steps of a message that held several model requests; none
// when there is only one, or when they do not explain the message. The programs
// that ran several steps in a message added up their costs in it, but kept the
// tokens of the last one only; others may have added those up too.
func requestsOf(m *message, p *parts) []step {
	if len(p.steps) < 2 {
		return nil
	}
	var sum, last usage
	steps := make([]step, 0, len(p.steps))
	for _, st := range p.steps {
		switch {
		case st.usage.wrong:
			return nil
		case st.usage.zero():
			continue
		}
		steps = append(steps, st)
		sum, last = sum.plus(st.usage), st.usage
	}
	if whole := m.usage.plain(); sum.plain() != whole && last.plain() != whole {
		return nil
	}
	return steps
}

func (u usage) plus(v usage) usage {
	return usage{
		input: u.input.Plus(v.input), output: u.output.Plus(v.output), reasoning: u.reasoning.Plus(v.reasoning),
		read: u.read.Plus(v.read), write: u.write.Plus(v.write),
	}
}

// plain are the numbers alone, for comparison.
func (u usage) plain() [5]int64 {
	return [5]int64{u.input.N, u.output.N, u.reasoning.N, u.read.N, u.write.N}
}

// steps writes down a message of several requests. The first has the message's
// id, the others their number after it, so that a message seen after its first
// step and seen whole agree. Only the first start and the last end are logged,
// where the steps hold no times themselves.
func (s *scribe) steps(m *message, p *parts, steps []step, in *conversation, at meterbridge.Place, written int64) {
	s.traceOf(m, in, at, "", meterbridge.Dropped, ruleSteps)
	tools := p.tools
	for i, st := range steps {
		r := s.request(m, in, at, st.usage, st.cost, written)
		r.Rule = ruleStep
		if i > 0 {
			r.NativeID = m.id + "/" + strconv.Itoa(i+1)
			r.StartedAt = millis(st.start)
		}
		if st.end > 0 {
			r.EndedAt = millis(st.end)
		}
		r.Aborted = r.Aborted && i == len(steps)-1
		var own parts
		own.tools, tools = until(tools, st.part, i == len(steps)-1)
		r.Tools = own.names()
		s.out.Requests = append(s.out.Requests, r)
		s.traceRequest(&r, meterbridge.Counted)
		s.tools(m, &own, r.NativeID)
	}
}

// until cuts off the calls that lie before the part that ends a step.
func until(tools []tool, part []byte, all bool) (own, rest []tool) {
	n := 0
	for n < len(tools) && (all || bytes.Compare(tools[n].part, part) < 0) {
		n++
	}
	return tools[:n], tools[n:]
}

// tools writes down the calls of a message, or of one request of it. A call's id
// is unique only within its request: some providers number the calls of each answer.
func (s *scribe) tools(m *message, p *parts, request string) {
	for _, t := range p.tools {
		id := cmp.Or(t.call, string(t.part))
		s.out.ToolCalls = append(s.out.ToolCalls, meterbridge.ToolCall{
			Harness: s.harness, NativeID: cmp.Or(request, m.id) + "/" + id, Session: m.session, Request: request,
			Name: t.name, StartedAt: millis(t.start), EndedAt: millis(t.end), OK: outcome(t.status),
		})
	}
}

func outcome(status string) *bool {
	ok := status == "completed"
	if ok || status == "error" {
		return &ok
	}
	return nil
}

// failure writes down an error, and an interruption as what it is.
func (s *scribe) failure(m *message, at meterbridge.Place) {
	switch m.failure.name {
	case "":
	case "MessageAbortedError":
		s.event(m, at, "interrupted", m.failure.name)
	default:
		s.event(m, at, "error", m.failure.detail())
	}
}

func (s *scribe) event(m *message, at meterbridge.Place, kind, detail string) {
	s.out.Events = append(s.out.Events, meterbridge.Event{
		Harness: s.harness, Session: m.session, At: m.end(0), Kind: kind, Detail: detail, Place: at,
	})
}

// reply is the session's newest text of the agent, as far as this message tells.
func (s *scribe) reply(m *message, p *parts) (raw []byte, at int64, ok bool) {
	if m.role != "assistant" || m.completed == 0 || len(p.reply) == 0 || m.compaction() {
		return nil, 0, false
	}
	return p.reply, max(p.replied, m.created), true
}

func (s *scribe) problem(at meterbridge.Place, reason, detail string) {
	if s.told {
		return
	}
	s.out.Problems = append(s.out.Problems, meterbridge.Problem{Reason: reason, Detail: detail, Place: at})
}

func (s *scribe) traceOf(m *message, in *conversation, at meterbridge.Place, native string, v meterbridge.Verdict, rule string) {
	if !s.trace || m.usage == (usage{}) {
		return
	}
	r := s.request(m, in, at, m.usage, nil, 0)
	r.NativeID, r.Rule = native, rule
	s.traceRequest(&r, v)
}

func (s *scribe) traceRequest(r *meterbridge.Request, v meterbridge.Verdict) {
	if !s.trace {
		return
	}
	s.out.Traces = append(s.out.Traces, meterbridge.Trace{
		Place: r.Place, Store: r.Store, NativeID: r.NativeID, Session: r.Session,
		At: r.EndedAt, Model: r.Model, Tokens: r.Tokens, Verdict: v, Rule: r.Rule,
	})
}
