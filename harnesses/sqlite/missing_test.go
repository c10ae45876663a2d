package sqlite

import (
	"errors"
	"os"
	"testing"
)

func TestDB_NeedNamesWhatIsMissing(t *testing.T) {
	db := reading(t, build(t, "m.db", "CREATE TABLE t(a TEXT)"))
	if cols, err := db.Need(t.Context(), "t", "a"); err != nil || !cols.Has("a") {
		t.Errorf("got %v, %v", cols, err)
	}
	for _, table := range []string{"t", "u"} {
		_, err := db.Need(t.Context(), table, "b")
		var known interface{ Reason() string }
		if !errors.Is(err, ErrSchema) || !errors.As(err, &known) || known.Reason() != "unknown-schema" {
			t.Errorf("%s: got %v", table, err)
		}
	}
}

// Of a page that is there in part SQLite reads rows of zeroes.
func TestRead_RefusesAFileThatIsCutInsideAPage(t *testing.T) {
	path := build(t, "p.db", "CREATE TABLE t(n INTEGER, x TEXT)", "INSERT INTO t VALUES(7, 'seven'), (8, 'eight')")
	whole, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for _, cut := range []int{512, 2048, 4095} {
		if err := os.WriteFile(path, whole[:len(whole)-cut], 0o600); err != nil {
			t.Fatal(err)
		}
		err := Read(t.Context(), path, Options{}, func(db *DB) error {
			t.Errorf("%d bytes less: read as if it were whole", cut)
			return nil
		})
		if !errors.Is(err, ErrCorrupt) {
			t.Errorf("%d bytes less: got %v, want %v", cut, err, ErrCorrupt)
		}
	}
}
