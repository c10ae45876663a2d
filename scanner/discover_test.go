package scanner_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"meterbridge/internal/testkit"
	"meterbridge/scanner"
)

func line(id string) string { return testkit.ToyLine(id, "s", 7, 10) }

func (l *lab) link(target, name string) {
	l.Helper()
	l.must(os.MkdirAll(filepath.Dir(l.path(name)), 0o755))
	l.must(os.Symlink(target, l.path(name)))
}

func TestScan_FollowsLinksOnce(t *testing.T) {
	l := newLab(t)
	l.write("real/a.log", line("a"))
	l.write("real/deep/b.log", line("b"))
	elsewhere := t.TempDir()
	l.must(os.WriteFile(filepath.Join(elsewhere, "c.log"), []byte(line("c")), 0o644))
	l.link("..", "real/loop")
	l.link("a.log", "real/alias.log")
	l.link(elsewhere, "project")
	l.link("nowhere", "real/dangling.log")
	l.must(os.Link(l.path("real/a.log"), l.path("real/zz.log")))
	if got := l.scan().Total(); got.Files != 3 || got.Opened != 3 {
		t.Errorf("found %d files, opened %d; want 3, 3", got.Files, got.Opened)
	}
	l.want("a s 7", "b s 7", "c s 7")
	var paths []string
	for _, s := range l.ledger.Sources() {
		paths = append(paths, s.Path)
	}
	slices.Sort(paths)
	if want := []string{l.path("project/c.log"), l.path("real/a.log"), l.path("real/deep/b.log")}; !slices.Equal(paths, want) {
		t.Errorf("sources %q, want %q: of several paths the smallest one that is no link", paths, want)
	}
	if res := l.scan(); res.Total().Opened != 0 || res.Commits != 0 {
		t.Errorf("second scan: %+v, want no work", res)
	}
}

func TestScan_LinkedRoot(t *testing.T) {
	l := newLab(t)
	elsewhere := t.TempDir()
	l.must(os.WriteFile(filepath.Join(elsewhere, "a.log"), []byte(line("a")), 0o644))
	l.must(os.Symlink(elsewhere, filepath.Join(l.home, ".toy")))
	l.opt.Extra = []scanner.Extra{{Harness: testkit.ToyID, Path: elsewhere, Machine: "attic"}}
	if got := l.scan().Total(); got.Files != 1 {
		t.Errorf("a file that two roots reach counts %d times, want once", got.Files)
	}
	l.want("a s 7")
	if s := l.ledger.Sources()[0]; s.Path != l.path("a.log") || s.Machine != "" {
		t.Errorf("source %s of machine %q, want that of the first root", s.Path, s.Machine)
	}
}

func TestScan_ExtraRoots(t *testing.T) {
	l := newLab(t)
	dir := t.TempDir()
	file := filepath.Join(dir, "only.log")
	l.must(os.WriteFile(file, []byte(line("a")), 0o644))
	l.must(os.WriteFile(filepath.Join(dir, "other.log"), []byte(line("b")), 0o644))
	l.opt.Extra = []scanner.Extra{{Harness: testkit.ToyID, Path: file, Machine: "laptop"}, {Harness: testkit.ToyID, Path: filepath.Join(dir, "missing")}}
	res := l.scan()
	l.want("a s 7")
	if m := l.ledger.Sources()[0].Machine; m != "laptop" {
		t.Errorf("machine %q, want laptop", m)
	}
	var found []bool
	for _, r := range res.Harnesses[0].Roots {
		found = append(found, r.Found)
	}
	if fmt.Sprint(found) != "[false true false]" {
		t.Errorf("roots found: %v, want [false true false]", found)
	}
	for _, bad := range []struct {
		extra scanner.Extra
		want  error
	}{
		{scanner.Extra{Harness: "none", Path: dir}, scanner.ErrUnknownHarness},
		{scanner.Extra{Harness: testkit.ToyID, Path: "relative"}, scanner.ErrRelativePath},
	} {
		l.opt.Extra = []scanner.Extra{bad.extra}
		if _, err := scanner.New(l.ledger, l.opt); !errors.Is(err, bad.want) {
			t.Errorf("root %+v: %v, want %v", bad.extra, err, bad.want)
		}
	}
}

func TestScan_SkipsFolders(t *testing.T) {
	l := newLab(t)
	l.write("skipped/a.log", line("a"))
	l.write("b.log", line("b"))
	l.write("notes.txt", line("c"))
	l.scan()
	l.want("b s 7")
}

