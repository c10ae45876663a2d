package scanner_test

import (
	"os"
	"strings"
	"testing"
	"time"

	"meterbridge/internal/testkit"
)

// at sets the time of a file, so that no test depends on the clock's grain.
func (l *lab) at(name string, second int64) {
	l.Helper()
	l.must(os.Chtimes(l.path(name), time.Unix(second, 0), time.Unix(second, 0)))
}

func TestScan_UnchangedTreeCostsNothing(t *testing.T) {
	l := newLab(t)
	l.write("a.log", line("a"))
	l.write("b.doc", line("b"))
	l.write("c.base", line("c"))
	l.write("d.log", "r half a li")
	l.scan()
	l.want("a s 7", "b s 7", "c s 7")
	written := l.ledger.Written
	res := l.scan()
	if c := res.Total(); c.Opened != 0 || c.BytesRead != 0 || res.Commits != 0 || l.ledger.Written != written {
		t.Errorf("opened %d, read %d bytes, %d commits; want none of it", c.Opened, c.BytesRead, res.Commits)
	}
}

func TestScan_StreamedSnapshotsAreOneRow(t *testing.T) {
	l := newLab(t)
	for i := range 5 {
		if i == 0 {
			l.write("a.log", testkit.ToyLine("a", "s", 1, 10))
		} else {
			l.add("a.log", testkit.ToyLine("a", "s", 1+i, 10))
		}
		l.scan()
	}
	l.want("a s 5")
}

func TestScan_OneLineIsOneCommit(t *testing.T) {
	l := newLab(t)
	l.write("a.log", line("a"))
	l.scan()
	l.add("a.log", line("b"))
	if res := l.scan(); res.Commits != 1 || res.Units != 1 || res.Total().Requests != 1 {
		t.Errorf("%d commits, %d units, %d requests; want one of each", res.Commits, res.Units, res.Total().Requests)
	}
}

func TestScan_RewrittenWithTheSame(t *testing.T) {
	l := newLab(t)
	l.write("a.log", line("a")+line("b"))
	l.write("other.log", line("c"))
	l.scan()
	written := l.ledger.Written
	l.must(os.Remove(l.path("a.log")))
	l.write("a.log", line("a")+line("b"))
	l.at("a.log", 5000)
	res := l.scan()
	if c := res.Total(); c.Opened != 1 || c.Whole != 1 || l.ledger.Written != written {
		t.Errorf("opened %d, whole %d, rows written %d; want the one file read and no row written", c.Opened, c.Whole, l.ledger.Written-written)
	}
	if s := l.ledger.Sources(); len(s) != 2 {
		t.Errorf("%d sources, want the rewritten one to keep its number", len(s))
	}
}

func TestScan_RewrittenShorterLosesNothing(t *testing.T) {
	l := newLab(t)
	l.write("a.log", line("a")+line("b")+line("c"))
	l.scan()
	l.write("a.log", line("a"))
	l.scan()
	l.want("a s 7", "b s 7 vanished", "c s 7 vanished")
	l.add("a.log", line("c"))
	l.scan()
	l.want("a s 7", "b s 7 vanished", "c s 7")
	l.write("a.log", line("a")+line("c")+line("d")+line("e"))
	l.scan()
	l.want("a s 7", "b s 7 vanished", "c s 7", "d s 7", "e s 7")
}

// TestScan_ChangedPrefix: a file that grew is resumed only if what was read of
// it is still there, at its head and before the offset.
func TestScan_ChangedPrefix(t *testing.T) {
	long := strings.Repeat(line("filler"), 200)
	for name, change := range map[string]func(old string) string{
		"head": func(old string) string { return strings.Replace(old, line("a"), line("A"), 1) },
		"tail": func(old string) string { return strings.Replace(old, line("z"), line("Z"), 1) },
	} {
		t.Run(name, func(t *testing.T) {
			l := newLab(t)
			old := line("a") + long + line("z")
			l.write("a.log", old)
			l.scan()
			l.write("a.log", change(old)+line("new"))
			if c := l.scan().Total(); c.Whole != 1 {
				t.Errorf("read again from its start: %d, want 1", c.Whole)
			}
			gone := map[string]string{"head": "a s 7 vanished", "tail": "z s 7 vanished"}[name]
			if got := strings.Join(l.outputs(), ","); !strings.Contains(got, gone) || !strings.Contains(got, "new s 7") {
				t.Errorf("requests %s; want %q and the new one", got, gone)
			}
		})
	}
}

