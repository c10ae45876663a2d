package web

import (
	"context"
	"net/http"
	"net/url"
	"slices"
	"strconv"

	"meterbridge/analytics"
	"meterbridge/dashboard/query"
)

// usageInput are the parameters of the usage page: those of the API's report, a
// preset of time, and what the chart shows.
type usageInput struct {
	query.Report
	By      string `query:"by" enum:"day,week,month,hour,session,project,model,harness,agent,block"`
	Range   string `query:"range" enum:"today,7d,30d,month,last-month,12m,all,custom"`
	Stack   string `query:"stack" enum:"harness,model,project" default:"harness"`
	Measure string `query:"measure" enum:"cost,tokens,requests" default:"cost"`
}

// usagePage is what the usage page shows.
type usagePage struct {
	In       usageInput
	Stretch  stretch
	Presets  []preset
	Report   analytics.UsageReport
	Rows     []usageRow
	Recorded analytics.Numbers
	List     analytics.Numbers
	// Before is nil where there is nothing to compare with.
	Before    *comparison
	Chart     *chart
	Parts     []part
	Choices   choices
	JSON, CSV string
	// Empty: nothing was ever read.
	Empty bool
	// recorded and list are the report with the other two costs.
	recorded, list analytics.UsageReport
}

// usageRow is a line of the table.
type usageRow struct {
	analytics.UsageRow
	Label, Hint string
	// Link leads to what the row is made of; empty where nothing is below it.
	Link string
	// Recorded and List are the two costs; nil is not reported.
	Recorded, List *int64
	// Share is the row's part of the greatest row, of 100.
	Share int
	// Sessions leads to the sessions behind it.
	Sessions string
	// Proof leads to the records that the figures are made of.
	Proof string
}

// usage makes the usage page.
func (s *Site) usage(ctx context.Context, r *http.Request, p prefs) (view, error) {
	page, err := s.usageOf(ctx, r.URL.Query(), p)
	if err != nil {
		return view{}, err
	}
	return view{Page: "usage", Title: "Usage", Nav: "/usage", Data: page}, nil
}

// readUsage reads the parameters and asks for the report itself.
func (s *Site) readUsage(ctx context.Context, values url.Values, p prefs) (*usagePage, error) {
	page := &usagePage{Presets: presets()}
	in := &page.In
	if err := query.Read(values, in); err != nil {
		return nil, err
	}
	var err error
	if page.Stretch, err = s.stretchOf(&in.Period, in.Range, "30d", p); err != nil {
		return nil, err
	}
	in.Range = page.Stretch.Name
	if in.By == "" {
		in.By = page.Stretch.usualKey()
	}
	in.Breakdown = isTime(in.By)
	page.Report, err = s.report(ctx, in.Report, in.By)
	return page, err
}

// report asks the ledger, as the API does.
func (s *Site) report(ctx context.Context, in query.Report, by string) (analytics.UsageReport, error) {
	q, err := in.Usage(by, s.meter.Period())
	if err != nil {
		return analytics.UsageReport{}, err
	}
	return s.meter.Usage(ctx, q)
}

func (s *Site) usageOf(ctx context.Context, values url.Values, p prefs) (*usagePage, error) {
	page, err := s.readUsage(ctx, values, p)
	if err != nil {
		return nil, err
	}
	if err := together(
		func() error { return s.addCosts(ctx, page) },
		func() error { return s.addBefore(ctx, page) },
		func() error { return s.addParts(ctx, page) },
		func() (err error) {
			page.Choices, err = s.offer(ctx)
			return err
		},
	); err != nil {
		return nil, err
	}
	page.nameRows()
	if err := s.addChart(ctx, page); err != nil {
		return nil, err
	}
	page.JSON, page.CSV = "/api/v1/usage?"+page.apiQuery().Encode(), "/usage.csv?"+page.query().Encode()
	page.Empty = page.Report.Totals.Requests == 0 && len(page.Choices.Harnesses) == 0
	return page, nil
}

// isTime reports whether a report's rows are stretches of time.
func isTime(by string) bool { return slices.Contains([]string{"day", "week", "month", "hour"}, by) }

