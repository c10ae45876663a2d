package scanner

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"testing"

	"meterbridge"
	"meterbridge/harnesses"
	"meterbridge/internal/testkit"
)

// counting is a sink that only counts.
type counting struct {
	next     int64
	requests int
	commits  int
}

func (c *counting) Checkpoints(context.Context) ([]meterbridge.Checkpoint, error) { return nil, nil }

func (c *counting) State(context.Context, int64) ([]byte, error) { return nil, nil }

func (c *counting) Commit(_ context.Context, units []meterbridge.Unit) error {
	c.commits++
	for i := range units {
		if units[i].Checkpoint.Source == 0 {
			c.next++
			units[i].Checkpoint.Source = c.next
		}
		c.requests += len(units[i].Batch.Requests)
	}
	return nil
}

// Memory and descriptors stay as they are however long logs are written and
// replaced, and nothing is left at the end; goroutines are TestMain's part.
func TestLive_NothingGrows(t *testing.T) {
	home := t.TempDir()
	files := descriptors(t)
	opt := Options{Env: harnesses.Env{Home: home, OS: "linux"}, Harnesses: []harnesses.Harness{testkit.Toy()}}
	sink := &counting{}
	live, err := NewLive(sink, opt, LiveOptions{})
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- live.Run(ctx) }()
	lines, dir := 0, filepath.Join(home, ".toy", "p")
	round := func() uint64 {
		for range 20 {
			for i := range 5 {
				lines += 20
				write(t, filepath.Join(dir, fmt.Sprint(i, ".log")), lines)
			}
			tmp := filepath.Join(dir, "x.tmp")
			write(t, tmp, lines)
			if err := os.Rename(tmp, filepath.Join(dir, "x.doc")); err != nil {
				t.Fatal(err)
			}
			if _, err := live.Refresh(ctx, nil); err != nil {
				t.Fatal(err)
			}
		}
		runtime.GC()
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		return m.HeapAlloc
	}
	round()
	settled, open := round(), descriptors(t)
	for range 5 {
		round()
	}
	if now := round(); now > settled+(2<<20) {
		t.Errorf("%d bytes of heap in use after more of the same, %d before", now, settled)
	}
	if n := descriptors(t); n > open {
		t.Errorf("%d open files, %d before", n, open)
	}
	cancel()
	if err := <-ended; err != nil {
		t.Error(err)
	}
	if n := descriptors(t); n > files {
		t.Errorf("%d open files after the end, %d before the beginning", n, files)
	}
}

// write appends twenty lines.
func write(t *testing.T, path string, first int) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	f, err := os.OpenFile(path, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o644)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	for i := range 20 {
		if _, err := f.WriteString(testkit.ToyLine(fmt.Sprint("r", first+i), "s", 1, 1)); err != nil {
			t.Fatal(err)
		}
	}
}

// descriptors is the number of open files of this process, 0 where it is not told.
func descriptors(t *testing.T) int {
	t.Helper()
	list, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		return 0
	}
	return len(list)
}
