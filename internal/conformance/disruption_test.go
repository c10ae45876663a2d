package conformance

import (
	"math/rand/v2"
	"os"
	"testing"

	"github.com/google/go-cmp/cmp"

	"meterbridge/harnesses"
	"meterbridge/internal/testkit"
)

// TestFixtures_SurviveDisruption deletes, cuts, replaces and restores the files
// of a fixture between scans. When everything is back, the ledger holds what a
// single look at it gives, and never held anything else.
func TestFixtures_SurviveDisruption(t *testing.T) {
	forEachFixture(t, func(t *testing.T, f *fixture) {
		home, reference := f.build(t), &testkit.Memory{}
		f.scan(t, home.env, reference)
		logs, full, shared := f.logs(t, home, reference), known(reference), sharedRows(reference)
		if len(logs) == 0 {
			return
		}
		for seed := range uint64(2) {
			r := rand.New(rand.NewPCG(seed, 11))
			ledger := &testkit.Memory{}
			look := func() {
				f.scan(t, home.env, ledger)
				for _, row := range ledger.Rows() {
					if bad := invented(full, requestsOf(row)); bad != "" {
						t.Fatalf("seed %d: %s", seed, bad)
					}
				}
			}
			for range 8 {
				disrupt(t, logs[r.IntN(len(logs))], r)
				look()
			}
			for _, l := range logs {
				replace(t, l.path, l.content)
			}
			look()
			if d := cmp.Diff(digests(reference, shared), digests(ledger, shared)); d != "" {
				t.Fatalf("seed %d (-one look +after disruptions):\n%s", seed, d)
			}
		}
	})
}

// disrupt does something to a log.
func disrupt(t *testing.T, l log, r *rand.Rand) {
	t.Helper()
	switch n := r.IntN(len(l.content) + 1); r.IntN(5) {
	case 0:
		if err := os.Remove(l.path); err != nil && !os.IsNotExist(err) {
			t.Fatal(err)
		}
	case 1: // cut off in place, as a crash does
		replaceInPlace(t, l.path, l.content[:n])
	case 2: // half of it under another inode
		if l.kind.Shape == harnesses.Lines {
			replace(t, l.path, l.content[:n])
		}
	case 3:
		replace(t, l.path, l.content)
	case 4:
		replaceInPlace(t, l.path, l.content)
	}
}

func replaceInPlace(t *testing.T, path string, content []byte) {
	t.Helper()
	must(t, os.WriteFile(path, content, 0o644))
}

// replace puts another file in the place of one.
func replace(t *testing.T, path string, content []byte) {
	t.Helper()
	must(t, os.WriteFile(path+".tmp", content, 0o644))
	must(t, os.Rename(path+".tmp", path))
}
