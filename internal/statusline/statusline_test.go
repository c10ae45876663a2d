package statusline

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func TestPrint_WithoutADaemonShowsTheLastLine(t *testing.T) {
	dir := t.TempDir()
	p := Places{Socket: filepath.Join(dir, "none.sock"), Last: filepath.Join(dir, "statusline.txt")}
	now := time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC)
	if err := Print(p, nil, &strings.Builder{}, now); !errors.Is(err, ErrNothing) {
		t.Errorf("with nothing kept: %v, want ErrNothing", err)
	}
	for _, c := range []struct {
		kept []byte
		want string
	}{
		{Keep("today $1.20 (3.4k)", now.Add(-time.Hour)), "today $1.20 (3.4k) (as of 11:00)\n"},
		{Keep("today $1.20 (3.4k)", now.Add(-48*time.Hour)), "today $1.20 (3.4k) (as of 2026-11-28 12:00)\n"},
		{[]byte("no time\nx"), ""},
		{[]byte("17"), ""},
		{nil, ""},
	} {
		if err := os.WriteFile(p.Last, c.kept, 0o600); err != nil {
			t.Fatal(err)
		}
		var out strings.Builder
		err := Print(p, nil, &out, now)
		if out.String() != c.want || (err == nil) != (c.want != "") {
			t.Errorf("kept %q: %q, %v; want %q", c.kept, out.String(), err, c.want)
		}
	}
}

// A pipe into which nobody writes holds the line up for a moment only.
func TestInput_DoesNotWaitForAPipe(t *testing.T) {
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	if got := input(r); got != nil {
		t.Errorf("read %q of a silent pipe", got)
	}
	if err := r.Close(); err != nil { // ends the reader
		t.Error(err)
	}
}

func TestAnswer_IsRead(t *testing.T) {
	for text, want := range map[string]string{
		"HTTP/1.0 200 OK\r\nContent-Type: text/plain\r\n\r\na line\n": "a line",
		"HTTP/1.0 500 Internal Server Error\r\n\r\nno\n":              "",
		"HTTP/1.0 200 OK\r\n": "",
		"":                    "",
		"garbage":             "",
	} {
		got, err := answer(strings.NewReader(text))
		if got != want || (err == nil) != (want != "") {
			t.Errorf("%q: %q, %v; want %q", text, got, err, want)
		}
	}
}
