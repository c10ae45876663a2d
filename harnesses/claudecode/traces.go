package claudecode

import (
	"meterbridge"
	"meterbridge/harnesses/walk"
)

// The rules that a trace names beside those of requests.
const (
	ruleSnapshot  = "earlier-snapshot"
	ruleSynthetic = "synthetic"
	ruleEmpty     = "zero-usage"
	ruleWrong     = "wrong-type"
	ruleNoTime    = "no-time"
	// ruleResult is the sum of a sub-agent in the result of a tool, ruleNested a
	// sub-agent's answer in a row that tells of its progress.
	ruleResult = "tool-result-total"
	ruleNested = "nested-progress"
)

// traced notes the row as a record of the open request.
func (p *parser) traced() {
	t := p.traceOf(p.open.request.NativeID, meterbridge.Merged, ruleSnapshot)
	p.open.traces = append(p.open.traces, t)
	if p.open.request.Place == p.at {
		p.open.decided = len(p.open.traces) - 1
	}
}

// closeTraces hands out the traces of the open request; one of them counts.
func (p *parser) closeTraces(out *meterbridge.Batch) {
	t := &p.open.traces[p.open.decided]
	t.Verdict, t.Rule = meterbridge.Counted, p.open.request.Rule
	out.Traces = append(out.Traces, p.open.traces...)
}

// dropped notes a row with usage that makes no request.
func (p *parser) dropped(native, rule string) {
	if p.trace && p.row.message.usage.present {
		p.out.Traces = append(p.out.Traces, p.traceOf(native, meterbridge.Dropped, rule))
	}
}

func (p *parser) traceOf(native string, verdict meterbridge.Verdict, rule string) meterbridge.Trace {
	return meterbridge.Trace{
		Place: p.at, Store: store, NativeID: native, Session: p.who.credited, At: p.when,
		Model: p.names.model.of(p.row.message.model), Tokens: p.row.message.usage.tokens(),
		Verdict: verdict, Rule: rule,
	}
}

// decoys notes the usage that a row repeats of others.
func (p *parser) decoys() {
	if u := usageAt(p.row.result, "usage"); u.present {
		p.decoy(u, ruleResult)
	}
	if u := usageAt(p.row.progress, "message", "message", "usage"); u.present {
		p.decoy(u, ruleNested)
	}
}

func (p *parser) decoy(u usage, rule string) {
	p.row.message.usage = u
	p.dropped("", rule)
}

// usageAt reads the usage that lies at the end of a path of names.
func usageAt(raw []byte, path ...string) (u usage) {
	if len(raw) == 0 || len(path) == 0 {
		return u
	}
	c := walk.Over(raw)
	if !c.Object() {
		return u
	}
	for first := true; c.Member(&first); {
		switch {
		case string(c.Key()) != path[0]:
			c.Skip()
		case len(path) == 1:
			u.read(&c)
		default:
			u = usageAt(c.Raw(), path[1:]...)
		}
	}
	return u
}
