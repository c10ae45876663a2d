package web

import (
	"cmp"
	"context"
	"net/http"
	"slices"
	"time"

	"meterbridge/analytics"
	"meterbridge/dashboard"
)

// healthPage tells how the meter stands.
type healthPage struct {
	dashboard.Health
	Doctor analytics.DoctorReport
	// Read are the harnesses with logs on this machine, Others the rest.
	Read, Others []dashboard.HarnessAnswer
	Problems     map[string]int64
	Now          time.Time
	Zone         *time.Location
}

// health makes the page of health.
func (s *Site) health(ctx context.Context, _ *http.Request, p prefs) (view, error) {
	page := &healthPage{Health: s.meter.Health(), Now: s.o.Now(), Zone: s.zoneOf(p), Problems: map[string]int64{}}
	list, err := s.meter.Harnesses(ctx)
	if err != nil {
		return view{}, err
	}
	if page.Doctor, err = s.meter.Doctor(ctx, page.Zone); err != nil {
		return view{}, err
	}
	for _, g := range page.Doctor.Problems {
		page.Problems[g.Harness] += g.Count
	}
	for _, h := range list.Rows {
		if h.Files > 0 || h.Gone > 0 {
			page.Read = append(page.Read, h)
			continue
		}
		page.Others = append(page.Others, h)
	}
	slices.SortStableFunc(page.Read, func(a, b dashboard.HarnessAnswer) int { return cmp.Compare(b.Files, a.Files) })
	return view{Page: "health", Title: "Health", Nav: "/health", Data: page}, nil
}

// When tells when a time was.
func (p *healthPage) When(at *time.Time) string { return moment(at, p.Now, p.Zone) }

// Ago tells how long ago a time was.
func (p *healthPage) Ago(at time.Time) string { return ago(at, p.Now) }

// Found are the places of a harness that are there.
func (p *healthPage) Found(h dashboard.HarnessAnswer) []dashboard.RootAnswer {
	var found []dashboard.RootAnswer
	for _, r := range h.Roots {
		if r.Found {
			found = append(found, r)
		}
	}
	return found
}
