package extensions

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// member is one entry of an archive of a test.
type member struct {
	name, text string
	mode       fs.FileMode
	link       string
}

func tgz(t *testing.T, list ...member) string {
	t.Helper()
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	w := tar.NewWriter(z)
	for _, m := range list {
		h := &tar.Header{Name: m.name, Size: int64(len(m.text)), Mode: int64(m.mode.Perm() | 0o600), Typeflag: tar.TypeReg, Linkname: m.link}
		switch {
		case strings.HasSuffix(m.name, "/"):
			h.Typeflag = tar.TypeDir
		case m.mode&fs.ModeSymlink != 0:
			h.Typeflag = tar.TypeSymlink
		case m.mode&fs.ModeIrregular != 0:
			h.Typeflag = tar.TypeLink
		case m.mode&fs.ModeNamedPipe != 0:
			h.Typeflag = tar.TypeFifo
		}
		if err := w.WriteHeader(h); err != nil {
			t.Fatal(err)
		}
		if h.Typeflag == tar.TypeReg {
			if _, err := w.Write([]byte(m.text)); err != nil {
				t.Fatal(err)
			}
		}
	}
	if err := errors.Join(w.Close(), z.Close()); err != nil {
		t.Fatal(err)
	}
	return archive(t, "package.tgz", b.Bytes())
}

