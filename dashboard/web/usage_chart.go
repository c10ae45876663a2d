package web

import (
	"context"
	"time"

	"meterbridge"
	"meterbridge/analytics"
)

// chart is what the chart element draws: stacked columns at even distances.
type chart struct {
	// Unit is usd (micro), tokens or requests.
	Unit string `json:"unit"`
	// Labels are those of the columns, long ones Titles; Links lead on from each.
	Labels []string `json:"labels"`
	Titles []string `json:"titles"`
	Links  []string `json:"links"`
	// Totals are the rows' own figures, null where not reported.
	Totals []*int64 `json:"totals"`
	Series []series `json:"series"`
	// Partial tells of columns in which something has no price.
	Partial []bool `json:"partial"`
}

// series is one part of all columns.
type series struct {
	Name   string  `json:"name"`
	Colour int     `json:"colour"`
	Values []int64 `json:"values"`
}

// mostColumns bounds what is drawn; the newest are.
const mostColumns = 400

// addChart lays the rows out in time, with the gaps between them.
func (s *Site) addChart(ctx context.Context, page *usagePage) error {
	if !isTime(page.In.By) || len(page.Report.Rows) == 0 {
		return nil
	}
	c := &chart{Unit: map[string]string{"cost": "usd", "tokens": "tokens", "requests": "requests"}[page.In.Measure]}
	keys := page.columns(s.o.Now())
	at := map[string]int{}
	for i, key := range keys {
		at[key] = i
		row := usageRow{UsageRow: analytics.UsageRow{Key: key}}
		page.name(&row)
		c.Labels, c.Titles = append(c.Labels, page.tick(key)), append(c.Titles, row.Label+" "+row.Hint)
		c.Links = append(c.Links, row.Link)
	}
	c.Totals, c.Partial = make([]*int64, len(keys)), make([]bool, len(keys))
	for _, row := range page.Report.Rows {
		if i, ok := at[row.Key]; ok {
			c.Totals[i], c.Partial[i] = figure(row.Numbers, page.In.Measure), row.CostPartial
		}
	}
	page.Chart = c
	if page.In.Stack == "project" {
		return s.stackProjects(ctx, page, at)
	}
	page.stackBreakdown(at)
	return nil
}

func figure(n analytics.Numbers, measure string) *int64 {
	switch measure {
	case "tokens":
		return n.TotalTokens
	case "requests":
		return &n.Requests
	}
	return n.CostMicroUSD
}

// columns are the keys of all columns, empty ones too, up to now.
func (u *usagePage) columns(now time.Time) []string {
	zone := u.Stretch.Zone
	first := startOf(u.In.By, u.Report.Rows[0].Key, zone)
	last := startOf(u.In.By, u.Report.Rows[len(u.Report.Rows)-1].Key, zone)
	if since := u.Stretch.Since; !since.IsZero() && u.In.By != "week" && u.In.By != "month" {
		first = since.In(zone)
	}
	if until := u.Stretch.Until; !until.IsZero() && until.Add(-time.Millisecond).After(last) {
		last = until.Add(-time.Millisecond).In(zone)
	}
	if last.After(now) {
		last = now.In(zone)
	}
	var keys []string
	for at := first; !at.After(last) && len(keys) < 20*mostColumns; at = u.next(at) {
		keys = append(keys, u.key(at))
	}
	return keys[max(0, len(keys)-mostColumns):]
}

// next is the start of the column after.
func (u *usagePage) next(at time.Time) time.Time {
	zone := u.Stretch.Zone
	switch u.In.By {
	case "hour":
		return at.Add(time.Hour)
	case "week":
		return meterbridge.StartOfDay(at.Year(), at.Month(), at.Day()+7, zone)
	case "month":
		return meterbridge.StartOfDay(at.Year(), at.Month()+1, 1, zone)
	}
	return meterbridge.StartOfDay(at.Year(), at.Month(), at.Day()+1, zone)
}

// key is the key of a report's row that begins then.
func (u *usagePage) key(at time.Time) string {
	switch u.In.By {
	case "hour":
		return at.Format(time.RFC3339)
	case "month":
		return at.Format("2006-01")
	}
	return at.Format(dayLayout)
}

// tick is the short label below a column.
func (u *usagePage) tick(key string) string {
	at := startOf(u.In.By, key, u.Stretch.Zone)
	switch u.In.By {
	case "hour":
		return at.Format("15:04")
	case "month":
		return at.Format("Jan 06")
	}
	return at.Format("2 Jan")
}

// stackBreakdown sums the breakdown of each row by harness or model.
func (u *usagePage) stackBreakdown(at map[string]int) {
	of := map[string]int{}
	u.begin(of, func(p part) string { return p.Name })
	for _, row := range u.Report.Rows {
		i, ok := at[row.Key]
		if !ok {
			continue
		}
		for _, b := range row.Breakdown {
			name := b.Key
			if u.In.Stack == "harness" {
				name = *b.Harness
			}
			if name == "" {
				name = "not logged"
			}
			n, known := of[name]
			if !known {
				n = len(u.Chart.Series) - 1
			}
			u.Chart.Series[n].Values[i] += measured(b.Numbers, u.In.Measure)
		}
	}
}

// begin makes the empty series: one for each named part, and one for the rest.
func (u *usagePage) begin(of map[string]int, name func(part) string) {
	rest := false
	for _, p := range u.Parts {
		if p.Rest {
			rest = true
			continue
		}
		of[name(p)] = len(u.Chart.Series)
		u.Chart.Series = append(u.Chart.Series, series{Name: p.Name, Colour: p.Colour, Values: make([]int64, len(u.Chart.Labels))})
	}
	if rest || len(u.Chart.Series) == 0 {
		u.Chart.Series = append(u.Chart.Series, series{Name: "other", Values: make([]int64, len(u.Chart.Labels))})
	}
}

// stackProjects asks for each project by itself, for rows tell none apart; what
// they leave is the rest.
func (s *Site) stackProjects(ctx context.Context, page *usagePage, at map[string]int) error {
	of := map[string]int{}
	page.begin(of, func(p part) string { return p.Hint })
	left := make([]int64, len(page.Chart.Labels))
	for i, total := range page.Chart.Totals {
		if total != nil {
			left[i] = *total
		}
	}
	reports := make([]analytics.UsageReport, len(page.Chart.Series))
	var asks []func() error
	for project, n := range of {
		if project == "" {
			continue
		}
		in := page.In.Report
		in.Breakdown, in.Project = false, project
		asks = append(asks, func() (err error) {
			reports[n], err = s.report(ctx, in, page.In.By)
			return err
		})
	}
	if err := together(asks...); err != nil {
		return err
	}
	for n, r := range reports {
		for _, row := range r.Rows {
			if i, ok := at[row.Key]; ok {
				v := measured(row.Numbers, page.In.Measure)
				page.Chart.Series[n].Values[i] = v
				left[i] -= v
			}
		}
	}
	rest := len(page.Chart.Series) - 1
	if n, ok := of[""]; ok {
		rest = n
	} else if page.Chart.Series[rest].Name != "other" {
		return nil
	}
	for i, v := range left {
		page.Chart.Series[rest].Values[i] = max(0, v)
	}
	return nil
}
