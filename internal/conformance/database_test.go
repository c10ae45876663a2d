package conformance

import (
	"crypto/sha256"
	"database/sql"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"meterbridge/harnesses"
	"meterbridge/internal/testkit"
)

// forEachDatabase runs a law over every database of every fixture, each in a home
// of its own, with what a reading of that home gives.
func forEachDatabase(t *testing.T, law func(t *testing.T, f *fixture, h home, path string, reference *testkit.Memory)) {
	forEachFixture(t, func(t *testing.T, f *fixture) {
		first, reference := f.build(t), &testkit.Memory{}
		f.scan(t, first.env, reference)
		for _, l := range f.logs(t, first, reference) {
			if l.kind.Shape != harnesses.Database || !strings.HasPrefix(string(l.content), "SQLite format 3") {
				continue
			}
			rel, err := filepath.Rel(first.dir, l.path)
			must(t, err)
			h := f.build(t)
			law(t, f, h, filepath.Join(h.dir, rel), reference)
		}
	})
}

// owner opens a database as the program that it belongs to.
func owner(t *testing.T, path string, statements ...string) *sql.DB {
	t.Helper()
	db, err := sql.Open("sqlite", path)
	must(t, err)
	db.SetMaxOpenConns(1)
	t.Cleanup(func() { db.Close() })
	for _, s := range statements {
		_, err := db.Exec(s)
		must(t, err)
	}
	return db
}

func tables(t *testing.T, db *sql.DB) (names []string) {
	t.Helper()
	rows, err := db.Query("SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite%'")
	must(t, err)
	defer rows.Close()
	for rows.Next() {
		var name string
		must(t, rows.Scan(&name))
		names = append(names, name)
	}
	return names
}

func (f *fixture) sameAs(t *testing.T, when string, reference *testkit.Memory, h home) {
	t.Helper()
	ledger, shared := &testkit.Memory{}, sharedRows(reference)
	f.scan(t, h.env, ledger)
	if d := cmp.Diff(digests(reference, shared), digests(ledger, shared)); d != "" {
		t.Errorf("%s (-at rest +now):\n%s", when, d)
	}
}

// The owner writes while we read: what it has committed is there, what it has not
// is not, and neither its file nor its folder is changed.
func TestDatabases_ReadWhileTheirOwnerWrites(t *testing.T) {
	forEachDatabase(t, func(t *testing.T, f *fixture, h home, path string, reference *testkit.Memory) {
		before := folderOfFile(t, path)
		f.sameAs(t, "at rest", reference, h)
		if d := cmp.Diff(before, folderOfFile(t, path)); d != "" {
			t.Errorf("reading left a trace (-before +after):\n%s", d)
		}
		db := owner(t, path, "PRAGMA journal_mode=WAL")
		tx, err := db.Begin()
		must(t, err)
		_, err = tx.Exec("CREATE TABLE half_done(x)")
		must(t, err)
		f.sameAs(t, "beside a writer", reference, h)
		must(t, tx.Rollback())
	})
}

// folderOfFile are the names in a file's folder, with a hash of each file.
func folderOfFile(t *testing.T, path string) map[string]string {
	t.Helper()
	entries, err := os.ReadDir(filepath.Dir(path))
	must(t, err)
	out := map[string]string{}
	for _, e := range entries {
		if content, err := os.ReadFile(filepath.Join(filepath.Dir(path), e.Name())); err == nil {
			out[e.Name()] = fmt.Sprintf("%x", sha256.Sum256(content))
		}
	}
	return out
}

// tally counts by harness.
type tally struct {
	mu sync.Mutex
	n  map[string]int
}

func (c *tally) add(id string, n int) int {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.n == nil {
		c.n = map[string]int{}
	}
	c.n[id] += n
	return c.n[id]
}

// A newer version of the owner has further tables and columns: nothing changes.
// An older one lacks a table: what is left is read, or the file is named.
func TestDatabases_OfOtherSchemas(t *testing.T) {
	var lost, named tally
	t.Run("every", func(t *testing.T) { otherSchemas(t, &lost, &named) })
	for id, n := range lost.n {
		if named.n[id] == 0 {
			t.Errorf("%s: %d databases without their tables, and none is named", id, n)
		}
	}
}

func otherSchemas(t *testing.T, lost, named *tally) {
	forEachDatabase(t, func(t *testing.T, f *fixture, h home, path string, reference *testkit.Memory) {
		db := owner(t, path)
		names := tables(t, db)
		for _, name := range names {
			_, err := db.Exec(fmt.Sprintf("ALTER TABLE %q ADD COLUMN added_later TEXT DEFAULT 'new'", name))
			must(t, err)
		}
		owner(t, path, "CREATE TABLE added_later(x)")
		f.sameAs(t, "with further columns", reference, h)
		for _, name := range names {
			_, err := db.Exec(fmt.Sprintf("PRAGMA foreign_keys=OFF; DROP TABLE %q", name))
			must(t, err)
			f.scan(t, h.env, &testkit.Memory{})
		}
		ledger := &testkit.Memory{}
		f.scan(t, h.env, ledger)
		if len(ledger.Rows()) < len(reference.Rows()) {
			lost.add(f.harness.ID, 1)
		}
		named.add(f.harness.ID, len(ledger.Problems()))
	})
}

// A damaged file is named, or read as far as it goes; it never stops the scan.
func TestDatabases_Damaged(t *testing.T) {
	forEachDatabase(t, func(t *testing.T, f *fixture, h home, path string, _ *testkit.Memory) {
		whole, err := os.ReadFile(path)
		must(t, err)
		r := rand.New(rand.NewPCG(3, uint64(len(whole))))
		for range 24 {
			broken := append([]byte(nil), whole...)
			for range 1 + r.IntN(40) {
				broken[16+r.IntN(len(broken)-16)] = byte(r.UintN(256))
			}
			must(t, os.WriteFile(path, broken, 0o644))
			f.scan(t, h.env, &testkit.Memory{})
		}
	})
}

// A file that its owner keeps locked is named, and read once it is free.
func TestDatabases_Locked(t *testing.T) {
	if testing.Short() {
		t.Skip("a reader waits some seconds for the lock")
	}
	var seen, named tally
	t.Run("every", func(t *testing.T) { locked(t, &seen, &named) })
	for id := range seen.n {
		if named.n[id] == 0 {
			t.Errorf("%s: no locked database is named", id)
		}
	}
}

// locked tries two databases of each harness: one may be of no interest.
func locked(t *testing.T, seen, named *tally) {
	forEachDatabase(t, func(t *testing.T, f *fixture, h home, path string, reference *testkit.Memory) {
		if seen.add(f.harness.ID, 1) > 2 {
			return
		}
		db := owner(t, path, "PRAGMA locking_mode=EXCLUSIVE", "BEGIN EXCLUSIVE")
		ledger := &testkit.Memory{}
		f.scan(t, h.env, ledger)
		for _, p := range ledger.Problems() {
			if p.Reason == "locked-database" {
				named.add(f.harness.ID, 1)
			}
		}
		must(t, db.Close())
		f.sameAs(t, "freed", reference, h)
	})
}
