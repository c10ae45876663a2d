package codexcli

import (
	"slices"
	"strconv"

	"meterbridge"
	"meterbridge/harnesses/walk"
)

// The rules that decide about usage records.
const (
	ruleRecord    = "usage-record"
	ruleChange    = "counter-change"
	ruleDiff      = "counter-difference"
	ruleRestart   = "counter-restarted"
	ruleRepeat    = "repeated-counter"
	ruleZero      = "zero-usage"
	ruleWrong     = "wrong-type"
	ruleCopied    = "copied-history"
	ruleInherited = "inherited-total"
	ruleRecorded  = "record-counts"
	ruleCounter   = "counter-came-first"
)

// usageRecord handles a token_usage_record: exactly one request.
func (r *rollout) usageRecord(payload []byte) {
	c := walk.Over(payload)
	if n, ok := readRecord(&c); ok {
		r.recorded(n)
	} else {
		r.problem("wrong-type", "a token_usage_record is no object")
	}
}

func (r *rollout) recorded(n record) {
	thread := r.m.Thread
	if len(n.thread) > 0 && string(n.thread) != thread {
		thread = walk.Unquote(n.thread, 0)
	}
	if n.bad {
		r.problem("wrong-type", "a token_usage_record has a number that is none")
	}
	first := !r.m.Records
	r.m.Records = true
	switch {
	case n.bad:
		r.drop(n.used, ruleWrong)
	case n.used.zero():
		r.drop(n.used, ruleZero)
	case first && r.counted(n.used, n.total):
		r.trace(n.used, meterbridge.Merged, ruleCounter, native(r.m.Thread, r.m.Counted))
	default:
		r.record(n.used, thread, walk.Unquote(n.response, 0))
	}
}

func (r *rollout) record(u usage, thread, response string) {
	id := thread + "/" + response
	if response == "" {
		r.m.Counted++
		id = native(thread, r.m.Counted)
	}
	q := r.request(u, id, ruleRecord)
	q.Session, q.ResponseID = thread, response
	r.spend(q)
}

// counted reports whether the counter that was counted last says the same as
// the first record: then it was written before its record.
func (r *rollout) counted(u, total usage) bool {
	return r.m.HasCounted && r.m.HasTotal && r.m.LastCounted.same(u) && r.m.Total.same(total)
}

// tokenCount handles a token_count: rate limits, and a request when the running
// total has changed.
func (r *rollout) tokenCount(payload []byte) {
	c := walk.Over(payload)
	if n, ok := readCount(&c); ok {
		r.count(n)
	} else {
		r.problem("wrong-type", "a token_count is no object")
	}
}

func (r *rollout) count(n counter) {
	r.limits(n.rates)
	if n.bad {
		r.problem("wrong-type", "a token_count has a number that is none")
	}
	if !n.info {
		return
	}
	if n.bad && n.total.Has == 0 && n.last.Has == 0 {
		r.drop(n.last, ruleWrong)
		return
	}
	u, rule := r.judge(n.total, n.last)
	r.keepTotal(n.total)
	switch rule {
	case ruleChange, ruleDiff, ruleRestart:
		r.m.Counted++
		r.m.LastCounted, r.m.HasCounted = u, true
		r.spend(r.request(u, native(r.m.Thread, r.m.Counted), rule))
	default:
		r.drop(u, rule)
	}
}

func (r *rollout) keepTotal(total usage) {
	if total.Has != 0 {
		r.m.Total, r.m.HasTotal = total, true
	}
}

// judge says what a counter's line stands for: the usage and the rule.
func (r *rollout) judge(total, last usage) (usage, string) {
	before, known := r.m.Total, r.m.HasTotal
	switch {
	case r.m.Records:
		return last, ruleRecorded
	case known && total.Has != 0 && total.same(before):
		return last, ruleRepeat
	case total.Has == 0 && r.m.HasCounted && last.same(r.m.LastCounted):
		return last, ruleRepeat
	case last.Has != 0 && last.zero(), total.Has != 0 && total.zero():
		return last, ruleZero
	case !known && r.m.Inherits && r.stale(total, last):
		return last, ruleInherited
	case last.Has != 0 && known && total.fell(before):
		return last, ruleRestart
	case last.Has != 0:
		return last, ruleChange
	case total.Has == 0:
		return total, ruleZero
	case !known || total.fell(before):
		return total, ruleRestart
	}
	return total.minus(before), ruleDiff
}

// stale reports whether the first counter of a fork that copied nothing only
// repeats the parent's: the model has written nothing yet, and the line follows
// its turn's beginning at once or its total holds no more than its last.
func (r *rollout) stale(total, last usage) bool {
	return last.Has == 0 || (!r.m.Answer && (total.same(last) || r.ms-r.m.Began < longPause))
}

func native(thread string, n int64) string { return thread + "#" + strconv.FormatInt(n, 10) }

func (r *rollout) copiedCount(payload []byte) {
	c := walk.Over(payload)
	if n, ok := readCount(&c); ok && n.info {
		r.keepTotal(n.total)
		r.drop(n.last, ruleCopied)
	}
}

func (r *rollout) copiedRecord(payload []byte) {
	c := walk.Over(payload)
	if n, ok := readRecord(&c); ok {
		r.drop(n.used, ruleCopied)
	}
}

func (r *rollout) request(u usage, native, rule string) meterbridge.Request {
	q := meterbridge.Request{
		Harness: id, Store: store, NativeID: native,
		Session: r.m.Thread, Project: r.m.Project, Branch: r.m.Branch,
		Model: r.m.Model, Provider: r.m.Provider, ServiceTier: r.m.Tier,
		EndedAt: at(r.ms), Tokens: u.tokens(),
		Tools: slices.Clone(r.m.Tools), Rule: rule, Place: r.place,
	}
	if r.m.Searches > 0 {
		q.WebSearches = meterbridge.Reported(r.m.Searches)
	}
	return q
}

// spend counts a request. One before which the model wrote nothing is held
// until the next line tells whether it was a compaction's.
func (r *rollout) spend(q meterbridge.Request) {
	if q.EndedAt.IsZero() {
		r.problem("wrong-type", "usage without any time before it")
		return
	}
	r.releaseHeld()
	r.traceRequest(q)
	r.claimCalls(q.NativeID)
	if r.m.Answer {
		r.out.Requests = append(r.out.Requests, q)
	} else {
		r.flushMute()
		r.m.Mute = &mute{Request: q}
	}
	r.m.Cut, r.m.Answer, r.m.Tools, r.m.Searches = false, false, r.m.Tools[:0], 0
}

func (r *rollout) drop(u usage, rule string) { r.trace(u, meterbridge.Dropped, rule, "") }

func (r *rollout) traceRequest(q meterbridge.Request) {
	if r.opt.Trace {
		r.out.Traces = append(r.out.Traces, meterbridge.Trace{
			Place: r.place, Store: store, NativeID: q.NativeID, Session: q.Session, At: q.EndedAt,
			Model: q.Model, Tokens: q.Tokens, Verdict: meterbridge.Counted, Rule: q.Rule,
		})
	}
}

func (r *rollout) trace(u usage, v meterbridge.Verdict, rule, native string) {
	if r.opt.Trace {
		r.out.Traces = append(r.out.Traces, meterbridge.Trace{
			Place: r.place, Store: store, NativeID: native, Session: r.m.Thread, At: at(r.ms),
			Model: r.m.Model, Tokens: u.tokens(), Verdict: v, Rule: rule,
		})
	}
}
