package analytics

import (
	"fmt"
	"slices"

	"meterbridge"
)

// Cause is a reason for a difference. Where the ledger can tell, the reason is
// certain: exactly that many tokens have exactly that property. Otherwise it is
// one that fits, or "unknown".
type Cause struct {
	// Cause is a stable word.
	Cause   string `json:"cause"`
	Certain bool   `json:"certain"`
	Detail  string `json:"detail"`
	// Tokens is how many tokens it accounts for.
	Tokens int64 `json:"tokens"`
}

// cellRequest is one request of a cell that differs.
type cellRequest struct {
	id                   meterbridge.ID
	model, root, session string
	classes
	reasoning, write1h                           int64
	recorded, priced, sub, kept, copied, aborted bool
	path                                         string
	line                                         int64
}

func (r *cellRequest) place() string {
	return fmt.Sprintf("request %s (%s:%d)", hexID(r.id), r.path, r.line)
}

// difference is a cell on both sides and the ledger's requests in it.
type difference struct {
	ours, theirs spent
	requests     []cellRequest
	// partial: there were too many requests to look at each.
	partial bool
}

// causes explains the difference.
func (d difference) causes() []Cause {
	delta := d.theirs.classes.minus(d.ours.classes)
	switch {
	case delta.zero():
		return d.ofCost()
	case d.partial:
		return []Cause{{Cause: "unknown", Detail: "too many requests to look at each", Tokens: delta.total()}}
	}
	for _, rule := range []func(classes) []Cause{d.lacks, d.repeats, d.classMix, d.oneForAnother} {
		if found := rule(delta); len(found) > 0 {
			return found
		}
	}
	if found := d.possible(delta); len(found) > 0 {
		return found
	}
	return []Cause{{Cause: "unknown", Detail: "nothing that the ledger knows has this number of tokens", Tokens: delta.total()}}
}

// of sums the requests that have the property.
func (d difference) of(has func(*cellRequest) bool) (sum classes, n int) {
	for i := range d.requests {
		if r := &d.requests[i]; has(r) {
			sum, n = sum.plus(r.classes), n+1
		}
	}
	return sum, n
}

func (d difference) reasoning() (n int64) {
	for i := range d.requests {
		n += d.requests[i].reasoning
	}
	return n
}

// lacks explains what is missing there: no class may be larger there.
func (d difference) lacks(delta classes) []Cause {
	lack := classes{}.minus(delta)
	if lack.in < 0 || lack.out < 0 || lack.read < 0 || lack.write < 0 {
		return nil
	}
	certain := func(cause, detail string) []Cause {
		return []Cause{{Cause: cause, Certain: true, Detail: detail, Tokens: lack.total()}}
	}
	if lack == (classes{out: d.reasoning()}) {
		return certain("reasoning", "their output leaves out the reasoning tokens, which are a part of output")
	}
	kept, keptN := d.of(func(r *cellRequest) bool { return r.kept })
	sub, subN := d.of(func(r *cellRequest) bool { return r.sub })
	either, _ := d.of(func(r *cellRequest) bool { return r.kept || r.sub })
	switch lack {
	case kept:
		return certain("kept-after-deletion", fmt.Sprintf("%d requests whose log is gone, or no longer holds them, are kept here", keptN))
	case sub:
		return certain("sub-agents", fmt.Sprintf("%d requests of sub-agents are missing there: their side files are not read", subN))
	case either:
		return certain("sub-agents-and-kept", "requests of sub-agents, and requests whose log is gone, are missing there")
	}
	if c := d.wholePart(lack); c != nil {
		return c
	}
	return d.fewRequests(lack)
}

// wholePart finds a session or a file that is missing there as a whole.
func (d difference) wholePart(lack classes) []Cause {
	sessions, files := map[string]classes{}, map[string]classes{}
	for i := range d.requests {
		r := &d.requests[i]
		sessions[r.session] = sessions[r.session].plus(r.classes)
		files[r.path] = files[r.path].plus(r.classes)
	}
	if len(d.requests) < 2 {
		return nil
	}
	if name, ok := only(sessions, lack); ok && len(sessions) > 1 {
		return []Cause{{Cause: "session-missing", Certain: true, Detail: "session " + name + " is missing there", Tokens: lack.total()}}
	}
	if name, ok := only(files, lack); ok && len(files) > 1 {
		return []Cause{{Cause: "file-missing", Certain: true, Detail: "what lies in " + name + " is missing there", Tokens: lack.total()}}
	}
	return nil
}

