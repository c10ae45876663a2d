package guard

import (
	"crypto/sha256"
	"encoding/json"
	"errors"
	"maps"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"meterbridge/dashboard/problem"
)

// A name that the user gave the server is that of a proxy: its pages call the
// server by it, and may have come over TLS. No other name is let in by that.
func TestGuard_KnowsTheNamesOfItsUser(t *testing.T) {
	g := New(Options{Hosts: []string{"Meter.example.com"}, Tokens: known()})
	for _, c := range []struct {
		host, origin string
		status       int
	}{
		{"meter.example.com", "", 200},
		{"METER.example.com:8443", "", 200},
		{"meter.example.com", "https://meter.example.com", 200},
		{"meter.example.com", "http://meter.example.com", 200},
		{"meter.example.com:8443", "https://meter.example.com:8443", 200},
		{"meter.example.com", "https://meter.example.com:8443", 403},
		{"meter.example.com", "https://other.example.com", 403},
		{"meter.example.com", "https://localhost", 403},
		{"localhost", "https://localhost", 403},
		{"localhost", "https://meter.example.com", 403},
		{"evil.meter.example.com", "", 403},
		{"meter.example.com.evil.example", "", 403},
		{"localhost", "", 200},
	} {
		r := httptest.NewRequest(http.MethodGet, "http://localhost/api", nil)
		r.Host = c.host
		r.Header.Set("Authorization", "Bearer reader")
		if c.origin != "" {
			r.Header.Set("Origin", c.origin)
		}
		w := httptest.NewRecorder()
		g.Wrap(http.HandlerFunc(echo), rule()).ServeHTTP(w, r)
		if w.Code != c.status {
			t.Errorf("host %q, origin %q: %d, want %d", c.host, c.origin, w.Code, c.status)
		}
	}
}

// A handler whose clients read another form has refusals in that form, with the
// headers of every refusal.
func TestGuard_RefusesInTheHandlersForm(t *testing.T) {
	g := New(Options{Tokens: known()})
	own := func(w http.ResponseWriter, _ *http.Request, p *problem.Problem) {
		w.WriteHeader(p.Status)
		_ = json.NewEncoder(w).Encode(map[string]string{"error": p.Detail})
	}
	r := httptest.NewRequest(http.MethodGet, "http://localhost/mcp", nil)
	r.Header.Set("Accept", "text/html")
	w := httptest.NewRecorder()
	g.Wrap(http.HandlerFunc(echo), Rule{Scopes: []Scope{ScopeMCP}, Refuse: own}).ServeHTTP(w, r)
	if w.Code != 401 || w.Body.String() != "{\"error\":\"a credential is needed\"}\n" || w.Header().Get("WWW-Authenticate") == "" {
		t.Errorf("got %d %v %q", w.Code, w.Header(), w.Body)
	}
}

// kept is a file of visits in memory.
type kept struct {
	known map[[sha256.Size]byte]time.Time
	saves int
	err   error
}

func (k *kept) Load() (map[[sha256.Size]byte]time.Time, error) { return maps.Clone(k.known), k.err }

func (k *kept) Save(known map[[sha256.Size]byte]time.Time) error {
	k.known, k.saves = maps.Clone(known), k.saves+1
	return k.err
}

func TestBrowser_IsKnownAfterARestart(t *testing.T) {
	now := time.Date(2026, 11, 29, 12, 0, 0, 0, time.UTC)
	clock := func() time.Time { return now }
	file := &kept{}
	start := func() *Browser {
		b := NewBrowser("meterbridge", clock)
		b.Visits = file
		if err := b.Recall(); !errors.Is(err, file.err) {
			t.Fatal(err)
		}
		return b
	}
	first := start()
	link := first.Link()
	_, cookie := login(first, link)
	ask := func(b *Browser) bool {
		r := httptest.NewRequest(http.MethodGet, "http://localhost/", nil)
		r.AddCookie(&http.Cookie{Name: cookie.Name, Value: cookie.Value})
		return b.knows(r)
	}
	second := start()
	if !ask(second) {
		t.Error("not known after a restart")
	}
	if _, again := login(second, link); again != nil {
		t.Error("a link was opened twice over a restart")
	}
	saves := file.saves
	for range 100 {
		now = now.Add(time.Minute) // a page that asks all the time
		ask(second)
	}
	if n := file.saves - saves; n != 1 { // once an hour
		t.Errorf("%d asks wrote the file %d times", 100, n)
	}
	now = now.Add(visitLife - time.Hour)
	if !ask(start()) {
		t.Error("a visit that went on is not known a month later")
	}
	second.Forget()
	if ask(start()) {
		t.Error("known though forgotten")
	}
	file.err = errors.New("the disk is full")
	broken := start()
	_, cookie = login(broken, broken.Link())
	if !ask(broken) {
		t.Error("a browser that cannot be written down is not known")
	}
}
