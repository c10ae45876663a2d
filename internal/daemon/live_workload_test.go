package daemon

import (
	"context"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"meterbridge/internal/corpus"
	"meterbridge/scanner"
)

// workload plays the logs of a corpus into a home as harnesses write them: line
// by line in many files at once, with torn lines, and now and then a file that
// is replaced, moved, rewritten in place or deleted after it was read.
type workload struct {
	*testing.T
	r        *rand.Rand
	from, to string
	open     []*playing
	whole    []string
	finished []string
	// news has something after each commit.
	news chan struct{}
	// appends, torn, replaced, moved, rewritten and deleted count what happened.
	appends, torn, replaced, moved, rewritten, deleted int
}

// playing is a log that is written.
type playing struct {
	path string
	rest []byte
}

func (w *workload) must(err error) {
	w.Helper()
	if err != nil {
		w.Fatal(err)
	}
}

// prepare lists what there is to be written.
func (w *workload) prepare() {
	w.must(filepath.WalkDir(w.from, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || filepath.Base(path) == "truth.json" {
			return err
		}
		rel, err := filepath.Rel(w.from, path)
		if err != nil {
			return err
		}
		if !strings.HasSuffix(path, ".jsonl") {
			w.whole = append(w.whole, rel)
			return nil
		}
		content, err := os.ReadFile(path)
		w.open = append(w.open, &playing{rel, content})
		return err
	}))
	w.r.Shuffle(len(w.open), func(i, k int) { w.open[i], w.open[k] = w.open[k], w.open[i] })
	w.r.Shuffle(len(w.whole), func(i, k int) { w.whole[i], w.whole[k] = w.whole[k], w.whole[i] })
}

// step does one thing; it reports whether there is more to do.
func (w *workload) step(refresh func()) bool {
	switch n := w.r.IntN(100); {
	case len(w.open) > 0 && n < 90:
		w.write(w.r.IntN(min(12, len(w.open))))
	case len(w.whole) > 0:
		rel := w.whole[0]
		w.whole = w.whole[1:]
		w.place(rel, w.read(rel))
	case len(w.finished) > 0 && n > 95:
		i := w.r.IntN(len(w.finished))
		w.disturb(w.finished[i], refresh)
		w.finished = append(w.finished[:i], w.finished[i+1:]...)
	}
	return len(w.open)+len(w.whole) > 0
}

// write appends some lines to one log, the last of them perhaps in part.
func (w *workload) write(i int) {
	p := w.open[i]
	n := min(len(p.rest), 1+w.r.IntN(1+len(p.rest)/8+4000))
	if w.r.IntN(4) > 0 {
		if at := strings.IndexByte(string(p.rest[n:]), '\n'); at >= 0 {
			n += at + 1
		}
	} else {
		w.torn++
	}
	path := filepath.Join(w.to, p.path)
	w.must(os.MkdirAll(filepath.Dir(path), 0o755))
	f, err := os.OpenFile(path, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o644)
	w.must(err)
	for len(w.news) > 0 {
		<-w.news
	}
	_, err = f.Write(p.rest[:n])
	w.must(err)
	w.must(f.Close())
	if w.appends++; w.appends%4 == 0 {
		<-w.news // there is one to come: what was written changes the file's checkpoint
	}
	if p.rest = p.rest[n:]; len(p.rest) == 0 {
		w.finished = append(w.finished, p.path)
		w.open = append(w.open[:i], w.open[i+1:]...)
	}
}

func (w *workload) read(rel string) []byte {
	content, err := os.ReadFile(filepath.Join(w.from, rel))
	w.must(err)
	return content
}

// place writes a file beside its place and renames it there.
func (w *workload) place(rel string, content []byte) {
	path := filepath.Join(w.to, rel)
	w.must(os.MkdirAll(filepath.Dir(path), 0o755))
	w.must(os.WriteFile(path+".tmp", content, 0o644))
	w.must(os.Rename(path+".tmp", path))
}

// disturb does to a log what must change no number.
func (w *workload) disturb(rel string, refresh func()) {
	path := filepath.Join(w.to, rel)
	switch w.r.IntN(4) {
	case 0:
		w.place(rel, w.read(rel))
		w.replaced++
	case 1:
		away := path[:len(path)-len(filepath.Ext(path))] + "-moved" + filepath.Ext(path)
		w.must(os.Rename(path, away))
		w.moved++
	case 2:
		w.must(os.WriteFile(path, w.read(rel), 0o644)) // truncated, then written
		w.rewritten++
	default:
		refresh() // only what was read may be deleted
		w.must(os.Remove(path))
		w.deleted++
	}
}

// The ledger equals the truth whatever the logs go through while they are
// watched; nothing grows.
func TestLive_WorkloadEqualsTruth(t *testing.T) {
	from, home := t.TempDir(), t.TempDir()
	size := corpusSize(t) / 8
	truth, err := corpus.Generate(corpus.Options{Out: from, Size: size})
	if err != nil {
		t.Fatal(err)
	}
	w := &workload{T: t, r: rand.New(rand.NewPCG(7, 11)), from: from, to: home, news: make(chan struct{}, 1)}
	w.prepare()
	m := openAt(t, home)
	defer m.Close()
	var commits int
	live, err := m.Live(LiveOptions{Committed: func(scanner.Committed) {
		commits++
		select {
		case w.news <- struct{}{}:
		default:
		}
	}})
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- live.Run(ctx) }()
	refresh := func() {
		if _, err := live.Refresh(ctx, nil); err != nil {
			t.Fatal(err)
		}
	}
	refresh()
	goroutines, files := runtime.NumGoroutine(), openFiles(t)
	for w.step(refresh) {
	}
	refresh()
	if n := runtime.NumGoroutine(); n > goroutines+8 {
		t.Errorf("%d goroutines after the workload, %d before it", n, goroutines)
	}
	if n := openFiles(t); n > files+8 {
		t.Errorf("%d open files after the workload, %d before it", n, files)
	}
	for part, id := range map[string]string{"claude": "claude-code", "codex": "codex-cli", "opencode": "opencode"} {
		p := truth[part]
		for by, want := range map[string]corpus.Group{"day": p.ByDay, "model": p.ByModel, "session": p.BySession} {
			checkCorpus(t, m, id, by, want, p.Totals)
		}
	}
	s := live.State()
	cancel()
	if err := <-ended; err != nil {
		t.Error(err)
	}
	t.Logf("%d appends (%d torn), %d replaced, %d moved, %d rewritten, %d deleted; %d commits, %d watches, %d overflows",
		w.appends, w.torn, w.replaced, w.moved, w.rewritten, w.deleted, commits, s.Watched, s.Overflows)
}

// openFiles is the number of descriptors of this process, 0 where it is not told.
func openFiles(t *testing.T) int {
	t.Helper()
	list, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		return 0
	}
	return len(list)
}