func TestScan_MovedLogKeepsItsSource(t *testing.T) {
	l := newLab(t)
	l.write("sessions/a.log", "m m1\n"+line("a"))
	l.scan()
	l.must(os.MkdirAll(l.path("archived"), 0o755))
	l.must(os.Rename(l.path("sessions/a.log"), l.path("archived/a.log")))
	if c := l.scan().Total(); c.Moved != 1 || c.Opened != 0 || c.New != 0 || c.Gone != 0 {
		t.Errorf("after the move: %+v, want one moved and nothing read", c)
	}
	l.add("archived/a.log", line("b"))
	l.must(os.Rename(l.path("archived/a.log"), l.path("sessions/b.log")))
	if got, want := l.scan().Total().BytesRead, int64(len(line("b"))); got != want {
		t.Errorf("read %d bytes after a move back with one more line, want %d", got, want)
	}
	l.want("a s 7", "b s 7")
	if s := l.ledger.Sources(); len(s) != 1 || s[0].Path != l.path("sessions/b.log") || s[0].Gone {
		t.Errorf("sources %+v, want one at its new path", s)
	}
	if m := l.ledger.Rows()[1].Model; m != "m1" {
		t.Errorf("model %q after two moves: the parser's memory was lost, want m1", m)
	}
	if res := l.scan(); res.Commits != 0 || res.Total().Opened != 0 {
		t.Errorf("one more scan: %+v, want no work", res)
	}
}

// TestScan_RotatedLog: the path of a log that moved belongs to a new one.
func TestScan_RotatedLog(t *testing.T) {
	l := newLab(t)
	l.write("a.log", "m m1\n"+line("a"))
	l.scan()
	l.add("a.log", line("b"))
	l.must(os.Rename(l.path("a.log"), l.path("a1.log")))
	l.write("a.log", "m m2\n"+line("c")+line("d")+line("e"))
	l.scan()
	l.want("a s 7", "b s 7", "c s 7", "d s 7", "e s 7")
	l.must(os.Rename(l.path("a1.log"), l.path("a2.log")))
	l.must(os.Rename(l.path("a.log"), l.path("a1.log")))
	l.write("a.log", line("f"))
	l.scan()
	l.add("a1.log", line("g"))
	l.add("a2.log", line("h"))
	res := l.scan()
	if got, want := res.Total().BytesRead, int64(2*len(line("g"))); got != want {
		t.Errorf("read %d bytes after two rotations, want the %d appended ones", got, want)
	}
	models := map[string]string{}
	for _, r := range l.ledger.Rows() {
		models[r.NativeID] = r.Model
	}
	if models["g"] != "m2" || models["h"] != "m1" {
		t.Errorf("models %v; want g in the second log (m2) and h in the first (m1)", models)
	}
	if s := l.ledger.Sources(); len(s) != 3 {
		t.Errorf("%d sources, want 3", len(s))
	}
}

// TestScan_ReusedInode: a new file with the inode of a deleted one is another source.
func TestScan_ReusedInode(t *testing.T) {
	l := newLab(t)
	l.write("a.log", line("a"))
	l.scan()
	l.must(os.Rename(l.path("a.log"), l.path("b.log")))
	l.write("b.log", line("x")+line("y"))
	l.scan()
	l.want("a s 7", "x s 7", "y s 7")
	if s := l.ledger.Sources(); len(s) != 2 || !s[0].Gone {
		t.Errorf("sources %+v, want the first gone and another one", s)
	}
}

