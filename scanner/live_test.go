package scanner_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"meterbridge/internal/testkit"
	"meterbridge/scanner"
)

// watching is a lab whose logs are watched.
type watching struct {
	*lab
	live *scanner.Live
	// news is told of each commit.
	news chan scanner.Committed
	end  func()
}

// watch begins to watch and waits for the first scan and what follows it.
func (l *lab) watch(o scanner.LiveOptions) *watching {
	l.Helper()
	w := &watching{lab: l, news: make(chan scanner.Committed, 1<<16)}
	o.Keeper = l.ledger
	o.Committed = func(c scanner.Committed) { w.news <- c }
	if o.Rescan == 0 {
		o.Rescan = time.Hour // so that what is seen was noticed
	}
	live, err := scanner.NewLive(l.ledger, l.opt, o)
	l.must(err)
	w.live = live
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- live.Run(ctx) }()
	var once sync.Once
	w.end = func() {
		once.Do(func() {
			cancel()
			if err := <-ended; err != nil {
				l.Errorf("run: %v", err)
			}
		})
	}
	l.Cleanup(w.end)
	w.settle()
	return w
}

// settle waits until nothing is on its way.
func (w *watching) settle() {
	w.Helper()
	for range 2 {
		_, err := w.live.Refresh(context.Background(), nil)
		w.must(err)
	}
	for len(w.news) > 0 {
		<-w.news
	}
}

// sees waits until the requests of the ledger are these, without asking for a scan.
func (w *watching) sees(want ...string) {
	w.Helper()
	timeout := time.After(20 * time.Second)
	for {
		if cmp.Equal(want, w.outputs()) {
			return
		}
		select {
		case <-w.news:
		case <-timeout:
			w.Fatalf("requests %q, want %q; state %+v", w.outputs(), want, w.live.State())
		}
	}
}

func TestLive_SeesWhatIsAppended(t *testing.T) {
	l := newLab(t)
	l.write("p/a.log", "m m1\n"+line("a"))
	w := l.watch(scanner.LiveOptions{})
	w.sees("a s 7")
	commits, read := l.ledger.Commits, w.live.State().Harnesses[0].BytesRead
	w.add("p/a.log", line("b"))
	w.sees("a s 7", "b s 7")
	s := w.live.State()
	if got := s.Harnesses[0].BytesRead - read; got != int64(len(line("b"))) || l.ledger.Commits != commits+1 {
		t.Errorf("read %d bytes in %d commits for one line, want its own %d in one", got, l.ledger.Commits-commits, len(line("b")))
	}
	if m := l.ledger.Rows()[1].Model; m != "m1" {
		t.Errorf("model %q: the parser's state was lost, want m1", m)
	}
	if !s.Ready || s.Watched < 2 || s.Err != nil || len(s.Degraded) > 0 {
		t.Errorf("state %+v; want ready, both folders watched, nothing wrong", s)
	}
}

