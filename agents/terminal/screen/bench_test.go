//go:build unix

package screen

import (
	"fmt"
	"runtime"
	"strings"
	"syscall"
	"testing"
)

// BenchmarkWrite is the emulator alone, in writes of 32 KiB to 80×24 with 10,000
// lines of history. Targets: 60 MB/s of ASCII, 40 MB/s of the rest. cpu-MB/s counts
// the time of the processor alone, for machines that have other work.
func BenchmarkWrite(b *testing.B) {
	var log, colour, wide strings.Builder
	for i := range 2000 {
		fmt.Fprintf(&log, "2026-11-30T12:00:00Z INFO request %d served path=/api/v1/items/%d status=200 in 12ms\r\n", i, i*7)
		fmt.Fprintf(&colour, "\x1b[38;5;%dm%06d\x1b[0m \x1b[1;3%dmword\x1b[0m \x1b[48;2;%d;20;30mblock\x1b[0m\r\n", i%256, i, i%8, i%256)
		fmt.Fprintf(&wide, "漢字かな交じり文 %d 한국어 텍스트 👩\u200d💻 🚀 e\u0301\r\n", i)
	}
	inputs := map[string][]byte{"ascii": []byte(log.String()), "colour": []byte(colour.String()), "wide": []byte(wide.String())}
	for name, raw := range recordings(b) {
		inputs[name] = raw
	}
	for name, in := range inputs {
		b.Run(name, func(b *testing.B) {
			s := New(80, 24, Options{})
			b.SetBytes(int64(len(in)))
			b.ReportAllocs()
			n, before := 0, processor(b)
			for b.Loop() {
				n++
				for rest := in; len(rest) > 0; {
					n := min(len(rest), 32<<10)
					s.Write(rest[:n])
					rest = rest[n:]
				}
			}
			b.ReportMetric(float64(n*len(in))/(processor(b)-before)/1e6, "cpu-MB/s")
		})
	}
}

// BenchmarkHeld reports what a session of 10,000 full lines holds. Target: 8 MB.
func BenchmarkHeld(b *testing.B) {
	for b.Loop() {
		before := live()
		s := New(80, 24, Options{})
		for range 11_000 {
			s.Write([]byte(strings.Repeat("x", 79) + "\r\n"))
		}
		b.ReportMetric(float64(live()-before), "held-bytes")
		runtime.KeepAlive(s)
	}
}

// processor is the time that this process has had of a processor, in seconds.
func processor(t testing.TB) float64 {
	t.Helper()
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		t.Fatal(err)
	}
	return float64(u.Utime.Nano()+u.Stime.Nano()) / 1e9
}
