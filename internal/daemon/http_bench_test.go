package daemon

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"testing"
	"time"

	"meterbridge"
	"meterbridge/dashboard/api"
	"meterbridge/internal/config"
)

// The benchmark of the API is opt-in, for a large ledger takes minutes to fill:
// METERBRIDGE_HTTP_BENCH is the number of requests, METERBRIDGE_HTTP_BENCH_DIR a
// folder in which the ledger is kept for the next run.
const (
	benchSize = "METERBRIDGE_HTTP_BENCH"
	benchDir  = "METERBRIDGE_HTTP_BENCH_DIR"

	perSession = 100
	benchDays  = 730
)

func benchStart() time.Time { return time.Date(2025, 1, 1, 0, 0, 0, 0, time.UTC) }

// benchSession is the nth of so many sessions: a hundred requests over three
// hours, a prompt for every eight of them, a tool call for every second one.
func benchSession(n, sessions int) meterbridge.Unit {
	harness := []string{"claude-code", "codex-cli", "opencode"}[n%3]
	id := fmt.Sprintf("%08x-0000-4000-8000-%012x", uint32(n)*2654435761, n)
	path := "/logs/" + id + ".jsonl"
	begin := benchStart().Add(time.Duration(int64(benchDays) * 24 * int64(time.Hour) / int64(sessions) * int64(n)))
	b := meterbridge.Batch{Sessions: []meterbridge.Session{{Harness: harness, ID: id, Title: "Session " + strconv.Itoa(n), Project: benchProject(n)}}}
	for i := range perSession {
		at := begin.Add(time.Duration(i) * 108 * time.Second)
		native := fmt.Sprintf("%s-%d", id, i)
		b.Requests = append(b.Requests, meterbridge.Request{
			Harness: harness, Store: "messages", NativeID: native, Session: id, Provider: "anthropic",
			Model: benchModel(n, i), Project: benchProject(n), Rule: "single-record",
			StartedAt: at.Add(-9 * time.Second), EndedAt: at,
			Tokens: meterbridge.Tokens{
				Input: meterbridge.Reported(10), Output: meterbridge.Reported(int64(i * 7)), Reasoning: meterbridge.Reported(int64(i)),
				CacheRead: meterbridge.Reported(9000), CacheWrite5m: meterbridge.Reported(500), CacheWrite1h: meterbridge.Reported(0),
			},
			Recorded: meterbridge.SomePico(meterbridge.Pico(1_000_000 * int64(i+1))),
			Place:    meterbridge.Place{Line: int64(i + 1), Offset: int64(i) * 1000, Hash: uint64(i)},
		})
		if i%8 == 0 {
			b.Prompts = append(b.Prompts, meterbridge.Prompt{Harness: harness, Session: id, NativeID: native, At: at.Add(-10 * time.Second), Preview: "do it"})
		}
		if i%2 == 0 {
			b.ToolCalls = append(b.ToolCalls, meterbridge.ToolCall{Harness: harness, Session: id, NativeID: native, Name: "Bash", StartedAt: at, EndedAt: at.Add(time.Second)})
		}
	}
	return meterbridge.Unit{Checkpoint: meterbridge.Checkpoint{Harness: harness, Kind: "lines", Path: path, Size: 1}, Batch: b}
}

// benchProject: work stays with a few folders for a while.
func benchProject(n int) string { return fmt.Sprintf("/srv/project-%d", n/500%20*2+n%2) }

// benchModel: two models of each harness at a time, new ones every few months.
func benchModel(n, i int) string { return fmt.Sprintf("model-%d-%d-%d", n%3, n/25_000, i/70) }