func TestScan_GoneAndBack(t *testing.T) {
	l := newLab(t)
	l.write("p/a.log", "m m1\n"+line("a"))
	l.scan()
	away := t.TempDir() + "/p"
	l.must(os.Rename(l.path("p"), away))
	if c := l.scan().Total(); c.Gone != 1 {
		t.Errorf("gone %d, want 1", c.Gone)
	}
	l.want("a s 7")
	if !l.ledger.Sources()[0].Gone {
		t.Error("the source is not flagged as gone")
	}
	if res := l.scan(); res.Commits != 0 {
		t.Error("that it is gone was told twice")
	}
	l.must(os.Rename(away, l.path("p")))
	if res := l.scan(); res.Total().Opened != 0 || res.Commits != 1 || l.ledger.Sources()[0].Gone {
		t.Errorf("back: opened %d, %d commits; want it noted and not read", res.Total().Opened, res.Commits)
	}
	l.add("p/a.log", line("b"))
	l.scan()
	if r := l.ledger.Rows(); len(r) != 2 || r[1].Model != "m1" {
		t.Errorf("rows %+v; want b resumed with model m1", r)
	}
}

func TestScan_MissingRootLosesNothing(t *testing.T) {
	l := newLab(t)
	l.write("a.log", line("a"))
	l.scan()
	l.must(os.RemoveAll(l.home + "/.toy"))
	res := l.scan()
	l.want("a s 7")
	if res.Harnesses[0].Roots[0].Found {
		t.Error("a root that is not there was found")
	}
}

func TestScan_NewParserReadsAgain(t *testing.T) {
	l := newLab(t)
	l.write("a.log", line("a"))
	l.write("b.base", line("b"))
	l.scan()
	l.opt.Harnesses[0].ParserVersion++
	if c := l.scan().Total(); c.Whole != 2 || c.Requests != 2 {
		t.Errorf("read again whole: %d with %d requests, want 2, 2", c.Whole, c.Requests)
	}
	l.want("a s 7", "b s 7")
	for _, s := range l.ledger.Sources() {
		if s.Generation != 2 || s.Parser != 2 {
			t.Errorf("%s: generation %d, parser %d; want 2, 2", s.Path, s.Generation, s.Parser)
		}
	}
	if res := l.scan(); res.Commits != 0 {
		t.Error("it was read a third time")
	}
}

// TestScan_ByteByByte looks after every single byte.
func TestScan_ByteByByte(t *testing.T) {
	whole, l := newLab(t), newLab(t)
	content := "\xef\xbb\xbfm m1\r\n" + testkit.ToyLine("a", "s", 1, 10) + "\n\r\n" + testkit.ToyLine("a", "s", 3, 10) + "nonsense\nm m2\n" + line("b") + "r torn s"
	whole.write("a.log", content)
	whole.scan()
	l.write("a.log", content[:1])
	for i := 1; i < len(content); i++ {
		l.scan()
		l.add("a.log", content[i:i+1])
	}
	l.scan()
	l.want(whole.outputs()...)
	l.want("a s 3", "b s 7")
	a, b := whole.ledger.Sources()[0], l.ledger.Sources()[0]
	if a.Offset != b.Offset || a.Lines != b.Lines || a.Head != b.Head || a.HeadLen != b.HeadLen || a.Tail != b.Tail || string(a.State) != string(b.State) {
		t.Errorf("checkpoints differ:\nwhole %+v\nbytes %+v", a.Checkpoint, b.Checkpoint)
	}
	if len(b.Problems) != 1 || b.Problems[0].Place.Line != 6 {
		t.Errorf("problems %+v, want one in line 6", b.Problems)
	}
	if r := l.ledger.Rows(); r[0].Model != "m1" || r[1].Model != "m2" || r[1].Place != whole.ledger.Rows()[1].Place {
		t.Errorf("rows %+v", r)
	}
}
