package analytics

import (
	"cmp"
	"slices"

	"meterbridge"
)

// Explained are the sums of records by class; null where no record reports it.
type Explained struct {
	Requests int64 `json:"requests"`
	RecordTokens
}

// sum adds up what counts and holds it against the report.
func (j *join) sum() {
	o := &j.out
	for n := range o.Records {
		r := &o.Records[n]
		o.Counts[string(r.Verdict)]++
		if r.Verdict == meterbridge.Counted {
			o.Explained.add(r.RecordTokens, r.calls)
		}
	}
	for _, k := range o.Kept {
		o.Counts["kept"]++
		o.Explained.add(k.RecordTokens, k.calls)
	}
	f := &j.in.Reported
	d := o.Explained.totals().minus(Totals{
		Requests: f.requests, InputTokens: or0(f.input), OutputTokens: or0(f.output), ReasoningTokens: or0(f.reasoning),
		CacheReadTokens: or0(f.cacheRead), CacheWriteTokens: or0(f.cacheWrite),
	})
	if o.AddsUp = d == (Totals{}); !o.AddsUp {
		o.Difference = &d
	}
	slices.SortStableFunc(o.Records, func(a, b ExplainRecord) int {
		return cmp.Or(cmp.Compare(a.Path, b.Path), cmp.Compare(a.Line, b.Line))
	})
}

func (e *Explained) add(r RecordTokens, calls int64) {
	e.Requests += calls
	e.InputTokens = plus(e.InputTokens, r.InputTokens)
	e.OutputTokens = plus(e.OutputTokens, r.OutputTokens)
	e.ReasoningTokens = plus(e.ReasoningTokens, r.ReasoningTokens)
	e.CacheReadTokens = plus(e.CacheReadTokens, r.CacheReadTokens)
	e.CacheWriteTokens = plus(e.CacheWriteTokens, r.CacheWriteTokens)
}

func (e Explained) totals() Totals {
	return Totals{
		Requests: e.Requests, InputTokens: or0(e.InputTokens), OutputTokens: or0(e.OutputTokens), ReasoningTokens: or0(e.ReasoningTokens),
		CacheReadTokens: or0(e.CacheReadTokens), CacheWriteTokens: or0(e.CacheWriteTokens),
	}
}
