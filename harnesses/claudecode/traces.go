package claudecode

import "meterbridge"

// The rules that a trace names beside those of requests.
const (
	ruleSnapshot  = "earlier-snapshot"
	ruleSynthetic = "synthetic"
	ruleEmpty     = "zero-usage"
	ruleWrong     = "wrong-type"
	ruleNoTime    = "no-time"
)

// traced notes the row as a record of the open request.
func (p *parser) traced() {
	t := p.trace1(p.open.request.NativeID, meterbridge.Merged, ruleSnapshot)
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
		p.out.Traces = append(p.out.Traces, p.trace1(native, meterbridge.Dropped, rule))
	}
}

func (p *parser) trace1(native string, verdict meterbridge.Verdict, rule string) meterbridge.Trace {
	return meterbridge.Trace{
		Place: p.at, Store: store, NativeID: native, Session: p.who.credited, At: p.when,
		Model: p.names.model.of(p.row.message.model), Tokens: p.row.message.usage.tokens(),
		Verdict: verdict, Rule: rule,
	}
}
