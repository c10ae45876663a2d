package screen

import (
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// The recordings are what agents' interfaces wrote to a terminal of 120×40; each
// NAME.N.screen.txt is what tmux showed after the first N bytes.
func TestRecordings_ShowWhatTmuxShowed(t *testing.T) {
	truth := regexp.MustCompile(`^(.*-120x40)\.(\d+)\.screen\.txt$`)
	files, err := filepath.Glob("testdata/recordings/*.screen.txt")
	if err != nil || len(files) == 0 {
		t.Fatal("no recordings", err)
	}
	for _, file := range files {
		name := truth.FindStringSubmatch(filepath.Base(file))
		raw := readFile(t, "testdata/recordings/"+name[1]+".raw")
		n, _ := strconv.Atoi(name[2])
		want := strings.TrimRight(string(readFile(t, file)), "\n")
		t.Run(filepath.Base(file), func(t *testing.T) {
			s := New(120, 40, Options{})
			s.Write(raw[:n])
			got := strings.TrimRight(strings.Join(s.Snapshot().Lines, "\n"), "\n")
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("after %d bytes (-want +got):\n%s", n, diff)
			}
		})
	}
}

func readFile(t testing.TB, path string) []byte {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return b
}
