package scanner

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"meterbridge/harnesses"
	"meterbridge/internal/testkit"
)

// forest is a home with many logs in a tenth as many folders.
func forest(b *testing.B, files int) string {
	b.Helper()
	home := b.TempDir()
	for i := range files {
		dir := filepath.Join(home, ".toy", fmt.Sprintf("-home-dev-project-number-%d", i%(files/10)))
		if err := os.MkdirAll(dir, 0o755); err != nil {
			b.Fatal(err)
		}
		name := fmt.Sprintf("5f0c1a52-60da-4d74-ab69-%012d.log", i)
		if err := os.WriteFile(filepath.Join(dir, name), []byte(testkit.ToyLine(fmt.Sprint("r", i), fmt.Sprint("s", i), 1, 1)), 0o644); err != nil {
			b.Fatal(err)
		}
	}
	return home
}

// runLive runs a live scanner over a home until the benchmark ends.
func runLive(b *testing.B, home string, sink Sink, o LiveOptions) *Live {
	b.Helper()
	opt := Options{Env: harnesses.Env{Home: home, OS: "linux"}, Harnesses: []harnesses.Harness{testkit.Toy()}}
	live, err := NewLive(sink, opt, o)
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
	for range 3 { // the first scan, then a look at what is watched since
		if _, err := live.Refresh(ctx, nil); err != nil {
			b.Fatal(err)
		}
	}
	return live
}

// BenchmarkLive_Rescan_20000 is a rescan of 20,000 files that finds nothing, and
// the share of a core that this costs at the period it chooses.
func BenchmarkLive_Rescan_20000(b *testing.B) {
	live := runLive(b, forest(b, 20_000), &testkit.Memory{}, LiveOptions{Rescan: time.Hour})
	start, n := cpuTime(), 0
	for b.Loop() {
		if _, err := live.Refresh(b.Context(), nil); err != nil {
			b.Fatal(err)
		}
		n++
	}
	cost := (cpuTime() - start) / time.Duration(n)
	b.ReportMetric(float64(cost.Microseconds())/1000, "cpu-ms/rescan")
	b.ReportMetric(100*cost.Seconds()/10, "%core-at-10s")
	b.ReportMetric(float64(live.State().Watched), "watches")
}

// BenchmarkLive_Idle_20000 is what 20,000 watched files cost in 30 s in which
// nothing happens.
func BenchmarkLive_Idle_20000(b *testing.B) {
	live := runLive(b, forest(b, 20_000), &testkit.Memory{}, LiveOptions{})
	const span = 30 * time.Second
	start := cpuTime()
	<-time.After(span)
	b.ReportMetric(100*(cpuTime()-start).Seconds()/span.Seconds(), "%core")
	b.ReportMetric(live.State().Period.Seconds(), "period-s")
	b.ReportMetric(0, "ns/op")
}

// BenchmarkLive_Burst is 200,000 appends to 100 files as fast as they can be made.
func BenchmarkLive_Burst(b *testing.B) {
	home := forest(b, 100)
	sink := &counting{}
	live := runLive(b, home, sink, LiveOptions{})
	files, err := filepath.Glob(filepath.Join(home, ".toy", "*", "*.log"))
	if err != nil {
		b.Fatal(err)
	}
	var open []*os.File
	for _, path := range files {
		f, err := os.OpenFile(path, os.O_APPEND|os.O_WRONLY, 0)
		if err != nil {
			b.Fatal(err)
		}
		defer f.Close()
		open = append(open, f)
	}
	const appends = 200_000
	before := sink.commits
	start, began := cpuTime(), time.Now()
	var line bytes.Buffer
	for i := range appends {
		line.Reset()
		fmt.Fprintf(&line, "r burst%d s%d 1 1\n", i, i%len(open))
		if _, err := open[i%len(open)].Write(line.Bytes()); err != nil {
			b.Fatal(err)
		}
	}
	written := time.Since(began)
	if _, err := live.Refresh(b.Context(), nil); err != nil {
		b.Fatal(err)
	}
	if want := appends + len(open); sink.requests != want {
		b.Errorf("%d requests, want %d", sink.requests, want)
	}
	b.ReportMetric(written.Seconds(), "write-s")
	b.ReportMetric(time.Since(began).Seconds(), "all-s")
	b.ReportMetric((cpuTime() - start).Seconds(), "cpu-s")
	b.ReportMetric(float64(sink.commits-before), "commits")
	b.ReportMetric(float64(live.State().Overflows), "overflows")
	b.ReportMetric(0, "ns/op")
}