// addCosts asks for the recorded and the list cost beside the chosen one.
func (s *Site) addCosts(ctx context.Context, page *usagePage) error {
	in := page.In.Report
	in.Breakdown = false
	return together(
		func() (err error) {
			in := in
			in.Cost = string(analytics.CostRecorded)
			page.recorded, err = s.report(ctx, in, page.In.By)
			return err
		},
		func() (err error) {
			in := in
			in.Cost = string(analytics.CostList)
			page.list, err = s.report(ctx, in, page.In.By)
			return err
		},
	)
}

// nameRows joins the reports of the three costs into the lines of the table.
func (u *usagePage) nameRows() {
	u.Recorded, u.List = u.recorded.Totals, u.list.Totals
	most := greatest(u.Report.Rows, u.In.Measure)
	recorded, list := costsOf(u.recorded), costsOf(u.list)
	for i := range u.Report.Rows {
		row := usageRow{UsageRow: u.Report.Rows[i]}
		key := rowKey(row.UsageRow)
		row.Recorded, row.List = recorded[key], list[key]
		if most > 0 {
			row.Share = int(measured(row.Numbers, u.In.Measure) * 100 / most)
		}
		u.name(&row)
		u.Rows = append(u.Rows, row)
	}
	if isTime(u.In.By) {
		slices.Reverse(u.Rows) // the newest first
	}
}

func rowKey(r analytics.UsageRow) string {
	if r.Harness != nil {
		return r.Key + "\x00" + *r.Harness
	}
	return r.Key
}

func costsOf(r analytics.UsageReport) map[string]*int64 {
	of := map[string]*int64{}
	for _, row := range r.Rows {
		of[rowKey(row)] = row.CostMicroUSD
	}
	return of
}

// measured is the figure that a measure names; not reported is 0 here, for lengths only.
func measured(n analytics.Numbers, measure string) int64 {
	v := n.CostMicroUSD
	switch measure {
	case "tokens":
		v = n.TotalTokens
	case "requests":
		v = &n.Requests
	}
	if v == nil {
		return 0
	}
	return *v
}

func greatest(rows []analytics.UsageRow, measure string) (most int64) {
	for _, r := range rows {
		most = max(most, measured(r.Numbers, measure))
	}
	return most
}

// query are the page's parameters, as its address has them.
func (u *usagePage) query() url.Values {
	v := url.Values{}
	in := u.In
	set := func(name, value, usual string) {
		if value != "" && value != usual {
			v.Set(name, value)
		}
	}
	if in.Range == "custom" {
		set("since", in.Since, "")
		set("until", in.Until, "")
	} else {
		set("range", in.Range, "")
	}
	set("by", in.By, "")
	set("stack", in.Stack, "harness")
	set("measure", in.Measure, "cost")
	set("harness", in.Harness, "")
	set("project", in.Project, "")
	set("model", in.Model, "")
	set("session", in.Session, "")
	set("cost", in.Cost, "auto")
	return v
}

// apiQuery are the parameters with which the API answers the same.
func (u *usagePage) apiQuery() url.Values {
	v := u.query()
	for _, name := range []string{"range", "stack", "measure"} {
		v.Del(name)
	}
	in := u.In
	for name, value := range map[string]string{"since": in.Since, "until": in.Until, "timezone": in.Timezone, "weekStart": in.WeekStart} {
		if value != "" {
			v.Set(name, value)
		}
	}
	if in.Last > 0 {
		v.Set("last", strconv.Itoa(in.Last))
	}
	return v
}

// MeasureName is what the chart shows.
func (u *usagePage) MeasureName() string {
	return map[string]string{"cost": "Cost", "tokens": "Tokens", "requests": "Requests"}[u.In.Measure]
}

// PerPrompt is the mean cost of a prompt; empty where it cannot be told.
func (u *usagePage) PerPrompt() string {
	t := u.Report.Totals
	if t.Prompts == nil || *t.Prompts == 0 || t.CostMicroUSD == nil {
		return ""
	}
	return usd(*t.CostMicroUSD / *t.Prompts) + " each"
}

// With is the page's address with other values; an empty one is left out.
func (u *usagePage) With(pairs ...string) string {
	v := u.query()
	for i := 0; i+1 < len(pairs); i += 2 {
		if pairs[i+1] == "" {
			v.Del(pairs[i])
			continue
		}
		v.Set(pairs[i], pairs[i+1])
	}
	if v.Get("range") != "custom" && v.Has("range") && v.Has("since") {
		v.Del("since")
		v.Del("until")
	}
	return "/usage?" + v.Encode()
}