// only is the one name with that sum.
func only(sums map[string]classes, want classes) (name string, ok bool) {
	for n, sum := range sums {
		if sum == want {
			if ok {
				return "", false
			}
			name, ok = n, true
		}
	}
	return name, ok
}

// fewRequests finds one or two requests with exactly these tokens.
func (d difference) fewRequests(lack classes) []Cause {
	hits := d.matching(lack)
	if len(hits) == 1 {
		return []Cause{{
			Cause: "request-missing", Certain: true, Tokens: lack.total(),
			Detail: hits[0].place() + " is missing there; a reader that drops lines with a null field, or lines that it does not know, leaves such a one out",
		}}
	}
	if len(hits) > 1 {
		return []Cause{{Cause: "request-missing", Tokens: lack.total(), Detail: fmt.Sprintf("one of %d requests with the same tokens is missing there, for example %s", len(hits), hits[0].place())}}
	}
	if a, b := d.pair(lack); a != nil {
		return []Cause{{Cause: "requests-missing", Tokens: lack.total(), Detail: a.place() + " and " + b.place() + " together have these tokens"}}
	}
	if lack == (classes{out: lack.out}) {
		return []Cause{{Cause: "early-snapshot", Tokens: lack.out, Detail: "only output is lower there: an early state of a streamed answer was counted instead of the last"}}
	}
	return nil
}

func (d difference) matching(want classes) (hits []*cellRequest) {
	for i := range d.requests {
		if d.requests[i].classes == want {
			hits = append(hits, &d.requests[i])
		}
	}
	return hits
}

// pair finds two requests that have these tokens together.
func (d difference) pair(want classes) (a, b *cellRequest) {
	seen := map[classes]*cellRequest{}
	for i := range d.requests {
		r := &d.requests[i]
		if other := seen[want.minus(r.classes)]; other != nil {
			return other, r
		}
		seen[r.classes] = r
	}
	return nil, nil
}

// repeats explains what is counted more often there: no class may be smaller there.
func (d difference) repeats(more classes) []Cause {
	if more.in < 0 || more.out < 0 || more.read < 0 || more.write < 0 {
		return nil
	}
	copies, n := d.of(func(r *cellRequest) bool { return r.copied })
	switch {
	case more == (classes{out: d.reasoning()}):
		return []Cause{{Cause: "reasoning", Certain: true, Tokens: more.out, Detail: "their output counts the reasoning tokens once more, though output includes them"}}
	case n > 0 && more == copies:
		return []Cause{{Cause: "copies", Certain: true, Tokens: more.total(), Detail: fmt.Sprintf("%d requests that a resumed, forked or side file repeats are counted again", n)}}
	}
	hits := d.matching(more)
	if len(hits) == 0 {
		return nil
	}
	r, why := hits[0], ""
	if i := slices.IndexFunc(hits, func(r *cellRequest) bool { return r.copied }); i >= 0 {
		r, why = hits[i], ": another log repeats it"
	}
	return []Cause{{Cause: "copies", Certain: r.copied, Tokens: more.total(), Detail: r.place() + " is counted twice there" + why}}
}

// classMix explains tokens that lie in another class there.
func (d difference) classMix(delta classes) []Cause {
	mixes := []struct {
		want   classes
		detail string
	}{
		{classes{in: d.ours.read}, "their input counts cache reads once more"},
		{classes{in: d.ours.write}, "their input counts cache writes once more"},
		{classes{in: d.ours.read + d.ours.write}, "their input counts cache reads and writes once more"},
		{classes{in: d.ours.read, read: -d.ours.read}, "cache reads are counted as input there"},
		{classes{in: d.ours.write, write: -d.ours.write}, "cache writes are counted as input there"},
	}
	for _, m := range mixes {
		if delta == m.want {
			return []Cause{{Cause: "classes", Certain: true, Detail: m.detail, Tokens: delta.total()}}
		}
	}
	return nil
}

