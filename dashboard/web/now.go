package web

import (
	"cmp"
	"context"
	"errors"
	"net/http"
	"net/url"
	"slices"
	"sync"
	"time"

	"meterbridge/analytics"
	"meterbridge/dashboard"
	"meterbridge/dashboard/query"
)

// nowPage is what happens now.
type nowPage struct {
	Now    time.Time
	Zone   *time.Location
	Today  analytics.UsageReport
	Before *comparison
	// Minute is what the newest minutes used.
	Minute  analytics.Numbers
	Minutes int
	Chart   *chart
	Budgets []budgetLine
	Limits  []limitLine
	Agents  []agentLine
	Queue   *queuePage
	Live    []sessionLine
	Recent  []sessionLine
	// Empty: nothing was ever read.
	Empty  bool
	Health dashboard.Health
}

const (
	// paceMinutes are looked at for tokens per minute.
	paceMinutes = 5
	// liveFor is how long a session counts as live after its last request.
	liveFor = 10 * time.Minute
)

// now makes the first page.
func (s *Site) now(ctx context.Context, _ *http.Request, p prefs) (view, error) {
	page := &nowPage{Now: s.o.Now(), Zone: s.zoneOf(p), Minutes: paceMinutes, Health: s.meter.Health()}
	if err := together(
		func() error { return s.addToday(ctx, page, p) },
		func() error { return s.addPace(ctx, page) },
		func() error { return s.addBudgets(ctx, page, p) },
		func() error { return s.addRecent(ctx, page) },
		func() (err error) {
			page.Queue, err = s.queueOf(ctx, "", "/", p)
			return err
		},
		func() (err error) {
			page.Agents, err = s.agentLines(ctx, false, page.Zone)
			page.Agents = slices.DeleteFunc(page.Agents, func(l agentLine) bool { return !l.Live() })
			return err
		},
	); err != nil {
		return view{}, err
	}
	return view{Page: "now", Title: "Now", Nav: "/", Data: page}, nil
}

// together asks at once; each fills fields of its own.
func together(steps ...func() error) error {
	var wg sync.WaitGroup
	errs := make([]error, len(steps))
	for i, step := range steps {
		wg.Go(func() { errs[i] = step() })
	}
	wg.Wait()
	return errors.Join(errs...)
}

// today makes the figures of the first page alone: they are what changes most.
func (s *Site) today(ctx context.Context, _ *http.Request, p prefs) (view, error) {
	page := &nowPage{Now: s.o.Now(), Zone: s.zoneOf(p), Minutes: paceMinutes}
	err := together(
		func() error {
			u, err := s.readUsage(ctx, url.Values{"range": {"today"}, "by": {"hour"}}, p)
			if err != nil {
				return err
			}
			page.Today = u.Report
			err = s.addBefore(ctx, u)
			page.Before = u.Before
			return err
		},
		func() error { return s.addPace(ctx, page) },
	)
	return view{Page: "today", Title: "Today", Nav: "/", Data: page}, err
}

// addToday asks what today used, hour by hour, and yesterday until this time.
func (s *Site) addToday(ctx context.Context, page *nowPage, p prefs) error {
	u, err := s.usageOfToday(ctx, p)
	if err != nil {
		return err
	}
	page.Today, page.Before, page.Chart = u.Report, u.Before, u.Chart
	return nil
}

func (s *Site) usageOfToday(ctx context.Context, p prefs) (*usagePage, error) {
	u, err := s.readUsage(ctx, url.Values{"range": {"today"}, "by": {"hour"}}, p)
	if err != nil {
		return nil, err
	}
	for _, step := range []func(context.Context, *usagePage) error{s.addBefore, s.addParts, s.addChart} {
		if err := step(ctx, u); err != nil {
			return nil, err
		}
	}
	return u, nil
}

// addPace asks what the newest minutes used.
func (s *Site) addPace(ctx context.Context, page *nowPage) error {
	r, err := s.meter.Usage(ctx, analytics.UsageQuery{
		By: "harness", Zone: page.Zone, Filter: analytics.Filter{Since: page.Now.Add(-paceMinutes * time.Minute), Until: page.Now.Add(time.Minute)},
	})
	page.Minute = r.Totals
	return err
}

// PerMinute are the tokens of a minute; nil where nothing is reported.
func (p *nowPage) PerMinute() *int64 {
	if p.Minute.TotalTokens == nil {
		return nil
	}
	n := *p.Minute.TotalTokens / paceMinutes
	return &n
}

// budgetLine is how one budget stands.
type budgetLine struct {
	dashboard.BudgetAnswer
	Zone *time.Location
	Now  time.Time
}

// Filled is the used part, of 100, as it is drawn.
func (b budgetLine) Filled() int { return min(100, int(b.UsedRatio*100+0.5)) }

