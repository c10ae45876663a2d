package metrics

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"maps"
	"net/http/httptest"
	"os"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/prometheus/client_golang/prometheus/testutil"

	"meterbridge"
	"meterbridge/analytics"
)

var update = flag.Bool("update", false, "write the golden exposition") //nolint:gochecknoglobals // a flag of the test binary

// toy is a source whose answers a test writes.
type toy struct {
	counters analytics.Counters
	state    State
	revision uint64
	err      error
	asked    int
}

func (s *toy) Counters(context.Context, bool) (analytics.Counters, error) {
	s.asked++
	return s.counters, s.err
}
func (s *toy) Revision() uint64 { return s.revision }
func (s *toy) State() State     { return s.state }
func (s *toy) Budgets(context.Context) ([]Budget, error) {
	return []Budget{{Name: "all of it", Window: "month", UsedRatio: 0.25}}, nil
}

// usd is an amount in thousandths of a USD.
func usd(thousandths int64) meterbridge.PicoUSD { return meterbridge.Pico(thousandths * 1_000_000_000) }

func newToy() *toy {
	return &toy{
		state: State{
			Ready: true, Files: map[string]int{"claude-code": 4, "codex-cli": 2}, BytesRead: 12345, Lag: 1500 * time.Millisecond,
			Problems: map[string]map[string]int64{"claude-code": {"malformed-json": 2}}, StoreBytes: 4096,
			Agents:  map[string]map[string]int{"claude-code": {"working": 2, "idle": 0}},
			Waiting: map[string]int{"codex-cli": 2}, Delivered: map[string]map[string]int64{"codex-cli": {"sent": 5, "failed": 1}},
			MCPSessions: 3, Extensions: map[string]string{"ticket-desk": "ready"}, PriceTable: "2026-11-01", PriceDate: clock().Add(-24 * time.Hour),
		},
		counters: analytics.Counters{
			Spent: []analytics.SpentCounter{
				{
					Harness: "claude-code", Model: "claude-sonnet-4-5", Project: "/srv/shop", Requests: 3, Input: 100, Output: 50, Reasoning: 20,
					CacheRead: 1000, CacheWrite: 200, Recorded: usd(0), Listed: usd(1500),
				},
				{Harness: "codex-cli", Model: "", Project: "/srv/api", Requests: 1, Input: 7, Recorded: usd(250)},
			},
			Unpriced:  []analytics.UnpricedCounter{{Provider: "acme", Requests: 2}},
			Turns:     []analytics.TurnCounter{{Harness: "claude-code", Ended: "finished", Turns: 2}},
			Durations: []analytics.DurationCounter{{Harness: "codex-cli", Requests: 2, Total: 3500 * time.Millisecond, Buckets: []int64{1, 1, 1, 2, 2, 2, 2, 2, 2, 2, 2}}},
			Sessions:  map[string]int64{"claude-code": 2},
		},
	}
}

func clock() time.Time { return time.Date(2026, 11, 2, 0, 0, 0, 0, time.UTC) }

func testOptions() Options { return Options{Version: "1.0", Revision: "abc", Now: clock} }

func scraped(t *testing.T, m *Metrics) string {
	t.Helper()
	w := httptest.NewRecorder()
	m.Handler().ServeHTTP(w, httptest.NewRequest("GET", "/metrics", nil))
	if w.Code != 200 {
		t.Fatalf("scrape: %d %s", w.Code, w.Body)
	}
	return strings.ReplaceAll(w.Body.String(), runtime.Version(), "GO")
}

// series is the value of a series in an exposition, empty when it is not there.
func series(text, name string) string {
	for line := range strings.Lines(text) {
		if value, ok := strings.CutPrefix(line, name+" "); ok {
			return strings.TrimSpace(value)
		}
	}
	return ""
}

