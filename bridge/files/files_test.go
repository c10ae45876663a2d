package files

import (
	"encoding/base64"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"meterbridge/bridge"
)

// workspace is a folder with some files, and one beside it.
func workspace(t *testing.T) (f Folder, outside string) {
	t.Helper()
	dir := t.TempDir()
	f = Folder{Path: filepath.Join(dir, "work"), Trash: filepath.Join(dir, "trash")}
	outside = filepath.Join(dir, "outside")
	for path, text := range map[string]string{
		"work/a.txt": "hello", "work/sub/b.txt": "b", "work/.git/config": "x", "work/inner/.claude/settings.json": "{}", "outside/secret": "s",
	} {
		path = filepath.Join(dir, path)
		if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o700), os.WriteFile(path, []byte(text), 0o600)); err != nil {
			t.Fatal(err)
		}
	}
	for link, to := range map[string]string{"out": outside, "way": "sub", "hooks": ".git", "rules": "CLAUDE.md", "loop": "loop"} {
		if err := os.Symlink(to, filepath.Join(f.Path, link)); err != nil {
			t.Fatal(err)
		}
	}
	return f, outside
}

func code(err error) string {
	var told *bridge.ToolError
	var conflict *Conflict
	switch {
	case err == nil:
		return ""
	case errors.As(err, &conflict):
		return "conflict"
	case errors.As(err, &told):
		return told.Code
	}
	return err.Error()
}

// Paths that lead out, by their words or through links, are refused by everything.
func TestFS_Escapes(t *testing.T) {
	f, outside := workspace(t)
	for _, path := range []string{
		"../outside/secret", "sub/../../outside/secret", "/etc/passwd", `..\outside\secret`, `C:\x`, "C:/x", "sub//b.txt", "./../x", "a\x00b", "nul", "sub/con.txt",
		"x.", "x ", "a|b", strings.Repeat("x", 1025), "out/secret", "out", "\xff",
	} {
		_, stat := f.Stat(path)
		_, read := f.Read(path, "", 0)
		_, list := f.List(path, true, 0)
		_, write := f.Write(path, []byte("x"), WriteOptions{CreateDirs: true})
		_, mkdir := f.Mkdir(path)
		for name, err := range map[string]error{"stat": stat, "read": read, "list": list, "write": write, "mkdir": mkdir} {
			if code(err) != CodeDenied {
				t.Errorf("%s %q: %v", name, path, err)
			}
		}
	}
	if got, err := os.ReadFile(filepath.Join(outside, "secret")); err != nil || string(got) != "s" {
		t.Errorf("outside: %q %v", got, err)
	}
}

// TestFS_DenyList: what steers agents and builds is read and never written, by any
// spelling and through links.
func TestFS_DenyList(t *testing.T) {
	f, _ := workspace(t)
	for _, path := range []string{
		".git/config", ".GIT/hooks/pre-commit", "sub/.git", "CLAUDE.md", "sub/claude.MD", "AGENTS.md", ".mcp.json", ".github/workflows/ci.yml", ".envrc", ".npmrc",
		"inner/.claude/settings.json", "hooks/config", "rules", ".vscode/tasks.json", "opencode.json", `.git\config`,
	} {
		_, write := f.Write(path, []byte("x"), WriteOptions{CreateDirs: true})
		_, mkdir := f.Mkdir(path)
		if code(write) != CodeDenied || code(mkdir) != CodeDenied {
			t.Errorf("%s: %v, %v", path, write, mkdir)
		}
	}
	for _, path := range []string{".git", ".git/config", "inner", "inner/.claude"} {
		if err := f.Discard(path, time.Unix(0, 0)); code(err) != CodeDenied {
			t.Errorf("discard %s: %v", path, err)
		}
	}
	if c, err := f.Read(".git/config", "", 0); err != nil || c.Data != "x" {
		t.Errorf("read: %+v %v", c, err)
	}
	if _, err := f.Write(".github/readme.md", []byte("x"), WriteOptions{CreateDirs: true}); err != nil {
		t.Errorf("beside workflows: %v", err)
	}
}

