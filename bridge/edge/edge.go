// Package edge is the HTTP door of the bridge, one endpoint for every revision of
// MCP from 2025-03-26 to 2026-07-28. It guards, keeps sessions and streams, and
// hands each message to mcp-go's HandleMessage with a session of its own, which
// closes the holes that mcp-go's own transports have. Host, Origin and credential
// are checked before it; who calls, Options.Identify says. It imports bridge and
// the rooms beside it; internal/daemon gives it its place.
package edge

import (
	"context"
	"errors"
	"net/http"
	"sync"
	"time"

	"meterbridge/bridge"
	"meterbridge/bridge/pipeline"
	"meterbridge/bridge/rates"
	"meterbridge/bridge/registry"
)

// Options of the edge. Registry and Identify are needed.
type Options struct {
	Registry *registry.Registry
	// Identify says whose credential a request carries; false is refused.
	Identify func(*http.Request) (bridge.Identity, bool)
	// Version of the program, told to clients; Instructions are told to models.
	Version, Instructions string
	Limits                Limits
	// Now is the clock; nil is time.Now.
	Now func() time.Time
	// Done hears of each tool call that ended, Refused of each request that was
	// turned away and why (a word of a fixed set); nil when nobody does.
	Done    func(bridge.CallRecord)
	Refused func(reason string)
	// Ask holds a call until a person allows it; nil asks nobody.
	Ask func(ctx context.Context, c pipeline.Call) error
	// Values keeps arguments and answers in what Done hears, secrets blanked.
	Values bool
	// Search lists find_tool and call_tool (SearchTools, in the registry) instead of the
	// tools of extensions, which can be called by their names all the same.
	Search bool
}

// Limits bound what callers may do. A zero field takes its default.
type Limits struct {
	pipeline.Limits
	// Body is the size of a message in bytes (4 MiB), BodyTime how long it may take
	// to arrive (10 s), WriteTime how long a client may take to accept a piece of an
	// answer (30 s).
	Body                int64
	BodyTime, WriteTime time.Duration
	// PerMinute is how many messages one caller may send a minute (600), Burst how
	// many of them at once (120).
	PerMinute, Burst int
	// Sessions (64) and Streams (16) are how many sessions and how many streams of
	// 2026-07-28 one caller may have open. SessionIdle is how long a session lives
	// without use (30 min).
	Sessions, Streams int
	SessionIdle       time.Duration
	// ProgressGap is the least time between two progress messages of one call
	// (250 ms; negative: none), Heartbeat the longest (10 s).
	ProgressGap, Heartbeat time.Duration
	// KeepAlive is how often a quiet stream shows that it is alive (25 s).
	KeepAlive time.Duration
}

func (l Limits) filled() Limits {
	l.Body = or(l.Body, 4<<20)
	l.BodyTime = or(l.BodyTime, 10*time.Second)
	l.WriteTime = or(l.WriteTime, 30*time.Second)
	l.PerMinute = or(l.PerMinute, 600)
	l.Burst = or(l.Burst, 120)
	l.Sessions = or(l.Sessions, 64)
	l.Streams = or(l.Streams, 16)
	l.SessionIdle = or(l.SessionIdle, 30*time.Minute)
	l.ProgressGap = or(l.ProgressGap, 250*time.Millisecond)
	l.Heartbeat = or(l.Heartbeat, 10*time.Second)
	l.KeepAlive = or(l.KeepAlive, 25*time.Second)
	return l
}

func or[T comparable](value, otherwise T) T {
	var zero T
	if value == zero {
		return otherwise
	}
	return value
}

// Edge is the endpoint. It answers on any path.
type Edge struct {
	registry *registry.Registry
	identify func(*http.Request) (bridge.Identity, bool)
	limits   Limits
	now      func() time.Time
	refused  func(string)
	search   bool
	engine   *engine
	sessions *sessions
	rates    *rates.Rates[string]
	streams  *counts
	// ctx ends when the edge is closed.
	ctx  context.Context
	stop context.CancelFunc
	// running counts requests and the calls that outlive them; closing guards its
	// first increment.
	running sync.WaitGroup
	closing sync.Mutex
}

// ErrOptions says that the edge cannot be made like that.
var ErrOptions = errors.New("the MCP edge needs a registry and a way to identify callers")

// New returns the endpoint; Close ends it.
func New(o Options) (*Edge, error) {
	if o.Registry == nil || o.Identify == nil {
		return nil, ErrOptions
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.Refused == nil {
		o.Refused = func(string) {}
	}
	e := &Edge{registry: o.Registry, identify: o.Identify, limits: o.Limits.filled(), now: o.Now, refused: o.Refused, search: o.Search}
	e.ctx, e.stop = context.WithCancel(context.Background())
	e.engine = newEngine(o, e.limits)
	e.sessions = &sessions{limits: e.limits, now: o.Now, parent: e.ctx, of: map[string]*session{}}
	e.rates = rates.New[string](e.limits.PerMinute, e.limits.Burst, mostRates, o.Now)
	e.streams = &counts{of: map[string]int{}}
	return e, nil
}

// Close ends every stream, cancels every call and waits for it. Requests are
// refused from then on.
func (e *Edge) Close() {
	e.closing.Lock()
	e.stop()
	e.closing.Unlock()
	e.sessions.end()
	e.running.Wait()
}

// begin counts a request; false when the edge is closed.
func (e *Edge) begin() bool {
	e.closing.Lock()
	defer e.closing.Unlock()
	if e.ctx.Err() != nil {
		return false
	}
	e.running.Add(1)
	return true
}

// Tools is the registry that the edge serves.
func (e *Edge) Tools() *registry.Registry { return e.registry }

// Sessions is the number of sessions that are open.
func (e *Edge) Sessions() int { return e.sessions.count() }

// ServeHTTP implements http.Handler.
func (e *Edge) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if !e.begin() {
		e.refuse(w, nil, stopping())
		return
	}
	defer e.running.Done()
	who, ok := e.identify(r)
	if !ok {
		w.Header().Set("WWW-Authenticate", "Bearer")
		e.refuse(w, nil, refusal{http.StatusUnauthorized, codeCredential, "no or wrong credential", "credential"})
		return
	}
	switch {
	case r.Method == http.MethodPost:
		e.post(w, r, who)
	case modernHeader(r) || r.Method != http.MethodGet && r.Method != http.MethodDelete:
		w.Header().Set("Allow", allowed(r))
		e.refuse(w, nil, refusal{http.StatusMethodNotAllowed, codeInvalidRequest, r.Method + " is not allowed here", "method"})
	case r.Method == http.MethodGet:
		e.get(w, r, who)
	default:
		e.delete(w, r, who)
	}
}

func allowed(r *http.Request) string {
	if modernHeader(r) {
		return http.MethodPost
	}
	return "GET, POST, DELETE"
}

// mostRates bounds how many callers' rates are remembered.
const mostRates = 1024