func TestHandler_ShowsTheGoldenExposition(t *testing.T) {
	o := testOptions()
	o.Projects, o.ClaudeNames = 1, true
	for file, o := range map[string]Options{"testdata/default.txt": testOptions(), "testdata/all.txt": o} {
		m := New(newToy(), o)
		m.Committed(3 * time.Millisecond)
		m.Refused("host")
		m.Called("ticket_desk_open_ticket", "ok", time.Millisecond, 300*time.Millisecond)
		m.Started("ticket-desk", "created")
		m.Late()
		got := scraped(t, m)
		if *update {
			if err := os.WriteFile(file, []byte(got), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		want, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(string(want), got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", file, diff)
		}
		problems, err := testutil.GatherAndLint(m.registry)
		for _, p := range problems {
			if !strings.HasPrefix(p.Metric, "claude_code_") { // names of somebody else's choice
				t.Errorf("%s: promlint: %s: %s", file, p.Metric, p.Text)
			}
		}
		if err != nil {
			t.Error(err)
		}
	}
}

// Before the first scan is done the ledger's counters are not there at all.
func TestHandler_HidesCountersUntilReady(t *testing.T) {
	s := newToy()
	s.state.Ready = false
	m := New(s, testOptions())
	if got := scraped(t, m); strings.Contains(got, "meterbridge_tokens_total") || series(got, "meterbridge_scan_ready") != "0" {
		t.Errorf("before the first scan:\n%s", got)
	}
	s.state.Ready = true
	if got := series(scraped(t, m), `meterbridge_requests_total{harness="claude-code",model="claude-sonnet-4-5"}`); got != "3" {
		t.Errorf("requests once ready: %q, want 3", got)
	}
}

// memory is a Floor in memory.
type memory struct{ values map[string]float64 }

func (f *memory) Load() (map[string]float64, error) { return maps.Clone(f.values), nil }
func (f *memory) Save(v map[string]float64) error {
	f.values = v
	return nil
}

// A correction that lowers a total, or takes a series away, shows what was shown
// before; over a restart too.
func TestHandler_NeverStepsDown(t *testing.T) {
	const tokens = `meterbridge_tokens_total{harness="claude-code",kind="input",model="claude-sonnet-4-5"}`
	const unpriced = `meterbridge_unpriced_requests_total{provider="acme"}`
	kept := &memory{}
	o := testOptions()
	o.Floor = kept
	s := newToy()
	m := New(s, o)
	scraped(t, m)
	look := func(m *Metrics, input int64, wantTokens, wantUnpriced string) {
		t.Helper()
		s.counters.Spent[0].Input = input
		s.revision++
		got := scraped(t, m)
		if series(got, tokens) != wantTokens || series(got, unpriced) != wantUnpriced {
			t.Errorf("with %d input tokens: %s and %s, want %s and %s", input, series(got, tokens), series(got, unpriced), wantTokens, wantUnpriced)
		}
	}
	s.counters.Unpriced = nil // the table has a price for it now
	look(m, 90, "100", "2")
	look(m, 105, "105", "2")
	if err := m.Close(); err != nil {
		t.Fatal(err)
	}
	look(New(s, o), 80, "105", "2")
	s.counters.Unpriced = []analytics.UnpricedCounter{{Provider: "acme", Requests: 3}}
	look(New(s, o), 200, "200", "3")
}

// full is a Floor on a disk without room.
type full struct{}

func (full) Load() (map[string]float64, error) { return nil, errors.New("no file") }
func (full) Save(map[string]float64) error     { return errors.New("no room") }

// What cannot be kept for the next start is shown all the same.
func TestHandler_ShowsWhatCannotBeKept(t *testing.T) {
	now := clock()
	o := testOptions()
	o.Floor, o.Now = full{}, func() time.Time { return now }
	m := New(newToy(), o)
	now = now.Add(2 * saveEvery)
	if got := series(scraped(t, m), `meterbridge_unpriced_requests_total{provider="acme"}`); got != "2" {
		t.Errorf("with a full disk: %q, want 2", got)
	}
}

// Models beyond the cap are one series; a model keeps the series that it has.
func TestHandler_CapsModels(t *testing.T) {
	s := newToy()
	s.counters.Spent = nil
	for i := range 5 {
		s.counters.Spent = append(s.counters.Spent, analytics.SpentCounter{Harness: "h", Model: fmt.Sprint("m", i), Requests: 1, Input: int64(i)})
	}
	o := testOptions()
	o.Models = 2
	m := New(s, o)
	for _, step := range []struct {
		why  string
		heap int64
		want map[string]string
	}{
		{"the two that spent most", 0, map[string]string{"m4": "4", "m3": "3", "other": "3", "m0": ""}},
		{"one that overtakes them", 100, map[string]string{"m4": "4", "m3": "3", "other": "103", "m0": ""}},
	} {
		s.counters.Spent[0].Input = step.heap
		s.revision++
		got := scraped(t, m)
		for model, want := range step.want {
			if v := series(got, `meterbridge_tokens_total{harness="h",kind="input",model="`+model+`"}`); v != want {
				t.Errorf("%s: %s has %q, want %q", step.why, model, v, want)
			}
		}
	}
}

// The ledger is asked again only after a change.
func TestHandler_ReadsAnUnchangedLedgerOnce(t *testing.T) {
	s := newToy()
	m := New(s, testOptions())
	for range 3 {
		scraped(t, m)
	}
	if s.asked != 1 {
		t.Errorf("the ledger was asked %d times, want once", s.asked)
	}
	s.revision++
	if scraped(t, m); s.asked != 2 {
		t.Errorf("the ledger was asked %d times after a change, want twice", s.asked)
	}
}

// A ledger that cannot be read takes the daemon's own metrics with it no more
// than it must.
func TestHandler_ShowsItselfWithoutTheLedger(t *testing.T) {
	s := newToy()
	s.err = errors.New("the disk is gone")
	if got := scraped(t, New(s, testOptions())); series(got, "meterbridge_scan_lag_seconds") != "1.5" || strings.Contains(got, "tokens_total") {
		t.Errorf("without the ledger:\n%s", got)
	}
}
