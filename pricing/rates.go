package pricing

import (
	"iter"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"
)

// Rate is one row of the price_rate table: what one token class costs.
type Rate struct {
	Provider, Model string
	// From is inclusive, To exclusive; zero is open.
	From, To time.Time
	// TierAbove is the prompt size above which the row holds, 0 for the base.
	TierAbove int64
	// Mode is empty for the standard mode. Window is empty for the whole day,
	// else "HH:MM-HH:MM,... days 12345" in UTC, 1 = Monday.
	Mode, Window string
	// Class is "input", "output", "cache_read", "cache_write_5m", "cache_write_1h" or "reasoning".
	Class string
	// PicoPerToken is in pico-USD per token.
	PicoPerToken int64
	// Source is the table's tag of where the rate comes from; "user" for overrides.
	Source string
}

// Rates yields every given class of every rate, providers and models in order.
func (t *Table) Rates(yield func(Rate) bool) {
	d := t.open()
	for _, name := range slices.Sorted(maps.Keys(d.providers)) {
		p := d.providers[name].open()
		for _, id := range slices.Sorted(maps.Keys(p.models)) {
			for r := range p.models[id].rates(p.id) {
				if !yield(r) {
					return
				}
			}
		}
	}
}

func (m *model) rates(provider string) iter.Seq[Rate] {
	return func(yield func(Rate) bool) {
		for i := range m.intervals {
			iv := &m.intervals[i]
			r := Rate{Provider: provider, Model: m.id, From: instant(iv.from), To: instant(iv.to), Source: iv.source}
			for _, part := range iv.parts(r) {
				if !yield(part) {
					return
				}
			}
		}
	}
}

// parts are the rows of one interval; like holds what they have in common.
func (iv *interval) parts(like Rate) []Rate {
	rows := iv.base.rows(nil, like)
	for _, t := range iv.tiers {
		r := like
		r.TierAbove = t.above
		rows = t.part.rows(rows, r)
	}
	for _, m := range iv.modes {
		r := like
		r.Mode = m.name
		if m.to < iv.to {
			r.To = instant(m.to)
		}
		rows = m.part.rows(rows, r)
	}
	for i := range iv.windows {
		r := like
		r.Window = iv.windows[i].String()
		rows = iv.windows[i].part.rows(rows, r)
	}
	return rows
}

func (p partial) rows(rows []Rate, like Rate) []Rate {
	for c := range class(classes) {
		if p.given.has(c) {
			like.Class, like.PicoPerToken = c.String(), p.pico[c]
			rows = append(rows, like)
		}
	}
	return rows
}

func (w *window) String() string {
	var b strings.Builder
	for i, r := range w.minutes {
		if i > 0 {
			b.WriteByte(',')
		}
		b.WriteString(clock(r[0]) + "-" + clock(r[1]))
	}
	if w.days != 0 {
		b.WriteString(" days ")
		for day := 1; day <= 7; day++ {
			if w.days&(1<<(day%7)) != 0 {
				b.WriteString(strconv.Itoa(day))
			}
		}
	}
	return b.String()
}

func clock(minute int) string {
	text := strconv.Itoa(100*(minute/60) + minute%60)
	text = strings.Repeat("0", 4-len(text)) + text
	return text[:2] + ":" + text[2:]
}

// instant is a bound as a time; zero when open.
func instant(sec int64) time.Time {
	if sec == always || sec == never {
		return time.Time{}
	}
	return time.Unix(sec, 0).UTC()
}
