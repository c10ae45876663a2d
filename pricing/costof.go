package pricing

import (
	"fmt"
	"strconv"
	"time"
)

// CostAnswer is the answer of `pricing cost`.
type CostAnswer struct {
	SchemaVersion int `json:"schemaVersion"`
	// CostMicroUSD is the exact sum rounded up once; null when no request has a cost.
	CostMicroUSD *int64 `json:"costMicroUsd"`
	// CostPartial is false when the cost is null.
	CostPartial bool  `json:"costPartial"`
	CostBasis   Basis `json:"costBasis"`
	// Arithmetic has one line for each request, and the sum when there are several.
	Arithmetic   []string      `json:"arithmetic"`
	Requests     []Explanation `json:"requests"`
	TableVersion string        `json:"tableVersion"`
}

// answerVersion is the schemaVersion of this package's JSON answers.
const answerVersion = 1

// CostOf prices given requests as one report would. now stands for times that
// are not given; defaultProvider for providers that are not.
func (t *Table) CostOf(requests []GivenRequest, choice Choice, defaultProvider string, now time.Time) (CostAnswer, error) {
	a := CostAnswer{SchemaVersion: answerVersion, Arithmetic: []string{}, Requests: []Explanation{}, TableVersion: t.Version()}
	var sum Sum
	for i := range requests {
		r, err := requests[i].Request(now)
		if err != nil {
			return CostAnswer{}, fmt.Errorf("request %d: %w", i+1, err)
		}
		price := t.Price(&r, defaultProvider)
		cost, basis := Choose(choice, r.Recorded, price)
		sum.Add(cost, basis, price.Paid)
		e := t.Explain(&r, defaultProvider)
		a.Requests = append(a.Requests, e)
		a.Arithmetic = append(a.Arithmetic, e.sentence(&r, cost, basis))
	}
	a.CostMicroUSD, a.CostPartial, a.CostBasis = sum.MicroUSD(), sum.Partial(), sum.Basis()
	if len(requests) > 1 && a.CostMicroUSD != nil {
		a.Arithmetic = append(a.Arithmetic, "sum = "+microText(sum.total)+", rounded up once: "+strconv.FormatInt(*a.CostMicroUSD, 10))
	}
	return a, nil
}
