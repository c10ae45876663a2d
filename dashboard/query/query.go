// Package query is how questions are asked over HTTP, once for the API and for
// the pages: the parameters, what they mean, and how a question that cannot be
// answered is told. It imports of the project the domain, analytics and
// dashboard/problem; dashboard/api and dashboard/web call it.
package query

import (
	"meterbridge"
	"meterbridge/analytics"
)

// Period are the parameters that choose a stretch of time and its zone.
type Period struct {
	Since     string `query:"since" maxLength:"64" doc:"First day (2026-11-29) or instant (RFC 3339), inclusive." example:"2026-11-29"`
	Until     string `query:"until" maxLength:"64" doc:"Last day, inclusive, or instant."`
	Timezone  string `query:"timezone" maxLength:"64" doc:"IANA time zone in which days are formed (default: that of the configuration, else the system's)." example:"Europe/Berlin"`
	WeekStart string `query:"weekStart" maxLength:"16" doc:"First day of a week (default: monday)."`
}

// Resolve reads the period; the error is a *meterbridge.PeriodError.
func (p Period) Resolve(defaults meterbridge.Period) (meterbridge.Period, error) {
	text := meterbridge.PeriodText{Since: p.Since, Until: p.Until, Zone: p.Timezone, WeekStart: p.WeekStart}
	return text.Resolve(defaults)
}

// Filter are the parameters that narrow a report.
type Filter struct {
	Harness string `query:"harness" maxLength:"100" doc:"Only this harness (an id of harnesses)."`
	Project string `query:"project" maxLength:"4096" doc:"Only this project (its working directory)."`
	Model   string `query:"model" maxLength:"400" doc:"Only this model."`
	Session string `query:"session" maxLength:"4096" doc:"Only this session and its sub-agents: an id, a unique beginning of one, or HARNESS:ID."`
}

// Report are the flags of a usage report, but for its name.
type Report struct {
	Period
	Filter
	Cost      string `query:"cost" enum:"auto,recorded,list" default:"auto" doc:"auto is the recorded cost, else the list price."`
	Breakdown bool   `query:"breakdown" doc:"Add rows by harness and model."`
	Last      int    `query:"last" minimum:"0" maximum:"1000000" doc:"Keep the newest N rows; 0 keeps all."`
}

// Usage is the report as the ledger is asked for it; the error is a
// *meterbridge.PeriodError.
func (r Report) Usage(by string, defaults meterbridge.Period) (analytics.UsageQuery, error) {
	p, err := r.Resolve(defaults)
	return analytics.UsageQuery{
		By: by,
		Filter: analytics.Filter{
			Since: p.Since, Until: p.Until, Harness: r.Harness, Project: r.Project, Model: r.Model, Session: r.Session,
		},
		SinceText: r.Since, UntilText: r.Until, Zone: p.Zone, WeekStart: p.WeekStart,
		Cost: analytics.CostMode(r.Cost), Breakdown: r.Breakdown, Last: r.Last,
	}, err
}
