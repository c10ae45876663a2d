package scanner

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"github.com/fsnotify/fsnotify"

	"meterbridge"
	"meterbridge/harnesses"
	"meterbridge/internal/testkit"
)

// machine is a notifier whose notices the test gives.
type machine struct {
	mu     sync.Mutex
	dirs   map[string]bool
	refuse func(dirs int) error
	opened int
	events chan fsnotify.Event
	errors chan error
	gone   bool
}

func (m *machine) open() (*notices, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.opened++
	m.dirs, m.gone = map[string]bool{}, false
	m.events, m.errors = make(chan fsnotify.Event), make(chan error)
	return &notices{m, m.events, m.errors}, nil
}

func (m *machine) Add(dir string) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.refuse != nil {
		if err := m.refuse(len(m.dirs)); err != nil {
			return err
		}
	}
	m.dirs[dir] = true
	return nil
}

func (m *machine) Remove(dir string) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	delete(m.dirs, dir)
	return nil
}

func (m *machine) WatchList() []string {
	m.mu.Lock()
	defer m.mu.Unlock()
	return slices.Sorted(maps.Keys(m.dirs))
}

func (m *machine) Close() error {
	m.lose()
	return nil
}

// lose ends the notices, as when the system takes the instance away.
func (m *machine) lose() {
	m.mu.Lock()
	defer m.mu.Unlock()
	if !m.gone {
		m.gone = true
		close(m.events)
		close(m.errors)
	}
}

// bench is a toy home in a bubble of its own time.
type bench struct {
	*testing.T
	home    string
	ledger  *testkit.Memory
	sink    Sink
	machine *machine
	opt     LiveOptions
	live    *Live
	// commits are the times of all commits, in the bubble's time.
	mu      sync.Mutex
	commits []time.Time
	stop    func()
}

func newBench(t *testing.T) *bench {
	b := &bench{T: t, home: t.TempDir(), ledger: &testkit.Memory{}, machine: &machine{}}
	b.sink = b.ledger
	b.opt = LiveOptions{Rescan: time.Hour, Keeper: b.ledger, open: b.machine.open, Committed: func(c Committed) {
		b.mu.Lock()
		defer b.mu.Unlock()
		b.commits = append(b.commits, c.At)
	}}
	return b
}

// elapse lets time go by in the bubble, where nobody waits for it.
func elapse(d time.Duration) {
	<-time.After(d)
}

func (b *bench) path(name string) string { return filepath.Join(b.home, ".toy", name) }

func (b *bench) add(name, id string) {
	b.Helper()
	if err := os.MkdirAll(filepath.Dir(b.path(name)), 0o755); err != nil {
		b.Fatal(err)
	}
	f, err := os.OpenFile(b.path(name), os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o644)
	if err != nil {
		b.Fatal(err)
	}
	defer f.Close()
	if _, err := f.WriteString(testkit.ToyLine(id, "s", 1, 1)); err != nil {
		b.Fatal(err)
	}
}

// wrote adds a line and gives notice of it.
func (b *bench) wrote(name, id string) {
	b.Helper()
	b.add(name, id)
	b.machine.events <- fsnotify.Event{Name: b.path(name), Op: fsnotify.Write}
}

func (b *bench) start() {
	b.Helper()
	opt := Options{Env: harnesses.Env{Home: b.home, OS: "linux"}, Harnesses: []harnesses.Harness{testkit.Toy()}, StoreText: true}
	live, err := NewLive(b.sink, opt, b.opt)
	if err != nil {
		b.Fatal(err)
	}
	b.live = live
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- live.Run(ctx) }()
	b.stop = func() {
		cancel()
		if err := <-ended; err != nil {
			b.Errorf("run: %v", err)
		}
	}
	synctest.Wait()
	elapse(200 * time.Millisecond) // of the bubble: what was watched is looked at again
	synctest.Wait()
}

func (b *bench) rows(want int) {
	b.Helper()
	synctest.Wait()
	if got := len(b.ledger.Rows()); got != want {
		b.Errorf("%d requests, want %d; state %+v", got, want, b.live.State())
	}
}

