package claudecode

import (
	"meterbridge"
	"meterbridge/harnesses/walk"
)

// The rules that make a request of records, by how its identity was found. In
// each the finished record counts: the greatest output, then the last line.
const (
	ruleMessage = "finished-record"
	ruleReused  = "reused-id"
	ruleRequest = "request-id"
	rulePlace   = "record-number"
)

// openRequest is the request whose lines are being read.
type openRequest struct {
	held    bool
	request meterbridge.Request
	// traces tell of its lines; the one at decided counts.
	traces  []meterbridge.Trace
	decided int
}

// assistant reads a row of the model's.
func (p *parser) assistant() {
	r := &p.row
	p.describe()
	u := &r.message.usage
	switch {
	case string(r.message.model) == "<synthetic>":
		p.notice("notice", ruleSynthetic)
		return
	case u.present && !u.wrong && u.empty():
		p.noUsage()
	case !u.present && r.apiError:
		p.notice("error", ruleSynthetic)
		return
	}
	p.confirmCommand()
	p.sessions.reply(p.who.own, &r.message, p.when)
	native, rule := p.native()
	p.toolCalls(native)
	if p.spent(native) {
		p.record(native, rule)
	}
}

// spent reports whether the row's usage makes a request; what stands against it
// is named.
func (p *parser) spent(native string) bool {
	u := &p.row.message.usage
	p.checkCost()
	switch {
	case u.wrong:
		p.problem("wrong-type", "a number of the usage is no whole number from 0 to 2^53")
		p.dropped(native, ruleWrong)
	case !u.present || u.empty():
	case p.when.IsZero():
		p.problem("wrong-type", "a row with usage has no time")
		p.dropped(native, ruleNoTime)
	default:
		return true
	}
	return false
}

// checkCost names a recorded cost that is not taken over.
func (p *parser) checkCost() {
	switch {
	case p.row.costWrong:
		p.problem("wrong-type", "costUSD is no number")
	case len(p.row.cost) > 0:
		if _, err := meterbridge.ParseUSD(string(p.row.cost)); err != nil {
			p.problem("refused-cost", "costUSD is below 0 or beyond what a request can cost")
		}
	}
}

// native is the identity of the row's request within the store.
func (p *parser) native() (id, rule string) {
	r := &p.row
	switch {
	case len(r.message.id) == 0 && len(r.requestID) == 0:
		return p.placeID(), rulePlace
	case len(r.message.id) == 0:
		return p.known(r.requestID), ruleRequest
	case len(r.message.id) > longestReused:
		return p.known(r.message.id), ruleMessage
	}
	return p.state.reused(p.known(r.message.id), p.known(r.requestID), p.who.side, p.when)
}

// known is the text of raw, without a new string where the open request has it.
func (p *parser) known(raw []byte) string {
	q := &p.open.request
	switch {
	case len(raw) == 0:
		return ""
	case string(raw) == q.ResponseID:
		return q.ResponseID
	case string(raw) == q.RequestID:
		return q.RequestID
	}
	return walk.Unquote(raw, 0)
}

// request makes a request of the row.
func (p *parser) request(native, rule string) meterbridge.Request {
	r := &p.row
	u := &r.message.usage
	q := meterbridge.Request{
		Harness: ID, Store: store, NativeID: native,
		Session: p.who.credited, Project: p.names.cwd.of(r.cwd), Branch: p.names.branch.of(r.branch),
		Model: p.names.model.of(r.message.model), ResponseID: native, RequestID: p.known(r.requestID),
		StartedAt: p.state.started(r.requestRef), EndedAt: p.when,
		Tokens: u.tokens(), WebSearches: u.webSearches,
		ServiceTier: p.names.tier.of(u.tier), Speed: p.names.speed.of(u.speed), Geo: p.names.geo.of(u.geo),
		Recorded: recorded(r.cost), Aborted: r.aborted, Side: p.who.side, Rule: rule, Place: p.at,
	}
	if rule != ruleMessage {
		q.ResponseID = p.known(r.message.id)
	}
	return q
}

// recorded is the cost that old builds wrote; zero means that none was known.
func recorded(raw []byte) meterbridge.NullPico {
	if len(raw) == 0 {
		return meterbridge.NullPico{}
	}
	amount, err := meterbridge.ParseUSD(string(raw))
	if err != nil || amount.IsZero() {
		return meterbridge.NullPico{}
	}
	return meterbridge.SomePico(amount)
}

// record adds the record to the open request, or closes that one and opens its own.
func (p *parser) record(native, rule string) {
	same := p.open.held && p.open.request.NativeID == native
	if !same {
		p.closeRequest(p.out)
	}
	tools := p.state.tools(native, p.who.side, &p.row.message, &p.names)
	if same {
		q := p.request(native, rule)
		q.Tools = tools
		p.open.request = meterbridge.MergeSame(p.open.request, q)
	} else {
		p.open.request = p.request(native, rule)
		p.open.request.Tools = tools
	}
	p.open.held = true
	if p.trace {
		p.traced()
	}
}

// closeRequest emits the open request. Lines of it that follow later make
// another record of the same identity, which the ledger merges by the same rule.
func (p *parser) closeRequest(out *meterbridge.Batch) {
	if !p.open.held {
		return
	}
	out.Requests = append(out.Requests, p.open.request)
	if p.trace {
		p.closeTraces(out)
	}
	p.open.held, p.open.traces = false, p.open.traces[:0]
}
