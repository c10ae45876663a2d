package analytics

import "meterbridge"

// figures are the sums of a set of requests, exact: what every answer about
// sessions is made of. The columns are those of sql/ask_figures.sql.
type figures struct {
	requests int64
	// coarse: a row stands for a turn, a run or a session, so requests is no count of requests.
	coarse                                               bool
	input, output, reasoning, cacheRead, cacheWrite, all *int64
	cost                                                 meterbridge.NullPico
	priced, unpriced, recorded                           int64
	unpricedModels, models                               []string
}

// targets are where the columns of ask_figures.sql are scanned to, in their order.
func (f *figures) targets() []any {
	return []any{
		&f.requests, &f.coarse,
		wide{&f.input},
		wide{&f.output},
		wide{&f.reasoning},
		wide{&f.cacheRead},
		wide{&f.cacheWrite},
		wide{&f.all},
		amount{&f.cost},
		&f.priced, &f.unpriced, &f.recorded,
		texts{&f.unpricedModels},
		texts{&f.models},
	}
}

// sums are where the columns of ask_sums.sql are scanned to: all but the lists.
func (f *figures) sums() []any {
	all := f.targets()
	return all[:len(all)-2]
}

// add adds the figures of a part.
func (f *figures) add(part *figures) {
	f.requests += part.requests
	f.coarse = f.coarse || part.coarse
	f.input, f.output, f.reasoning = plus(f.input, part.input), plus(f.output, part.output), plus(f.reasoning, part.reasoning)
	f.cacheRead, f.cacheWrite, f.all = plus(f.cacheRead, part.cacheRead), plus(f.cacheWrite, part.cacheWrite), plus(f.all, part.all)
	if part.cost.OK {
		f.cost = meterbridge.SomePico(f.cost.Amount.Add(part.cost.Amount))
	}
	f.priced += part.priced
	f.unpriced += part.unpriced
	f.recorded += part.recorded
	f.models = union(f.models, part.models)
	f.unpricedModels = union(f.unpricedModels, part.unpricedModels)
}

// costMicro is the cost rounded up once; nil when nothing has a cost.
func (f *figures) costMicro() *int64 {
	if f.priced == 0 || !f.cost.OK {
		return nil
	}
	n := f.cost.Amount.MicroUSD()
	return &n
}

// partial: some have a cost and some have not.
func (f *figures) partial() bool { return f.priced > 0 && f.unpriced > 0 }

func (f *figures) basis() string {
	switch {
	case f.priced == 0:
		return "none"
	case f.recorded == 0:
		return "list"
	case f.recorded >= f.priced:
		return "recorded"
	}
	return "mixed"
}

// numbers are the figures as reports show them.
func (f *figures) numbers(prompts *int64) Numbers {
	return Numbers{
		Requests: f.requests, Prompts: prompts,
		InputTokens: f.input, OutputTokens: f.output, ReasoningTokens: f.reasoning,
		CacheReadTokens: f.cacheRead, CacheWriteTokens: f.cacheWrite, TotalTokens: f.all,
		CostMicroUSD: f.costMicro(), CostPartial: f.partial(), CostBasis: f.basis(), UnpricedModels: some(f.unpricedModels),
	}
}

// part are the figures of a part of a window, as usage has them: without
// activity the tokens are 0 and the cost is unknown.
func (f *figures) part() Part {
	p := Part{
		Requests: &f.requests, InputTokens: f.input, OutputTokens: f.output, ReasoningTokens: f.reasoning,
		CacheReadTokens: f.cacheRead, CacheWriteTokens: f.cacheWrite, TotalTokens: f.all, CostMicroUSD: f.costMicro(),
	}
	if f.requests == 0 {
		p.InputTokens, p.OutputTokens, p.ReasoningTokens = new(int64), new(int64), new(int64)
		p.CacheReadTokens, p.CacheWriteTokens, p.TotalTokens = new(int64), new(int64), new(int64)
	}
	if f.coarse {
		p.Requests = nil
	}
	return p
}

// some is the list, never nil: it is marshalled as [].
func some(list []string) []string {
	if list == nil {
		return []string{}
	}
	return list
}

// number scans a sum that is never NULL.
type number struct{ at *int64 }

func (n number) Scan(v any) error {
	var p *int64
	err := wide{&p}.Scan(v)
	*n.at = or0(p)
	return err
}
