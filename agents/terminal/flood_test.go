//go:build linux || darwin

package terminal

import (
	"runtime"
	"syscall"
	"testing"
)

// BenchmarkFlood is 100 MB of a program's log through the terminal and the screen.
// Targets: 50 MB/s, and memory that does not grow. cpu-MB/s counts the time of the
// processor that this process had, for machines that have other work.
func BenchmarkFlood(b *testing.B) {
	const size = 100 << 20
	b.SetBytes(size)
	for b.Loop() {
		before, used := heap(), processor(b)
		term := New("flood", placed(b, Options{}))
		begin(b, term, sh(`stty -opost; yes "2026-11-30T12:00:00Z INFO request served path=/api/v1/items status=200 in 12ms" | head -c 104857600`))
		if _, err := term.Wait(within(b)); err != nil {
			b.Fatal(err)
		}
		b.ReportMetric(size/1e6/(processor(b)-used), "cpu-MB/s")
		b.ReportMetric(float64(heap()-before), "grown-bytes")
		runtime.KeepAlive(term)
	}
}

func heap() int64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}

func processor(t testing.TB) float64 {
	t.Helper()
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		t.Fatal(err)
	}
	return float64(syscall.TimevalToNsec(u.Utime)+syscall.TimevalToNsec(u.Stime)) / 1e9
}