// benchMeter is an installation with that many requests.
func benchMeter(b *testing.B, requests int) *Meter {
	b.Helper()
	dir := os.Getenv(benchDir)
	if dir == "" {
		dir = b.TempDir()
	}
	dir = filepath.Join(dir, strconv.Itoa(requests))
	m, err := Open(b.Context(), Options{
		Home: dir, OS: "linux", Now: time.Now, Getenv: func(string) string { return "UTC" }, Paths: &config.Paths{Data: dir, Config: dir},
	})
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { m.Close() })
	if known, err := m.ledger.Checkpoints(b.Context()); err != nil || len(known) > 0 {
		return m
	}
	sessions := requests / perSession
	if err := m.ledger.BeginScan(b.Context()); err != nil {
		b.Fatal(err)
	}
	for n := 0; n < sessions; {
		var units []meterbridge.Unit
		for range min(500, sessions-n) {
			units = append(units, benchSession(n, sessions))
			n++
		}
		if err := m.ledger.Commit(b.Context(), units); err != nil {
			b.Fatal(err)
		}
	}
	if err := m.ledger.EndScan(b.Context()); err != nil {
		b.Fatal(err)
	}
	return m
}

// BenchmarkHTTP asks what the acceptance limits are about, each time of another
// session or time, and prints p50 and p99 in ms.
func BenchmarkHTTP(b *testing.B) {
	size, err := strconv.Atoi(os.Getenv(benchSize))
	if err != nil {
		b.Skip(benchSize + " says how many requests the ledger has")
	}
	m := benchMeter(b, size)
	s := httptest.NewServer(m.API(api.Options{}))
	defer s.Close()
	sessions := size / perSession
	id := func(i int) string {
		return url.PathEscape(benchSession(int(uint32(i)*2654435761%uint32(sessions)), sessions).Batch.Sessions[0].ID)
	}
	window := func(i int) string {
		at := benchSession(int(uint32(i)*2654435761%uint32(sessions)), sessions).Batch.Requests[20].EndedAt
		return "?since=" + at.Format(time.RFC3339) + "&until=" + at.Add(time.Hour).Format(time.RFC3339)
	}
	week := func(i int) string {
		at := benchStart().AddDate(0, 0, i%700)
		return "&since=" + at.Format(time.DateOnly) + "&until=" + at.AddDate(0, 0, 6).Format(time.DateOnly)
	}
	for _, q := range []struct {
		name string
		path func(i int) string
	}{
		{"session-in-a-window", func(i int) string { return "/sessions/" + id(i) + "/usage" + window(i) }},
		{"session-without-bounds", func(i int) string { return "/sessions/" + id(i) + "/usage" }},
		{"usage-of-a-session", func(i int) string { return "/usage?by=session&session=" + id(i) }},
		{"timeline-in-a-window", func(i int) string { return "/sessions/" + id(i) + "/timeline" + window(i) }},
		{"timeline-without-bounds", func(i int) string { return "/sessions/" + id(i) + "/timeline" }},
		{"session-in-full", func(i int) string { return "/sessions/" + id(i) }},
		{"day-x-model", func(int) string { return "/usage?by=day&breakdown=true" }},
		{"model", func(int) string { return "/usage?by=model" }},
		{"day-in-a-week", func(i int) string { return "/usage?by=day" + week(i) }},
		{"hour-in-a-week", func(i int) string { return "/usage?by=hour" + week(i) }},
		{"sessions-page", func(int) string { return "/sessions?limit=50" }},
		{"harnesses", func(int) string { return "/harnesses" }},
		{"health", func(int) string { return "/health" }},
	} {
		b.Run(q.name, func(b *testing.B) {
			var took []time.Duration
			n := 0
			for b.Loop() {
				n++
				start := time.Now()
				got, err := http.Get(s.URL + api.Prefix + q.path(n))
				if err != nil {
					b.Fatal(err)
				}
				body, err := io.ReadAll(got.Body)
				got.Body.Close()
				if err != nil || got.StatusCode != http.StatusOK {
					b.Fatalf("%d %s %v", got.StatusCode, body, err)
				}
				took = append(took, time.Since(start))
			}
			slices.Sort(took)
			b.ReportMetric(float64(took[len(took)/2].Microseconds())/1000, "p50-ms")
			b.ReportMetric(float64(took[len(took)*99/100].Microseconds())/1000, "p99-ms")
			b.ReportMetric(0, "ns/op")
		})
	}
}
