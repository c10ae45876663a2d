package pricing

import (
	"math/big"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"meterbridge"
)

// priced are all rows that can be drawn: a provider with one of its ids or aliases.
func priced(t *Table) []place {
	var list []place
	for _, key := range t.open().names() {
		p := t.open().providers[key].open()
		if p.kind == kindLocal {
			continue
		}
		for _, id := range sortedIDs(p) {
			if len(p.models[id].intervals) > 0 {
				list = append(list, place{key, id})
			}
		}
		for _, alias := range sortedKeys(p.aliases) {
			if len(p.aliases[alias].intervals) > 0 {
				list = append(list, place{key, alias})
			}
		}
	}
	return list
}

func TestMatch_EveryNameMatchesItself(t *testing.T) {
	table := Embedded()
	for _, at := range priced(table) {
		p := table.open().providers[at.provider]
		want, _ := p.exact(at.model)
		for _, spelling := range []string{at.model, strings.ToUpper(at.model)} {
			got := table.resolve(query{provider: p.id, model: spelling})
			if got.reason != "" || got.provider != p.id || got.id != want.m.id {
				t.Errorf("input %s/%s: got %s/%s (%s), want %s", p.id, spelling, got.provider, got.id, got.reason, want.m.id)
			}
		}
	}
}

// Adding any letter to a priced name never gives a price, unless the table
// lists the result, or the letter makes one listed ending of another
// ("o3-mini-high" and "o3-mini-xhigh", both efforts of o3-mini).
func TestMatch_OneLetterMoreIsAnotherModel(t *testing.T) {
	table := Embedded()
	rows := priced(table)
	rapid.Check(t, func(t *rapid.T) {
		at := rapid.SampledFrom(rows).Draw(t, "row")
		cut := rapid.IntRange(0, len(at.model)).Draw(t, "place")
		letter := rapid.RuneFrom([]rune("abcdefghijklmnopqrstuvwxyz")).Draw(t, "letter")
		oneLetterMore(t, table, at, cut, letter)
	})
}

func TestMatch_OneLetterBehindIsAnotherModel(t *testing.T) {
	table := Embedded()
	for _, at := range priced(table) {
		for letter := 'a'; letter <= 'z'; letter++ {
			oneLetterMore(t, table, at, len(at.model), letter)
		}
	}
}

func oneLetterMore(t interface{ Errorf(string, ...any) }, table *Table, at place, cut int, letter rune) {
	name := at.model[:cut] + string(letter) + at.model[cut:]
	p := table.open().providers[at.provider]
	if _, listed := p.exact(name); listed {
		return
	}
	got := table.resolve(query{provider: p.id, model: name})
	ending := got.step == stepNeutral || got.step == stepEffort
	if got.reason == "" && !(ending && cut >= len(got.id) && strings.HasPrefix(at.model, strings.ToLower(got.id))) {
		t.Errorf("input %s/%s: got %s/%s by %s, want no price", p.id, name, got.provider, got.id, got.step)
	}
}

// The answer does not depend on the order in which a map was walked.
func TestMatch_IndependentOfMapOrder(t *testing.T) {
	a, b := Embedded(), Embedded()
	rows := priced(a)
	slices.Reverse(rows)
	for _, at := range rows {
		b.open().providers[at.provider].open()
	}
	rapid.Check(t, func(t *rapid.T) {
		at := rapid.SampledFrom(rows).Draw(t, "row")
		end := rapid.SampledFrom([]string{"", "[1m]", "-20260101", "-fast", "-high", "-thinking", "-mini"}).Draw(t, "ending")
		r := million(at.provider, at.model+end)
		if x, y := a.Price(r, ""), b.Price(r, ""); x != y {
			t.Errorf("input %s/%s%s: got %v and %v", at.provider, at.model, end, x, y)
		}
	})
}

