package archtest

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

const module = "meterbridge"

// testkit is what tests of every area may import.
const testkit = module + "/internal/testkit"

// ours returns the area of an import path of the project, and whether it is one.
func ours(path string) (string, bool) {
	if path == module {
		return "", true
	}
	rest, ok := strings.CutPrefix(path, module+"/")
	if !ok {
		return "", false
	}
	first, _, _ := strings.Cut(rest, "/")
	return first, true
}

func TestImports_FollowThePlan(t *testing.T) {
	house := plan()
	for _, s := range sources(t) {
		here, known := house[s.area()]
		if !known {
			t.Errorf("%s: the folder %q is not in the plan", s.path, s.area())
			continue
		}
		for _, path := range s.imports() {
			there, own := ours(path)
			if own {
				if there != s.area() && !slices.Contains(here.may, there) && (!s.test || path != testkit) {
					t.Errorf("%s: %s may not import %s", s.path, s.area(), path)
				}
				continue
			}
			if owner, owned := ownerOf(house, path); owned && owner != s.area() && !s.test && !testOnly(s) {
				t.Errorf("%s: only %s may import %s", s.path, owner, path)
			}
		}
	}
}

// testOnly packages serve tests and may build what the house reads.
func testOnly(s source) bool {
	return strings.HasPrefix(s.dir(), "internal/testkit") || strings.HasPrefix(s.dir(), "internal/conformance") || strings.HasPrefix(s.dir(), "internal/corpus") || strings.HasPrefix(s.dir(), "internal/bench")
}

func ownerOf(house map[string]area, path string) (string, bool) {
	for name, a := range house {
		for _, mod := range a.owns {
			if path == mod || strings.HasPrefix(path, mod+"/") {
				return name, true
			}
		}
	}
	return "", false
}

func TestPlan_NamesNoAreaTwiceAndNoneThatIsMissing(t *testing.T) {
	for name, a := range plan() {
		for _, other := range a.may {
			if _, ok := plan()[other]; !ok || other == name {
				t.Errorf("plan of %q: %q is no other area", name, other)
			}
		}
		if _, err := os.Stat(filepath.Join(root, name)); err != nil {
			t.Errorf("the plan names %q, which is not there", name)
		}
	}
}

func TestFolders_AreInThePlan(t *testing.T) {
	entries, err := os.ReadDir(root)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		name := e.Name()
		if !e.IsDir() || strings.HasPrefix(name, ".") {
			continue
		}
		if _, ok := plan()[name]; !ok && !slices.Contains(dataFolders(), name) {
			t.Errorf("top-level folder %q is not in the plan", name)
		}
	}
}