func TestScan_FolderInAFilesPlace(t *testing.T) {
	l := newLab(t)
	l.write("odd.log/b.log", line("b"))
	l.write("empty.log", "")
	l.write("a.log", line("a"))
	l.scan()
	l.want("a s 7", "b s 7")
	got := l.ledger.Problems()
	if len(got) != 1 || got[0].Reason != "not-a-file" {
		t.Fatalf("problems %+v, want one of a folder that is no file", got)
	}
	if res := l.scan(); res.Commits != 0 || res.Total().Opened != 0 {
		t.Errorf("second scan: %+v, want the problem told once", res)
	}
	l.must(os.RemoveAll(l.path("odd.log")))
	l.write("odd.log", line("c"))
	l.scan()
	if got := l.outputs(); len(got) != 3 {
		t.Errorf("after the folder became a file: %v, want a, b and c", got)
	}
}

func TestScan_UnreadableFolderIsNotGone(t *testing.T) {
	if os.Geteuid() == 0 {
		t.Skip("the superuser may read every folder")
	}
	l := newLab(t)
	l.write("closed/a.log", line("a"))
	l.write("b.log", line("b"))
	l.scan()
	l.must(os.Chmod(l.path("closed"), 0))
	t.Cleanup(func() { _ = os.Chmod(l.path("closed"), 0o755) })
	res := l.scan()
	if c := res.Total(); c.Gone != 0 || c.Unreadable != 1 {
		t.Errorf("gone %d, unreadable %d; want 0, 1", c.Gone, c.Unreadable)
	}
	l.want("a s 7", "b s 7")
	if res := l.scan(); res.Commits != 0 {
		t.Errorf("the problem was told again")
	}
}

func TestScan_UnreadableFile(t *testing.T) {
	if os.Geteuid() == 0 {
		t.Skip("the superuser may read every file")
	}
	l := newLab(t)
	l.write("a.log", line("a"))
	l.scan()
	l.add("a.log", line("b"))
	l.must(os.Chmod(l.path("a.log"), 0))
	if c := l.scan().Total(); c.Unreadable != 1 || c.Problems != 1 {
		t.Errorf("unreadable %d, problems %d; want 1, 1", c.Unreadable, c.Problems)
	}
	if res := l.scan(); res.Commits != 0 || res.Total().Unreadable != 1 {
		t.Errorf("third scan: %+v, want the problem counted and not told again", res)
	}
	l.must(os.Chmod(l.path("a.log"), 0o644))
	if got := l.scan().Total().BytesRead; got != int64(len(line("b"))) {
		t.Errorf("read %d bytes once it was readable, want the new line only", got)
	}
	l.want("a s 7", "b s 7")
}

// TestScan_ManyOldFilesAndOneNew: the work follows what is new, not what is there.
func TestScan_ManyOldFilesAndOneNew(t *testing.T) {
	l := newLab(t)
	for i := range 1000 {
		l.write(fmt.Sprintf("p%d/s%d.log", i%50, i), line(fmt.Sprint("old", i)))
	}
	l.scan()
	l.write("p7/new.log", line("new"))
	res := l.scan()
	if c := res.Total(); c.Opened != 1 || res.Commits != 1 || res.Units != 1 || c.BytesRead != int64(len(line("new"))) {
		t.Errorf("opened %d, read %d bytes, %d commits of %d units; want the new file only", c.Opened, c.BytesRead, res.Commits, res.Units)
	}
}

func TestNew_ZeroOptionsReadNothing(t *testing.T) {
	s, err := scanner.New(&testkit.Memory{}, scanner.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if res, err := s.Scan(t.Context()); err != nil || res.Commits != 0 {
		t.Errorf("scan of nothing: %+v, %v", res, err)
	}
}

func BenchmarkScan_Unchanged(b *testing.B) {
	for _, n := range []int{1000, 12000} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			l := newLab(b)
			for i := range n {
				l.write(fmt.Sprintf("projects/-home-dev-project-number-%d/5f0c1a52-60da-4d74-ab69-%012d.log", i%(n/10), i), line(fmt.Sprint(i)))
			}
			l.scan()
			b.ResetTimer()
			for b.Loop() {
				if res := l.scan(); res.Total().Opened != 0 {
					b.Fatal("a file was opened")
				}
			}
		})
	}
}