// oneForAnother finds a request that is missing there beside one that is
// counted twice, one that other logs repeat first.
func (d difference) oneForAnother(delta classes) []Cause {
	missing := map[classes]*cellRequest{}
	for i := range d.requests {
		missing[d.requests[i].classes] = &d.requests[i]
	}
	var gone, twice *cellRequest
	pairs := 0
	for i := range d.requests {
		t := &d.requests[i]
		g := missing[t.classes.minus(delta)]
		if g == nil || g == t || t.zero() || g.zero() {
			continue
		}
		if pairs++; twice == nil || t.copied && !twice.copied {
			gone, twice = g, t
		}
	}
	if twice == nil {
		return nil
	}
	certain, verb, why := pairs == 1 && twice.copied, "may be ", ""
	if certain {
		verb = "is "
	}
	if twice.copied {
		why = ": another log repeats it"
	}
	return []Cause{
		{Cause: "request-missing", Certain: certain, Tokens: -gone.total(), Detail: gone.place() + " " + verb + "missing there"},
		{Cause: "copies", Certain: certain, Tokens: twice.total(), Detail: twice.place() + " " + verb + "counted twice there" + why},
	}
}

// possible names what may have a part in a difference that nothing explains.
func (d difference) possible(delta classes) []Cause {
	var out []Cause
	add := func(cause, detail string, has func(*cellRequest) bool) {
		if sum, n := d.of(has); n > 0 {
			out = append(out, Cause{Cause: cause, Detail: fmt.Sprintf(detail, n), Tokens: sum.total()})
		}
	}
	switch {
	case min(delta.in, delta.out, delta.read, delta.write) < 0 && max(delta.in, delta.out, delta.read, delta.write) > 0:
		// More of one class and less of another: none of these alone can do that.
	case delta.total() < 0:
		add("kept-after-deletion", "%d requests whose log is gone, or no longer holds them, are kept here", func(r *cellRequest) bool { return r.kept })
		add("sub-agents", "%d requests are those of sub-agents, which may be missing there", func(r *cellRequest) bool { return r.sub })
		add("aborted", "%d answers were broken off and count with what is known of them", func(r *cellRequest) bool { return r.aborted })
	default:
		add("copies", "%d requests lie in other logs too and may be counted again", func(r *cellRequest) bool { return r.copied })
	}
	return out
}

// ofCost explains a difference of cost between equal tokens.
func (d difference) ofCost() []Cause {
	if sameCost(d.ours.cost, d.theirs.cost) {
		return nil
	}
	recorded, unpriced, hours := 0, 0, int64(0)
	for i := range d.requests {
		r := &d.requests[i]
		hours += r.write1h
		if r.recorded {
			recorded++
		}
		if !r.priced && !r.zero() {
			unpriced++
		}
	}
	var out []Cause
	if unpriced > 0 {
		out = append(out, Cause{Cause: "unpriced-here", Certain: true, Detail: fmt.Sprintf("%d requests have no price here, so they have no cost", unpriced)})
	}
	if d.theirs.cost.OK && d.theirs.cost.Amount.IsZero() {
		return append(out, Cause{Cause: "unpriced-there", Detail: "they have no price for it"})
	}
	if recorded > 0 {
		out = append(out, Cause{Cause: "recorded-cost", Detail: fmt.Sprintf("%d requests have a cost that the harness recorded; it counts here", recorded)})
	}
	if hours > 0 {
		out = append(out, Cause{Cause: "one-hour-writes", Detail: "cache writes for an hour cost more than those for five minutes; they may all be priced as the latter there", Tokens: hours})
	}
	if len(out) == 0 {
		out = append(out, Cause{Cause: "price", Detail: "the tokens are equal: another price (table, tier, mode or day of a change)"})
	}
	return out
}

// sameCost tolerates a micro-USD: the other side adds floating-point numbers.
func sameCost(a, b meterbridge.NullPico) bool {
	if !b.OK || !a.OK {
		return a.OK == b.OK || (!a.OK && b.Amount.IsZero())
	}
	d := a.Amount.MicroUSD() - b.Amount.MicroUSD()
	return d >= -1 && d <= 1
}
