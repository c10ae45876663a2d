package scanner_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"
	"sync"
	"testing"

	"meterbridge"
	"meterbridge/harnesses/fixtures"
	"meterbridge/internal/testkit"
	"meterbridge/scanner"
)

func (l *lab) pack(name, content string) {
	l.Helper()
	packed, err := fixtures.Compress([]byte(content))
	l.must(err)
	l.write(name, string(packed))
}

// TestScan_OversizedLines passes over lines that are too long, wherever they lie
// in the chunks that are read.
func TestScan_OversizedLines(t *testing.T) {
	for _, size := range []int{1 << 19, 1<<20 - 1, 1 << 20, 1<<20 + 1, 3 << 20, 3<<20 + 17, 12 << 20} {
		for _, packed := range []bool{false, true} {
			t.Run(fmt.Sprintf("%d packed %v", size, packed), func(t *testing.T) {
				l := newLab(t)
				l.opt.MaxLine = 3 << 20
				long := "x" + strings.Repeat("y", size-2) + "\n"
				content := line("a") + long + line("b") + long + long + line("c")
				name := "a.log"
				if packed {
					name = "a.log.zst"
					l.pack(name, content)
				} else {
					l.write(name, content)
				}
				l.scan()
				l.want("a s 7", "b s 7", "c s 7")
				reason := "malformed-line"
				if size > 3<<20 {
					reason = "oversized-line"
				}
				checkProblems(t, l, reason, size)
				s := l.ledger.Sources()[0]
				if s.Offset != int64(len(content)) || s.Lines != 6 {
					t.Errorf("offset %d after %d lines, want %d after 6", s.Offset, s.Lines, len(content))
				}
				if !packed {
					l.add(name, line("d"))
					if got := l.scan().Total(); got.BytesRead != int64(len(line("d"))) {
						t.Errorf("read %d bytes of an appended line: the end before it was not recognised", got.BytesRead)
					}
				}
			})
		}
	}
}

func checkProblems(t *testing.T, l *lab, reason string, size int) {
	t.Helper()
	n := int64(len(line("a")))
	want := []meterbridge.Place{{Line: 2, Offset: n}, {Line: 4, Offset: 2*n + int64(size)}, {Line: 5, Offset: 2*n + 2*int64(size)}}
	got := l.ledger.Problems()
	if len(got) != len(want) {
		t.Fatalf("%d problems, want %d", len(got), len(want))
	}
	for i, p := range got {
		if p.Reason != reason || p.Place.Line != want[i].Line || p.Place.Offset != want[i].Offset {
			t.Errorf("problem %+v, want %s at line %d, offset %d", p, reason, want[i].Line, want[i].Offset)
		}
	}
}

// TestScan_GiantLineWithoutEnd waits for its newline.
func TestScan_GiantLineWithoutEnd(t *testing.T) {
	for _, name := range []string{"a.log", "a.log.zst"} {
		l := newLab(t)
		l.opt.MaxLine = 2 << 20
		content := line("a") + strings.Repeat("y", 5<<20)
		if name == "a.log" {
			l.write(name, content)
		} else {
			l.pack(name, content)
		}
		l.scan()
		l.want("a s 7")
		if s := l.ledger.Sources()[0]; s.Offset != int64(len(line("a"))) || s.Lines != 1 || len(s.Problems) != 0 {
			t.Errorf("%s: offset %d, %d lines, problems %+v; want what lies before the line", name, s.Offset, s.Lines, s.Problems)
		}
	}
}

func TestScan_CompressedLogs(t *testing.T) {
	l := newLab(t)
	l.write("a.log", "m m1\n"+line("a")+line("b"))
	l.scan()
	l.must(os.Remove(l.path("a.log")))
	l.pack("a.log.zst", "m m1\n"+line("a")+line("b"))
	written := l.ledger.Written
	l.scan()
	l.want("a s 7", "b s 7")
	if l.ledger.Written != written {
		t.Error("compressing a log wrote rows")
	}
	l.pack("a.log.zst", "m m1\n"+line("a")+line("b")+line("c"))
	l.at("a.log.zst", 4000)
	l.scan()
	l.want("a s 7", "b s 7", "c s 7")
	l.must(os.Rename(l.path("a.log.zst"), l.path("b.log.zst")))
	if c := l.scan().Total(); c.Moved != 1 || c.Opened != 0 {
		t.Errorf("a moved compressed log: %+v, want nothing read", c)
	}
}

