package daemon

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"
)

// The same transcript on this machine and in the copy of another one's logs is
// this machine's, whichever of the two is older or is read first.
func TestScan_ACopyOfAnotherMachinesLogOwnsNothingOfThisOne(t *testing.T) {
	for _, c := range []struct{ here, there int64 }{{1000, 2000}, {2000, 1000}, {1000, 1000}} {
		p := &priced{t: t, home: t.TempDir()}
		p.request()
		here := filepath.Join(p.home, ".claude", "projects", "-srv-demo-shop", "s.jsonl")
		there := filepath.Join(p.home, "aaa-laptop", ".claude", "projects", "-srv-demo-shop", "s.jsonl")
		content, err := os.ReadFile(here)
		err = errors.Join(err, os.MkdirAll(filepath.Dir(there), 0o755), os.WriteFile(there, content, 0o600),
			os.Chtimes(here, time.Time{}, time.Unix(c.here, 0)), os.Chtimes(there, time.Time{}, time.Unix(c.there, 0)))
		settings := p.options().Paths.Settings()
		err = errors.Join(err, os.MkdirAll(filepath.Dir(settings), 0o755),
			os.WriteFile(settings, fmt.Appendf(nil, "[[source]]\nharness = \"claude-code\"\npath = %q\nmachine = \"laptop\"\n", filepath.Join(p.home, "aaa-laptop", ".claude")), 0o600))
		if err != nil {
			t.Fatal(err)
		}
		m, err := Open(t.Context(), p.options())
		if err != nil {
			t.Fatal(err)
		}
		if _, err := m.Scan(t.Context(), nil); err != nil {
			t.Fatal(err)
		}
		r, err := m.SQL(t.Context(), "SELECT machine, source FROM requests", SQLLimits{})
		if err != nil || len(r.Rows) != 1 || fmt.Sprint(r.Rows[0]...) != fmt.Sprint("", here) && fmt.Sprint(r.Rows[0]...) != fmt.Sprint(nil, here) {
			t.Errorf("here of %d, there of %d: got %v (%v), want one request of %s", c.here, c.there, r.Rows, err, here)
		}
		if err := m.Close(); err != nil {
			t.Fatal(err)
		}
	}
}
