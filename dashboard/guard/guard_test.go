package guard

import (
	"context"
	"crypto/sha256"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// tokens are credentials of a test.
type tokens map[string]Identity

func (t tokens) Identify(token string) (Identity, bool) {
	who, ok := t[token]
	return who, ok
}

func known() tokens {
	return tokens{
		"reader":  {ID: "1", Name: "reader", Scopes: []Scope{ScopeRead}},
		"scraper": {ID: "2", Name: "scraper", Scopes: []Scope{ScopeMetrics}},
	}
}

// echo answers with who called and what was sent.
func echo(w http.ResponseWriter, r *http.Request) {
	who, _ := CallerOf(r.Context())
	sent, err := io.ReadAll(r.Body)
	if IsTooLarge(err) {
		w.WriteHeader(http.StatusRequestEntityTooLarge)
		return
	}
	_, _ = w.Write([]byte(string(who.Kind) + " " + who.Name + " " + string(sent)))
}

func rule() Rule {
	return Rule{Scopes: []Scope{ScopeRead}, Browser: true, Types: []string{"application/json"}, MaxBody: 16}
}

// part is a part of a request: what sets it, and the status that it leads to.
type part struct {
	name   string
	set    func(*http.Request)
	status int
}

func set(name, value string) func(*http.Request) {
	return func(r *http.Request) { r.Header.Set(name, value) }
}

func host(h string) func(*http.Request) { return func(r *http.Request) { r.Host = h } }

func sends(kind, text string, length int64) func(*http.Request) {
	return func(r *http.Request) {
		r.Body, r.ContentLength = io.NopCloser(strings.NewReader(text)), length
		if kind != "" {
			r.Header.Set("Content-Type", kind)
		}
	}
}

func nothing(*http.Request) {}

// TestGuard_ChecksInOrder tries every combination of a host, an origin, a
// credential and a body: the first check that fails decides.
func TestGuard_ChecksInOrder(t *testing.T) {
	hosts := []part{
		{"localhost", host("localhost:7433"), 200},
		{"name without a port", host("localhost"), 200},
		{"capitals", host("LocalHost:7433"), 200},
		{"loopback", host("127.0.0.1:7433"), 200},
		{"another loopback", host("127.8.9.1"), 200},
		{"IPv6", host("[::1]:7433"), 200},
		{"IPv6 without a port", host("[::1]"), 200},
		{"mapped", host("[::ffff:127.0.0.1]:7433"), 200},
		{"configured", host("box.internal:7433"), 200},
		{"none", host(""), 403},
		{"rebound", host("attacker.example:7433"), 403},
		{"rebound to look like it", host("127.0.0.1.attacker.example"), 403},
		{"below localhost", host("x.localhost"), 403},
		{"with a dot", host("localhost."), 403},
		{"all addresses", host("0.0.0.0:7433"), 403},
		{"all addresses, IPv6", host("[::]:7433"), 403},
		{"of the network", host("192.168.1.5:7433"), 403},
		{"of the network, IPv6", host("[fe80::1%25eth0]:7433"), 403},
		{"a number", host("2130706433:7433"), 403},
		{"hex", host("0x7f000001"), 403},
		{"with a user", host("user@localhost"), 403},
		{"port that is none", host("localhost:x"), 403},
		{"broken", host("[::1"), 403},
		{"a path", host("localhost/x"), 403},
	}
	origins := []part{
		{"no origin", nothing, 200},
		{"own origin", func(r *http.Request) { r.Header.Set("Origin", "http://"+r.Host) }, 200},
		{"configured origin", set("Origin", "https://grafana.example"), 200},
		{"opened by a person", set("Sec-Fetch-Site", "none"), 200},
		{"page of the server", set("Sec-Fetch-Site", "same-origin"), 200},
		{"another site", set("Origin", "https://attacker.example"), 403},
		{"null", set("Origin", "null"), 403},
		{"own name with https", set("Origin", "https://localhost:7433"), 403},
		{"another port", set("Origin", "http://localhost:9999"), 403},
		{"two", func(r *http.Request) { r.Header["Origin"] = []string{"http://" + r.Host, "http://attacker.example"} }, 403},
		{"a page of another port", set("Sec-Fetch-Site", "same-site"), 403},
		{"an image of another site", func(r *http.Request) {
			r.Header.Set("Sec-Fetch-Site", "cross-site")
			r.Header.Set("Sec-Fetch-Mode", "no-cors")
		}, 403},
	}
	credentials := []part{
		{"token", set("Authorization", "Bearer reader"), 200},
		{"token, lower case", set("Authorization", "bearer reader"), 200},
		{"none", nothing, 401},
		{"unknown", set("Authorization", "Bearer nobody"), 401},
		{"empty", set("Authorization", "Bearer "), 401},
		{"basic", set("Authorization", "Basic reader"), 401},
		{"endless", set("Authorization", "Bearer "+strings.Repeat("r", 10_000)), 401},
		{"token of a cookie's name", set("Cookie", "meterbridge=reader"), 401},
		{"of another scope", set("Authorization", "Bearer scraper"), 403},
	}
	bodies := []part{
		{"no body", nothing, 200},
		{"JSON", sends("application/json", `{"a":1}`, 7), 200},
		{"JSON with a charset", sends("application/json; charset=utf-8", `{"a":1}`, 7), 200},
		{"chunked", sends("application/json", `{"a":1}`, -1), 200},
		{"untyped", sends("", `{"a":1}`, 7), 415},
		{"form", sends("application/x-www-form-urlencoded", "a=1", 3), 415},
		{"text", sends("text/plain", `{"a":1}`, 7), 415},
		{"text that is large", sends("text/plain", strings.Repeat("x", 100), 100), 415},
		{"large", sends("application/json", strings.Repeat("x", 17), 17), 413},
		{"large and chunked", sends("application/json", strings.Repeat("x", 17), -1), 413},
	}
	g := New(Options{Hosts: []string{"Box.internal"}, Origins: []string{"https://grafana.example"}, Tokens: known(), Browser: NewBrowser("meterbridge", nil)})
	h := g.Wrap(http.HandlerFunc(echo), rule())
	for _, a := range hosts {
		for _, b := range origins {
			for _, c := range credentials {
				for _, d := range bodies {
					want := 200
					r := httptest.NewRequest(http.MethodPost, "http://localhost:7433/api/v1/usage", nil)
					for _, p := range []part{a, b, c, d} {
						p.set(r)
						if want == 200 {
							want = p.status
						}
					}
					w := httptest.NewRecorder()
					h.ServeHTTP(w, r)
					if w.Code != want {
						t.Errorf("host %s, %s, credential %s, %s: want %d, got %d %s", a.name, b.name, c.name, d.name, want, w.Code, w.Body)
					}
					if cors := w.Header().Values("Access-Control-Allow-Origin"); len(cors) > 0 {
						t.Errorf("host %s, %s: CORS %q", a.name, b.name, cors)
					}
				}
			}
		}
	}
}

func TestGuard_TellsReasonsAndCallers(t *testing.T) {
	var refused []Reason
	g := New(Options{Tokens: known(), Refused: func(r Reason) { refused = append(refused, r) }})
	h := g.Wrap(http.HandlerFunc(echo), rule())
	for _, change := range []func(*http.Request){
		host("attacker.example"), set("Origin", "null"), nothing, set("Authorization", "Bearer scraper"),
		func(r *http.Request) { set("Authorization", "Bearer reader")(r); sends("text/plain", "x", 1)(r) },
		func(r *http.Request) {
			set("Authorization", "Bearer reader")(r)
			sends("application/json", strings.Repeat("x", 17), 17)(r)
		},
	} {
		r := httptest.NewRequest(http.MethodPost, "http://localhost/", nil)
		change(r)
		h.ServeHTTP(httptest.NewRecorder(), r)
	}
	if diff := cmp.Diff([]Reason{BadHost, BadOrigin, NoCredential, WrongScope, BadType, TooLarge}, refused); diff != "" {
		t.Errorf("reasons (-want +got):\n%s", diff)
	}
}

// A server that listens on more than the loopback is called by the address that
// the connection came in at, and by no other.
func TestGuard_KnowsTheAddressItWasReachedAt(t *testing.T) {
	g := New(Options{})
	for _, c := range []struct {
		local, host string
		ok          bool
	}{
		{"192.168.1.5:7433", "192.168.1.5:7433", true},
		{"192.168.1.5:7433", "192.168.1.5:8080", true},
		{"192.168.1.5:7433", "192.168.1.6:7433", false},
		{"192.168.1.5:7433", "attacker.example:7433", false},
		{"[fe80::1]:7433", "[fe80::1]:7433", true},
		{"[::ffff:192.168.1.5]:7433", "192.168.1.5", true},
		{"127.0.0.1:7433", "192.168.1.5:7433", false},
	} {
		local, err := net.ResolveTCPAddr("tcp", c.local)
		if err != nil {
			t.Fatal(err)
		}
		r := httptest.NewRequest(http.MethodGet, "http://localhost/", nil)
		r = r.WithContext(context.WithValue(r.Context(), http.LocalAddrContextKey, local))
		r.Host = c.host
		if got := g.host(r) == nil; got != c.ok {
			t.Errorf("reached at %s as %s: %v", c.local, c.host, got)
		}
	}
}

func TestGuard_RulesAreOfTheirHandler(t *testing.T) {
	g := New(Options{Tokens: known()})
	for _, c := range []struct {
		name, credential string
		rule             Rule
		status           int
	}{
		{"open", "", Rule{Open: true}, 200},
		{"metrics by a scraper", "Bearer scraper", Rule{Scopes: []Scope{ScopeMetrics}}, 200},
		{"metrics by a reader", "Bearer reader", Rule{Scopes: []Scope{ScopeMetrics}}, 403},
		{"either scope", "Bearer reader", Rule{Scopes: []Scope{ScopeMetrics, ScopeRead}}, 200},
		{"no scope", "Bearer reader", Rule{}, 403},
	} {
		r := httptest.NewRequest(http.MethodGet, "http://localhost/", nil)
		r.Header.Set("Authorization", c.credential)
		w := httptest.NewRecorder()
		g.Wrap(http.HandlerFunc(echo), c.rule).ServeHTTP(w, r)
		if w.Code != c.status {
			t.Errorf("%s: want %d, got %d %s", c.name, c.status, w.Code, w.Body)
		}
	}
	r := httptest.NewRequest(http.MethodGet, "http://attacker.example/healthz", nil)
	w := httptest.NewRecorder()
	g.Wrap(http.HandlerFunc(echo), Rule{Open: true}).ServeHTTP(w, r)
	if w.Code != http.StatusForbidden {
		t.Errorf("an open handler by another name: %d", w.Code)
	}
}

func TestGuard_TheSocketIsACredential(t *testing.T) {
	path := filepath.Join(t.TempDir(), "s")
	l, err := net.Listen("unix", path)
	if err != nil {
		t.Fatal(err)
	}
	g := New(Options{})
	h := g.Wrap(http.HandlerFunc(echo), rule())
	overUnix := &httptest.Server{Listener: l, Config: &http.Server{Handler: h, ConnContext: Socket}}
	overUnix.Start()
	defer overUnix.Close()
	overTCP := httptest.NewServer(h)
	defer overTCP.Close()
	client := &http.Client{Transport: &http.Transport{DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
		return new(net.Dialer).DialContext(ctx, "unix", path)
	}}}
	defer client.CloseIdleConnections()
	// One mux serves both listeners.
	for _, c := range []struct {
		client *http.Client
		url    string
		status int
	}{{client, "http://daemon/api", 200}, {http.DefaultClient, overTCP.URL, 401}} {
		got, err := c.client.Get(c.url)
		if err != nil {
			t.Fatal(err)
		}
		text, _ := io.ReadAll(got.Body)
		got.Body.Close()
		if got.StatusCode != c.status {
			t.Errorf("%s: want %d, got %d %s", c.url, c.status, got.StatusCode, text)
		}
	}
}

