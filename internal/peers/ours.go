package main

import (
	"encoding/json"
	"fmt"
)

// ours is Meterbridge itself. Its cases' own steps have been run before it is asked.
type ours struct{ program string }

func (o ours) name() string { return "Meterbridge" }

func (o ours) priced() bool { return true }

func (o ours) ask(env []string, q query) (answer, error) {
	by := q.by
	if by == "" {
		by = "day"
	}
	report := map[string]string{"day": "daily", "week": "weekly", "month": "monthly", "model": "model", "harness": "harness"}[by]
	if report == "" {
		return nil, errNoReport
	}
	args := []string{"usage", report, "--json"}
	for _, f := range [][2]string{
		{"--timezone", q.zone}, {"--week-start", q.weekStart}, {"--since", q.since}, {"--until", q.until}, {"--session", q.session}, {"--cost", q.cost},
	} {
		if f[1] != "" {
			args = append(args, f[0], f[1])
		}
	}
	out, peak, err := output(env, o.program, args...)
	if err != nil {
		return nil, err
	}
	var r struct {
		Rows   []map[string]any
		Totals map[string]any
	}
	if err := json.Unmarshal(out, &r); err != nil {
		return nil, fmt.Errorf("report: %w", err)
	}
	a := answer{"": ourSums(r.Totals)}
	a[""].peakMiB = peak
	for _, row := range r.Rows {
		key, _ := row[by].(string)
		a[key] = ourSums(row)
	}
	return a, nil
}

func ourSums(row map[string]any) *sums {
	number := func(name string, absent int64) int64 {
		if n, ok := row[name].(float64); ok {
			return int64(n)
		}
		return absent
	}
	return &sums{
		input: number("inputTokens", 0), output: number("outputTokens", 0), cacheRead: number("cacheReadTokens", 0),
		cacheWrite: number("cacheWriteTokens", 0), reasoning: number("reasoningTokens", -1), microUSD: number("costMicroUsd", -1),
	}
}