func TestScan_BrokenStreamKeepsWhatCameBefore(t *testing.T) {
	l := newLab(t)
	var content strings.Builder
	for i := range 40_000 {
		content.WriteString(line(fmt.Sprintf("r%d", i*7919%100_003)))
	}
	packed, err := fixtures.Compress([]byte(content.String()))
	l.must(err)
	l.write("a.log.zst", string(packed[:len(packed)/2]))
	l.write("b.log", line("b"))
	l.scan()
	n := len(l.ledger.Rows())
	if n < 2 || n >= 40_001 {
		t.Errorf("%d requests of a stream that breaks off, want some", n)
	}
	if p := l.ledger.Problems(); len(p) != 1 || p[0].Reason != "broken-stream" {
		t.Errorf("problems %+v, want a broken stream", p)
	}
	l.write("a.log.zst", string(packed))
	l.scan()
	if got := len(l.ledger.Rows()); got != 40_001 {
		t.Errorf("%d requests once the stream is whole, want 40001", got)
	}
	l.write("a.log.zst", string(packed[:len(packed)/3]))
	l.scan()
	for _, r := range l.ledger.Rows() {
		if r.Vanished {
			t.Fatal("what a broken stream does not show was taken for vanished")
		}
	}
	l.write("c.log.zst", "no zstd at all")
	if c := l.scan().Total(); c.Unreadable != 1 {
		t.Errorf("garbage: unreadable %d, want 1", c.Unreadable)
	}
}

func TestScan_Documents(t *testing.T) {
	l := newLab(t)
	l.opt.MaxDocument = 100
	l.write("a.doc", line("a")+line("b"))
	l.write("big.doc", strings.Repeat(line("x"), 20))
	l.scan()
	l.want("a s 7", "b s 7")
	if p := l.ledger.Problems(); len(p) != 1 || p[0].Reason != "oversized-document" {
		t.Errorf("problems %+v, want an oversized document", p)
	}
	l.write("a.doc", line("a")+line("cc"))
	l.scan()
	l.want("a s 7", "b s 7 vanished", "cc s 7")
	l.write("a.doc", line("a")+"r torn")
	l.scan()
	l.want("a s 7", "b s 7 vanished", "cc s 7")
	l.write("a.doc", line("a")+"r cc s many 9\n")
	l.scan()
	l.want("a s 7", "b s 7 vanished", "cc s 7 vanished")
}

func TestScan_Databases(t *testing.T) {
	l := newLab(t)
	var rows string
	for i := range 3*testkit.ToyBaseBatch + 1 {
		rows += line(fmt.Sprint("r", i))
	}
	l.write("a.base", rows)
	l.scan()
	if got := len(l.ledger.Rows()); got != 10 {
		t.Errorf("%d rows of a database that gives 3 at a time, want 10", got)
	}
	l.write("a.base-wal", line("w"))
	res := l.scan()
	if c := res.Total(); c.Requests != 1 || c.Opened != 1 {
		t.Errorf("after the companion grew: %+v, want its one row", c)
	}
	if res := l.scan(); res.Commits != 0 || res.Total().Opened != 0 {
		t.Errorf("nothing new: %+v, want no work", res)
	}
}

// What could not be read is named as long as it cannot be.
func TestScan_ProblemsOfASourceEndWhenItCanBeRead(t *testing.T) {
	l := newLab(t)
	problems := func(when string, want int) {
		t.Helper()
		l.scan()
		l.scan()
		if got := l.ledger.Problems(); len(got) != want {
			t.Errorf("%s: problems %+v, want %d", when, got, want)
		}
	}
	l.write("a.base", "!")
	problems("a database that cannot be read", 1)
	l.write("a.base", line("a")+"what\n")
	problems("it can be, but for one row", 1)
	l.want("a s 7")
	l.write("a.base", "!!")
	problems("again it cannot be read", 2)
	l.write("a.base", line("a")+"what\n"+line("b"))
	problems("and again it can", 1)
	l.want("a s 7", "b s 7")
	if p := l.ledger.Problems(); len(p) == 1 && p[0].Reason != "malformed-line" {
		t.Errorf("problems %+v, want the one row's", p)
	}
}

