package scanner_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"testing"
	"time"

	"meterbridge/scanner"
)

// Folders that nobody writes to are neither watched nor listed again, and yet
// what happens in them is found.
func TestLive_SeesChangesInFoldersThatAreAtRest(t *testing.T) {
	for _, c := range []struct {
		name string
		do   func(w *watching)
		want []string
	}{
		{"appended", func(w *watching) { w.add("p/a.log", line("b")) }, []string{"a s 7", "b s 7"}},
		{"new file", func(w *watching) { w.write("p/b.log", line("b")) }, []string{"a s 7", "b s 7"}},
		{"new folder", func(w *watching) { w.write("p/deep/b.log", line("b")) }, []string{"a s 7", "b s 7"}},
		{"replaced", func(w *watching) {
			w.write("p/tmp", line("a")+line("c"))
			w.must(os.Rename(w.path("p/tmp"), w.path("p/a.log")))
		}, []string{"a s 7", "c s 7"}},
		{"renamed", func(w *watching) {
			w.must(os.Rename(w.path("p/a.log"), w.path("p/b.log")))
			w.add("p/b.log", line("b"))
		}, []string{"a s 7", "b s 7"}},
		{"folder renamed", func(w *watching) {
			w.must(os.Rename(w.path("p"), w.path("q")))
			w.add("q/a.log", line("b"))
		}, []string{"a s 7", "b s 7"}},
		{"deleted", func(w *watching) { w.must(os.Remove(w.path("p/a.log"))) }, []string{"a s 7"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			l := newLab(t)
			l.write("p/a.log", line("a"))
			old := time.Now().AddDate(0, -2, 0)
			l.must(filepath.WalkDir(l.path("."), func(path string, _ fs.DirEntry, err error) error {
				l.must(err)
				return os.Chtimes(path, old, old)
			}))
			w := l.watch(scanner.LiveOptions{})
			c.do(w)
			w.settle()
			w.want(c.want...)
			w.end()
			if res := l.scan(); res.Total().Opened != 0 || res.Commits != 0 {
				t.Errorf("a scan afterwards finds something: %+v", res)
			}
		})
	}
}