func TestNotices_QuietFilesAtOnceBusyOnesTogether(t *testing.T) {
	for _, c := range []struct {
		name       string
		every      time.Duration
		fewest     int
		most       int
		afterwards time.Duration
	}{
		{"a line each 20 ms is committed at once", 20 * time.Millisecond, 100, 100, 0},
		{"of a line each millisecond not every one", time.Millisecond, 1, 12, 100 * time.Millisecond},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				b := newBench(t)
				b.add("a.log", "first")
				b.start()
				defer func() { b.stop() }()
				before := len(b.commits)
				for i := range 100 {
					b.wrote("a.log", fmt.Sprint("r", i))
					if i == 0 || c.afterwards == 0 {
						b.rows(i + 2)
					}
					elapse(c.every)
				}
				elapse(c.afterwards)
				b.rows(101)
				if n := len(b.commits) - before; n < c.fewest || n > c.most {
					t.Errorf("%d commits of 100 lines, want %d to %d", n, c.fewest, c.most)
				}
				checkDistances(t, b, before)
			})
		})
	}
}

// checkDistances holds commits of a busy file to their least distance; the first
// ones find out that it is busy.
func checkDistances(t *testing.T, b *bench, before int) {
	t.Helper()
	list := b.commits[before:]
	if len(list) >= 100 {
		return
	}
	for i := busyChanges + 1; i < len(list); i++ {
		if d := list[i].Sub(list[i-1]); d < 50*time.Millisecond {
			t.Errorf("commit %d came %v after the one before it, want at least 50ms", i, d)
		}
	}
}

func TestNotices_OverflowIsARescan(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t)
		b.add("p/a.log", "a")
		b.start()
		defer func() { b.stop() }()
		b.add("p/a.log", "unheard")
		b.add("q/b.log", "too")
		b.machine.errors <- fsnotify.ErrEventOverflow
		elapse(time.Second)
		b.rows(3)
		if s := b.live.State(); s.Overflows != 1 || len(s.Degraded) > 0 {
			t.Errorf("state %+v, want one overflow and nothing wrong", s)
		}
	})
}

func TestNotices_LostAndFound(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t)
		b.add("p/a.log", "a")
		b.start()
		defer func() { b.stop() }()
		watched := b.machine.WatchList()
		b.add("p/a.log", "unheard")
		b.machine.lose()
		elapse(time.Second)
		b.rows(2)
		synctest.Wait()
		if got := b.machine.WatchList(); b.machine.opened != 2 || !slices.Equal(got, watched) {
			t.Errorf("opened %d times, watches %q; want 2 and as before %q", b.machine.opened, got, watched)
		}
		b.wrote("p/a.log", "heard")
		b.rows(3)
	})
}

func TestNotices_NoneAtAll(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t)
		b.opt.open = func() (*notices, error) { return nil, syscall.EMFILE }
		b.add("p/a.log", "a")
		b.start()
		defer func() { b.stop() }()
		b.add("p/a.log", "b")
		b.add("q/c.log", "c")
		elapse(degradedRescan + time.Second)
		b.rows(3)
		if s := b.live.State(); len(s.Degraded) != 1 || s.Watched != 0 {
			t.Errorf("state %+v, want it to say that nothing is watched", s)
		}
	})
}

func TestNotices_MoreFoldersThanMayBeWatched(t *testing.T) {
	for _, full := range []bool{true, false} {
		synctest.Test(t, func(t *testing.T) {
			b := newBench(t)
			b.opt.MaxWatches = 3
			if full { // the system refuses before our own bound
				b.opt.MaxWatches = 0
				b.machine.refuse = func(dirs int) error {
					if dirs >= 3 {
						return syscall.ENOSPC
					}
					return nil
				}
			}
			for i := range 6 {
				b.add(fmt.Sprintf("p%d/a.log", i), fmt.Sprint("r", i))
			}
			b.start()
			defer func() { b.stop() }()
			if s := b.live.State(); s.Watched != 3 || s.Unwatched != 4 || len(s.Degraded) != 1 {
				t.Errorf("watched %d, not %d, %q; want 3, 4 and a reason", s.Watched, s.Unwatched, s.Degraded)
			}
			if !b.machine.dirs[filepath.Join(b.home, ".toy")] {
				t.Error("the root is not among the watched")
			}
			for i := range 6 {
				b.add(fmt.Sprintf("p%d/a.log", i), fmt.Sprint("s", i))
			}
			elapse(degradedRescan + time.Second)
			b.rows(12)
		})
	}
}

