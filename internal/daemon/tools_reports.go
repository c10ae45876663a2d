package daemon

import (
	"context"
	"fmt"
	"time"
)

// rowsShown is how many rows a usage report lists unless told otherwise.
const rowsShown = 50

type usageIn struct {
	periodIn
	By        string `json:"by"`
	Harness   string `json:"harness"`
	Project   string `json:"project"`
	Model     string `json:"model"`
	Session   string `json:"session"`
	Cost      string `json:"cost"`
	Breakdown bool   `json:"breakdown"`
	Last      int    `json:"last"`
}

func (t *meterTools) usage(ctx context.Context, m *Meter, in usageIn) (toolReply, error) {
	p, err := in.resolve(m)
	if err != nil {
		return toolReply{}, err
	}
	if err := isHarness(in.Harness); err != nil {
		return toolReply{}, err
	}
	if in.By == "" {
		in.By = "day"
	}
	r, err := m.Usage(ctx, UsageQuery{
		By: in.By,
		Filter: Filter{
			Since: p.Since, Until: p.Until, Harness: in.Harness, Project: in.Project, Model: in.Model, Session: in.Session,
		},
		SinceText: in.Since, UntilText: in.Until, Zone: p.Zone, WeekStart: p.WeekStart,
		Cost: CostMode(in.Cost), Breakdown: in.Breakdown, Last: in.Last,
	})
	if err != nil {
		return toolReply{}, err
	}
	most := rowsShown
	if in.Last > 0 {
		most = in.Last
	}
	return toolReply{
		most: most,
		text: fmt.Sprintf("%d rows by %s (%s): %d requests, %s, %s.", len(r.Rows), r.By, r.Timezone, r.Totals.Requests,
			tokens(r.Totals.TotalTokens), usd(r.Totals.CostMicroUSD, r.Totals.CostPartial)),
		build: func(most int) (any, leftOut) {
			var left leftOut
			shown := r
			shown.Rows = newest(&left, "rows (the totals are of all of them)", r.Rows, most)
			return shown, left
		},
	}, nil
}

type timelineIn struct {
	periodIn
	Session string `json:"session"`
	Last    int    `json:"last"`
}

// requestsShown is how many requests a timeline lists unless told otherwise.
const requestsShown = 100

func (t *meterTools) timeline(ctx context.Context, m *Meter, in timelineIn) (toolReply, error) {
	p, err := in.resolve(m)
	if err != nil {
		return toolReply{}, err
	}
	r, err := m.Timeline(ctx, in.Session, p.Since, p.Until)
	if err != nil {
		return toolReply{}, err
	}
	most := requestsShown
	if in.Last > 0 {
		most = in.Last
	}
	return toolReply{
		most: most,
		text: fmt.Sprintf("%s session %s: %d requests, %d turns, %d tool calls.", r.Harness, r.Session, len(r.Requests), len(r.Turns), len(r.ToolCalls)),
		build: func(most int) (any, leftOut) {
			var left leftOut
			shown := r
			shown.Requests = newest(&left, "requests", r.Requests, most)
			shown.Turns = newest(&left, "turns", r.Turns, most)
			shown.ToolCalls = newest(&left, "tool calls", r.ToolCalls, most)
			shown.Statuses = newest(&left, "statuses", r.Statuses, most)
			shown.Truncated = r.Truncated || len(left) > 0
			return shown, left
		},
	}, nil
}

type explainIn struct {
	Session  string `json:"session"`
	Day      string `json:"day"`
	Timezone string `json:"timezone"`
	Last     int    `json:"last"`
}

// recordsShown is how many records an explanation lists unless told otherwise.
const recordsShown = 50

func (t *meterTools) explain(ctx context.Context, m *Meter, in explainIn) (toolReply, error) {
	p, err := periodIn{Timezone: in.Timezone}.resolve(m)
	if err != nil {
		return toolReply{}, err
	}
	what := in.Session
	switch {
	case (in.Session == "") == (in.Day == ""):
		return toolReply{}, invalid("give either session or day")
	case in.Day != "":
		if _, err := time.Parse(time.DateOnly, in.Day); err != nil {
			return toolReply{}, invalid("`/day`: use a day such as 2026-11-29")
		}
		what = in.Day
	}
	r, err := m.Explain(ctx, what, p.Zone)
	if err != nil {
		return toolReply{}, err
	}
	most := recordsShown
	if in.Last > 0 {
		most = in.Last
	}
	verdict := "adds up to what reports show"
	if !r.AddsUp {
		verdict = "does NOT add up to what reports show"
	}
	return toolReply{
		most: most,
		text: fmt.Sprintf("%d records with usage: %d requests count, which %s (%d requests, %s, %s).", len(r.Records), r.Explained.Requests, verdict,
			r.Reported.Requests, tokens(r.Reported.TotalTokens), usd(r.Reported.CostMicroUSD, r.Reported.CostPartial)),
		build: func(most int) (any, leftOut) {
			var left leftOut
			shown := r
			shown.Records = newest(&left, "records", r.Records, most)
			shown.Kept = newest(&left, "kept rows", r.Kept, most)
			shown.Sources = newest(&left, "logs", r.Sources, most)
			return shown, left
		},
	}, nil
}
