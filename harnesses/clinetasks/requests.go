package clinetasks

import (
	"time"

	"meterbridge"
	"meterbridge/harnesses/jsonvalue"
)

// The rules by which rows are made, and by which usage makes none.
const (
	ruleBeside    = "cache-beside-input"
	ruleInside    = "cache-inside-input"
	ruleDeleted   = meterbridge.RuleRemainder
	ruleSubAgents = "sum-of-sub-agents"
	ruleCondensed = "cost-of-condensing"
	ruleZero      = "zero-usage"
	ruleRunning   = "running"
	ruleKnown     = "read-before-restore"
)

// The messages with the sum of what a restore took away: Cline's and Roo's.
const (
	sayDeleted    = "deleted_api_reqs"
	sayDeletedRoo = "api_req_deleted"
)

// usage is the text of a message with usage.
type usage struct {
	tokens meterbridge.Tokens
	cost   jsonvalue.Value
	// present: there is a number; wrong: one is none.
	present, wrong bool
	cancel, failed string
	rule           string
}

func (r *Reader) usage(text string) (u usage) {
	o, ok := jsonvalue.Parse([]byte(text))
	if !ok {
		return u
	}
	var c jsonvalue.Counts
	t := &u.tokens
	t.Input, t.Output, t.CacheRead, t.CacheWrite5m = c.Of(o["tokensIn"]), c.Of(o["tokensOut"]), c.Of(o["cacheReads"]), c.Of(o["cacheWrites"])
	u.cost, u.cancel, u.failed = o["cost"], o["cancelReason"].Text(), o["streamingFailedMessage"].Text()
	u.present = t.Input.OK || t.Output.OK || t.CacheRead.OK || t.CacheWrite5m.OK || c.Wrong
	u.wrong, u.rule = c.Wrong, ruleBeside
	if cache := t.CacheRead.N + t.CacheWrite5m.N; r.opt.CacheInside && cache > 0 && t.Input.N >= cache {
		t.Input.N -= cache
		u.rule = ruleInside
	}
	return u
}

func (u *usage) zero() bool { return u.tokens.Total() == 0 }

// request counts a model request. Its message is made when it is sent and filled
// when it ends; the first builds told of the end in a message of its own.
func (t *task) request(i int) {
	m := &t.ui[i]
	u := t.reader.usage(m.text)
	next, ended := t.until(i)
	if finished := t.finished(i); !u.present && finished != nil {
		u, ended = t.reader.usage(finished.text), finished.at
	}
	switch u.cancel {
	case "":
		if u.failed != "" {
			t.event(m, "error", "streaming_failed")
		}
	case "streaming_failed":
		t.event(m, "error", u.cancel)
	default:
		t.event(m, "interrupted", u.cancel)
	}
	r := t.row(m, &u)
	r.StartedAt, r.EndedAt, r.Aborted = m.at, ended, u.cancel != "" || u.failed != ""
	if r.Model = m.model; r.Model == "" {
		r.Model, r.Provider = t.models.of(next)
	}
	t.open = ""
	switch {
	case u.wrong:
		t.Wrong(r)
	case !u.present:
		t.Drop(r, ruleRunning)
	case u.zero():
		t.Drop(r, ruleZero)
	default:
		t.give(m, r)
		t.open = r.NativeID
	}
}

// until is when the next request began (zero for the last one), and the time
// that stands for the end of this one, which is not logged: that of its begin.
func (t *task) until(i int) (next, ended time.Time) {
	for _, m := range t.ui[i+1:] {
		if m.say == "api_req_started" {
			next = m.at
			break
		}
	}
	return next, t.ui[i].at
}

// finished is the message with which the first builds told of a request's end.
func (t *task) finished(i int) *message {
	for n := i + 1; n < len(t.ui) && t.ui[n].say != "api_req_started"; n++ {
		if t.ui[n].say == "api_req_finished" {
			return &t.ui[n]
		}
	}
	return nil
}

// row is what all rows of a task share.
func (t *task) row(m *message, u *usage) meterbridge.Request {
	r := meterbridge.Request{
		NativeID: t.native(m), Session: t.item.id, Project: t.models.project, Model: m.model, Provider: m.provider,
		EndedAt: m.at, Tokens: u.tokens, Rule: u.rule, Place: m.place,
	}
	if u.present {
		var reason string
		r.Recorded, reason = jsonvalue.USD(u.cost, false)
		t.Cost(m.place, reason)
	}
	return r
}

// spent counts a sum that the panel keeps of several requests: of those that a
// restore took away, of those of sub-agents.
func (t *task) spent(m *message, rule, purpose string) {
	u := t.reader.usage(m.text)
	r := t.row(m, &u)
	r.Rule, r.Purpose, r.Precision = rule, purpose, meterbridge.PerRun
	if rule == ruleDeleted { // of how many requests is not told
		r.Calls = meterbridge.Reported(0)
	}
	switch {
	case u.wrong:
		t.Wrong(r)
	case !u.present || u.zero():
	case rule == ruleDeleted:
		t.sums = append(t.sums, sum{m.say, m.at, r})
	default:
		t.give(m, r)
	}
}

// condensed counts the cost of condensing the conversation. Its tokens are not
// logged, and no call of it is: the row counts as no request.
func (t *task) condensed(m *message) {
	if m.partial || m.condensed == nil {
		return
	}
	t.event(m, "compaction", "")
	r := t.row(m, &usage{})
	var reason string
	r.Recorded, reason = jsonvalue.USD(m.condensed["cost"], false)
	t.Cost(m.place, reason)
	if !r.Recorded.OK {
		return
	}
	r.Rule, r.Purpose, r.Calls = ruleCondensed, "compaction", meterbridge.Reported(0)
	r.Model, r.Provider = t.models.of(m.at.Add(time.Millisecond))
	t.give(m, r)
}
