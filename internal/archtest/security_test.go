package archtest

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// Each sentence of docs/security.md names a test, and each test that it names exists.
func TestSecurity_EachSentenceHasItsTest(t *testing.T) {
	text := read(t, filepath.Join("docs", "security.md"))
	var all strings.Builder
	err := filepath.WalkDir(filepath.Join("..", ".."), func(path string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.HasSuffix(path, "_test.go") {
			return err
		}
		body, err := os.ReadFile(path)
		all.Write(body)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	var there []string
	for _, found := range regexp.MustCompile(`(?m)^func ((?:Test|Fuzz)\w+)\(`).FindAllStringSubmatch(all.String(), -1) {
		there = append(there, found[1])
	}
	slices.Sort(there)
	named := regexp.MustCompile("`((?:Test|Fuzz)\\w+)`")
	rows := 0
	for line := range strings.Lines(text) {
		if !strings.HasPrefix(line, "| ") || strings.HasPrefix(line, "| what holds") {
			continue
		}
		rows++
		names := named.FindAllStringSubmatch(line, -1)
		if len(names) == 0 && !strings.Contains(line, "conformance (") && !strings.Contains(line, "(header matrix)") {
			t.Errorf("no test is named: %s", strings.TrimSpace(line))
		}
		for _, name := range names {
			if _, ok := slices.BinarySearch(there, name[1]); !ok {
				t.Errorf("there is no test %s, of: %s", name[1], strings.TrimSpace(line))
			}
		}
	}
	if rows < 40 {
		t.Errorf("%d sentences were read: the table has another form", rows)
	}
}
