// Package api answers questions over HTTP: the paths below /api/v1, and the two
// probes. It describes in OpenAPI 3.1 (docs/openapi.json) everything that the daemon
// serves to programs, what other rooms answer too. It knows neither who may
// ask (dashboard/guard stands before it) nor where numbers come from (a
// dashboard.Meter). It imports of the project the domain, analytics and the
// other rooms of dashboard; internal/daemon serves it.
package api

import (
	"crypto/rand"
	"encoding/hex"
	"log/slog"
	"net/http"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humago"

	"meterbridge/dashboard"
)

// Prefix is the path below which the API lies; the probes lie beside it.
const Prefix = "/api/v1"

// Options of the API. The zero value is valid.
type Options struct {
	// Version is the program's.
	Version string
	// Harnesses are the ids that a filter may name; none lets every name pass.
	Harnesses []string
	// Events serves /api/v1/events; nil leaves it out.
	Events http.Handler
	// Timeout bounds a question; 0 is 30 s.
	Timeout time.Duration
	// AtOnce bounds how many questions read the ledger at once; others wait. 0 is 4.
	AtOnce int
	// Now is the clock; nil is time.Now.
	Now func() time.Time
	// Log hears of answers that went wrong; nil for nobody.
	Log *slog.Logger
}

const (
	defaultTimeout = 30 * time.Second
	defaultAtOnce  = 4
)

// server is what the operations share.
type server struct {
	meter dashboard.Meter
	o     Options
	// boot tells the answers of one process from those of the next in an ETag.
	boot string
	// slots are as many as questions may read the ledger at once.
	slots chan struct{}
	kept  kept
	mux   *http.ServeMux
	doc   *huma.OpenAPI
}

// New is the API over a meter, with /healthz and /readyz. Put it behind a guard.
func New(meter dashboard.Meter, o Options) http.Handler {
	s := build(meter, o)
	outer := http.NewServeMux()
	outer.Handle("/healthz", onlyGet(http.HandlerFunc(s.alive)))
	outer.Handle("/readyz", onlyGet(http.HandlerFunc(s.ready)))
	if s.o.Events != nil {
		outer.Handle(Prefix+"/events", onlyGet(s.o.Events))
	}
	outer.Handle("/", s.exchanged(s.mux))
	return outer
}

// Description is the OpenAPI 3.1 document of the API, indented.
func Description() ([]byte, error) {
	return described(build(nil, Options{Version: "1", Events: http.NotFoundHandler()}).doc)
}

func build(meter dashboard.Meter, o Options) *server {
	if o.Timeout == 0 {
		o.Timeout = defaultTimeout
	}
	if o.AtOnce == 0 {
		o.AtOnce = defaultAtOnce
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	s := &server{meter: meter, o: o, boot: bootMark(), slots: make(chan struct{}, o.AtOnce), mux: http.NewServeMux()}
	h := humago.NewWithPrefix(s.mux, Prefix, configuration(o.Version))
	s.doc = h.OpenAPI()
	s.reports(h)
	s.sessions(h)
	s.agents(h)
	s.extensions(h)
	s.state(h)
	if o.Events != nil {
		describeEvents(s.doc)
	}
	finish(s.doc)
	describeTerminals(s.doc)
	describeQueue(s.doc)
	describeBeside(s.doc)
	s.mux.HandleFunc("GET "+Prefix+"/openapi.json", s.description)
	return s
}

func bootMark() string {
	var bits [6]byte
	_, _ = rand.Read(bits[:]) // it never fails
	return hex.EncodeToString(bits[:])
}

// onlyGet refuses other methods than GET and HEAD.
func onlyGet(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method != http.MethodGet && r.Method != http.MethodHead {
			w.Header().Set("Allow", "GET, HEAD")
			routed(http.StatusMethodNotAllowed).Write(w)
			return
		}
		next.ServeHTTP(w, r)
	})
}

// alive says that the process answers, and nothing else.
func (s *server) alive(w http.ResponseWriter, _ *http.Request) { probe(w, http.StatusOK, "ok\n") }

// ready says whether all sources were read once.
func (s *server) ready(w http.ResponseWriter, _ *http.Request) {
	if s.meter.Health().Status != dashboard.StatusOK {
		probe(w, http.StatusServiceUnavailable, "not ready\n")
		return
	}
	probe(w, http.StatusOK, "ok\n")
}

func probe(w http.ResponseWriter, status int, text string) {
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	w.Header().Set("Cache-Control", "no-store")
	w.WriteHeader(status)
	_, _ = w.Write([]byte(text))
}

func (s *server) description(w http.ResponseWriter, _ *http.Request) {
	text, err := described(s.doc)
	if err != nil {
		s.fault(err, "describe the API").Write(w)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	_, _ = w.Write(text)
}
