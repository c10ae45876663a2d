package analytics

import (
	"fmt"
	"path/filepath"
	"testing"
	"time"

	"meterbridge"
)

// generated are n requests over days in sessions of fifty, in time order.
func generated(n int, first int) []meterbridge.Request {
	list := make([]meterbridge.Request, n)
	start := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	for i := range list {
		k := first + i
		list[i] = meterbridge.Request{
			Harness: "claude-code", Store: "messages", NativeID: fmt.Sprintf("msg_%08d", k), Session: fmt.Sprintf("session-%06d", k/50),
			Model: []string{"m1", "m2", "m3"}[k%3], Project: fmt.Sprintf("/srv/project-%d", k/5000), Branch: "main", Rule: "single-record",
			ResponseID: fmt.Sprintf("msg_%08d", k), RequestID: fmt.Sprintf("req_%08d", k), ServiceTier: "standard", Tools: []string{"Bash"},
			EndedAt: start.Add(time.Duration(k) * time.Minute),
			Tokens: meterbridge.Tokens{
				Input: meterbridge.Reported(10), Output: meterbridge.Reported(int64(k % 1000)), CacheRead: meterbridge.Reported(9000),
				CacheWrite5m: meterbridge.Reported(500), CacheWrite1h: meterbridge.Reported(0),
			},
			Place: meterbridge.Place{Line: int64(i), Offset: int64(i) * 1000, Hash: uint64(i)},
		}
	}
	return list
}

// filled commits n requests in units of fifty, a source each, in commits of size.
func filled(b *testing.B, l *Ledger, n, first, size int) {
	b.Helper()
	list := generated(n, first)
	var units []meterbridge.Unit
	held := 0
	for i := 0; i < n; i += 50 {
		units = append(units, logOf(fmt.Sprintf("/logs/%08d.jsonl", first+i), list[i:min(n, i+50)]...))
		if held += 50; held >= size {
			if err := l.Commit(b.Context(), units); err != nil {
				b.Fatal(err)
			}
			units, held = nil, 0
		}
	}
	if len(units) > 0 {
		if err := l.Commit(b.Context(), units); err != nil {
			b.Fatal(err)
		}
	}
}

func ledgerOf(b *testing.B, n int) string {
	b.Helper()
	path := filepath.Join(b.TempDir(), "ledger.duckdb")
	l, err := Open(b.Context(), path, Options{ReportZone: time.UTC})
	if err != nil {
		b.Fatal(err)
	}
	if err := l.BeginScan(b.Context()); err != nil {
		b.Fatal(err)
	}
	filled(b, l, n, 0, 50_000)
	if err := l.EndScan(b.Context()); err != nil {
		b.Fatal(err)
	}
	if err := l.Close(); err != nil {
		b.Fatal(err)
	}
	return path
}

// A back-fill of 100,000 requests in commits of 50,000.
func BenchmarkCommit_BackFill(b *testing.B) {
	for b.Loop() {
		start := cpu()
		ledgerOf(b, 100_000)
		b.ReportMetric(float64((cpu()-start).Microseconds())/100_000, "cpu-µs/row")
	}
}

// One line is appended to a log, over and over, while 400,000 requests are there.
func BenchmarkCommit_OneLine(b *testing.B) {
	l, err := Open(b.Context(), ledgerOf(b, 400_000), Options{ReportZone: time.UTC})
	if err != nil {
		b.Fatal(err)
	}
	defer l.Close()
	n := 400_000
	start := cpu()
	for b.Loop() {
		if err := l.Commit(b.Context(), []meterbridge.Unit{logOf("/logs/live.jsonl", generated(1, n)...)}); err != nil {
			b.Fatal(err)
		}
		n++
	}
	b.ReportMetric(float64((cpu()-start).Microseconds())/float64(b.N), "cpu-µs/commit")
}

// A process opens a ledger of 400,000 requests in 8,000 logs, learns how far
// each was read, and answers usage by day.
func BenchmarkOpen_WarmAnswer(b *testing.B) {
	path := ledgerOf(b, 600_000)
	for b.Loop() {
		start := cpu()
		l, err := Open(b.Context(), path, Options{ReportZone: time.UTC})
		if err != nil {
			b.Fatal(err)
		}
		opened := cpu()
		if _, err := l.Checkpoints(b.Context()); err != nil {
			b.Fatal(err)
		}
		known := cpu()
		if _, err := l.Usage(b.Context(), UsageQuery{By: "day", Zone: time.UTC}); err != nil {
			b.Fatal(err)
		}
		answered := cpu()
		if err := l.Close(); err != nil {
			b.Fatal(err)
		}
		b.ReportMetric(float64((opened-start).Microseconds())/1000, "open-ms")
		b.ReportMetric(float64((known-opened).Microseconds())/1000, "checkpoints-ms")
		b.ReportMetric(float64((answered-known).Microseconds())/1000, "usage-ms")
		b.ReportMetric(float64((cpu()-answered).Microseconds())/1000, "close-ms")
	}
}