func TestLive_WhatHappensToFiles(t *testing.T) {
	for _, c := range []struct {
		name string
		do   func(w *watching)
		want []string
	}{
		{"new file", func(w *watching) { w.write("p/b.log", line("b")) }, []string{"a s 7", "b s 7"}},
		{"new folders", func(w *watching) { w.write("x/y/z/b.log", line("b")) }, []string{"a s 7", "b s 7"}},
		{"truncated and rewritten", func(w *watching) { w.write("p/a.log", line("c")) }, []string{"a s 7 vanished", "c s 7"}},
		{"replaced", func(w *watching) {
			w.write("p/tmp", line("a")+line("c"))
			w.must(os.Rename(w.path("p/tmp"), w.path("p/a.log")))
		}, []string{"a s 7", "c s 7"}},
		{"rotated", func(w *watching) {
			w.must(os.Rename(w.path("p/a.log"), w.path("p/a1.log")))
			w.write("p/a.log", line("b"))
			w.add("p/a1.log", line("c"))
		}, []string{"a s 7", "b s 7", "c s 7"}},
		{"folder renamed", func(w *watching) {
			w.must(os.Rename(w.path("p"), w.path("q")))
			w.add("q/a.log", line("b"))
		}, []string{"a s 7", "b s 7"}},
		{"folder moved in", func(w *watching) {
			away := filepath.Join(w.home, "elsewhere")
			w.must(os.MkdirAll(filepath.Join(away, "deep"), 0o755))
			w.must(os.WriteFile(filepath.Join(away, "deep", "b.log"), []byte(line("b")), 0o644))
			w.must(os.Rename(away, w.path("in")))
			w.add("in/deep/b.log", line("c"))
		}, []string{"a s 7", "b s 7", "c s 7"}},
		{"document", func(w *watching) { w.write("p/b.doc", line("b")+line("c")) }, []string{"a s 7", "b s 7", "c s 7"}},
		{"packed", func(w *watching) { w.pack("p/b.log.zst", line("b")) }, []string{"a s 7", "b s 7"}},
		{"database", func(w *watching) { w.write("p/b.base", line("b")); w.write("p/b.base-wal", line("c")) }, []string{"a s 7", "b s 7", "c s 7"}},
		{"linked folder", func(w *watching) {
			away := filepath.Join(w.home, "elsewhere")
			w.must(os.MkdirAll(away, 0o755))
			w.must(os.WriteFile(filepath.Join(away, "b.log"), []byte(line("b")), 0o644))
			w.must(os.Symlink(away, w.path("l")))
		}, []string{"a s 7", "b s 7"}},
		{"deleted, another one", func(w *watching) { w.must(os.Remove(w.path("p/a.log"))); w.write("p/b.log", line("b")) }, []string{"a s 7", "b s 7"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			l := newLab(t)
			l.write("p/a.log", line("a"))
			w := l.watch(scanner.LiveOptions{})
			c.do(w)
			w.sees(c.want...)
			w.settle()
			w.want(c.want...)
			w.end()
			written := l.ledger.Written
			if res := l.scan(); res.Total().Opened != 0 || res.Commits != 0 || l.ledger.Written != written {
				t.Errorf("a scan afterwards finds something: %+v", res)
			}
		})
	}
}

func TestLive_RootAppears(t *testing.T) {
	l := newLab(t)
	w := l.watch(scanner.LiveOptions{})
	l.write("p/a.log", line("a"))
	w.sees("a s 7")
	l.add("p/a.log", line("b"))
	w.sees("a s 7", "b s 7")
	l.must(os.RemoveAll(filepath.Join(l.home, ".toy")))
	l.write("p/c.log", line("c"))
	w.sees("a s 7", "b s 7", "c s 7")
}

// A root that is gone when it is looked at is seen when it comes back.
func TestLive_RootComesBack(t *testing.T) {
	l := newLab(t)
	w := l.watch(scanner.LiveOptions{})
	l.write("p/a.log", line("a"))
	w.sees("a s 7")
	want := []string{"a s 7"}
	for _, id := range []string{"b", "c", "d"} {
		l.must(os.RemoveAll(filepath.Join(l.home, ".toy")))
		<-w.news // what vanished is noted
		l.write("p/"+id+".log", line(id))
		want = append(want, id+" s 7")
		w.sees(want...)
	}
}

func TestLive_LinkedRoot(t *testing.T) {
	l := newLab(t)
	real := t.TempDir()
	l.must(os.Symlink(real, filepath.Join(l.home, ".toy")))
	w := l.watch(scanner.LiveOptions{})
	l.write("a.log", line("a"))
	w.sees("a s 7")
	l.must(os.WriteFile(filepath.Join(real, "b.log"), []byte(line("b")), 0o644))
	w.sees("a s 7", "b s 7")
}