// login opens a link and returns the cookie that it became.
func login(b *Browser, link string) (*http.Response, *http.Cookie) {
	w := httptest.NewRecorder()
	b.ServeHTTP(w, httptest.NewRequest(http.MethodGet, "http://localhost"+link, nil))
	got := w.Result()
	for _, c := range got.Cookies() {
		return got, c
	}
	return got, nil
}

func TestBrowser_ALinkIsOpenedOnceAndSoon(t *testing.T) {
	now := time.Date(2026, 11, 29, 12, 0, 0, 0, time.UTC)
	b := NewBrowser("meterbridge_7433", func() time.Time { return now })
	link := b.Link()
	got, cookie := login(b, link)
	if cookie == nil || !cookie.HttpOnly || cookie.SameSite != http.SameSiteStrictMode || cookie.Path != "/" || cookie.Name != "meterbridge_7433" {
		t.Fatalf("cookie: %d %+v", got.StatusCode, cookie)
	}
	if got, again := login(b, link); again != nil || got.StatusCode != http.StatusUnauthorized {
		t.Errorf("opened twice: %d %v", got.StatusCode, again)
	}
	old := b.Link()
	now = now.Add(linkLife)
	if got, late := login(b, old); late != nil || got.StatusCode != http.StatusUnauthorized {
		t.Errorf("opened too late: %d %v", got.StatusCode, late)
	}
	for _, bad := range []string{LoginPath, LoginPath + "?token=", LoginPath + "?token=" + strings.Repeat("x", 4000)} {
		if got, c := login(b, bad); c != nil || got.StatusCode != http.StatusUnauthorized {
			t.Errorf("%.40s: %d %v", bad, got.StatusCode, c)
		}
	}
	head := b.Link()
	w := httptest.NewRecorder()
	b.ServeHTTP(w, httptest.NewRequest(http.MethodHead, "http://localhost"+head, nil))
	if _, c := login(b, head); w.Code != http.StatusMethodNotAllowed || c == nil {
		t.Errorf("a HEAD (%d) used the link up", w.Code)
	}
}