// LikelyAt is the part that is likely used at the end, of 100; 0 is not known.
func (b budgetLine) LikelyAt() int {
	f := b.Forecast
	switch {
	case f == nil:
		return 0
	case b.MaxMicroUSD != nil && *b.MaxMicroUSD > 0 && f.MicroUSD != nil:
		return min(100, int(f.MicroUSD.Likely*100 / *b.MaxMicroUSD))
	case b.MaxTokens != nil && *b.MaxTokens > 0:
		return min(100, int(f.Tokens.Likely*100 / *b.MaxTokens))
	}
	return 0
}

// Tone is how near the limit is.
func (b budgetLine) Tone() string {
	switch {
	case b.Reached:
		return "bad"
	case b.UsedRatio > 0.8 || b.Forecast != nil && b.Forecast.ReachedAt != nil:
		return "warn"
	}
	return "good"
}

// Scoped is what the budget is about.
func (b budgetLine) Scoped() string {
	if b.Match == nil {
		return "everything"
	}
	return b.Scope + " " + lastOf(*b.Match)
}

// Ends tells when the window ends.
func (b budgetLine) Ends() string { return ahead(b.Until, b.Now, b.Zone) }

// ReachedBy tells when the limit is likely reached; empty where that is unlikely.
func (b budgetLine) ReachedBy() string {
	if b.Forecast == nil || b.Forecast.ReachedAt == nil {
		return ""
	}
	at := b.Forecast.ReachedAt
	for _, t := range []*time.Time{at.Likely, at.Early} {
		if t != nil {
			return ahead(t, b.Now, b.Zone)
		}
	}
	return ""
}

// ahead writes a time to come; empty for none.
func ahead(at *time.Time, now time.Time, zone *time.Location) string {
	if at == nil {
		return ""
	}
	local := at.In(zone)
	switch d := at.Sub(now); {
	case d < 0:
		return "over"
	case local.Format(dayLayout) == now.In(zone).Format(dayLayout) || d < 12*time.Hour:
		return local.Format("15:04")
	case d < 7*24*time.Hour:
		return local.Format("Mon 15:04")
	}
	return local.Format("2 Jan")
}

// limitLine is a provider's limit as a log told it.
type limitLine struct {
	analytics.VendorLimit
	Zone *time.Location
	Now  time.Time
}

// Filled is the used part, of 100, as it is drawn.
func (l limitLine) Filled() int {
	if l.UsedPercent == nil {
		return 0
	}
	return min(100, int(*l.UsedPercent+0.5))
}

// Resets tells when the window ends.
func (l limitLine) Resets() string { return ahead(l.ResetsAt, l.Now, l.Zone) }

// Seen tells when a log told so.
func (l limitLine) Seen() string { return ago(l.SeenAt, l.Now) }

// Window is the length of the limit's window.
func (l limitLine) Window() string {
	if l.WindowMs == nil {
		return ""
	}
	switch d := time.Duration(*l.WindowMs) * time.Millisecond; {
	case d >= 48*time.Hour:
		return grouped(int64(d.Hours()/24)) + " days"
	case d >= time.Hour:
		return grouped(int64(d.Hours())) + " hours"
	}
	return span(*l.WindowMs)
}

// addBudgets asks how budgets and limits stand; limits that are long over are left out.
func (s *Site) addBudgets(ctx context.Context, page *nowPage, p prefs) error {
	in := query.Period{}
	p.over(&in)
	period, err := in.Resolve(s.meter.Period())
	if err != nil {
		return err
	}
	list, err := s.meter.BudgetStates(ctx, period.Zone, period.WeekStart)
	if err != nil {
		return err
	}
	for _, b := range list.Rows {
		page.Budgets = append(page.Budgets, budgetLine{b, page.Zone, page.Now})
	}
	for _, l := range list.Limits {
		if page.Now.Sub(l.SeenAt) < 14*24*time.Hour {
			page.Limits = append(page.Limits, limitLine{l, page.Zone, page.Now})
		}
	}
	slices.SortStableFunc(page.Limits, func(a, b limitLine) int { return cmp.Compare(a.Harness, b.Harness) })
	return nil
}

// addRecent asks for the newest sessions; those that just had a request are live.
func (s *Site) addRecent(ctx context.Context, page *nowPage) error {
	list, err := s.meter.Sessions(ctx, analytics.SessionFilter{Last: 12})
	if err != nil {
		return err
	}
	page.Empty = len(list.Sessions) == 0
	for _, one := range list.Sessions {
		line := sessionLine{SessionSummary: one, Link: sessionPath(one.Harness, one.Session)}
		if one.LastAt != nil && page.Now.Sub(*one.LastAt) < liveFor {
			page.Live = append(page.Live, line)
			continue
		}
		page.Recent = append(page.Recent, line)
	}
	return nil
}
