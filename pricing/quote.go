package pricing

import (
	"strings"

	"meterbridge"
)

// quote is the price of a request before its tokens are multiplied in: which
// sheet of which interval holds, and why.
type quote struct {
	m        *matched
	reason   string
	interval *interval
	sheet    sheet
	factor   Factor
	variant  variant
}

// half says that a request costs half of the sheet, as the named mode.
type half uint8

const (
	notHalf half = iota
	halfBatch
	halfFlex
)

// variant is what makes one price of a row differ from another; it is the part
// of a price key that depends on the request.
type variant struct {
	// interval, tier and mode are indexes; tier and mode are 1-based, 0 is none.
	interval, tier, mode int16
	half                 half
	window, geo          bool
	flags                flag
}

// flag is one of the marks at the end of a price key.
type flag uint8

const (
	// estimated: a fallback, an unconfirmed rate or an unknown part is in the price.
	estimated flag = 1 << iota
	// listEquivalent: what a plan's request would cost by the list; not a bill.
	listEquivalent
	// scheduledRate: announced, and not yet confirmed by a table of that time.
	scheduledRate
)

// quote prices r up to its tokens.
func (t *Table) quote(r *meterbridge.Request, fallback string) quote {
	q := quote{m: t.match(query{r.Provider, r.Model, fallback}), factor: one()}
	if q.m.reason != "" {
		q.reason = q.m.reason
		return q
	}
	sec := r.PricedAt().Unix()
	iv, early, ok := intervalAt(q.m.intervals, sec)
	if !ok {
		q.reason = ReasonNotThen
		return q
	}
	q.interval = iv
	q.variant.interval = int16(q.m.indexOf(iv))
	q.mark(early || q.m.floating, estimated)
	q.mark(q.m.equivalent, listEquivalent)
	q.mark(t.unconfirmed(iv), estimated|scheduledRate)
	q.chooseSheet(r, sec)
	if q.reason == "" {
		q.chooseFactors(r)
	}
	return q
}

func (q *quote) mark(yes bool, f flag) {
	if yes {
		q.variant.flags |= f
	}
}

// indexOf is the place of iv in the row's intervals.
func (m *matched) indexOf(iv *interval) int {
	for i := range m.intervals {
		if &m.intervals[i] == iv {
			return i
		}
	}
	return 0
}

// unconfirmed reports whether a rate was announced and the table is older than its start.
func (t *Table) unconfirmed(iv *interval) bool {
	return iv.scheduled && t.asOf() < iv.from
}

// chooseSheet applies mode, tier and window.
func (q *quote) chooseSheet(r *meterbridge.Request, sec int64) {
	rule := q.serviceRule(r)
	switch rule.mode {
	case "":
		q.applies(r, sec)
		q.factor = rule.factor
		if !rule.factor.isOne() {
			q.variant.half = halfBatch
		}
	case "batch", "flex":
		q.halfPrice(r, sec, rule)
	default:
		if !q.takeMode(rule.mode, sec) {
			q.reason = ReasonUnknownMode
		}
	}
}

// serviceRule is what the request asks for: the name's own mode, then the
// speed, then the service tier.
func (q *quote) serviceRule(r *meterbridge.Request) tierRule {
	if q.m.mode != "" {
		return q.m.ruleOf(q.m.mode)
	}
	if !standard(r.Speed) {
		return q.m.ruleOf(r.Speed)
	}
	return q.m.ruleOf(r.ServiceTier)
}

// ruleOf reads a word for a tier as the provider means it.
func (m *matched) ruleOf(word string) tierRule {
	if standard(word) {
		return tierRule{factor: one()}
	}
	word = strings.ToLower(strings.TrimSpace(word))
	if rule, ok := m.modifiers.tiers[word]; ok {
		return rule
	}
	if standard(word) {
		return tierRule{factor: one()}
	}
	return tierRule{mode: word}
}

// standard reports whether a word asks for nothing special at any provider.
func standard(word string) bool {
	return word == "" || word == "standard" || word == "default" || word == "auto"
}

// applies takes the standard price: the tier of the whole prompt over the base,
// a window's classes over that. A row of several requests has no prompt whose size
// could choose a tier: it has the base's price, which is estimated where the sum
// of its prompts is that large.
func (q *quote) applies(r *meterbridge.Request, sec int64) {
	part := q.interval.base
	q.sheet = q.interval.sheet
	switch t := q.interval.tierOf(r.Tokens.Prompt()); {
	case t == nil:
	case several(r):
		q.mark(true, estimated)
	default:
		part, q.sheet = t.part.over(part), t.sheet
		q.variant.tier = int16(q.interval.tierIndex(t) + 1)
	}
	if w := q.interval.windowAt(sec); w != nil {
		q.sheet = w.part.over(part).settle()
		q.variant.window = true
	}
}

// several reports whether a row adds up more requests than one.
func several(r *meterbridge.Request) bool {
	return r.Precision != "" && r.Precision != meterbridge.PerRequest
}

func (iv *interval) tierIndex(t *tier) int {
	for i := range iv.tiers {
		if &iv.tiers[i] == t {
			return i
		}
	}
	return 0
}

// takeMode takes a mode's own price; tiers and windows do not touch it.
func (q *quote) takeMode(name string, sec int64) bool {
	m := q.interval.modeOf(name, sec)
	if m == nil {
		return false
	}
	q.sheet = m.sheet
	for i := range q.interval.modes {
		if &q.interval.modes[i] == m {
			q.variant.mode = int16(i + 1)
		}
	}
	return true
}

// halfPrice prices batch and flex: the mode's row where the standard price
// would be the base, half of the rate that applies above a tier or in a window.
// A model without a row is still half price for a batch of a vendor that sells
// batches, flagged as estimated; flex is offered model by model.
func (q *quote) halfPrice(r *meterbridge.Request, sec int64, rule tierRule) {
	listed := q.interval.modeOf(rule.mode, sec) != nil
	_, sold := q.m.modifiers.tiers[rule.mode]
	if !listed && (rule.mode != "batch" || !sold) {
		q.reason = ReasonUnknownMode
		return
	}
	q.applies(r, sec)
	if listed && q.variant.tier == 0 && !q.variant.window {
		q.takeMode(rule.mode, sec)
		return
	}
	q.mark(!listed, estimated)
	q.factor = Factor{1, 2}
	q.variant.half = halfBatch
	if rule.mode == "flex" {
		q.variant.half = halfFlex
	}
}

// chooseFactors adds the place of inference and the user's multiplier.
func (q *quote) chooseFactors(r *meterbridge.Request) {
	if r.Geo != "" && len(q.m.modifiers.geo) > 0 {
		q.place(strings.ToLower(strings.TrimSpace(r.Geo)))
	}
	if q.m.user.Den != 0 {
		q.factor = q.factor.times(q.m.user)
	}
}

// place applies the place of inference. A place that the table does not know
// may cost more: the price stays, marked.
func (q *quote) place(geo string) {
	f, known := q.m.modifiers.geo[geo]
	switch {
	case !known:
		q.mark(geo != "not_available", estimated)
	case q.m.geoApplies && !f.isOne():
		q.factor = q.factor.times(f)
		q.variant.geo = true
	}
}
