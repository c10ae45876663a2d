package fleet

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"time"

	"meterbridge/analytics"
)

// summary is what all harnesses spent in a period.
type summary struct {
	Period            string       `json:"period"`
	From              time.Time    `json:"from"`
	To                time.Time    `json:"to"`
	Rows              []summaryRow `json:"rows"`
	TotalCostMicroUSD *int64       `json:"totalCostMicroUsd"`
	Partial           bool         `json:"partial"`
}

// summaryRow is what one harness spent on one model.
type summaryRow struct {
	Harness          string  `json:"harness"`
	Model            *string `json:"model,omitempty"`
	Requests         int64   `json:"requests"`
	InputTokens      *int64  `json:"inputTokens"`
	OutputTokens     *int64  `json:"outputTokens"`
	ReasoningTokens  *int64  `json:"reasoningTokens"`
	CacheReadTokens  *int64  `json:"cacheReadTokens"`
	CacheWriteTokens *int64  `json:"cacheWriteTokens"`
	TotalTokens      *int64  `json:"totalTokens"`
	CostMicroUSD     *int64  `json:"costMicroUsd"`
	CostPartial      bool    `json:"costPartial"`
}

// Summary implements bridge.Usage: from the local midnight of today, of 6 or of 29
// days before.
func (p Ports) Summary(ctx context.Context, period string) (json.RawMessage, error) {
	days, ok := map[string]int{"today": 0, "7d": 6, "30d": 29}[period]
	if !ok {
		return nil, fmt.Errorf("%q is no period: today, 7d or 30d", period)
	}
	zone := p.f.o.Zone
	if zone == nil {
		zone = time.Local
	}
	now := p.f.o.Now().In(zone)
	y, m, d := now.Date()
	s := summary{Period: period, From: time.Date(y, m, d-days, 0, 0, 0, 0, zone), To: now, Rows: []summaryRow{}}
	r, err := p.f.o.Ledger.Usage(ctx, analytics.UsageQuery{
		By: "harness", Breakdown: true, Zone: zone, WeekStart: time.Monday, Cost: "auto", Filter: analytics.Filter{Since: s.From, Until: s.To},
	})
	if err != nil {
		return nil, err
	}
	s.TotalCostMicroUSD, s.Partial = r.Totals.CostMicroUSD, r.Totals.CostPartial
	for _, row := range r.Rows {
		for _, b := range row.Breakdown {
			s.Rows = append(s.Rows, summaryRowOf(b))
		}
	}
	slices.SortStableFunc(s.Rows, func(a, b summaryRow) int {
		if c := compare(b.CostMicroUSD, a.CostMicroUSD); c != 0 {
			return c
		}
		return compare(b.TotalTokens, a.TotalTokens)
	})
	return json.Marshal(s)
}

// compare orders amounts; what is not known comes before all others.
func compare(a, b *int64) int {
	switch {
	case a == nil && b == nil:
		return 0
	case a == nil:
		return -1
	case b == nil:
		return 1
	}
	return int(max(-1, min(1, *a-*b)))
}

// summaryRowOf is a row of a breakdown, whose key is the model.
func summaryRowOf(b analytics.UsageRow) summaryRow {
	row := summaryRow{
		Requests: b.Requests, InputTokens: b.InputTokens, OutputTokens: b.OutputTokens, ReasoningTokens: b.ReasoningTokens,
		CacheReadTokens: b.CacheReadTokens, CacheWriteTokens: b.CacheWriteTokens, TotalTokens: b.TotalTokens,
		CostMicroUSD: b.CostMicroUSD, CostPartial: b.CostPartial,
	}
	if b.Harness != nil {
		row.Harness = *b.Harness
	}
	if b.Key != "" {
		row.Model = &b.Key
	}
	return row
}