func TestScan_DropsTextWhenNotWanted(t *testing.T) {
	for _, keep := range []bool{true, false} {
		l := newLab(t)
		l.opt.StoreText = keep
		l.write("a.log", "p secret s parent\n"+line("a"))
		l.scan()
		want := map[bool]string{true: "secret", false: ""}[keep]
		if s := l.ledger.Sessions(); len(s) != 1 || s[0].Title != want || s[0].Parent != "parent" {
			t.Errorf("text kept %v: sessions %+v, want title %q and its parent", keep, s, want)
		}
	}
}

func TestTrace_ReadsSourcesAgain(t *testing.T) {
	l := newLab(t)
	l.write("a.log", testkit.ToyLine("a", "s", 1, 10)+testkit.ToyLine("a", "s", 5, 11))
	l.write("notes.txt", "no log")
	l.scan()
	commits := l.ledger.Commits
	s, err := scanner.New(l.ledger, l.opt)
	l.must(err)
	var got []scanner.Traced
	sources := []scanner.Source{{Harness: testkit.ToyID, Path: l.path("a.log")}, {Harness: testkit.ToyID, Path: l.path("gone.log")}, {Harness: testkit.ToyID, Path: l.path("notes.txt")}}
	l.must(s.Trace(t.Context(), sources, func(tr scanner.Traced) error { got = append(got, tr); return nil }))
	if len(got) != 3 || len(got[0].Batch.Traces) != 2 || len(got[0].Batch.Requests) != 1 || got[0].Err != nil {
		t.Fatalf("traces %+v, want two records of one request first", got)
	}
	if !errors.Is(got[1].Err, fs.ErrNotExist) || !errors.Is(got[2].Err, scanner.ErrNoSource) {
		t.Errorf("errors %v and %v, want not found and no source", got[1].Err, got[2].Err)
	}
	if l.ledger.Commits != commits {
		t.Error("a trace committed something")
	}
}

// TestScan_FailedCommit: what was not committed is read again.
func TestScan_FailedCommit(t *testing.T) {
	l := newLab(t)
	for i := range 50 {
		l.write(fmt.Sprintf("%d.log", i), line(fmt.Sprint("a", i))+line(fmt.Sprint("b", i)))
	}
	l.opt.CommitRows = 10
	faulty := &testkit.Faulty{Memory: l.ledger}
	for fail := 1; fail <= 3; fail++ {
		n := 0
		faulty.Fail = func(int) error {
			if n++; n == fail {
				return testkit.ErrInjected
			}
			return nil
		}
		s, err := scanner.New(faulty, l.opt)
		l.must(err)
		if _, err := s.Scan(t.Context()); !errors.Is(err, testkit.ErrInjected) {
			t.Fatalf("scan with a failing commit: %v, want the sink's error", err)
		}
	}
	l.scan()
	if got := len(l.ledger.Rows()); got != 100 {
		t.Errorf("%d requests after the failures, want 100", got)
	}
	if staged := l.ledger.Staged; staged != 100 {
		t.Errorf("%d requests handed over, want each committed once: 100", staged)
	}
}

// stopping is a sink that cancels the scan after some commits.
type stopping struct {
	*testkit.Memory
	left   int
	cancel context.CancelFunc
}

func (s *stopping) Commit(ctx context.Context, units []meterbridge.Unit) error {
	err := s.Memory.Commit(ctx, units)
	if s.left--; s.left == 0 {
		s.cancel()
	}
	return err
}

