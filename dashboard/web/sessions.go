package web

import (
	"context"
	"net/http"
	"net/url"
	"strconv"
	"time"

	"meterbridge/analytics"
	"meterbridge/dashboard/query"
)

// sessionsInput are the parameters of the list of sessions.
type sessionsInput struct {
	query.Period
	Range   string `query:"range" enum:"today,7d,30d,month,last-month,12m,all,custom"`
	Harness string `query:"harness" maxLength:"100"`
	Project string `query:"project" maxLength:"4096"`
	Search  string `query:"search" maxLength:"400"`
	Limit   int    `query:"limit" minimum:"1" maximum:"500" default:"50"`
	Cursor  string `query:"cursor" maxLength:"8192"`
}

// sessionsPage is the list of sessions.
type sessionsPage struct {
	In      sessionsInput
	Stretch stretch
	Presets []preset
	Rows    []sessionLine
	// Next leads to older sessions, empty at the end.
	Next    string
	Choices choices
	JSON    string
	Now     time.Time
}

// sessionLine is a session of the list.
type sessionLine struct {
	analytics.SessionSummary
	Link string
}

// When tells when it was last heard of.
func (l sessionLine) When(now time.Time, zone *time.Location) string {
	return moment(l.LastAt, now, zone)
}

// Length is from the first to the last request; empty where unknown.
func (l sessionLine) Length() string {
	if l.FirstAt == nil || l.LastAt == nil {
		return ""
	}
	return span(l.LastAt.Sub(*l.FirstAt).Milliseconds())
}

// moment writes a time of the recent past; empty where it is unknown.
func moment(at *time.Time, now time.Time, zone *time.Location) string {
	if at == nil {
		return ""
	}
	local, today := at.In(zone), now.In(zone)
	switch {
	case now.Sub(*at) < time.Hour && !at.After(now):
		return ago(*at, now)
	case local.Format(dayLayout) == today.Format(dayLayout):
		return "today " + local.Format("15:04")
	case local.Year() == today.Year():
		return local.Format("2 Jan 15:04")
	}
	return local.Format("2 Jan 2006")
}

// sessions makes the list of sessions.
func (s *Site) sessions(ctx context.Context, r *http.Request, p prefs) (view, error) {
	page := &sessionsPage{Presets: presets(), Now: s.o.Now()}
	in := &page.In
	if err := query.Read(r.URL.Query(), in); err != nil {
		return view{}, err
	}
	var err error
	if page.Stretch, err = s.stretchOf(&in.Period, in.Range, "all", p); err != nil {
		return view{}, err
	}
	in.Range = page.Stretch.Name
	f := analytics.SessionFilter{
		Harness: in.Harness, Project: in.Project, Search: in.Search, Since: page.Stretch.Since, Until: page.Stretch.Until, Last: in.Limit + 1,
	}
	if f.After, err = query.SessionPlace(in.Cursor); err != nil {
		return view{}, err
	}
	var list analytics.SessionList
	if err := together(
		func() (err error) {
			list, err = s.meter.Sessions(ctx, f)
			return err
		},
		func() (err error) {
			page.Choices, err = s.offer(ctx)
			return err
		},
	); err != nil {
		return view{}, err
	}
	page.fill(list.Sessions)
	return view{Page: "sessions", Title: "Sessions", Nav: "/sessions", Data: page}, nil
}

// fill lays the list out; the session beyond the limit says that there are more.
func (p *sessionsPage) fill(list []analytics.SessionSummary) {
	if n := p.In.Limit; len(list) > n {
		if next := query.SessionCursor(list[n-1].Place()); next != nil {
			p.Next = p.With("cursor", *next)
		}
		list = list[:n]
	}
	for _, one := range list {
		p.Rows = append(p.Rows, sessionLine{SessionSummary: one, Link: sessionPath(one.Harness, one.Session)})
	}
	v := p.query()
	v.Del("range")
	for name, value := range map[string]string{"since": p.In.Since, "until": p.In.Until, "timezone": p.In.Timezone} {
		if value != "" {
			v.Set(name, value)
		}
	}
	v.Set("limit", strconv.Itoa(p.In.Limit))
	p.JSON = "/api/v1/sessions?" + v.Encode()
}

func (p *sessionsPage) query() url.Values {
	v := url.Values{}
	in := p.In
	pairs := map[string]string{"harness": in.Harness, "project": in.Project, "search": in.Search, "cursor": in.Cursor}
	if in.Range == "custom" {
		pairs["since"], pairs["until"] = in.Since, in.Until
	} else if in.Range != "all" {
		pairs["range"] = in.Range
	}
	for name, value := range pairs {
		if value != "" {
			v.Set(name, value)
		}
	}
	return v
}

// With is the page's address with other values; an empty one is left out.
func (p *sessionsPage) With(pairs ...string) string {
	v := p.query()
	for i := 0; i+1 < len(pairs); i += 2 {
		v.Del(pairs[i])
		if pairs[i+1] != "" {
			v.Set(pairs[i], pairs[i+1])
		}
	}
	return "/sessions?" + v.Encode()
}

// subagents is the folded part of one session of the list.
func (s *Site) subagents(ctx context.Context, r *http.Request, _ prefs) (view, error) {
	a, err := s.meter.Session(ctx, r.PathValue("id"), time.Time{}, time.Time{})
	if err != nil {
		return view{}, err
	}
	return view{Page: "subagents", Title: "Sub-agents", Nav: "/sessions", Data: a}, nil
}
