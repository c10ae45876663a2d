package web

import (
	"context"
	"net/http"
	"net/url"
	"strconv"
	"time"

	"meterbridge"
	"meterbridge/analytics"
	"meterbridge/dashboard/query"
)

// explainInput are the parameters of an explanation.
type explainInput struct {
	query.Period
	Verdict string `query:"verdict" maxLength:"40"`
	From    int    `query:"from" minimum:"0" maximum:"100000000"`
}

// explainPage lists the records behind a number.
type explainPage struct {
	analytics.ExplainReport
	In   explainInput
	What string
	Zone *time.Location
	// Shown are the records of this page, Total those of the verdict.
	Shown    []analytics.ExplainRecord
	Total    int
	Verdicts []verdictCount
	Older    string
	JSON     string
	// Session leads to the session's page; empty for a day.
	Session string
}

// verdictCount is how many records met with a verdict.
type verdictCount struct {
	Verdict string
	Count   int
	Link    string
}

// recordsShown are on one page.
const recordsShown = 100

// explain makes the page that tells where a number comes from.
func (s *Site) explain(ctx context.Context, r *http.Request, p prefs) (view, error) {
	page := &explainPage{What: r.PathValue("what"), Zone: s.zoneOf(p)}
	if err := query.Read(r.URL.Query(), &page.In); err != nil {
		return view{}, err
	}
	var err error
	if page.ExplainReport, err = s.meter.Explain(ctx, page.What, page.Zone); err != nil {
		return view{}, err
	}
	page.choose()
	page.JSON = "/api/v1/sessions/" + url.PathEscape(page.What) + "/explain"
	if page.ExplainReport.Session != nil && page.Harness != nil {
		page.Session = sessionPath(*page.Harness, *page.ExplainReport.Session)
	}
	return view{Page: "explain", Title: "Where it comes from", Nav: "/sessions", Data: page}, nil
}

// choose takes the records of this page.
func (p *explainPage) choose() {
	path := "/explain/" + url.PathEscape(p.What)
	for _, v := range []meterbridge.Verdict{meterbridge.Counted, meterbridge.Merged, meterbridge.Dropped, analytics.Pending} {
		if n := p.Counts[string(v)]; n > 0 {
			p.Verdicts = append(p.Verdicts, verdictCount{string(v), n, path + "?verdict=" + url.QueryEscape(string(v))})
		}
	}
	for i := range p.Records {
		if p.In.Verdict != "" && string(p.Records[i].Verdict) != p.In.Verdict {
			continue
		}
		if p.Total >= p.In.From && len(p.Shown) < recordsShown {
			p.Shown = append(p.Shown, p.Records[i])
		}
		p.Total++
	}
	if next := p.In.From + recordsShown; next < p.Total {
		v := url.Values{"from": {strconv.Itoa(next)}}
		if p.In.Verdict != "" {
			v.Set("verdict", p.In.Verdict)
		}
		p.Older = path + "?" + v.Encode()
	}
}

// When is a record's time.
func (p *explainPage) When(at *time.Time) string {
	if at == nil {
		return ""
	}
	return at.In(p.Zone).Format("2 Jan 15:04:05")
}
