package web

import (
	"context"
	"net/http"
	"net/url"
	"slices"
	"time"

	"meterbridge/analytics"
)

// sessionPage is one session in full.
type sessionPage struct {
	analytics.SessionAnswer
	Zone *time.Location
	Now  time.Time
	// Name is HARNESS:ID, as addresses have it.
	Name  string
	Turns []turnLine
	// More counts the older turns that are not listed.
	More    int
	Windows bool
	Lengths lengths
	JSON    string
	Data    string
	Explain string
}

// turnLine is one turn and what it spent.
type turnLine struct {
	analytics.Turn
	Number int
	Prompt *string
	Usage  *analytics.WindowUsage
	// Share is its part of the dearest turn, of 100.
	Share int
}

// Ms is how long the turn took; nil while it is open.
func (t turnLine) Ms() *int64 {
	if t.End == nil {
		return nil
	}
	n := *t.End - t.Start
	return &n
}

// lengths are how long requests took, where the log has their start.
type lengths struct {
	Timed  int
	Median int64
	Most   int64
	Total  int64
}

// mostTurns are listed with what they spent; each is a question.
const mostTurns = 40

// session makes the page of one session.
func (s *Site) session(ctx context.Context, r *http.Request, p prefs) (view, error) {
	zone := s.zoneOf(p)
	a, err := s.meter.Session(ctx, r.PathValue("id"), time.Time{}, time.Time{})
	if err != nil {
		return view{}, err
	}
	page := &sessionPage{SessionAnswer: a, Zone: zone, Now: s.o.Now(), Name: a.Harness + ":" + a.Session}
	path := "/api/v1/sessions/" + url.PathEscape(page.Name)
	page.JSON, page.Data, page.Explain = path, path+"/timeline", "/explain/"+url.PathEscape(page.Name)
	line, err := s.meter.Timeline(ctx, page.Name, time.Time{}, time.Time{})
	if err != nil {
		return view{}, err
	}
	page.Lengths = lengthsOf(line.Requests)
	if err := s.addTurns(ctx, page, line.Turns); err != nil {
		return view{}, err
	}
	return view{Page: "session", Title: page.Called(), Nav: "/sessions", Data: page}, nil
}

// zoneOf is the person's zone, else the settings'.
func (s *Site) zoneOf(p prefs) *time.Location {
	if zone, err := time.LoadLocation(p.Zone); err == nil && p.Zone != "" {
		return zone
	}
	return s.meter.Period().Zone
}

// Called is the session's title, else its id.
func (p *sessionPage) Called() string {
	if p.Title != nil && *p.Title != "" {
		return *p.Title
	}
	return p.Session
}

// When tells when a time was.
func (p *sessionPage) When(at *time.Time) string { return moment(at, p.Now, p.Zone) }

// Clock is a time of day.
func (p *sessionPage) Clock(ms int64) string { return clock(ms, p.Zone) }

// Day is the day of a time.
func (p *sessionPage) Day(ms int64) string { return time.UnixMilli(ms).In(p.Zone).Format("2 Jan 2006") }

// addTurns asks for what each turn spent, the newest first.
func (s *Site) addTurns(ctx context.Context, page *sessionPage, turns []analytics.Turn) error {
	first := max(0, len(turns)-mostTurns)
	page.More = first
	most := int64(1)
	for i, t := range turns[first:] {
		line := turnLine{Turn: t, Number: first + i + 1, Prompt: promptOf(page.Prompts, turns, first+i)}
		until := time.Time{}
		if t.End != nil {
			until = time.UnixMilli(*t.End + 1)
		}
		u, err := s.meter.Window(ctx, page.Name, time.UnixMilli(t.Start), until)
		if err != nil {
			return err
		}
		line.Usage = &u
		if u.CostMicroUSD != nil {
			most = max(most, *u.CostMicroUSD)
		}
		page.Turns = append(page.Turns, line)
	}
	for i := range page.Turns {
		if c := page.Turns[i].Usage.CostMicroUSD; c != nil {
			page.Turns[i].Share = int(*c * 100 / most)
		}
	}
	slices.Reverse(page.Turns)
	return nil
}

// promptOf is the preview of the prompt that began a turn: the first one typed
// from its start on and before the next turn's.
func promptOf(prompts []analytics.PromptSeen, turns []analytics.Turn, i int) *string {
	for _, p := range prompts {
		if p.At == nil || p.At.UnixMilli() < turns[i].Start-1000 {
			continue
		}
		if i+1 < len(turns) && p.At.UnixMilli() >= turns[i+1].Start {
			return nil
		}
		return p.Preview
	}
	return nil
}

func lengthsOf(requests []analytics.TimedRequest) lengths {
	var all []int64
	var l lengths
	for _, r := range requests {
		if r.StartedAt != nil {
			n := r.EndedAt - *r.StartedAt
			all = append(all, n)
			l.Total += n
			l.Most = max(l.Most, n)
		}
	}
	if l.Timed = len(all); l.Timed > 0 {
		slices.Sort(all)
		l.Median = all[l.Timed/2]
	}
	return l
}
