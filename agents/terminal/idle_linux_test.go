package terminal

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"meterbridge/agents/terminal/hold"
	"meterbridge/agents/terminal/process"
)

// idle is how many terminals idle in the benchmark.
const idle = 50

// BenchmarkIdle is 50 shells at their prompts for ten seconds, in holders of the
// program that a user has. Targets: less than 2 % of a core and 400 MiB together, the
// shells not counted, and 4 MiB of private memory for a holder.
func BenchmarkIdle(b *testing.B) {
	lite := filepath.Join(b.TempDir(), "meterbridge-lite")
	if out, err := exec.Command("go", "build", "-o", lite, "meterbridge/cmd/meterbridge-lite").CombinedOutput(); err != nil {
		b.Fatalf("%v: %s", err, out)
	}
	before := private(b, os.Getpid())
	r, err := NewRack(RackOptions{Terminal: Options{Folder: b.TempDir(), Holder: []string{lite, "hold"}, Sockets: sockets(b)}})
	if err != nil {
		b.Fatal(err)
	}
	for i := range idle {
		id := fmt.Sprint("idle-", i)
		if _, err := r.Start(within(b), id, spec(b, Spec{Shell: Bash})); err != nil {
			b.Fatal(err)
		}
		if _, err := r.Run(within(b), Caller{}, id, "seq 2000", 0); err != nil {
			b.Fatal(err)
		}
	}
	holders := holdersOf(r)
	for b.Loop() {
		used := busy(b, holders)
		const watched = 10 * time.Second
		<-time.After(watched)
		b.ReportMetric(100*(busy(b, holders)-used).Seconds()/watched.Seconds(), "%core")
	}
	held := 0
	for _, pid := range holders {
		held += private(b, pid)
	}
	own := private(b, os.Getpid()) - before
	b.ReportMetric(float64(held)/idle/(1<<20), "MiB/holder")
	b.ReportMetric(float64(own)/(1<<20), "MiB-daemon")
	b.ReportMetric(float64(held+own)/(1<<20), "MiB-together")
	if err := r.Close(within(b)); err != nil {
		b.Fatal(err)
	}
}

func holdersOf(r *Rack) []int {
	var pids []int
	for _, l := range r.List() {
		if t, err := r.Terminal(l.ID); err == nil {
			pids = append(pids, t.program.line.(*hold.Held).State().Holder.PID)
		}
	}
	return pids
}

// private is the memory that a process shares with nobody, in bytes.
func private(b *testing.B, pid int) int {
	b.Helper()
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/smaps_rollup", pid))
	if err != nil {
		b.Fatal(err)
	}
	total := 0
	for line := range strings.Lines(string(text)) {
		f := strings.Fields(line)
		if strings.HasPrefix(line, "Private_") && len(f) > 1 {
			n, _ := strconv.Atoi(f[1])
			total += n << 10
		}
	}
	return total
}

// busy is the processor time of the holders and of this process.
func busy(b *testing.B, pids []int) time.Duration {
	b.Helper()
	var ticks int
	for _, pid := range append(pids, os.Getpid()) {
		if _, ok := process.Of(pid); !ok {
			b.Fatalf("holder %d is gone", pid)
		}
		text, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
		if err != nil {
			b.Fatal(err)
		}
		f := strings.Fields(string(text[bytes.LastIndexByte(text, ')')+1:]))
		for _, field := range f[11:13] {
			n, _ := strconv.Atoi(field)
			ticks += n
		}
	}
	return time.Duration(ticks) * 10 * time.Millisecond
}
