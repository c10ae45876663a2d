package web

import (
	"bytes"
	"compress/gzip"
	"embed"
	"fmt"
	"html/template"
	"io/fs"
	"log/slog"
	"net/http"
	"path"
	"strconv"
	"strings"

	"meterbridge/analytics"
	"meterbridge/dashboard"
	"meterbridge/dashboard/problem"
	"meterbridge/dashboard/query"
	"meterbridge/dashboard/zipped"
)

//go:embed templates/*.html
var templates embed.FS //nolint:gochecknoglobals // embedded data

// view is what a page shows.
type view struct {
	// Page is the template's name, Title that of the browser's tab.
	Page, Title string
	// Nav is the path of the entry of the navigation that is lit.
	Nav  string
	Data any
	// Bare: nobody has shown a credential, so the page tells of nothing.
	Bare bool
}

// shell is what lies around every page.
type shell struct {
	view
	Prefs   prefs
	Zone    string
	Week    string
	Version string
	Health  dashboard.Health
	// Back is this page's own address.
	Back  string
	Links []link
}

// link is an entry of the navigation.
type link struct{ Path, Name, Icon string }

func navigation() []link {
	return []link{
		{"/", "Now", "now"},
		{"/usage", "Usage", "usage"},
		{"/sessions", "Sessions", "sessions"},
		{"/agents", "Agents", "agents"},
		{"/tools", "Tools", "tools"},
		{"/links", "Links", "links"},
		{"/prices", "Prices", "prices"},
		{"/health", "Health", "health"},
	}
}

// pages are the templates, one set for each page.
type pages struct{ of map[string]*template.Template }

func openPages(a *assets) (*pages, error) {
	names, err := fs.Glob(templates, "templates/*.html")
	if err != nil {
		return nil, err
	}
	var shared, own []string
	for _, name := range names {
		if strings.HasPrefix(path.Base(name), "_") {
			shared = append(shared, name)
			continue
		}
		own = append(own, name)
	}
	frame, err := template.New("_layout.html").Funcs(functions(a)).ParseFS(templates, shared...)
	if err != nil {
		return nil, fmt.Errorf("read the templates: %w", err)
	}
	p := &pages{of: map[string]*template.Template{}}
	for _, name := range own {
		copied, err := frame.Clone()
		if err != nil {
			return nil, fmt.Errorf("read the templates: %w", err)
		}
		if copied, err = copied.ParseFS(templates, name); err != nil {
			return nil, fmt.Errorf("read the templates: %w", err)
		}
		p.of[strings.TrimSuffix(path.Base(name), ".html")] = copied
	}
	return p, nil
}

// policy lets a page load what this server serves, and nothing inline.
const policy = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; font-src 'self'; " +
	"connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"

// show sends a page.
func (s *Site) show(w http.ResponseWriter, r *http.Request, status int, p prefs, v view) {
	out := shell{view: v, Prefs: p}
	if !v.Bare {
		period := s.meter.Period()
		out.Zone, out.Week, out.Version = analytics.ZoneName(period.Zone), period.WeekStart.String(), s.o.Version
		out.Health, out.Back, out.Links = s.meter.Health(), r.URL.RequestURI(), navigation()
	}
	if p.Zone != "" {
		out.Zone = p.Zone
	}
	if p.Week != "" {
		out.Week = p.Week
	}
	if r.Method == http.MethodPost {
		out.Back = "/"
	}
	var body bytes.Buffer
	set, ok := s.pages.of[v.Page]
	if !ok {
		s.log(r, fmt.Errorf("there is no page %q", v.Page))
		http.Error(w, "there is no such page", http.StatusInternalServerError)
		return
	}
	if err := set.Execute(&body, out); err != nil {
		s.log(r, err)
		http.Error(w, "the page could not be made; the daemon's log tells why", http.StatusInternalServerError)
		return
	}
	send(w, r, status, body.Bytes())
}

// send writes a page out.
func send(w http.ResponseWriter, r *http.Request, status int, body []byte) {
	h := w.Header()
	h.Set("Content-Type", "text/html; charset=utf-8")
	h.Set("Content-Security-Policy", policy)
	// Without a referrer at all, browsers name no origin when a form is sent.
	h.Set("Referrer-Policy", "same-origin")
	h.Set("Cache-Control", "no-store")
	h.Set("Vary", "Accept-Encoding, Cookie")
	if len(body) >= zipped.From && zipped.Accepted(r) {
		h.Set("Content-Encoding", "gzip")
		body = zipped.Bytes(body, gzip.BestSpeed)
	}
	h.Set("Content-Length", strconv.Itoa(len(body)))
	w.WriteHeader(status)
	if r.Method != http.MethodHead {
		_, _ = w.Write(body)
	}
}

// fail shows why there is no page.
func (s *Site) fail(w http.ResponseWriter, r *http.Request, err error) {
	p := query.Problem(err)
	if p == nil {
		s.log(r, err)
		p = problem.New(http.StatusInternalServerError, "the page could not be made", "the daemon's log tells why")
	}
	s.Refuse(w, r, p)
}

// Refuse shows a problem as a page, also one of the guard's.
func (s *Site) Refuse(w http.ResponseWriter, r *http.Request, p *problem.Problem) {
	s.show(w, r, p.Status, readPrefs(r), view{
		Page: "problem", Title: p.Title, Data: p, Bare: p.Status == http.StatusUnauthorized || p.Status == http.StatusForbidden,
	})
}

// nowhere answers for paths without a page.
func (s *Site) nowhere(w http.ResponseWriter, r *http.Request) {
	s.Refuse(w, r, problem.New(http.StatusNotFound, "there is no page at this address", "the navigation leads to those that are there"))
}

func (s *Site) log(r *http.Request, err error) {
	if s.o.Log != nil {
		s.o.Log.ErrorContext(r.Context(), "page not made", slog.String("path", r.URL.Path), slog.Any("error", err))
	}
}