func TestBrowser_IsKnownByItsCookie(t *testing.T) {
	now := time.Date(2026, 11, 29, 12, 0, 0, 0, time.UTC)
	b := NewBrowser("meterbridge", func() time.Time { return now })
	g := New(Options{Browser: b})
	_, cookie := login(b, b.Link())
	ask := func(r Rule) int {
		req := httptest.NewRequest(http.MethodGet, "http://localhost/api", nil)
		req.AddCookie(&http.Cookie{Name: cookie.Name, Value: cookie.Value})
		w := httptest.NewRecorder()
		g.Wrap(http.HandlerFunc(echo), r).ServeHTTP(w, req)
		return w.Code
	}
	if got := ask(rule()); got != 200 {
		t.Errorf("with the cookie: %d", got)
	}
	if got := ask(Rule{Scopes: []Scope{ScopeOTLP}}); got != 401 {
		t.Errorf("where browsers are not let in: %d", got)
	}
	now = now.Add(visitLife)
	if got := ask(rule()); got != 401 {
		t.Errorf("after a month: %d", got)
	}
	_, cookie = login(b, b.Link())
	b.Forget()
	if got := ask(rule()); got != 401 {
		t.Errorf("forgotten: %d", got)
	}
}

func TestBrowser_HoldsFewAtOnceAndNoSecret(t *testing.T) {
	now := time.Date(2026, 11, 29, 12, 0, 0, 0, time.UTC)
	b := NewBrowser("meterbridge", func() time.Time { now = now.Add(time.Millisecond); return now })
	first := b.Link()
	for range mostLinks {
		b.Link()
	}
	if _, c := login(b, first); c != nil {
		t.Error("more links than are kept")
	}
	for range 3 * mostVisits {
		link := b.Link()
		if _, c := login(b, link); c == nil {
			t.Fatal("not admitted")
		} else if _, plain := b.visits[[sha256.Size]byte([]byte(c.Value)[:32])]; plain {
			t.Fatal("a cookie is kept as it is")
		}
	}
	if len(b.visits) > mostVisits || len(b.links) > mostLinks {
		t.Errorf("%d browsers, %d links", len(b.visits), len(b.links))
	}
}

func FuzzHost(f *testing.F) {
	for _, h := range []string{"localhost:1", "[::1]:1", "127.0.0.1", "", "[", "a:b:c", "[::1]x", "127.0.0.1:7433:1"} {
		f.Add(h)
	}
	g := New(Options{})
	f.Fuzz(func(t *testing.T, h string) {
		r := httptest.NewRequest(http.MethodGet, "http://localhost/", nil)
		r.Host = h
		if g.host(r) != nil {
			return
		}
		name, _ := hostName(h)
		ip := net.ParseIP(name)
		if name != "localhost" && (ip == nil || !ip.IsLoopback()) {
			t.Errorf("%q passes as %q", h, name)
		}
	})
}