func TestNotices_OldFoldersAreNotWatched(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t)
		b.opt.Rescan = 10 * time.Second
		long := time.Now().Add(-15 * 24 * time.Hour)
		b.add("old/deep/a.log", "a")
		b.add("new/deep/b.log", "b")
		for _, path := range []string{"old/deep/a.log", "old/deep", "old", "new", "."} {
			if err := os.Chtimes(b.path(path), long, long); err != nil {
				t.Fatal(err)
			}
		}
		b.start()
		defer func() { b.stop() }()
		want := []string{b.path(""), b.path("new"), b.path("new/deep")}
		if got := b.machine.WatchList(); !slices.Equal(got, want) {
			t.Errorf("watched %q, want %q", got, want)
		}
		b.add("old/deep/a.log", "c")
		elapse(11 * time.Second)
		b.rows(3)
		if got := b.machine.WatchList(); len(got) != 5 {
			t.Errorf("watched %q, want the old folder too once it changes", got)
		}
	})
}

func TestNotices_RefusingSinkIsTriedAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t)
		var attempts atomic.Int64
		var broken atomic.Bool
		b.sink = &testkit.Faulty{Memory: b.ledger, Fail: func(int) error {
			if attempts.Add(1); broken.Load() {
				return testkit.ErrInjected
			}
			return nil
		}}
		b.add("a.log", "a")
		b.start()
		defer func() { b.stop() }()
		b.rows(1)
		attempts.Store(0)
		broken.Store(true)
		b.wrote("a.log", "b")
		elapse(time.Minute)
		b.wrote("a.log", "c")
		synctest.Wait()
		s := b.live.State()
		if !errors.Is(s.Err, testkit.ErrInjected) || s.Lag < time.Minute {
			t.Errorf("state: error %v, lag %v; want the sink's, and a minute", s.Err, s.Lag)
		}
		if n := attempts.Load(); n < 5 || n > 15 {
			t.Errorf("%d attempts in a minute, want them further and further apart", n)
		}
		if _, err := b.live.Refresh(t.Context(), nil); !errors.Is(err, testkit.ErrInjected) {
			t.Errorf("refresh: %v, want the sink's error", err)
		}
		broken.Store(false)
		elapse(lastRetry)
		b.rows(3)
		if s := b.live.State(); s.Err != nil || s.Lag != 0 {
			t.Errorf("state: error %v, lag %v; want none", s.Err, s.Lag)
		}
	})
}

// keeper counts what it is told.
type keeper struct {
	*testkit.Memory
	settled, idle atomic.Int64
}

func (k *keeper) Settle(context.Context) error { k.settled.Add(1); return nil }
func (k *keeper) Idle(context.Context) error   { k.idle.Add(1); return nil }

func TestNotices_SettlesOnceASecondAndIdlesOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t)
		k := &keeper{Memory: b.ledger}
		b.opt.Keeper = k
		b.add("a.log", "first")
		b.start()
		synctest.Wait()
		k.settled.Store(0)
		defer func() { b.stop() }()
		for i := range 500 { // 10 s
			b.wrote("a.log", fmt.Sprint("r", i))
			elapse(20 * time.Millisecond)
		}
		synctest.Wait()
		if n, idle := k.settled.Load(), k.idle.Load(); n < 9 || n > 12 || idle != 0 {
			t.Errorf("settled %d times in 10 s, idle %d; want once a second and never", n, idle)
		}
		elapse(10 * time.Minute)
		synctest.Wait()
		if n := k.idle.Load(); n != 1 {
			t.Errorf("idle %d times in 10 quiet minutes, want once", n)
		}
	})
}

