package web

import (
	"context"
	"sync"
	"time"

	"meterbridge/analytics"
)

// choices are what the filters offer.
type choices struct{ Harnesses, Models, Projects []string }

// offers remembers the choices for a while: names come seldom, and to ask for all
// of them is as much as the rest of a page.
type offers struct {
	mu   sync.Mutex
	list choices
	at   time.Time
}

// offerFor is how long choices are good.
const offerFor = time.Minute

// offer are the names that filters offer: those of all time.
func (s *Site) offer(ctx context.Context) (choices, error) {
	s.offers.mu.Lock()
	defer s.offers.mu.Unlock()
	now := s.o.Now()
	if !s.offers.at.IsZero() && now.Sub(s.offers.at) < offerFor && len(s.offers.list.Harnesses) > 0 {
		return s.offers.list, nil
	}
	var c choices
	err := together(
		func() error { return s.names(ctx, "harness", &c.Harnesses) },
		func() error { return s.names(ctx, "model", &c.Models) },
		func() error { return s.names(ctx, "project", &c.Projects) },
	)
	if err == nil {
		s.offers.list, s.offers.at = c, now
	}
	return c, err
}

func (s *Site) names(ctx context.Context, by string, to *[]string) error {
	r, err := s.meter.Usage(ctx, analytics.UsageQuery{By: by, Zone: s.meter.Period().Zone})
	for _, row := range r.Rows {
		if row.Key != "" {
			*to = append(*to, row.Key)
		}
	}
	return err
}
