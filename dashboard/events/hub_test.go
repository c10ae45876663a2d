package events

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// seen is an event as a client reads it.
type seen struct{ ID, Event, Data string }

// listener is a client of a real server.
type listener struct {
	t    *testing.T
	r    *bufio.Reader
	body io.Closer
	resp *http.Response
}

func listen(t *testing.T, url, last string) *listener {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, url, nil)
	if err != nil {
		t.Fatal(err)
	}
	if last != "" {
		r.Header.Set("Last-Event-ID", last)
	}
	got, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { got.Body.Close() })
	return &listener{t: t, r: bufio.NewReader(got.Body), body: got.Body, resp: got}
}

// next reads the next event; comments and retry are skipped, io.EOF is the end.
func (l *listener) next() (seen, error) {
	var s seen
	for {
		line, err := l.r.ReadString('\n')
		if err != nil {
			return s, err
		}
		field, value, _ := strings.Cut(strings.TrimSuffix(line, "\n"), ": ")
		switch field {
		case "id":
			s.ID = value
		case "event":
			s.Event = value
		case "data":
			s.Data = value
		case "":
			if s.Event != "" {
				return s, nil
			}
		}
	}
}

func (l *listener) wants(want ...seen) {
	l.t.Helper()
	for _, w := range want {
		got, err := l.next()
		if err != nil {
			l.t.Fatalf("wait for %+v: %v", w, err)
		}
		if diff := cmp.Diff(w, got); diff != "" {
			l.t.Errorf("event (-want +got):\n%s", diff)
		}
	}
}

func serve(t *testing.T, o Options) (*Hub, *httptest.Server) {
	t.Helper()
	if o.Boot == "" {
		o.Boot = "b"
	}
	h := NewHub(o)
	s := httptest.NewServer(h)
	t.Cleanup(func() {
		h.Close()
		s.Close()
		http.DefaultClient.CloseIdleConnections()
	})
	return h, s
}

func publish(t *testing.T, h *Hub, n int) {
	t.Helper()
	if err := h.Publish(Prices, PriceChange{TableVersion: fmt.Sprint(n)}); err != nil {
		t.Fatal(err)
	}
}

// numbered is the nth event that publish sends.
func numbered(n int) seen {
	return seen{fmt.Sprint("b-", n), "prices", fmt.Sprintf(`{"tableVersion":"%d"}`, n)}
}

func TestHub_SendsEventsInOrderToAll(t *testing.T) {
	h, s := serve(t, Options{})
	a, b := listen(t, s.URL, ""), listen(t, s.URL, "")
	if got := a.resp.Header.Get("Content-Type"); got != "text/event-stream" {
		t.Errorf("content type %q", got)
	}
	if err := h.Publish(Usage, NewUsageChange("codex-cli", []string{"a\nb"}, 7)); err != nil {
		t.Fatal(err)
	}
	publish(t, h, 2)
	first := seen{"b-1", "usage", `{"harness":"codex-cli","sessions":["a\nb"],"cut":false,"revision":7}`}
	a.wants(first, numbered(2))
	b.wants(first, numbered(2))
}

func TestHub_ACatchesUpWhoComesBack(t *testing.T) {
	h, s := serve(t, Options{Kept: 4})
	for n := range 6 {
		publish(t, h, n+1)
	}
	reset := seen{"b-6", "reset", "{}"}
	for _, c := range []struct {
		last string
		want []seen
	}{
		{"b-6", nil},
		{"b-5", []seen{numbered(6)}},
		{"b-2", []seen{numbered(3), numbered(4), numbered(5), numbered(6)}},
		{"b-1", []seen{reset}},     // no longer kept
		{"b-7", []seen{reset}},     // was never sent
		{"other-6", []seen{reset}}, // of another process
		{"6", []seen{reset}},
		{"b-", []seen{reset}},
		{"b--1", []seen{reset}},
		{"b-99999999999999999999", []seen{reset}},
	} {
		l := listen(t, s.URL, c.last)
		l.wants(c.want...)
	}
	// And what comes then, comes once.
	l := listen(t, s.URL, "b-5")
	publish(t, h, 7)
	l.wants(numbered(6), numbered(7))
}

