package daemon

import (
	"bytes"
	"context"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"meterbridge/internal/corpus"
	"meterbridge/scanner"
)

// workload plays two hours of many agents' work into a home as harnesses write
// it, sped up: what the lines of one stretch say was written in it is appended at
// once, to all logs that grew, with torn lines, while logs that have ended are
// replaced, moved, rewritten in place or deleted.
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
	// lines are those to come, held what was kept back of a torn one.
	lines []writtenLine
	held  []byte
}

// writtenLine is a line and when it was written.
type writtenLine struct {
	at   time.Time
	text []byte
}

// stretch is the time of the workload that passes at once.
const stretch = 15 * time.Second

func (w *workload) must(err error) {
	w.Helper()
	if err != nil {
		w.Fatal(err)
	}
}

// prepare lists what there is to be written, and returns when it begins.
func (w *workload) prepare() (first time.Time) {
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
		p := &playing{path: rel, lines: linesOf(content)}
		if at := p.lines[0].at; first.IsZero() || at.Before(first) {
			first = at
		}
		w.open = append(w.open, p)
		return err
	}))
	w.r.Shuffle(len(w.whole), func(i, k int) { w.whole[i], w.whole[k] = w.whole[k], w.whole[i] })
	return first
}

// linesOf are the lines of a log, each with its time; one without has that of the
// line before, the first ones that of the first that has one.
func linesOf(content []byte) []writtenLine {
	stamp := regexp.MustCompile(`"timestamp":"([^"]+Z)"`)
	var lines []writtenLine
	var now time.Time
	for text := range bytes.Lines(content) {
		if m := stamp.FindSubmatch(text); m != nil {
			if at, err := time.Parse(time.RFC3339Nano, string(m[1])); err == nil && at.After(now) {
				now = at
			}
		}
		lines = append(lines, writtenLine{now, text})
	}
	for i := len(lines) - 2; i >= 0; i-- {
		if lines[i].at.IsZero() {
			lines[i].at = lines[i+1].at
		}
	}
	return lines
}

// pass lets the workload go on until now; it reports whether there is more to come.
func (w *workload) pass(now time.Time, refresh func()) bool {
	for len(w.news) > 0 {
		<-w.news
	}
	wrote := false
	for i := 0; i < len(w.open); i++ {
		p := w.open[i]
		wrote = w.append(p, now) || wrote
		if len(p.lines) == 0 && len(p.held) == 0 {
			w.finished = append(w.finished, p.path)
			w.open = append(w.open[:i], w.open[i+1:]...)
			i--
		}
	}
	if wrote && w.r.IntN(3) == 0 {
		<-w.news // what was written is taken up before the next stretch
	}
	if len(w.whole) > 0 && w.r.IntN(20) == 0 {
		w.place(w.whole[0], w.read(w.whole[0]))
		w.whole = w.whole[1:]
	}
	if len(w.finished) > 0 && w.r.IntN(6) == 0 {
		i := w.r.IntN(len(w.finished))
		w.disturb(w.finished[i], refresh)
		w.finished = append(w.finished[:i], w.finished[i+1:]...)
	}
	return len(w.open)+len(w.whole) > 0
}

// append writes what a log got until now, a part of its last line perhaps later;
// it reports whether a line ended in it.
func (w *workload) append(p *playing, now time.Time) bool {
	text := p.held
	n := 0
	for ; n < len(p.lines) && !p.lines[n].at.After(now); n++ {
		text = append(text, p.lines[n].text...)
	}
	p.lines, p.held = p.lines[n:], nil
	if len(text) == 0 {
		return false
	}
	if n > 0 && w.r.IntN(4) == 0 {
		cut := len(text) - 1 - w.r.IntN(len(lastOf(text)))
		text, p.held = text[:cut], slices.Clone(text[cut:])
		w.torn++
	}
	path := filepath.Join(w.to, p.path)
	w.must(os.MkdirAll(filepath.Dir(path), 0o755))
	f, err := os.OpenFile(path, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o644)
	w.must(err)
	_, err = f.Write(text)
	w.must(err)
	w.must(f.Close())
	w.appends++
	return bytes.IndexByte(text, '\n') >= 0
}

// lastOf is the last line of a text that ends with one.
func lastOf(text []byte) []byte {
	body := text[:max(0, len(text)-1)]
	return text[bytes.LastIndexByte(body, '\n')+1:]
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

// used is what the process holds at a moment of the workload.
type used struct {
	goroutines, files int
	// heap is what is in use on Go's heap after a collection, in bytes.
	heap uint64
}

func usedNow(t *testing.T) used {
	t.Helper()
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return used{runtime.NumGoroutine(), openFiles(t), m.HeapInuse}
}

// grown is how much the heap may grow over the second half of the workload: what
// is kept of sessions and files that are new in it, and what the detector of races
// keeps beside.
const grown = 24 << 20

// The ledger equals the truth whatever the logs go through while they are
// watched over two hours of work; nothing grows.
func TestLive_TwoHoursEqualTheTruth(t *testing.T) {
	from, home := t.TempDir(), t.TempDir()
	truth, err := corpus.Generate(corpus.Options{Out: from, Size: corpusSize(t) / 4, Days: 1, Within: 150 * time.Minute})
	if err != nil {
		t.Fatal(err)
	}
	w := &workload{T: t, r: rand.New(rand.NewPCG(7, 11)), from: from, to: home, news: make(chan struct{}, 1)}
	now := w.prepare()
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
	begin, looks := now, []used{usedNow(t)}
	for w.pass(now, refresh) {
		if now = now.Add(stretch); now.Sub(begin)%(30*time.Minute) < stretch {
			looks = append(looks, usedNow(t))
		}
	}
	refresh()
	looks = append(looks, usedNow(t))
	flat(t, looks)
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
	t.Logf("%s of work: %d appends (%d torn), %d replaced, %d moved, %d rewritten, %d deleted; %d commits, %d watches, %d overflows; %+v",
		now.Sub(begin), w.appends, w.torn, w.replaced, w.moved, w.rewritten, w.deleted, commits, s.Watched, s.Overflows, looks)
	if now.Sub(begin) < 2*time.Hour || w.torn == 0 || w.replaced == 0 || w.moved == 0 || w.rewritten == 0 || w.deleted == 0 {
		t.Error("the workload is no two hours with all that can happen to logs")
	}
}

// flat holds that nothing grows with the time that a daemon runs.
func flat(t *testing.T, looks []used) {
	t.Helper()
	first, middle, last := looks[0], looks[len(looks)/2], looks[len(looks)-1]
	for _, l := range looks {
		if l.goroutines > first.goroutines+8 {
			t.Errorf("%d goroutines, %d at first", l.goroutines, first.goroutines)
		}
		if l.files > first.files+8 {
			t.Errorf("%d open files, %d at first", l.files, first.files)
		}
	}
	if last.heap > middle.heap+grown {
		t.Errorf("%d MB on the heap after the workload, %d in the middle of it", last.heap>>20, middle.heap>>20)
	}
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
