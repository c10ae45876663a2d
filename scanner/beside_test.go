package scanner

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"testing"
	"testing/fstest"
)

// TestBeside_IsAFileSystem holds the root that parsers see against the rules of
// file systems, with files of the sizes at which reading goes on or ends.
func TestBeside_IsAFileSystem(t *testing.T) {
	root := t.TempDir()
	var names []string
	for _, size := range []int{0, 1, 4095, 4096, 4097, 1 << 20} {
		name := filepath.Join("part", "msg", string(rune('a'+len(names)))+".json")
		if err := os.MkdirAll(filepath.Join(root, filepath.Dir(name)), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(root, name), bytes.Repeat([]byte("x"), size), 0o644); err != nil {
			t.Fatal(err)
		}
		names = append(names, filepath.ToSlash(name))
	}
	if err := fstest.TestFS(besideIn(root), names...); err != nil {
		t.Error(err)
	}
	for _, name := range []string{"../part/msg/a.json", "/part", "part/../part/msg/a.json", ""} {
		if _, err := fs.ReadFile(besideIn(root), name); !errors.Is(err, fs.ErrInvalid) {
			t.Errorf("%q: got error %v, want that the path is invalid", name, err)
		}
	}
	if _, err := fs.ReadFile(besideIn(root), "part/msg/none.json"); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a file that is not there: got error %v", err)
	}
	if _, err := fs.ReadFile(besideIn(root), "part"); err == nil {
		t.Error("a folder is read as a file")
	}
}
