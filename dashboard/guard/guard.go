// Package guard decides which requests reach a handler. Its checks come in one
// order: Host and Origin against an allow list (403), the credential (401, or
// 403 where it is good for something else), the content type (415), the size
// (413). It sets no CORS header, ever. It imports nothing of the project but
// dashboard/problem; internal/daemon puts it before everything that it serves.
package guard

import (
	"log/slog"
	"net/http"
	"time"

	"meterbridge/dashboard/problem"
)

// Options of a guard. The zero value lets in nobody but those of the socket.
type Options struct {
	// Hosts are names or addresses besides the loopback's by which clients may
	// call the server, without a port: those that the user configured.
	Hosts []string
	// Origins are origins (scheme://host:port) besides the server's own whose
	// pages may call it.
	Origins []string
	// Tokens knows the credentials of programs; nil knows none.
	Tokens Tokens
	// Browser knows the cookies of browsers; nil knows none.
	Browser *Browser
	// Page shows a refusal to a person at a browser; nil writes a sentence.
	Page func(http.ResponseWriter, *http.Request, *problem.Problem)
	// Refused hears of each refusal, by its reason; nil for nobody.
	Refused func(Reason)
	// Log hears of refusals at level debug; nil for nobody. No credential is logged.
	Log *slog.Logger
}

// Rule says what a handler asks of a request.
type Rule struct {
	// Open asks for no credential, only for a good Host and Origin.
	Open bool
	// Scopes: a token must have one of them; none refuses every token.
	Scopes []Scope
	// Browser lets in a browser by its cookie.
	Browser bool
	// Types are the media types of bodies that the handler reads.
	Types []string
	// MaxBody bounds a body in bytes; 0 is 64 KiB.
	MaxBody int64
	// Refuse writes a refusal in the form of the handler's protocol, after the
	// headers that hold for every refusal; nil writes a problem document, or a page.
	Refuse func(http.ResponseWriter, *http.Request, *problem.Problem)
}

// Reason is why a request was refused, as a metric names it.
type Reason string

// The reasons of refusals.
const (
	BadHost       Reason = "host"
	BadOrigin     Reason = "origin"
	NoCredential  Reason = "credential"
	WrongScope    Reason = "scope"
	BadType       Reason = "content_type"
	TooLarge      Reason = "size"
	defaultBodies        = 64 << 10
)

// Guard checks requests. Its methods may be called at once.
type Guard struct {
	o     Options
	hosts map[string]bool
	// named are the hosts that the user configured.
	named   map[string]bool
	origins map[string]bool
}

// New makes a guard.
func New(o Options) *Guard {
	g := &Guard{o: o, hosts: map[string]bool{"localhost": true}, named: map[string]bool{}, origins: map[string]bool{}}
	for _, h := range o.Hosts {
		g.hosts[lower(h)], g.named[lower(h)] = true, true
	}
	for _, origin := range o.Origins {
		g.origins[lower(origin)] = true
	}
	return g
}

// Wrap puts the guard before a handler.
func (g *Guard) Wrap(next http.Handler, rule Rule) http.Handler {
	if rule.MaxBody == 0 {
		rule.MaxBody = defaultBodies
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		harden(w.Header(), r)
		admitted, refusal := g.admit(r, rule)
		if refusal != nil {
			g.refuse(w, r, rule, refusal)
			return
		}
		if refusal := body(w, admitted, rule); refusal != nil {
			g.refuse(w, r, rule, refusal)
			return
		}
		next.ServeHTTP(w, admitted)
	})
}

// admit makes the checks that need no body, in their order.
func (g *Guard) admit(r *http.Request, rule Rule) (*http.Request, *refusal) {
	if overSocket(r.Context()) {
		return r.WithContext(withCaller(r.Context(), Caller{Kind: KindSocket, Name: "socket"})), nil
	}
	if refusal := g.host(r); refusal != nil {
		return nil, refusal
	}
	if refusal := g.origin(r); refusal != nil {
		return nil, refusal
	}
	if rule.Open {
		return r.WithContext(withCaller(r.Context(), Caller{Kind: KindNone})), nil
	}
	caller, refusal := g.credential(r, rule)
	if refusal != nil {
		return nil, refusal
	}
	return r.WithContext(withCaller(r.Context(), caller)), nil
}

// harden sets what holds for every answer. A handler may set its own policies.
func harden(h http.Header, r *http.Request) {
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Referrer-Policy", "no-referrer")
	h.Set("X-Frame-Options", "DENY")
	h.Set("Content-Security-Policy", "default-src 'none'; frame-ancestors 'none'")
	h.Set("Cross-Origin-Resource-Policy", "same-origin")
	if r.Header.Get("Authorization") != "" || r.Header.Get("Cookie") != "" {
		h.Set("Cache-Control", "no-store")
	}
}

func (g *Guard) refuse(w http.ResponseWriter, r *http.Request, rule Rule, f *refusal) {
	if g.o.Refused != nil {
		g.o.Refused(f.reason)
	}
	if g.o.Log != nil {
		g.o.Log.DebugContext(r.Context(), "request refused", slog.String("reason", string(f.reason)), slog.String("method", r.Method))
	}
	f.write(w, r, rule.Refuse, g.o.Page)
}

// timeOr is now, or the clock's own without one.
func timeOr(now func() time.Time) func() time.Time {
	if now == nil {
		return time.Now
	}
	return now
}
