package record

import "meterbridge"

// RuleEarlier is the rule of a record of a request that a later one replaced.
const RuleEarlier = "earlier-record"

// Traces gathers the traces of records so that of each request one counts: the
// one with the greatest output, then the last. The zero value is empty.
type Traces struct {
	list  []meterbridge.Trace
	index map[string]int
}

// Counted notes the record that a request was made of.
func (t *Traces) Counted(r *meterbridge.Request) {
	if t.index == nil {
		t.index = map[string]int{}
	}
	one := TraceOf(r, meterbridge.Counted, r.Rule)
	if i, ok := t.index[r.NativeID]; ok {
		lost := &t.list[i]
		if r.Tokens.Output.N < lost.Tokens.Output.N {
			lost = &one
		} else {
			t.index[r.NativeID] = len(t.list)
		}
		lost.Verdict, lost.Rule = meterbridge.Merged, RuleEarlier
	} else {
		t.index[r.NativeID] = len(t.list)
	}
	t.list = append(t.list, one)
}

// Add notes a record that counts in no request of its own.
func (t *Traces) Add(r *meterbridge.Request, v meterbridge.Verdict, rule string) {
	t.list = append(t.list, TraceOf(r, v, rule))
}

// Flush hands on what was gathered.
func (t *Traces) Flush(out *meterbridge.Batch) {
	out.Traces = append(out.Traces, t.list...)
	*t = Traces{}
}

// TraceOf is a trace of the record of a request.
func TraceOf(r *meterbridge.Request, v meterbridge.Verdict, rule string) meterbridge.Trace {
	return meterbridge.Trace{
		Place: r.Place, Store: r.Store, NativeID: r.NativeID, Session: r.Session,
		At: r.EndedAt, Model: r.Model, Tokens: r.Tokens, Verdict: v, Rule: rule,
	}
}