func zipped(t *testing.T, list ...member) string {
	t.Helper()
	var b bytes.Buffer
	w := zip.NewWriter(&b)
	for _, m := range list {
		h := &zip.FileHeader{Name: m.name, Method: zip.Deflate}
		h.SetMode(m.mode | 0o600)
		f, err := w.CreateHeader(h)
		if err == nil {
			_, err = f.Write([]byte(m.text))
		}
		if err != nil && !strings.HasSuffix(m.name, "/") {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return archive(t, "package.zip", b.Bytes())
}

func archive(t *testing.T, name string, text []byte) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, text, 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// into unpacks and lists what is there.
func into(t *testing.T, path string, l limits) ([]string, error) {
	t.Helper()
	outside := t.TempDir()
	dir := filepath.Join(outside, "in")
	if err := os.Mkdir(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	err := unpack(context.Background(), path, dir, l)
	var list []string
	_ = filepath.WalkDir(outside, func(at string, e fs.DirEntry, _ error) error {
		if info, err := e.Info(); err == nil && !e.IsDir() {
			rest, _ := filepath.Rel(dir, at)
			list = append(list, fmt.Sprintf("%s %v %d", filepath.ToSlash(rest), info.Mode().Perm(), info.Size()))
		}
		return nil
	})
	for _, name := range list {
		if strings.HasPrefix(name, "..") {
			t.Errorf("%s: %s was written outside", path, name)
		}
	}
	return list, err
}

func TestUnpack(t *testing.T) {
	want := []string{"a.txt -rw-r--r-- 1", "bin/run -rwxr-xr-x 2"}
	folder := t.TempDir()
	for name, text := range map[string]string{"a.txt": "1", "bin/run": "22", ".git/config": "x"} {
		at := filepath.Join(folder, name)
		if err := errors.Join(os.MkdirAll(filepath.Dir(at), 0o700), os.WriteFile(at, []byte(text), 0o600)); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Chmod(filepath.Join(folder, "bin/run"), 0o700); err != nil {
		t.Fatal(err)
	}
	for name, path := range map[string]string{
		"tgz":        tgz(t, member{name: "a.txt", text: "1"}, member{name: "bin/"}, member{name: "bin/run", text: "22", mode: 0o755}),
		"tgz with .": tgz(t, member{name: "./"}, member{name: "./a.txt", text: "1"}, member{name: "./bin/run", text: "22", mode: 0o4755}),
		"zip":        zipped(t, member{name: "a.txt", text: "1"}, member{name: "bin/run", text: "22", mode: 0o755}),
		"folder":     folder,
	} {
		got, err := into(t, path, packageLimits())
		if diff := cmp.Diff(want, got); diff != "" || err != nil {
			t.Errorf("%s: %v\n%s", name, err, diff)
		}
	}
}

// No path leads out of the folder, whatever the archive says.
func TestUnpack_Escapes(t *testing.T) {
	for name, list := range map[string][]member{
		"parent":           {{name: "../x"}},
		"parent inside":    {{name: "a/../../x"}},
		"absolute":         {{name: "/etc/x"}},
		"drive":            {{name: "C:/x"}},
		"backslash":        {{name: `..\x`}},
		"dot":              {{name: "a/./x"}},
		"empty part":       {{name: "a//x"}},
		"control":          {{name: "a\x01"}},
		"device":           {{name: "a/con.txt"}},
		"trailing dot":     {{name: "a."}},
		"reserved":         {{name: "__NS/x"}},
		"deep":             {{name: strings.Repeat("a/", 20) + "x"}},
		"long":             {{name: strings.Repeat("a", 241)}},
		"twice":            {{name: "a"}, {name: "a"}},
		"case":             {{name: "a/x"}, {name: "A/y"}},
		"normal form":      {{name: "\u00e9"}, {name: "e\u0301"}},
		"file as a folder": {{name: "a"}, {name: "a/x"}},
		"symbolic link":    {{name: "a", mode: fs.ModeSymlink, link: "/etc/passwd", text: "/etc/passwd"}},
	} {
		for kind, make := range map[string]func(*testing.T, ...member) string{"tgz": tgz, "zip": zipped} {
			if got, err := into(t, make(t, list...), packageLimits()); !errors.Is(err, ErrPackage) {
				t.Errorf("%s, %s: got %v, %v", name, kind, got, err)
			}
		}
	}
	for name, m := range map[string]member{"hard link": {name: "a", mode: fs.ModeIrregular, link: "/etc/passwd"}, "pipe": {name: "a", mode: fs.ModeNamedPipe}} {
		if _, err := into(t, tgz(t, m), packageLimits()); !errors.Is(err, ErrPackage) {
			t.Errorf("%s: got %v", name, err)
		}
	}
	folder := t.TempDir()
	if err := os.Symlink("/etc/passwd", filepath.Join(folder, "a")); err != nil {
		t.Fatal(err)
	}
	if _, err := into(t, folder, packageLimits()); !errors.Is(err, ErrPackage) {
		t.Errorf("a link in a folder: got %v", err)
	}
	for _, text := range []string{"", "no archive", "PK\x03\x04", "\x1f\x8b"} {
		for _, name := range []string{"a.tgz", "a.zip", "a.tar"} {
			if _, err := into(t, archive(t, name, []byte(text)), packageLimits()); !errors.Is(err, ErrPackage) {
				t.Errorf("%s %q: got %v", name, text, err)
			}
		}
	}
}

// Sizes are counted while unpacking, not believed.
func TestUnpack_Bounds(t *testing.T) {
	l := limits{files: 3, file: 1000, archive: 100_000, unpacked: 2000}
	zeros := func(n int) string { return strings.Repeat("\x00", n) }
	for name, c := range map[string]struct {
		list []member
		want string
	}{
		"fits":       {[]member{{name: "a", text: zeros(1000)}, {name: "b", text: zeros(1000)}}, ""},
		"one file":   {[]member{{name: "a", text: zeros(1001)}}, "is larger than"},
		"altogether": {[]member{{name: "a", text: zeros(1000)}, {name: "b", text: zeros(1000)}, {name: "c", text: zeros(1)}}, "when it is unpacked"},
		"files":      {[]member{{name: "a"}, {name: "b"}, {name: "c"}, {name: "d"}}, "more than 3 files"},
		"bomb":       {[]member{{name: "a", text: zeros(10 << 20)}}, "is larger than"},
	} {
		for kind, make := range map[string]func(*testing.T, ...member) string{"tgz": tgz, "zip": zipped} {
			_, err := into(t, make(t, c.list...), l)
			if got := fmt.Sprint(err); c.want == "" && err != nil || !strings.Contains(got, c.want) {
				t.Errorf("%s, %s: got %v, want %q", name, kind, err, c.want)
			}
		}
	}
	var many []member
	for i := range 40 {
		many = append(many, member{name: fmt.Sprintf("d%d/", i)})
	}
	if _, err := into(t, tgz(t, many...), l); !errors.Is(err, ErrPackage) {
		t.Errorf("folders: got %v", err)
	}
	if _, err := into(t, archive(t, "a.zip", slices.Repeat([]byte("x"), 100_001)), l); !errors.Is(err, ErrPackage) {
		t.Errorf("a large archive: got %v", err)
	}
}

func FuzzUnpack(f *testing.F) {
	f.Add([]byte("PK\x05\x06"+strings.Repeat("\x00", 18)), true)
	f.Add([]byte("\x1f\x8b\x08\x00"), false)
	f.Fuzz(func(t *testing.T, text []byte, isZip bool) {
		name := "a.tgz"
		if isZip {
			name = "a.zip"
		}
		_, _ = into(t, archive(t, name, text), limits{files: 10, file: 1000, archive: 10_000, unpacked: 2000})
	})
}