func TestScan_InterruptedLeavesAGoodLedger(t *testing.T) {
	l := newLab(t)
	for i := range 50 {
		l.write(fmt.Sprintf("%d.log", i), line(fmt.Sprint("a", i)))
	}
	l.opt.CommitRows = 5
	for range 3 {
		ctx, cancel := context.WithCancel(t.Context())
		s, err := scanner.New(&stopping{l.ledger, 2, cancel}, l.opt)
		l.must(err)
		if _, err := s.Scan(ctx); !errors.Is(err, context.Canceled) {
			t.Fatalf("interrupted scan: %v, want context.Canceled", err)
		}
		cancel()
	}
	l.scan()
	if got, staged := len(l.ledger.Rows()), l.ledger.Staged; got != 50 || staged != 50 {
		t.Errorf("%d requests, %d handed over; want 50, 50", got, staged)
	}
}

// TestScan_BigSourceInParts: a big new log reaches the ledger in several commits,
// and is one source.
func TestScan_BigSourceInParts(t *testing.T) {
	l := newLab(t)
	l.opt.CommitRows = 5000
	var b bytes.Buffer
	b.WriteString("m m1\n")
	for i := range 40_000 {
		fmt.Fprintf(&b, "r id-%0100d s 7 10\n", i)
	}
	l.write("a.log", b.String())
	res := l.scan()
	if res.Commits < 3 || len(l.ledger.Rows()) != 40_000 || len(l.ledger.Sources()) != 1 {
		t.Errorf("%d commits, %d requests, %d sources; want several, 40000, 1", res.Commits, len(l.ledger.Rows()), len(l.ledger.Sources()))
	}
	for _, r := range l.ledger.Rows() {
		if r.Model != "m1" {
			t.Fatalf("request %s has model %q, want m1", r.NativeID, r.Model)
		}
	}
	if res := l.scan(); res.Commits != 0 {
		t.Error("it was read again")
	}
}

// TestScan_InterruptedInABigSource: what was committed of it stays, the rest is
// read by the next scan, and nothing twice.
func TestScan_InterruptedInABigSource(t *testing.T) {
	l := newLab(t)
	l.opt.CommitRows = 1
	var log, base bytes.Buffer
	for i := range 40_000 {
		fmt.Fprintf(&log, "r id-%0100d s 7 10\n", i)
	}
	for i := range 5 * testkit.ToyBaseBatch {
		fmt.Fprintf(&base, "r base-%d s 7 10\n", i)
	}
	l.write("a.log", log.String())
	l.write("b.base", base.String())
	for range 4 {
		ctx, cancel := context.WithCancel(t.Context())
		s, err := scanner.New(&stopping{l.ledger, 1, cancel}, l.opt)
		l.must(err)
		if _, err := s.Scan(ctx); !errors.Is(err, context.Canceled) {
			t.Fatalf("interrupted scan: %v, want context.Canceled", err)
		}
		cancel()
	}
	res := l.scan()
	want := 40_000 + 5*testkit.ToyBaseBatch
	if got := len(l.ledger.Rows()); got != want || l.ledger.Staged != want {
		t.Errorf("%d requests, %d handed over; want each of %d once", got, l.ledger.Staged, want)
	}
	if res.Total().Whole != 0 {
		t.Error("a source that was read in part was read again from its start")
	}
	if res := l.scan(); res.Commits != 0 {
		t.Error("there was something left to read")
	}
}

// progress records what it is told.
type progress struct {
	mu          sync.Mutex
	files       int
	bytes       int64
	told        int
	toldBytes   int64
	done, start int
}

func (p *progress) Start(_ string, files int, bytes int64) {
	p.start++
	p.files, p.bytes = files, bytes
}

func (p *progress) Add(_ string, files int, bytes int64) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.told += files
	p.toldBytes += bytes
}

func (p *progress) Done() { p.done++ }

func TestScan_TellsProgress(t *testing.T) {
	l := newLab(t)
	p := &progress{}
	l.opt.Progress = p
	l.write("a.log", strings.Repeat(line("a"), 300_000))
	l.write("b.log", line("b"))
	l.write("c.base", line("c"))
	l.scan()
	if p.start != 1 || p.done != 1 || p.files != 3 || p.told != 3 || p.bytes != p.toldBytes {
		t.Errorf("announced %d files, %d bytes; told %d, %d; started %d, done %d", p.files, p.bytes, p.told, p.toldBytes, p.start, p.done)
	}
}
