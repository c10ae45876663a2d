package daemon

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"meterbridge"
	"meterbridge/internal/config"
	"meterbridge/scanner"
)

// benchLine is an assistant line of Claude Code with the id n.
func benchLine(session string, n int, at time.Time) string {
	return fmt.Sprintf(`{"parentUuid":null,"isSidechain":false,"userType":"external","cwd":"/home/dev/src/p","sessionId":"%s","version":"2.0.1","gitBranch":"main","message":{"model":"claude-sonnet-4-5-20250929","id":"msg_live%s%d","type":"message","role":"assistant","content":[{"type":"text","text":"ok"}],"stop_reason":"end_turn","usage":{"input_tokens":3,"cache_creation_input_tokens":10,"cache_read_input_tokens":100,"output_tokens":20}},"requestId":"req_live%s%d","type":"assistant","uuid":"u%s%d","timestamp":"%s"}`+"\n",
		session, session, n, session, n, session, n, at.UTC().Format("2006-01-02T15:04:05.000Z"))
}

func sessionPath(home, session string) string {
	return filepath.Join(home, ".claude", "projects", "-home-dev-src-p", session+".jsonl")
}

func appendTo(tb testing.TB, path, text string) {
	f, err := os.OpenFile(path, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o644)
	if err != nil {
		tb.Fatal(err)
	}
	if _, err := f.WriteString(text); err != nil {
		tb.Fatal(err)
	}
	if err := f.Close(); err != nil {
		tb.Fatal(err)
	}
}

// fill puts rows of the 120 days before now into the ledger.
func fill(b *testing.B, m *Meter, rows int, now time.Time) {
	b.Helper()
	const portion = 50_000
	step := 120 * 24 * time.Hour / time.Duration(rows)
	if err := m.ledger.BeginScan(b.Context()); err != nil {
		b.Fatal(err)
	}
	for from := 0; from < rows; from += portion {
		u := meterbridge.Unit{Checkpoint: meterbridge.Checkpoint{Harness: "claude-code", Kind: "transcript", Path: fmt.Sprintf("/old/%d.jsonl", from), Size: 1, Gone: true}}
		for i := from; i < min(rows, from+portion); i++ {
			u.Batch.Requests = append(u.Batch.Requests, meterbridge.Request{
				Harness: "claude-code", Store: "transcripts", NativeID: fmt.Sprint("old", i), Session: fmt.Sprint("old-session-", i/100),
				Project: fmt.Sprint("/home/dev/src/p", i/1000%40), Model: "claude-sonnet-4-5-20250929", EndedAt: now.Add(-120 * 24 * time.Hour).Add(time.Duration(i) * step),
				Tokens: meterbridge.Tokens{Input: meterbridge.Reported(3), Output: meterbridge.Reported(20), CacheRead: meterbridge.Reported(1000)},
			})
		}
		if err := m.ledger.Commit(b.Context(), []meterbridge.Unit{u}); err != nil {
			b.Fatal(err)
		}
	}
	if err := m.ledger.EndScan(b.Context()); err != nil {
		b.Fatal(err)
	}
}

// run runs a live scanner until the benchmark ends.
func run(b *testing.B, m *Meter, o LiveOptions) *scanner.Live {
	b.Helper()
	live, err := m.Live(o)
	if err != nil {
		b.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- live.Run(ctx) }()
	b.Cleanup(func() {
		cancel()
		if err := <-ended; err != nil {
			b.Error(err)
		}
	})
	if _, err := live.Refresh(b.Context(), nil); err != nil {
		b.Fatal(err)
	}
	return live
}

// BenchmarkLive_AppendToVisible measures from the append of a line, 50 of them a
// second, until a report of its session counts it, in a ledger of a million
// requests, while another reader asks for a heavy report all the time.
func BenchmarkLive_AppendToVisible(b *testing.B) {
	for _, sessions := range []int{10, 1} {
		for _, heavy := range []bool{false, true} {
			b.Run(fmt.Sprintf("sessions=%d/heavy=%v", sessions, heavy), func(b *testing.B) { appendToVisible(b, sessions, heavy) })
		}
	}
}

func appendToVisible(b *testing.B, sessions int, heavy bool) {
	home := b.TempDir()
	now := time.Now()
	m, err := Open(b.Context(), benchOptions(home))
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { m.Close() }) // after the scanner, which writes until it ends
	fill(b, m, 1_000_000, now)
	name := func(i int) string { return fmt.Sprintf("session-%d", i%sessions) }
	if err := os.MkdirAll(filepath.Dir(sessionPath(home, "x")), 0o755); err != nil {
		b.Fatal(err)
	}
	for i := range sessions {
		appendTo(b, sessionPath(home, name(i)), benchLine(name(i), -1, now))
	}
	var commits atomic.Int64
	news := make(chan struct{}, 1)
	run(b, m, LiveOptions{Committed: func(scanner.Committed) {
		commits.Add(1)
		select {
		case news <- struct{}{}:
		default:
		}
	}})
	var wg sync.WaitGroup
	ctx, cancel := context.WithCancel(b.Context())
	if heavy {
		wg.Go(func() {
			for ctx.Err() == nil {
				_, _ = m.Usage(ctx, UsageQuery{By: "session", Zone: time.UTC, Cost: "auto", Breakdown: true})
			}
		})
	}
	var waits []time.Duration
	var seen, asked time.Duration
	const lines = 400
	began, cpu := time.Now(), cpuTime()
	for i := range lines {
		<-time.After(time.Until(began.Add(time.Duration(i) * 20 * time.Millisecond)))
		start := time.Now()
		appendTo(b, sessionPath(home, name(i)), benchLine(name(i), i, start))
		want := int64(1 + i/sessions + 1)
		for {
			<-news
			committed := time.Now()
			u, err := m.ledger.Window(b.Context(), name(i), now.Add(-time.Hour), time.Time{})
			if err != nil {
				b.Fatal(err)
			}
			if u.Requests != nil && *u.Requests >= want {
				waits = append(waits, time.Since(start))
				seen += committed.Sub(start)
				asked += time.Since(committed)
				break
			}
		}
	}
	used := cpuTime() - cpu
	cancel()
	wg.Wait()
	slices.Sort(waits)
	b.ReportMetric(ms(waits[len(waits)/2]), "p50-ms")
	b.ReportMetric(ms(waits[len(waits)*99/100]), "p99-ms")
	b.ReportMetric(ms(seen)/lines, "commit-ms")
	b.ReportMetric(ms(asked)/lines, "query-ms")
	b.ReportMetric(ms(used)/lines, "cpu-ms/line")
	b.ReportMetric(0, "ns/op")
}

func ms(d time.Duration) float64 { return float64(d) / float64(time.Millisecond) }

func benchOptions(home string) Options {
	return Options{
		Home: home, OS: "linux", Now: time.Now, Getenv: func(string) string { return "" },
		Paths: &config.Paths{Data: filepath.Join(home, "meterbridge"), Config: filepath.Join(home, "meterbridge")},
	}
}
