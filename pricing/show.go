package pricing

import (
	"fmt"
	"slices"
	"strings"
	"time"
)

// ShowAnswer is the answer of `pricing show MODEL`.
type ShowAnswer struct {
	SchemaVersion int       `json:"schemaVersion"`
	Model         string    `json:"model"`
	Provider      *string   `json:"provider"`
	At            time.Time `json:"at"`
	TableVersion  string    `json:"tableVersion"`
	// AsOf is the day of the table's newest source.
	AsOf string `json:"asOf"`
	// AgeDays is how old that was at the moment of the question.
	AgeDays int `json:"ageDays"`
	// Reason says why there is no price; null when there is one.
	Reason *string `json:"reason"`
	// Rows is one row for a named provider; without a provider, one for each
	// provider that sells exactly this id.
	Rows []ShownRate `json:"rows"`
}

// ShownRate is what a model costs at one provider at one time.
type ShownRate struct {
	MatchedRow
	Kind    string       `json:"kind"`
	Classes []ShownClass `json:"classes"`
	Tiers   []ShownPart  `json:"tiers"`
	Modes   []ShownPart  `json:"modes"`
	Windows []ShownPart  `json:"windows"`
	// Seen is the day on which the rate was last seen; null when not noted.
	Seen *string `json:"seen"`
}

// ShownPart is the price of a tier, a mode or a window.
type ShownPart struct {
	Name    string       `json:"name"`
	Classes []ShownClass `json:"classes"`
}

// ShownClass is the price of one token class.
type ShownClass struct {
	Class         string `json:"class"`
	USDPerMillion string `json:"usdPerMillion"`
	// Fallback: not given by the rate; another class stands in.
	Fallback bool `json:"fallback"`
}

// Show says what a model costs at a provider at a time, before any token is
// counted. An empty provider lists every provider that has exactly this id.
func (t *Table) Show(model, provider string, at, now time.Time) ShowAnswer {
	a := ShowAnswer{
		SchemaVersion: answerVersion, Model: model, Provider: optional(provider), At: at.UTC(),
		TableVersion: t.Version(), AsOf: t.head.AsOf, Rows: []ShownRate{},
	}
	if age := now.Sub(t.AsOf()); !t.AsOf().IsZero() && age > 0 {
		a.AgeDays = int(age / (24 * time.Hour))
	}
	if provider == "" {
		a.Rows = t.sellers(model, at)
	}
	if len(a.Rows) > 0 {
		return a
	}
	row, reason := t.shown(query{provider: provider, model: model}, at)
	if reason != "" {
		a.Reason = some(reason)
		return a
	}
	a.Rows = append(a.Rows, row)
	return a
}

// sellers are the rows of a model at every provider that has it by that name,
// makers first.
func (t *Table) sellers(model string, at time.Time) []ShownRate {
	d := t.open()
	rows := []ShownRate{}
	name := strings.ToLower(strings.TrimSpace(model))
	for _, id := range d.names() {
		if _, ok := d.providers[id].open().exact(name); !ok {
			continue
		}
		if row, reason := t.shown(query{provider: id, model: model}, at); reason == "" {
			rows = append(rows, row)
		}
	}
	slices.SortStableFunc(rows, func(a, b ShownRate) int { return rank(a.Kind) - rank(b.Kind) })
	return rows
}

func rank(kind string) int {
	return slices.Index([]string{kindUser, "vendor", "cloud", kindPlanMetered, kindPlan, "reseller"}, kind)
}

func (t *Table) shown(asked query, at time.Time) (ShownRate, string) {
	m := t.match(asked)
	if m.reason != "" {
		return ShownRate{}, m.reason
	}
	iv, early, ok := intervalAt(m.intervals, at.Unix())
	if !ok {
		return ShownRate{}, ReasonNotThen
	}
	q := quote{m: m, interval: iv, sheet: iv.sheet}
	q.mark(early || m.floating, estimated)
	q.mark(m.equivalent, listEquivalent)
	q.mark(t.unconfirmed(iv), estimated|scheduledRate)
	row := ShownRate{
		MatchedRow: *q.row(), Kind: t.open().providers[strings.ToLower(m.provider)].kind,
		Classes: shownSheet(iv.sheet), Seen: optional(iv.seen),
		Tiers: []ShownPart{}, Modes: []ShownPart{}, Windows: []ShownPart{},
	}
	if m.mode != "" {
		row.Variant = m.mode
	}
	row.addParts(iv)
	return row, ""
}

func (row *ShownRate) addParts(iv *interval) {
	for _, t := range iv.tiers {
		row.Tiers = append(row.Tiers, ShownPart{fmt.Sprintf("above %d", t.above), shownSheet(t.sheet)})
	}
	for _, m := range iv.modes {
		name := m.name
		if m.to != never {
			name += " until " + boundText(m.to)
		}
		row.Modes = append(row.Modes, ShownPart{name, shownSheet(m.sheet)})
	}
	for i := range iv.windows {
		row.Windows = append(row.Windows, ShownPart{iv.windows[i].String(), shownSheet(iv.windows[i].part.over(iv.base).settle())})
	}
}

// shownSheet lists all classes, reasoning only where it has its own price.
func shownSheet(s sheet) []ShownClass {
	var list []ShownClass
	for c := range class(classes) {
		if c != reasoning || s.given.has(c) {
			list = append(list, ShownClass{c.String(), usdPerMillion(s.pico[c]), !s.given.has(c)})
		}
	}
	return list
}