// A file that another one is renamed over again and again is one source.
func TestLive_AtomicReplacement(t *testing.T) {
	l := newLab(t)
	l.write("a.doc", line("a"))
	w := l.watch(scanner.LiveOptions{})
	content := line("a")
	want := []string{"a s 7"}
	for i := range 30 {
		id := fmt.Sprintf("b%02d", i)
		content += line(id)
		want = append(want, id+" s 7")
		l.write("a.tmp", content)
		l.must(os.Rename(l.path("a.tmp"), l.path("a.doc")))
	}
	w.sees(want...)
	w.settle()
	if s := l.ledger.Sources(); len(s) != 1 {
		t.Errorf("%d sources, want the one that was replaced", len(s))
	}
}

func TestLive_IdleRescanOpensNothing(t *testing.T) {
	l := newLab(t)
	l.write("a.log", line("a"))
	l.write("b.doc", line("b"))
	l.write("c.base", line("c"))
	l.write("d.base", "!")
	l.write("e.log.zst", "garbage")
	l.write("empty.log", "")
	l.write("odd.log/f.log", line("f"))
	l.link("a.log", "alias.log")
	w := l.watch(scanner.LiveOptions{})
	commits, written := l.ledger.Commits, l.ledger.Written
	for range 5 {
		res, err := w.live.Refresh(t.Context(), nil)
		l.must(err)
		if c := res.Total(); c.Opened != 0 || c.BytesRead != 0 || res.Commits != 0 {
			t.Errorf("opened %d, read %d bytes, %d commits; want none of it", c.Opened, c.BytesRead, res.Commits)
		}
	}
	if l.ledger.Commits != commits || l.ledger.Written != written {
		t.Errorf("%d commits, want none", l.ledger.Commits-commits)
	}
}

func TestLive_RefreshSeesWhatIsOnDisk(t *testing.T) {
	l := newLab(t)
	w := l.watch(scanner.LiveOptions{})
	var want []string
	for i := range 50 {
		id := fmt.Sprintf("r%02d", i)
		want = append(want, id+" s 7")
		l.write(fmt.Sprintf("d%d/a%d.log", i%7, i), line(id))
		_, err := w.live.Refresh(t.Context(), nil)
		l.must(err)
		l.want(want...)
	}
}

// A burst of lines in many files loses none of them.
func TestLive_Burst(t *testing.T) {
	l := newLab(t)
	const files, each = 20, 500
	for i := range files {
		l.write(fmt.Sprintf("p%d/%d.log", i%5, i), line(fmt.Sprintf("first%d", i)))
	}
	w := l.watch(scanner.LiveOptions{})
	commits := l.ledger.Commits
	for n := range each {
		for i := range files {
			l.add(fmt.Sprintf("p%d/%d.log", i%5, i), line(fmt.Sprintf("r%d-%d", i, n)))
		}
	}
	_, err := w.live.Refresh(t.Context(), nil)
	l.must(err)
	if got := len(l.ledger.Rows()); got != files*(each+1) {
		t.Errorf("%d requests, want %d", got, files*(each+1))
	}
	if n := l.ledger.Commits - commits; n > files*each/10 {
		t.Errorf("%d commits for %d lines, want busy files to share them", n, files*each)
	}
}

func TestLive_CommittedTellsSessions(t *testing.T) {
	l := newLab(t)
	w := l.watch(scanner.LiveOptions{})
	l.write("a.log", testkit.ToyLine("a", "s1", 1, 1)+testkit.ToyLine("b", "s2", 1, 1)+testkit.ToyLine("c", "s1", 1, 1))
	got := <-w.news
	want := scanner.Committed{Rows: 3, Requests: 3, Sessions: map[string][]string{testkit.ToyID: {"s1", "s2"}}, At: got.At}
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("committed (-want +got):\n%s", d)
	}
}

func TestLive_StateTellsProblems(t *testing.T) {
	l := newLab(t)
	l.write("a.log", "nonsense\n"+line("a")+"more\n")
	w := l.watch(scanner.LiveOptions{})
	h := w.live.State().Harnesses[0]
	if h.Problems["malformed-line"] != 2 || h.Files != 1 || !strings.HasSuffix(h.Roots[0].Path, ".toy") {
		t.Errorf("harness state %+v, want two malformed lines in one file", h)
	}
}
