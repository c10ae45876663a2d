// Package web holds the pages: templates, their assets and the handlers that fill
// them. A page asks the same questions as the API, through dashboard.Meter, and
// shows the same numbers. It imports of the project the domain, analytics and the
// other rooms of dashboard; internal/daemon serves it behind dashboard/guard.
// dist is made by internal/webbundle out of src and npm.
package web

import (
	"context"
	"log/slog"
	"net/http"
	"time"

	"meterbridge/dashboard"
	"meterbridge/dashboard/query"
)

// Options of the pages. The zero value is valid.
type Options struct {
	// Version is the program's.
	Version string
	// Harnesses are the ids and names of what can be read, by id; nil knows none.
	Harnesses map[string]string
	// Fleet and Links change agents; nil shows them only.
	Fleet Fleet
	Links AgentLinks
	// Prompts is the queue; nil shows none.
	Prompts Prompts
	// Tools are those of the bridge; nil shows none.
	Tools Tools
	// Starters are the harnesses that can be started, Home is a folder to begin in.
	Starters []string
	Home     string
	// Timeout bounds the questions of a page; 0 is 30 s.
	Timeout time.Duration
	// AtOnce bounds how many pages ask at once; others wait. 0 is 4.
	AtOnce int
	// Now is the clock; nil is time.Now.
	Now func() time.Time
	// Log hears of pages that could not be made; nil for nobody.
	Log *slog.Logger
}

// Site serves the pages.
type Site struct {
	meter  dashboard.Meter
	o      Options
	assets *assets
	pages  *pages
	slots  chan struct{}
	offers offers
	mux    *http.ServeMux
}

// New makes the pages over a meter.
func New(meter dashboard.Meter, o Options) (*Site, error) {
	if o.Timeout == 0 {
		o.Timeout = 30 * time.Second
	}
	if o.AtOnce == 0 {
		o.AtOnce = 4
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	s := &Site{meter: meter, o: o, slots: make(chan struct{}, o.AtOnce), mux: http.NewServeMux()}
	var err error
	if s.assets, err = openAssets(); err != nil {
		return nil, err
	}
	if s.pages, err = openPages(s.assets); err != nil {
		return nil, err
	}
	s.routes()
	return s, nil
}

// routes are the addresses of the pages.
func (s *Site) routes() {
	s.page("/{$}", s.now)
	s.page("/now/today", s.today)
	s.page("/usage", s.usage)
	s.mux.HandleFunc("GET /usage.csv", s.usageCSV)
	s.page("/sessions", s.sessions)
	s.page("/sessions/{id}", s.session)
	s.page("/sessions/{id}/agents", s.subagents)
	s.page("/explain/{what}", s.explain)
	s.page("/prices", s.prices)
	s.page("/health", s.health)
	s.page("/agents", s.agents)
	s.page("/agents/{id}", s.agent)
	s.page("/links", s.links)
	s.page("/tools", s.tools)
	s.page("/queue", s.queue)
	s.page("/queue/waiting", s.waiting)
	s.actions()
	s.mux.Handle("GET /assets/", s.assets)
	s.mux.HandleFunc("POST /preferences", s.choose)
	s.mux.HandleFunc("/", s.nowhere)
}

// ServeHTTP answers with a page.
func (s *Site) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.mux.ServeHTTP(w, r)
}

// maker asks what a page needs.
type maker func(ctx context.Context, r *http.Request, p prefs) (view, error)

// page serves one page.
func (s *Site) page(path string, make maker) {
	s.mux.HandleFunc("GET "+path, func(w http.ResponseWriter, r *http.Request) {
		ctx, cancel := context.WithTimeout(r.Context(), s.o.Timeout)
		defer cancel()
		p := readPrefs(r)
		v, err := s.ask(ctx, r, p, make)
		if err != nil {
			s.fail(w, r, err)
			return
		}
		s.show(w, r, http.StatusOK, p, v)
	})
}

// ask makes a page once a slot is free.
func (s *Site) ask(ctx context.Context, r *http.Request, p prefs, make maker) (view, error) {
	select {
	case s.slots <- struct{}{}:
		defer func() { <-s.slots }()
	case <-ctx.Done():
		return view{}, query.ErrBusy
	}
	return make(ctx, r, p)
}
