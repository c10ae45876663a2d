package pricing

import (
	"maps"
	"reflect"
	"slices"
	"strings"
	"time"
)

// Change is a model whose rates differ between two tables.
type Change struct {
	Model string `json:"model"`
	// Before and After are the rates in force now, USD per million tokens as
	// input/output/cache read/cache write; "-" is not given. Both are equal when
	// only another interval, a tier or a mode changed.
	Before string `json:"before"`
	After  string `json:"after"`
}

// difference lists what is priced in one table and not in the other, as
// "provider/id", and what is priced differently.
func (d *document) difference(next *document, now time.Time) (added, removed []string, changed []Change) {
	added, removed, changed = []string{}, []string{}, []Change{}
	d.eachPriced(func(p *provider, m *model) {
		name := p.id + "/" + m.id
		other := next.modelOf(p, m)
		switch {
		case other == nil || len(other.intervals) == 0:
			removed = append(removed, name)
		case !sameRates(m.intervals, other.intervals):
			changed = append(changed, Change{name, rateText(m.intervals, now), rateText(other.intervals, now)})
		}
	})
	next.eachPriced(func(p *provider, m *model) {
		if other := d.modelOf(p, m); other == nil || len(other.intervals) == 0 {
			added = append(added, p.id+"/"+m.id)
		}
	})
	return added, removed, changed
}

// sameRates ignores where a rate was seen.
func sameRates(a, b []interval) bool {
	return slices.EqualFunc(a, b, func(x, y interval) bool {
		x.source, x.seen, y.source, y.seen = "", "", "", ""
		return reflect.DeepEqual(x, y)
	})
}

func rateText(list []interval, now time.Time) string {
	iv, _, ok := intervalAt(list, now.Unix())
	if !ok {
		return "none"
	}
	var parts []string
	for c := input; c <= cacheWrite5m; c++ {
		text := "-"
		if iv.base.given.has(c) {
			text = usdPerMillion(iv.base.pico[c])
		}
		parts = append(parts, text)
	}
	return strings.Join(parts, "/")
}

func sortedIDs(p *provider) []string { return slices.Sorted(maps.Keys(p.models)) }