// The fast arithmetic agrees with rationals, whatever the numbers.
func TestTokenCost_AgreesWithRationals(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var a amounts
		var s sheet
		want := new(big.Rat)
		for c := range a {
			a[c] = rapid.Int64Range(0, 1<<uint(rapid.IntRange(0, 62).Draw(t, "bits"))).Draw(t, "tokens")
			s.pico[c] = rapid.Int64Range(0, MaxPico).Draw(t, "price")
			want.Add(want, new(big.Rat).SetInt(new(big.Int).Mul(big.NewInt(a[c]), big.NewInt(s.pico[c]))))
		}
		f := Factor{rapid.Int64Range(1, 11_000).Draw(t, "num"), rapid.Int64Range(1, 2_000_000).Draw(t, "den")}
		want.Mul(want, big.NewRat(f.Num, f.Den))
		got, ok := tokenCost(&a, &s, f)
		up := new(big.Int).Add(want.Num(), new(big.Int).Sub(want.Denom(), big.NewInt(1)))
		up.Quo(up, want.Denom())
		if expected, fits := meterbridge.FromBig(up); fits != ok || fits && got != expected {
			t.Errorf("input %v × %v × %v: got %v %v, want %v", a, s.pico, f, got.Big(), ok, up)
		}
	})
}

// Intervals: at every moment from the first start on, exactly one holds.
func TestIntervals_OneAtATime(t *testing.T) {
	table := Embedded()
	rows := priced(table)
	rapid.Check(t, func(t *rapid.T) {
		at := rapid.SampledFrom(rows).Draw(t, "row")
		m := table.resolve(query{provider: at.provider, model: at.model})
		sec := rapid.Int64Range(1_600_000_000, 1_900_000_000).Draw(t, "moment")
		holding := 0
		for _, iv := range m.intervals {
			if iv.from <= sec && sec < iv.to {
				holding++
			}
		}
		iv, early, ok := intervalAt(m.intervals, sec)
		switch {
		case holding == 1 && ok && !early && iv.from <= sec && sec < iv.to:
		case holding == 0 && ok && early && iv == &m.intervals[0] && sec < iv.from:
		case holding == 0 && !ok && sec >= m.intervals[len(m.intervals)-1].to:
		default:
			t.Errorf("input %v at %v: %d hold, got early %v, ok %v", at, time.Unix(sec, 0), holding, early, ok)
		}
	})
}

// An override changes its own time and nothing else.
func TestOverlaid_KeepsTheRest(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var list []interval
		from := int64(always)
		for i := range rapid.IntRange(0, 4).Draw(t, "intervals") {
			to := int64(100 * (i + 1))
			list = append(list, interval{from: from, to: to, source: string(rune('a' + i))})
			from = to
		}
		list = append(list, interval{from: from, to: never, source: "z"})
		start := rapid.Int64Range(-10, 600).Draw(t, "from")
		top := interval{from: start, to: start + rapid.Int64Range(1, 600).Draw(t, "length"), source: "top"}
		got := overlaid(slices.Clone(list), top)
		if err := inOrder(got); err != nil {
			t.Fatalf("input %v over %v: %v", top, list, err)
		}
		for sec := int64(-20); sec < 1300; sec += 7 {
			want, _, _ := intervalAt(list, sec)
			is, _, _ := intervalAt(got, sec)
			if inside := sec >= top.from && sec < top.to; inside && is.source != "top" || !inside && is.source != want.source {
				t.Fatalf("input %v at %d: got %s, was %s", top, sec, is.source, want.source)
			}
		}
	})
}

// Many readers of one table get the same answers as one.
func TestPrice_Concurrent(t *testing.T) {
	shared, own := Embedded(), Embedded()
	rows := priced(own)
	for range 4 {
		t.Run("", func(t *testing.T) {
			t.Parallel()
			for i := range 500 {
				at := rows[i*13%len(rows)]
				r := million(at.provider, at.model)
				if got, want := shared.Price(r, ""), own.Price(r, ""); got != want {
					t.Errorf("input %v: got %v, want %v", at, got, want)
				}
			}
		})
	}
}
