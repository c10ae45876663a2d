package pricing

import (
	"math/big"
	"strconv"
	"strings"
	"time"

	"meterbridge"
)

// Explanation is every factor of one request's list price, for `pricing explain`.
type Explanation struct {
	// Provider and Model are as logged; At chose the price.
	Provider     string    `json:"provider"`
	Model        string    `json:"model"`
	At           time.Time `json:"at"`
	TableVersion string    `json:"tableVersion"`
	Paid         bool      `json:"paid"`
	// Reason says why there is no list price; null when there is one.
	Reason *string `json:"reason"`
	// Matched is the row that holds; null without one.
	Matched *MatchedRow `json:"matched"`
	// Lines are the terms of the sum. Their order is that of the classes.
	Lines []Line `json:"lines"`
	// Factors multiply the token classes, never the fees.
	Factors []NamedFactor `json:"factors"`
	// FeeUSD is the price of server tools, exact; null without any.
	FeeUSD *string `json:"feeUsd"`
	// ListUSD is the exact list price as decimal text; null when unpriced.
	ListUSD     *string `json:"listUsd"`
	RecordedUSD *string `json:"recordedUsd"`
	// CostMicroUSD is the cost of --cost auto, rounded up; null without one.
	CostMicroUSD *int64 `json:"costMicroUsd"`
	CostBasis    Basis  `json:"costBasis"`
	PriceKey     string `json:"priceKey"`
	// Arithmetic is the sum in one line: tokens × USD per million = micro-USD.
	Arithmetic string `json:"arithmetic"`
}

// MatchedRow is the row of the table that a request is priced with.
type MatchedRow struct {
	Provider string `json:"provider"`
	ID       string `json:"id"`
	// Step is the edit of the name that led to it.
	Step string `json:"step"`
	// From is inclusive, To exclusive; null is open.
	From    *string  `json:"from"`
	To      *string  `json:"to"`
	Variant string   `json:"variant"`
	Flags   []string `json:"flags"`
	Source  string   `json:"source"`
}

// Line is one term of a cost.
type Line struct {
	Class         string `json:"class"`
	Tokens        int64  `json:"tokens"`
	USDPerMillion string `json:"usdPerMillion"`
	// Fallback: the rate does not give the class; the next dearer one stands in.
	Fallback bool `json:"fallback"`
}

// NamedFactor is a multiplier and what it is for.
type NamedFactor struct {
	Name  string `json:"name"`
	Value string `json:"value"`
}

// Explain says how the price of r comes about. It asks the same resolver as
// Price does, so both always agree.
func (t *Table) Explain(r *meterbridge.Request, defaultProvider string) Explanation {
	e := Explanation{
		Provider: r.Provider, Model: r.Model, At: r.PricedAt().UTC(), TableVersion: t.Version(),
		Lines: []Line{}, Factors: []NamedFactor{}, Paid: Paid(r),
	}
	price := t.Price(r, defaultProvider)
	e.PriceKey = price.Key
	if r.Recorded.OK {
		e.RecordedUSD = some(r.Recorded.Amount.String())
	}
	cost, basis := Choose(Auto, r.Recorded, price)
	e.CostBasis = basis
	if cost.OK {
		e.CostMicroUSD = some(cost.Amount.MicroUSD())
	}
	if price.Paid {
		e.addList(t, r, defaultProvider, price)
	}
	e.Arithmetic = e.sentence(r, cost, basis)
	return e
}

func (e *Explanation) addList(t *Table, r *meterbridge.Request, defaultProvider string, price Price) {
	if !price.List.OK {
		e.Reason = some(strings.TrimPrefix(price.Key, unpricedPrefix))
		return
	}
	q := t.quote(r, defaultProvider)
	_, a, _ := q.cost(r)
	e.ListUSD = some(price.List.Amount.String())
	e.Matched = q.row()
	for c := range class(classes) {
		if a[c] > 0 {
			e.Lines = append(e.Lines, Line{c.String(), a[c], usdPerMillion(q.sheet.pico[c]), c != reasoning && !q.sheet.given.has(c)})
		}
	}
	e.Factors = q.namedFactors(r)
	if fee, _ := q.m.fee(r); r.WebSearches.N > 0 {
		e.FeeUSD = some(fee.String())
	}
}

func (q *quote) row() *MatchedRow {
	row := &MatchedRow{
		Provider: q.m.provider, ID: q.m.id, Step: q.m.step,
		Variant: q.variantText(), Source: q.interval.source, Flags: []string{},
		From: optional(boundText(q.interval.from)), To: optional(boundText(q.interval.to)),
	}
	if flags := q.variant.flags.String(); flags != "" {
		row.Flags = strings.Split(flags, ",")
	}
	return row
}

func (q *quote) namedFactors(r *meterbridge.Request) []NamedFactor {
	list := []NamedFactor{}
	switch q.variant.half {
	case halfBatch:
		list = append(list, NamedFactor{"batch", "1/2"})
	case halfFlex:
		list = append(list, NamedFactor{"flex", "1/2"})
	}
	if q.variant.geo {
		list = append(list, NamedFactor{"geography", q.m.modifiers.geo[strings.ToLower(strings.TrimSpace(r.Geo))].String()})
	}
	if q.m.user.Den != 0 {
		list = append(list, NamedFactor{"user", q.m.user.String()})
	}
	return list
}

// sentence is the arithmetic in one line.
func (e *Explanation) sentence(r *meterbridge.Request, cost meterbridge.NullPico, basis Basis) string {
	name := r.Model
	switch {
	case !e.Paid:
		return name + ": no tokens and no fee, so neither priced nor unpriced"
	case basis == BasisRecorded:
		return name + ": recorded $" + cost.Amount.String() + " = " + microText(cost.Amount)
	case e.Reason != nil:
		return name + ": no price (" + *e.Reason + ")"
	case !cost.OK:
		return name + ": no recorded cost"
	}
	var factors strings.Builder
	for _, f := range e.Factors {
		factors.WriteString(" × " + f.Value)
	}
	var terms []string
	for _, l := range e.Lines {
		terms = append(terms, strconv.FormatInt(l.Tokens, 10)+" "+l.Class+" × "+l.USDPerMillion+factors.String())
	}
	if e.FeeUSD != nil {
		terms = append(terms, strconv.FormatInt(r.WebSearches.N, 10)+" searches = $"+*e.FeeUSD)
	}
	return e.Matched.Provider + "/" + e.Matched.ID + ": " + strings.Join(terms, " + ") + " = " + microText(cost.Amount)
}

// microText is an amount in micro-USD with its decimals.
func microText(p meterbridge.PicoUSD) string {
	return trimDecimal(new(big.Rat).SetFrac(p.Big(), big.NewInt(meterbridge.PicosPerMicro)))
}

func some[T any](v T) *T { return &v }

// optional is nil for an empty text.
func optional(text string) *string {
	if text == "" {
		return nil
	}
	return &text
}
