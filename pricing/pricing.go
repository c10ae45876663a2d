// Package pricing holds the price table, the model matcher and the arithmetic
// that turns the tokens of one request into its list price. It imports the
// domain and nothing else of the project; the ledger prices rows with it, the
// command line and the dashboard ask it questions. It never touches the network
// unless an update is asked for.
package pricing

import "meterbridge"

// Price is the list price of one request.
type Price struct {
	// List is null when the request has no list price (unknown model, mode or
	// gateway, own server), and when it is not Paid.
	List meterbridge.NullPico
	// Key says how List came about: "provider/id|interval start|step|variant|flags".
	// For a paid request without a price it is "unpriced|reason"; empty when not Paid.
	Key string
	// Paid: the request has a token or a fee, so it counts as priced or unpriced.
	Paid bool
}

// Paid reports whether a request counts as priced or unpriced: it has a token
// or a fee. A synthetic record without either counts as neither.
func Paid(r *meterbridge.Request) bool {
	t := &r.Tokens
	return t.Input.N > 0 || t.Output.N > 0 || t.CacheRead.N > 0 || t.CacheWrite5m.N > 0 || t.CacheWrite1h.N > 0 || r.WebSearches.N > 0
}

// Price is the list price of r. defaultProvider is the harness's own, used when
// the log names none.
func (t *Table) Price(r *meterbridge.Request, defaultProvider string) Price {
	if !Paid(r) {
		return Price{}
	}
	q := t.quote(r, defaultProvider)
	if q.reason != "" {
		return Price{Key: q.key(), Paid: true}
	}
	cost, _, ok := q.cost(r)
	if !ok {
		return Price{Key: unpricedKey(ReasonNotThen), Paid: true}
	}
	return Price{List: meterbridge.SomePico(cost), Key: q.key(), Paid: true}
}

// cost multiplies the tokens in, and marks the quote where a part is an
// estimate. ok is false for an amount beyond 128 bits.
func (q *quote) cost(r *meterbridge.Request) (meterbridge.PicoUSD, amounts, bool) {
	a := amountsOf(&r.Tokens, &q.sheet)
	q.mark(guessed(&r.Tokens, &a, &q.sheet), estimated)
	cost, ok := tokenCost(&a, &q.sheet, q.factor)
	fee, known := q.m.fee(r)
	q.mark(!known, estimated)
	if !fee.IsZero() {
		cost = cost.Add(fee)
	}
	return cost, a, ok
}
