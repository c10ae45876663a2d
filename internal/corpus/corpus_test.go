package corpus

import (
	"os"
	"path/filepath"
	"testing"
)

// The sums of the parts must be the totals, whatever they are summed by.
func TestGenerate_TruthAgreesWithItself(t *testing.T) {
	out := t.TempDir()
	truth, err := Generate(Options{Out: out, Size: 4_000_000})
	if err != nil {
		t.Fatal(err)
	}
	for name, part := range truth {
		if part.Totals.Requests == 0 {
			t.Errorf("%s: no requests", name)
		}
		for by, g := range map[string]Group{"day": part.ByDay, "model": part.ByModel, "project": part.ByProject, "session": part.BySession} {
			var sum Tok
			for _, n := range g {
				sum.add(*n)
			}
			if sum != part.Totals {
				t.Errorf("%s by %s: sum %+v, totals %+v", name, by, sum, part.Totals)
			}
		}
	}
	if _, err := os.Stat(filepath.Join(out, ".local/share/opencode/opencode.db")); err != nil {
		t.Error(err)
	}
}

func TestGenerate_SameSeedSameBytes(t *testing.T) {
	a, b := t.TempDir(), t.TempDir()
	for _, out := range []string{a, b} {
		if _, err := Generate(Options{Out: out, Size: 300_000, Mix: [3]int64{70, 30, 0}}); err != nil {
			t.Fatal(err)
		}
	}
	err := filepath.WalkDir(a, func(path string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		rel, _ := filepath.Rel(a, path)
		want, _ := os.ReadFile(path)
		got, _ := os.ReadFile(filepath.Join(b, rel))
		if string(want) != string(got) {
			t.Errorf("%s differs", rel)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}