func TestFS_Read(t *testing.T) {
	f, _ := workspace(t)
	if err := os.WriteFile(filepath.Join(f.Path, "utf"), []byte("aé\xff"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		path, encoding string
		most           int64
		want           Content
	}{
		{"a.txt", "", 0, Content{Data: "hello", Encoding: "utf8", Size: 5}},
		{"./a.txt", "base64", 0, Content{Data: base64.StdEncoding.EncodeToString([]byte("hello")), Encoding: "base64", Size: 5}},
		{"a.txt", "", 2, Content{Data: "he", Encoding: "utf8", Size: 5, Truncated: true}},
		{"utf", "", 2, Content{Data: "a", Encoding: "utf8", Size: 4, Truncated: true}},
		{"utf", "", 0, Content{Data: "aé\uFFFD", Encoding: "utf8", Size: 4}},
		{`way\b.txt`, "", 0, Content{Data: "b", Encoding: "utf8", Size: 1}},
	} {
		got, err := f.Read(c.path, c.encoding, c.most)
		if diff := cmp.Diff(c.want, got); err != nil || diff != "" {
			t.Errorf("%s %s %d: %v\n%s", c.path, c.encoding, c.most, err, diff)
		}
	}
	for path, want := range map[string]string{"none": bridge.CodeNotFound, "sub": CodeFailed} {
		if _, err := f.Read(path, "", 0); code(err) != want {
			t.Errorf("%s: %v", path, err)
		}
	}
}

func paths(l Listing) (list []string) {
	for _, e := range l.Entries {
		list = append(list, e.Path+" "+e.Type)
	}
	return list
}

func TestFS_List(t *testing.T) {
	f, _ := workspace(t)
	for _, c := range []struct {
		path      string
		recursive bool
		most      int
		want      []string
	}{
		{"", false, 0, []string{".git directory", "a.txt file", "hooks directory", "inner directory", "sub directory", "way directory"}},
		{"sub", true, 0, []string{"sub/b.txt file"}},
		{"inner", true, 0, []string{"inner/.claude directory", "inner/.claude/settings.json file"}},
		{".", true, 2, []string{".git directory", ".git/config file"}},
	} {
		got, err := f.List(c.path, c.recursive, c.most)
		if diff := cmp.Diff(c.want, paths(got)); err != nil || diff != "" || got.Truncated != (c.most > 0) {
			t.Errorf("%q: %v %v\n%s", c.path, err, got.Truncated, diff)
		}
	}
}

func TestFS_Write(t *testing.T) {
	f, _ := workspace(t)
	s, err := f.Write("new/deep/c.txt", []byte("one"), WriteOptions{CreateDirs: true})
	if err != nil || s.Path != "new/deep/c.txt" || s.Type != "file" || s.Size != 3 {
		t.Fatalf("%+v %v", s, err)
	}
	other := s.MtimeMs - 1000
	for _, c := range []struct {
		name, path string
		o          WriteOptions
		want       string
	}{
		{"as it was", "new/deep/c.txt", WriteOptions{IfMtimeMs: &s.MtimeMs}, ""},
		{"changed since", "new/deep/c.txt", WriteOptions{IfMtimeMs: &other}, "conflict"},
		{"gone since", "new/none", WriteOptions{IfMtimeMs: &other}, "conflict"},
		{"no folder", "nowhere/c.txt", WriteOptions{}, CodeFailed},
		{"a folder", "sub", WriteOptions{}, CodeFailed},
		{"the root", "", WriteOptions{}, CodeDenied},
		{"through a link", "way/b.txt", WriteOptions{}, ""},
	} {
		if _, err := f.Write(c.path, []byte("two"), c.o); code(err) != c.want {
			t.Errorf("%s: %v, want %q", c.name, err, c.want)
		}
	}
	if got, err := f.Read("sub/b.txt", "", 0); err != nil || got.Data != "two" {
		t.Errorf("through the link: %+v %v", got, err)
	}
	if _, err := f.Write("big", make([]byte, MaxSize+1), WriteOptions{}); code(err) != bridge.CodeTooLarge {
		t.Errorf("too large: %v", err)
	}
	left, err := filepath.Glob(filepath.Join(f.Path, "*", "*", ".meterbridge-*"))
	if err != nil || len(left) > 0 {
		t.Errorf("left over: %v %v", left, err)
	}
}

func TestFS_Discard(t *testing.T) {
	f, outside := workspace(t)
	for _, path := range []string{"a.txt", "sub", "out"} {
		if err := f.Discard(path, time.Unix(0, 0)); err != nil {
			t.Errorf("%s: %v", path, err)
		}
		if _, err := os.Lstat(filepath.Join(f.Path, path)); !errors.Is(err, os.ErrNotExist) {
			t.Errorf("%s is still there: %v", path, err)
		}
	}
	kept, err := os.ReadDir(f.Trash)
	if err != nil || len(kept) != 3 {
		t.Errorf("trash: %v %v", kept, err)
	}
	if _, err := os.Stat(filepath.Join(outside, "secret")); err != nil {
		t.Errorf("what the link led to: %v", err)
	}
	for path, want := range map[string]string{"": CodeDenied, "none": bridge.CodeNotFound, "../outside": CodeDenied} {
		if err := f.Discard(path, time.Unix(0, 0)); code(err) != want {
			t.Errorf("%q: %v", path, err)
		}
	}
}

func TestFS_Watch(t *testing.T) {
	f, _ := workspace(t)
	beat, told, ended := make(chan time.Time), make(chan string, 10), make(chan error, 1)
	go func() { ended <- f.Watch(t.Context(), "", true, beat, func(path string) { told <- path }) }()
	beat <- time.Time{} // it has looked once by then
	if err := errors.Join(
		os.WriteFile(filepath.Join(f.Path, "sub", "new"), nil, 0o600), os.WriteFile(filepath.Join(f.Path, "a.txt"), []byte("longer"), 0o600),
		os.Remove(filepath.Join(f.Path, "sub", "b.txt")),
	); err != nil {
		t.Fatal(err)
	}
	beat <- time.Time{}
	// The look before may have seen some of it, and a file while it was written.
	got := map[string]bool{}
	for len(got) < 3 {
		got[<-told] = true
	}
	if diff := cmp.Diff(map[string]bool{"a.txt": true, "sub/b.txt": true, "sub/new": true}, got); diff != "" {
		t.Error(diff)
	}
	if err := f.Watch(t.Context(), "none", false, beat, nil); code(err) != bridge.CodeNotFound {
		t.Errorf("none: %v", err)
	}
}
