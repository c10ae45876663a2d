package web

import (
	"cmp"
	"context"
	"encoding/csv"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"meterbridge/analytics"
)

// comparison is the stretch before.
type comparison struct {
	Text string
	analytics.Numbers
	// Cost, Tokens and Requests are the changes; nil where nothing can be told.
	Cost, Tokens, Requests *change
}

// change is how a figure went.
type change struct {
	// Ratio of the difference to the figure before.
	Ratio float64
	Up    bool
	Flat  bool
}

// Text is the change with a sign.
func (c *change) Text() string {
	switch {
	case c.Flat:
		return "no change"
	case c.Ratio >= 3:
		return strconv.FormatFloat(c.Ratio+1, 'f', 1, 64) + "×"
	case c.Up:
		return "+" + percent(c.Ratio)
	}
	return "−" + percent(-c.Ratio)
}

func changed(now, then *int64) *change {
	if now == nil || then == nil || *then == 0 {
		return nil
	}
	ratio := float64(*now-*then) / float64(*then)
	return &change{Ratio: ratio, Up: ratio > 0, Flat: ratio < 0.0005 && ratio > -0.0005}
}

// addBefore asks for the stretch before.
func (s *Site) addBefore(ctx context.Context, page *usagePage) error {
	since, until, text, ok := page.Stretch.before(s.o.Now())
	if !ok {
		return nil
	}
	in := page.In.Report
	in.Breakdown = false
	q, err := in.Usage("harness", s.meter.Period())
	if err != nil {
		return err
	}
	q.Since, q.Until = since, until
	r, err := s.meter.Usage(ctx, q)
	if err != nil {
		return err
	}
	now := page.Report.Totals
	page.Before = &comparison{
		Text: text, Numbers: r.Totals, Cost: changed(now.CostMicroUSD, r.Totals.CostMicroUSD),
		Tokens: changed(now.TotalTokens, r.Totals.TotalTokens), Requests: changed(&now.Requests, &r.Totals.Requests),
	}
	return nil
}

// part is one of the parts that the chart stacks.
type part struct {
	Name, Hint string
	Link       string
	// Colour is the number of its colour; the rest has none of its own.
	Colour int
	Rest   bool
	analytics.Numbers
	Share float64
}

// Width is the length of the part's bar, of 100.
func (p part) Width() int { return int(p.Share*100 + 0.5) }

// mostParts are stacked by name; what remains is one more.
const mostParts = 7

// addParts asks for the sums by what is stacked.
func (s *Site) addParts(ctx context.Context, page *usagePage) error {
	in := page.In.Report
	in.Breakdown = false
	r, err := s.report(ctx, in, page.In.Stack)
	if err != nil {
		return err
	}
	rows := r.Rows
	slices.SortStableFunc(rows, func(a, b analytics.UsageRow) int {
		return cmp.Compare(measured(b.Numbers, page.In.Measure), measured(a.Numbers, page.In.Measure))
	})
	total := measured(r.Totals, page.In.Measure)
	for i, row := range rows {
		p := part{Name: row.Key, Colour: i + 1, Numbers: row.Numbers, Link: page.narrowed(page.In.Stack, row.Key)}
		if page.In.Stack == "project" {
			p.Name, p.Hint = lastOf(row.Key), row.Key
		}
		if row.Key == "" {
			p.Name = "not logged"
		}
		if i >= mostParts {
			p.Rest = true
			p.Colour = 0
		}
		if total > 0 {
			p.Share = float64(measured(row.Numbers, page.In.Measure)) / float64(total)
		}
		page.Parts = append(page.Parts, p)
	}
	return nil
}

// usageCSV sends the table as CSV; null is an empty field.
func (s *Site) usageCSV(w http.ResponseWriter, r *http.Request) {
	page, err := s.readUsage(r.Context(), r.URL.Query(), readPrefs(r))
	if err != nil {
		s.fail(w, r, err)
		return
	}
	w.Header().Set("Content-Type", "text/csv; charset=utf-8")
	w.Header().Set("Content-Disposition", `attachment; filename="usage-by-`+page.In.By+`.csv"`)
	out := csv.NewWriter(w)
	_ = out.Write([]string{
		page.In.By, "harness", "requests", "prompts", "inputTokens", "outputTokens", "reasoningTokens", "cacheReadTokens",
		"cacheWriteTokens", "totalTokens", "costMicroUsd", "costPartial", "costBasis", "models", "unpricedModels",
	})
	for _, row := range page.Report.Rows {
		_ = out.Write(csvLine(row))
	}
	out.Flush()
}

func csvLine(row analytics.UsageRow) []string {
	digits := func(n *int64) string {
		if n == nil {
			return ""
		}
		return strconv.FormatInt(*n, 10)
	}
	harness := ""
	if row.Harness != nil {
		harness = *row.Harness
	}
	line := []string{harmless(row.Key), harness}
	for _, n := range []*int64{
		&row.Requests, row.Prompts, row.InputTokens, row.OutputTokens, row.ReasoningTokens, row.CacheReadTokens,
		row.CacheWriteTokens, row.TotalTokens, row.CostMicroUSD,
	} {
		line = append(line, digits(n))
	}
	return append(line, strconv.FormatBool(row.CostPartial), row.CostBasis,
		harmless(strings.Join(row.Models, " ")), harmless(strings.Join(row.UnpricedModels, " ")))
}

// harmless keeps a spreadsheet from taking a text for a formula.
func harmless(text string) string {
	if text != "" && strings.ContainsRune("=+-@\t\r", rune(text[0])) {
		return "'" + text
	}
	return text
}