// slow is a sink whose commits wait.
type slow struct {
	Sink
	hold chan struct{}
}

func (s *slow) Commit(ctx context.Context, units []meterbridge.Unit) error {
	<-s.hold
	return s.Sink.Commit(ctx, units)
}

// heard adds up what a client is told.
type heard struct {
	mu          sync.Mutex
	files, done int
	bytes, told int64
}

func (h *heard) Start(_ string, files int, bytes int64) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.files += files
	h.bytes += bytes
}

func (h *heard) Add(_ string, _ int, bytes int64) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.told += bytes
}

func (h *heard) Done() { h.done++ }

func TestRefresh_ManyShareOneScan(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t)
		s := &slow{Sink: b.ledger, hold: make(chan struct{})}
		b.sink = s
		for i := range 9 {
			b.add("a.log", fmt.Sprint("r", i))
		}
		b.start()
		defer func() { b.stop() }()
		var clients sync.WaitGroup
		list := make([]heard, 20)
		for i := range list {
			clients.Go(func() {
				if _, err := b.live.Refresh(t.Context(), &list[i]); err != nil {
					t.Error(err)
				}
				if n := len(b.ledger.Rows()); n != 9 {
					t.Errorf("client %d sees %d requests, want 9", i, n)
				}
			})
		}
		synctest.Wait()
		round := b.live.round
		close(s.hold)
		clients.Wait()
		elapse(time.Second)
		synctest.Wait()
		if n := b.live.round - round; n > 2 {
			t.Errorf("%d further scans for 20 clients, want one, and one for what is watched now", n)
		}
		for i := range list {
			if h := &list[i]; h.files != 1 || h.told != h.bytes || h.bytes == 0 || h.done != 1 {
				t.Errorf("client %d heard of %d files, %d of %d bytes, done %d; want the running scan's", i, h.files, h.told, h.bytes, h.done)
			}
		}
	})
}

func TestRefresh_EndsWithTheScanner(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t)
		b.start()
		b.stop()
		if _, err := b.live.Refresh(t.Context(), nil); !errors.Is(err, ErrStopped) {
			t.Errorf("after the end: %v, want ErrStopped", err)
		}
	})
}

// What was being read when the end was asked for is committed.
func TestRun_EndCommitsWhatWasRead(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t)
		s := &slow{Sink: b.ledger, hold: make(chan struct{}, 100)}
		s.hold <- struct{}{}
		b.sink = s
		b.add("a.log", "a")
		b.start()
		b.rows(1)
		b.wrote("a.log", "b")
		synctest.Wait()
		go func() {
			elapse(time.Second)
			s.hold <- struct{}{}
		}()
		b.stop()
		b.rows(2)
	})
}

// A database's side files that appear by our own reading start no new reading.
func TestNotices_SideFilesOfOurOwnReading(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t)
		b.add("c.base", "a")
		b.start()
		defer func() { b.stop() }()
		opened := func() int64 { return b.live.State().Harnesses[0].Opened }
		before := opened()
		for range 5 {
			for _, side := range []string{"c.base-shm", "c.base-wal"} {
				if err := os.WriteFile(b.path(side), nil, 0o644); err != nil {
					t.Fatal(err)
				}
				b.machine.events <- fsnotify.Event{Name: b.path(side), Op: fsnotify.Create}
				b.machine.events <- fsnotify.Event{Name: b.path(side), Op: fsnotify.Write}
				synctest.Wait()
			}
		}
		elapse(time.Minute)
		if n := opened() - before; n != 0 {
			t.Errorf("opened %d times because of empty side files, want never", n)
		}
		b.add("c.base-wal", "w")
		b.machine.events <- fsnotify.Event{Name: b.path("c.base-wal"), Op: fsnotify.Write}
		b.rows(2)
		if n := opened() - before; n != 1 {
			t.Errorf("opened %d times after one row, want once", n)
		}
	})
}
