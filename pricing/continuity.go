package pricing

import (
	"cmp"
	"fmt"
	"strconv"
	"strings"
	"time"
)

// continues checks that next is a successor of active: not older, not gutted,
// without a vendor's rate that jumped. The two flags each waive one demand.
func (d *document) continues(next *document, o UpdateOptions) error {
	if !o.AllowOlder && (compareVersions(next.Version, d.Version) < 0 || next.AsOf < d.AsOf) {
		return fmt.Errorf("%w: %s of %s, active is %s of %s", ErrOlder, next.Version, next.AsOf, d.Version, d.AsOf)
	}
	kept, all := 0, 0
	var jump error
	d.eachPriced(func(p *provider, m *model) {
		all++
		other := next.modelOf(p, m)
		if other == nil || len(other.intervals) == 0 {
			return
		}
		kept++
		if p.kind == "vendor" && jump == nil {
			jump = jumped(p, m, other, o.Now)
		}
	})
	switch {
	case kept*2 < all:
		return fmt.Errorf("%w: %d of %d are left", ErrShrunk, kept, all)
	case jump != nil && !o.Force:
		return jump
	}
	return nil
}

func (d *document) eachPriced(f func(p *provider, m *model)) {
	for _, name := range d.names() {
		p := d.providers[name].open()
		for _, id := range sortedIDs(p) {
			if m := p.models[id]; len(m.intervals) > 0 {
				f(p, m)
			}
		}
	}
}

// modelOf is the model of the same provider and id; nil without one.
func (d *document) modelOf(p *provider, m *model) *model {
	other := d.providers[strings.ToLower(p.id)]
	if other == nil {
		return nil
	}
	return other.open().models[strings.ToLower(m.id)]
}

// jumped compares the rates that hold now. A price that falls to nothing is a
// jump; one that rises from nothing is the end of a free offer.
func jumped(p *provider, before, after *model, now time.Time) error {
	a, _, ok := intervalAt(before.intervals, now.Unix())
	b, _, ok2 := intervalAt(after.intervals, now.Unix())
	if !ok || !ok2 {
		return nil
	}
	for c := input; c <= output; c++ {
		was, is := a.base.pico[c], b.base.pico[c]
		if was > 0 && (is == 0 || is/maxJump > was || was/maxJump > is) {
			return fmt.Errorf("%w: %s of %s/%s from %s to %s per million", ErrJump, c, p.id, before.id, usdPerMillion(was), usdPerMillion(is))
		}
	}
	return nil
}

// compareVersions compares the numbers in two versions, in order; equal numbers
// leave the text to decide, the longer one being newer.
func compareVersions(a, b string) int {
	x, y := numbers(a), numbers(b)
	for i := range min(len(x), len(y)) {
		if c := cmp.Compare(x[i], y[i]); c != 0 {
			return c
		}
	}
	return cmp.Compare(len(x), len(y))
}

func numbers(version string) []int64 {
	var list []int64
	for _, field := range strings.FieldsFunc(version, func(r rune) bool { return r < '0' || r > '9' }) {
		n, err := strconv.ParseInt(field, 10, 64)
		if err != nil {
			n = never
		}
		list = append(list, n)
	}
	return list
}
