package archtest

import (
	"flag"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

var update = flag.Bool("update", false, "write deps.golden instead of comparing it")

// programs are those of the house, with the golden file of what each links.
func programs() map[string]string {
	return map[string]string{"./cmd/meterbridge": "internal/archtest/deps.golden", "./cmd/meterbridge-lite": "internal/archtest/deps-lite.golden"}
}

// linked are the third-party modules in a program, without versions.
func linked(t *testing.T, program string) []string {
	t.Helper()
	sources(t) // reading every file keeps the test cache honest
	cmd := exec.CommandContext(t.Context(), "go", "list", "-deps", "-f", "{{with .Module}}{{.Path}}{{end}}", program)
	cmd.Dir = root
	cmd.Env = append(os.Environ(), "GOOS=linux", "GOARCH=amd64", "CGO_ENABLED=1")
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("go list: %v", err)
	}
	list := strings.Fields(string(out))
	slices.Sort(list)
	list = slices.Compact(list)
	return slices.DeleteFunc(list, func(path string) bool { return path == module })
}

func TestDeps_AreThoseThatWereReviewed(t *testing.T) {
	for program, golden := range programs() {
		got := strings.Join(linked(t, program), "\n") + "\n"
		if *update {
			if err := os.WriteFile(filepath.Join(root, golden), []byte(got), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		if d := cmp.Diff(read(t, golden), got); d != "" {
			t.Errorf("modules linked into %s; review, then run this test with -update (-golden +now):\n%s", program, d)
		}
	}
}

func TestDeps_AreInTheNotices(t *testing.T) {
	notices := read(t, "THIRD_PARTY.md")
	for _, path := range linked(t, "./cmd/meterbridge") {
		if !strings.Contains(notices, "\n### "+path+"\n") {
			t.Errorf("THIRD_PARTY.md has no notice of %s", path)
		}
	}
}