func TestHub_BoundsItsClients(t *testing.T) {
	h, s := serve(t, Options{Clients: 2})
	a := listen(t, s.URL, "")
	listen(t, s.URL, "")
	crowded := listen(t, s.URL, "")
	if crowded.resp.StatusCode != http.StatusServiceUnavailable || crowded.resp.Header.Get("Retry-After") == "" {
		t.Errorf("the third: %d", crowded.resp.StatusCode)
	}
	a.body.Close()
	// The place comes free once the server has noticed.
	for listen(t, s.URL, "").resp.StatusCode != http.StatusOK {
		publish(t, h, 1)
	}
}

func TestHub_DropsWhoDoesNotRead(t *testing.T) {
	h, s := serve(t, Options{Behind: 4, Kept: 8, Patience: time.Minute})
	conn, err := net.Dial("tcp", s.Listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	fmt.Fprintf(conn, "GET / HTTP/1.1\r\nHost: localhost\r\n\r\n")
	if _, err := conn.Read(make([]byte, 1)); err != nil {
		t.Fatal(err)
	}
	reads := listen(t, s.URL, "")
	big := strings.Repeat("x", 1<<20)
	// Publishing never waits: it goes on until the client that reads nothing is gone.
	for n := 0; h.Clients() == 2; n++ {
		if n > 10_000 {
			t.Fatal("it is still there")
		}
		if err := h.Publish(Health, big); err != nil {
			t.Fatal(err)
		}
		if got, err := reads.next(); err != nil || got.Event != "health" {
			t.Fatal(err)
		}
	}
}

func TestHub_SendsHeartbeatsAndEnds(t *testing.T) {
	h, s := serve(t, Options{Heartbeat: time.Millisecond})
	l := listen(t, s.URL, "")
	for {
		line, err := l.r.ReadString('\n')
		if err != nil {
			t.Fatal(err)
		}
		if strings.HasPrefix(line, ":") {
			break
		}
	}
	h.Close()
	for {
		if _, err := l.r.ReadString('\n'); err != nil {
			break
		}
	}
	if err := h.Publish(Scan, ScanChange{}); !errors.Is(err, ErrClosed) {
		t.Errorf("publish after the end: %v", err)
	}
	if got := listen(t, s.URL, ""); got.resp.StatusCode != http.StatusServiceUnavailable {
		t.Errorf("listen after the end: %d", got.resp.StatusCode)
	}
}

func TestHub_LosesNothingWithManyPublishers(t *testing.T) {
	h, s := serve(t, Options{Behind: 4096, Kept: 4096})
	l := listen(t, s.URL, "")
	var wg sync.WaitGroup
	const each, publishers = 200, 8
	for range publishers {
		wg.Go(func() {
			for n := range each {
				if err := h.Publish(Prices, PriceChange{TableVersion: fmt.Sprint(n)}); err != nil {
					t.Error(err)
				}
			}
		})
	}
	for n := range each * publishers {
		got, err := l.next()
		if want := fmt.Sprint("b-", n+1); err != nil || got.ID != want {
			t.Fatalf("want %s, got %+v, %v", want, got, err)
		}
	}
	wg.Wait()
}

func TestHub_RefusesWhatIsNoJSON(t *testing.T) {
	h := NewHub(Options{})
	if err := h.Publish(Health, context.Background); err == nil {
		t.Error("a function was published")
	}
}

func TestNewUsageChange_NamesAsManySessionsAsFit(t *testing.T) {
	c := NewUsageChange("h", make([]string, MostSessions+1), 1)
	if len(c.Sessions) != MostSessions || !c.Cut {
		t.Errorf("%d sessions, cut %v", len(c.Sessions), c.Cut)
	}
	if c := NewUsageChange("h", nil, 1); c.Sessions == nil || c.Cut {
		t.Errorf("without sessions: %+v", c)
	}
}
