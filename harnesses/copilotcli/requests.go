package copilotcli

import (
	"cmp"
	"slices"

	"meterbridge"
	"meterbridge/harnesses/jsonvalue"
)

// The rules by which rows are made.
const (
	// ruleMessage: a message tells of its output only.
	ruleMessage = "output-of-message"
	// ruleRest: what a process spent, without the outputs of its messages.
	ruleRest = meterbridge.RuleRemainder
)

// message counts an answer with its output; the rest of what it spent is told
// when the process ends.
func (l *log) message() {
	native := cmp.Or(l.data["messageId"].Text(), l.id)
	model := cmp.Or(l.data["model"].Text(), l.m.Model)
	r := meterbridge.Request{
		NativeID: l.native(native), Session: l.session, Project: l.m.Project, Branch: l.m.Branch, Model: model,
		EndedAt: l.when, Rule: ruleMessage, Place: l.at,
	}
	if l.session == l.m.Session {
		r.StartedAt = l.sent()
	}
	var n jsonvalue.Counts
	r.Tokens.Output = n.Of(l.data["outputTokens"])
	request := ""
	calls := l.tools(&r)
	switch {
	case n.Wrong:
		l.w.Wrong(r)
	case r.Tokens.Output.N == 0:
		if r.Tokens.Output.OK {
			l.w.Drop(r, "zero-usage")
		}
	default:
		l.w.Request(r)
		request = r.NativeID
		l.add(native, model, r.Tokens.Output.N)
	}
	for _, c := range calls {
		c.Request = request
		l.w.Call(c)
	}
	if text := l.data["content"].Text(); text != "" {
		l.replies[l.session] = reply{text, l.when}
	}
}

// add adds a message to the sums of its run. One that is written again is one
// message, and what the ledger keeps of it is its greatest output.
func (l *log) add(native, model string, output int64) {
	if l.m.Outputs == nil {
		l.m.Outputs, l.m.Messages = map[string]int64{}, map[string]int64{}
	}
	i := slices.IndexFunc(l.m.Counted, func(c counted) bool { return c.Message == native })
	if i < 0 {
		l.m.Counted = append(l.m.Counted, counted{Message: native, Model: model})
		l.m.Messages[model]++
		i = len(l.m.Counted) - 1
	}
	c := &l.m.Counted[i]
	if output > c.Output {
		l.m.Outputs[c.Model] += output - c.Output
		c.Output = output
	}
	if n := len(l.m.Counted) - keptMessages; n > 0 {
		l.m.Counted = slices.Delete(l.m.Counted, 0, n)
	}
}

// tools are the calls that an answer asks for.
func (l *log) tools(r *meterbridge.Request) (calls []meterbridge.ToolCall) {
	for _, v := range l.data["toolRequests"].Elements() {
		o := v.Object()
		name, call := o["name"].Text(), o["toolCallId"].Text()
		if name != "" {
			r.Tools = append(r.Tools, name)
		}
		if call != "" {
			calls = append(calls, meterbridge.ToolCall{NativeID: l.native(call), Session: l.session, Name: name})
		}
	}
	return calls
}

// shutdown counts what a process spent beside the outputs of its messages: a row
// for each model. The counters begin anew with each process.
func (l *log) shutdown() {
	metrics := l.data["modelMetrics"].Object()
	models := make([]string, 0, len(metrics))
	for model := range metrics {
		models = append(models, model)
	}
	slices.Sort(models)
	for _, model := range models {
		l.rest(model, metrics[model].Object())
	}
	l.m.Outputs, l.m.Messages, l.m.Counted, l.m.Turn = nil, nil, nil, ""
}

// rest counts one model. inputTokens holds both classes of the cache; the row
// counts as the requests that no message told of.
func (l *log) rest(model string, o jsonvalue.Object) {
	u := o["usage"].Object()
	var n jsonvalue.Counts
	r := meterbridge.Request{
		NativeID: l.native(l.id + ":" + model), Session: l.m.Session, Project: l.m.Project, Branch: l.m.Branch, Model: model,
		EndedAt: l.when, Rule: ruleRest, Precision: meterbridge.PerRun, Place: l.at,
	}
	t := &r.Tokens
	t.CacheRead, t.CacheWrite5m, t.Reasoning = n.Of(u["cacheReadTokens"]), n.Of(u["cacheWriteTokens"]), n.Of(u["reasoningTokens"])
	t.Input = jsonvalue.Minus(n.Of(u["inputTokens"]), t.CacheRead, t.CacheWrite5m)
	t.Output = jsonvalue.Minus(n.Of(u["outputTokens"]), meterbridge.Reported(l.m.Outputs[model]))
	calls := n.Of(o.At("requests", "count"))
	r.Calls = meterbridge.Reported(max(0, calls.N-l.m.Messages[model]))
	switch {
	case n.Wrong:
		l.w.Wrong(r)
	case t.Total() == 0:
		l.w.Drop(r, "zero-usage")
	default:
		l.w.Request(r)
	}
}
