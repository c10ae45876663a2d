package qwencode

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"meterbridge"
	"meterbridge/harnesses/jsonvalue"
)

// The rules by which requests are made of records.
const (
	// ruleResponse: a telemetry row tells of the response.
	ruleResponse = "api-response"
	// ruleChat: only a chat row does (older builds).
	ruleChat = "chat-row"
	// ruleTwin: the chat row of a response that telemetry told of.
	ruleTwin = "chat-row-of-response"
)

// response reads the telemetry of a response: a request, of the session or of a
// sub-agent of it.
func (p *parser) response(e jsonvalue.Object) {
	u := readUsage(e, "input_token_count", "output_token_count", "thoughts_token_count", "cached_content_token_count", "total_token_count")
	r := p.request(&u, e["model"].Text(), ruleResponse)
	if id := e["response_id"].Text(); id != "" {
		r.NativeID, r.ResponseID = p.session+"/"+id, id
	}
	r.Provider = signedIn(e["auth_type"].Text())
	if ms, ok := e["duration_ms"].Int(); ok && ms >= 0 && ms < int64(24*time.Hour/time.Millisecond) && !p.when.IsZero() {
		r.StartedAt = p.when.Add(-time.Duration(ms) * time.Millisecond)
	}
	agent := p.agent(e)
	if agent != "" {
		r.Session = p.session + "/" + agent
	}
	if !p.count(&u, r) {
		return
	}
	if agent != "" {
		p.describe(meterbridge.Session{
			ID: r.Session, Parent: p.session, Relation: meterbridge.SubAgent,
			AgentType: cmp.Or(e["subagent_type"].Text(), e["subagent_name"].Text()),
		})
		return // a sub-agent's answers have no chat rows
	}
	if len(p.state.Pending) >= keptPending {
		p.state.Pending = slices.Delete(p.state.Pending, 0, 1)
	}
	p.state.Pending = append(p.state.Pending, r)
}

// signedIn is the provider that a way of signing in names. "openai" is any server
// that speaks its form, and the program's own account is the harness's provider:
// both name none.
func signedIn(auth string) string {
	switch auth {
	case "gemini", "anthropic":
		return auth
	case "vertex-ai":
		return "google-vertex"
	}
	return ""
}

// agent names the sub-agent that a telemetry row is of: by its id, by its name
// where builds wrote no id, or by the prompt id, which holds it; empty for the session itself.
func (p *parser) agent(e jsonvalue.Object) string {
	if name := cmp.Or(e["subagent_id"].Text(), e["subagent_name"].Text()); name != "" {
		return name
	}
	rest, ok := strings.CutPrefix(e["prompt_id"].Text(), p.session+"#")
	if !ok {
		return ""
	}
	name, _, _ := strings.Cut(rest, "#")
	return name
}

// request is the row of a record.
func (p *parser) request(u *usage, model, rule string) meterbridge.Request {
	r := meterbridge.Request{
		NativeID: p.place(), Session: p.session, Project: p.row["cwd"].Text(), Branch: p.row["gitBranch"].Text(),
		Model: model, EndedAt: p.when, Rule: rule, Place: p.at,
	}
	r.Tokens = u.tokens()
	return r
}

// count makes a request of a record, or names what stands against it.
func (p *parser) count(u *usage, r meterbridge.Request) bool {
	switch {
	case u.Wrong:
		p.Wrong(r)
	case u.empty():
		p.Drop(r, "zero-usage")
	default:
		p.Request(r)
		return !r.EndedAt.IsZero()
	}
	return false
}

// answer reads a chat row of the model's. It is the answer of a response that
// telemetry told of just before, with the same model and tokens; the row adds the
// tools. Without one it is a request of its own.
func (p *parser) answer() {
	meta := p.row["usageMetadata"].Object()
	u := readUsage(meta, "promptTokenCount", "candidatesTokenCount", "thoughtsTokenCount", "cachedContentTokenCount", "totalTokenCount")
	m := readMessage(p.row["message"].Object())
	own := p.request(&u, p.row["model"].Text(), ruleChat)
	own.Tools = m.names()
	native := ""
	switch r, ok := p.twin(&own, meta != nil); {
	case ok:
		native = r.NativeID
		p.complete(r, own)
	case meta == nil && !u.Wrong:
	case p.count(&u, own):
		native = own.NativeID
	}
	p.calls(&m, native)
	if !p.when.IsZero() {
		p.sessions.Add(meterbridge.Session{ID: p.session, LastReply: m.text, LastReplyAt: p.when})
	}
}

// twin takes the waiting response that a chat row belongs to. A row without
// usage belongs to the newest one of its model.
func (p *parser) twin(own *meterbridge.Request, told bool) (meterbridge.Request, bool) {
	for i, r := range slices.Backward(p.state.Pending) {
		if r.Model == own.Model && (!told || r.Tokens == own.Tokens) {
			p.state.Pending = slices.Delete(p.state.Pending, i, i+1)
			return r, true
		}
	}
	return meterbridge.Request{}, false
}

// complete tells the tools of a response, and that the chat row is part of it.
func (p *parser) complete(r, own meterbridge.Request) {
	if len(own.Tools) > 0 {
		r.Tools = own.Tools
		quiet := p.Writer
		quiet.Trace = false
		quiet.Request(r)
	}
	own.NativeID = r.NativeID
	p.Merge(own, ruleTwin)
}

// usage are the numbers of a record, under the names of either kind.
type usage struct {
	jsonvalue.Counts
	prompt, output, thoughts, cached, total meterbridge.Count
}

func readUsage(o jsonvalue.Object, prompt, output, thoughts, cached, total string) (u usage) {
	u.prompt, u.output, u.thoughts = u.Of(o[prompt]), u.Of(o[output]), u.Of(o[thoughts])
	u.cached, u.total = u.Of(o[cached]), u.Of(o[total])
	return u
}

func (u *usage) empty() bool { return u.prompt.N == 0 && u.output.N == 0 && u.thoughts.N == 0 }

// tokens are the classes: the cache lies inside the prompt. Thoughts lie inside
// output with backends that speak OpenAI's API and beside it with Gemini's; the
// total tells which. Without one they are inside, unless they are too many.
func (u *usage) tokens() meterbridge.Tokens {
	t := meterbridge.Tokens{Input: jsonvalue.Minus(u.prompt, u.cached), Output: u.output, Reasoning: u.thoughts, CacheRead: u.cached}
	beside := u.total.OK && u.thoughts.N > 0 && u.total.N == u.prompt.N+u.output.N+u.thoughts.N
	if beside || u.thoughts.N > u.output.N {
		t.Output = t.Output.Plus(u.thoughts)
	}
	return t
}
