package line

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// The program's own PATH counts, and its working folder is not searched.
func TestStart_FindsProgramsWhereTheyAreMeant(t *testing.T) {
	dir := t.TempDir()
	script := "#!/bin/sh\necho found; exit 3\n"
	if err := os.WriteFile(filepath.Join(dir, "a-program-of-ours"), []byte(script), 0o700); err != nil {
		t.Fatal(err)
	}
	spec := Spec{Argv: []string{"a-program-of-ours"}, Env: []string{"PATH=/bin:" + dir}, Dir: "/", Cols: 80, Rows: 24}
	l, err := Start(spec)
	if err != nil {
		t.Fatal(err)
	}
	var seen strings.Builder
	buf := make([]byte, 100)
	for {
		n, err := l.Read(buf)
		seen.Write(buf[:n])
		if err != nil {
			break
		}
	}
	if e := l.Wait(); e.Code != 3 || seen.String() != "found\r\n" {
		t.Errorf("%+v, %q", e, seen.String())
	}
	l.Close()
	spec.Env, spec.Dir = []string{"PATH=/bin:."}, dir
	if l, err := Start(spec); err == nil {
		l.Close()
		t.Error("a program of the working folder was started")
	}
}
