package snapshot

import (
	"context"
	"database/sql"
	"errors"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
	_ "modernc.org/sqlite" // the driver of the database's owner

	"meterbridge"
	"meterbridge/harnesses"
	"meterbridge/harnesses/sqlite"
)

type memory struct {
	Seen int64 `json:"seen"`
}

func build(t *testing.T) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "x.db")
	db, err := sql.Open("sqlite", path)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := db.Exec("CREATE TABLE t(n INTEGER); INSERT INTO t VALUES (1), (2), (3)"); err != nil {
		t.Fatal(err)
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	return path
}

// next reads one row after the one that was seen last.
func next(ctx context.Context, db *sqlite.DB, m *memory, found *meterbridge.Batch) error {
	return db.Each(ctx, "SELECT n FROM t WHERE n > ? ORDER BY n LIMIT 1", []any{m.Seen}, func(r sqlite.Row) error {
		m.Seen, _ = r.Int(0)
		found.Sessions = append(found.Sessions, meterbridge.Session{ID: "s"})
		if m.Seen < 3 {
			return harnesses.ErrMore
		}
		return nil
	})
}

func TestDatabase_GoesOnFromItsMemory(t *testing.T) {
	path := build(t)
	var states []string
	state := []byte("torn")
	for {
		var out meterbridge.Batch
		after, err := New(harnesses.Options{Path: path, State: state}, next).Query(t.Context(), &out)
		if len(out.Sessions) != 1 {
			t.Fatalf("found %+v", out)
		}
		states = append(states, string(after))
		state = after
		if err == nil {
			break
		}
		if !errors.Is(err, harnesses.ErrMore) {
			t.Fatal(err)
		}
	}
	if diff := cmp.Diff([]string{`{"seen":1}`, `{"seen":2}`, `{"seen":3}`}, states); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}

func TestDatabase_AFailedReadingLeavesNothing(t *testing.T) {
	failed := errors.New("it failed")
	var out meterbridge.Batch
	state, err := New(harnesses.Options{Path: build(t)}, func(_ context.Context, _ *sqlite.DB, _ *memory, found *meterbridge.Batch) error {
		found.Sessions = append(found.Sessions, meterbridge.Session{ID: "s"})
		return failed
	}).Query(t.Context(), &out)
	if !errors.Is(err, failed) || state != nil || len(out.Sessions) != 0 {
		t.Errorf("got %q, %v, %+v", state, err, out)
	}
}
