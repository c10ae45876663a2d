package sqlite

import (
	"context"
	"crypto/sha256"
	"database/sql"
	"errors"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// write runs statements on a writer of its own and returns it, still open.
func write(t *testing.T, path string, statements ...string) *sql.DB {
	t.Helper()
	db, err := sql.Open("sqlite", "file:"+url.PathEscape(filepath.ToSlash(path)))
	if err != nil {
		t.Fatal(err)
	}
	db.SetMaxOpenConns(1)
	t.Cleanup(func() { db.Close() })
	for _, s := range statements {
		if _, err := db.Exec(s); err != nil {
			t.Fatalf("%s: %v", s, err)
		}
	}
	return db
}

// build makes a closed database and returns its path.
func build(t *testing.T, name string, statements ...string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := write(t, path, statements...).Close(); err != nil {
		t.Fatal(err)
	}
	return path
}

// reading opens a snapshot that lives until the test ends.
func reading(t *testing.T, path string) *DB {
	t.Helper()
	db, _, err := open(t.Context(), path, stamps(path), Options{TempDir: t.TempDir(), BusyTimeout: 50 * time.Millisecond})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { db.close() })
	return db
}

func texts(t *testing.T, db *DB, query string, args ...any) (got []string) {
	t.Helper()
	err := db.Each(t.Context(), query, args, func(r Row) error {
		got = append(got, r.Text(0))
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return got
}

const wal = "PRAGMA journal_mode=wal"

func TestOpen_SeesTheLogOfALiveWriter(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a b?c#d%e.db")
	writer := write(t, path, wal, "CREATE TABLE t(x TEXT)", "INSERT INTO t VALUES('one')")
	db := reading(t, path)
	if _, err := writer.Exec("INSERT INTO t VALUES('two')"); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"one"}, texts(t, db, "SELECT x FROM t")); diff != "" {
		t.Errorf("the snapshot moved (-want +got)\n%s", diff)
	}
	if diff := cmp.Diff([]string{"one", "two"}, texts(t, reading(t, path), "SELECT x FROM t ORDER BY 1")); diff != "" {
		t.Errorf("the log was not read (-want +got)\n%s", diff)
	}
}

func TestOpen_RefusesWhatIsNoDatabase(t *testing.T) {
	dir := t.TempDir()
	put := func(name, text string) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	good, err := os.ReadFile(build(t, "g.db", "CREATE TABLE t(x TEXT)", "INSERT INTO t VALUES('one')"))
	if err != nil {
		t.Fatal(err)
	}
	tests := []struct {
		name, path, reason string
		want               error
	}{
		{"folder", dir, "not-a-database", ErrNotDatabase},
		{"empty", put("empty", ""), "empty-database", ErrEmpty},
		{"text", put("text", "hello, this is some text and no database"), "not-a-database", ErrNotDatabase},
		{"short", put("short", "SQLite"), "not-a-database", ErrNotDatabase},
		{"header only", put("header", "SQLite format 3\x00"), "not-a-database", ErrNotDatabase},
		{"cut off", put("cut", string(good[:len(good)-4096])), "damaged-database", ErrCorrupt},
		{"missing", filepath.Join(dir, "none"), "", fs.ErrNotExist},
	}
	for _, tt := range tests {
		err := Read(t.Context(), tt.path, Options{}, func(db *DB) error {
			return db.Each(t.Context(), "SELECT * FROM t", nil, func(Row) error { return nil })
		})
		var known interface{ Reason() string }
		if !errors.Is(err, tt.want) || errors.As(err, &known) != (tt.reason != "") || known != nil && known.Reason() != tt.reason {
			t.Errorf("%s: got %v, want %v (%s)", tt.name, err, tt.want, tt.reason)
		}
	}
}

func TestOpen_LockedFileIsAnErrorOfItsOwn(t *testing.T) {
	path := build(t, "l.db", "CREATE TABLE t(x TEXT)")
	write(t, path, "PRAGMA locking_mode=exclusive", "BEGIN EXCLUSIVE")
	err := Read(t.Context(), path, Options{BusyTimeout: time.Millisecond}, func(*DB) error { return nil })
	if !errors.Is(err, ErrLocked) {
		t.Errorf("got %v, want %v", err, ErrLocked)
	}
}

func TestRead_CopiesWhatCannotBeOpenedInPlace(t *testing.T) {
	path := build(t, "j.db", "PRAGMA journal_mode=delete", "CREATE TABLE t(x TEXT)", "INSERT INTO t VALUES('committed')")
	// A writer that spills its cache leaves a journal that a reader must roll back.
	write(t, path, "PRAGMA cache_size=1", "BEGIN", "UPDATE t SET x='half done'",
		"WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i+1 FROM n WHERE i<2000) INSERT INTO t SELECT hex(zeroblob(500)) FROM n")
	moved := filepath.Join(t.TempDir(), "j.db")
	if err := copySet(path, moved); err != nil {
		t.Fatal(err)
	}
	before, temp := sum(t, moved), t.TempDir()
	err := Read(t.Context(), moved, Options{TempDir: temp}, func(db *DB) error {
		if got := texts(t, db, "SELECT x FROM t"); !db.Copied() || !cmp.Equal(got, []string{"committed"}) {
			t.Errorf("copied %v, got %d rows", db.Copied(), len(got))
		}
		return nil
	})
	if err != nil || sum(t, moved) != before {
		t.Errorf("error %v, or the original was changed", err)
	}
	if left := list(t, temp); len(left) != 0 {
		t.Errorf("the copy was left behind: %v", left)
	}
}

func TestRead_LeavesNoTrace(t *testing.T) {
	for _, mode := range []string{wal, "PRAGMA journal_mode=delete"} {
		path := build(t, "n.db", mode, "CREATE TABLE t(x TEXT)", "INSERT INTO t VALUES('one')")
		before, names := sum(t, path), list(t, filepath.Dir(path))
		err := Read(t.Context(), path, Options{}, func(db *DB) error {
			for _, s := range []string{"INSERT INTO t VALUES('two')", "CREATE TABLE u(y)", "PRAGMA user_version=7", "VACUUM"} {
				_ = db.Each(t.Context(), s, nil, func(Row) error { return nil })
			}
			if diff := cmp.Diff([]string{"one"}, texts(t, db, "SELECT x FROM t")); diff != "" {
				t.Errorf("%s (-want +got)\n%s", mode, diff)
			}
			return nil
		})
		if err != nil || sum(t, path) != before {
			t.Errorf("%s: error %v, or the file was changed", mode, err)
		}
		if diff := cmp.Diff(names, list(t, filepath.Dir(path))); diff != "" {
			t.Errorf("%s: files were left behind (-before +after)\n%s", mode, diff)
		}
	}
}

func TestRead_BeginsAnewWhenAWriterCame(t *testing.T) {
	path := build(t, "q.db", wal, "CREATE TABLE t(x TEXT)", "INSERT INTO t VALUES('one')")
	calls := 0
	var got []string
	err := Read(t.Context(), path, Options{}, func(db *DB) error {
		if calls++; calls == 1 {
			write(t, path, "INSERT INTO t VALUES('two')")
		}
		got = texts(t, db, "SELECT x FROM t ORDER BY x")
		return nil
	})
	if want := []string{"one", "two"}; err != nil || calls != 2 || !cmp.Equal(got, want) {
		t.Errorf("error %v, %d calls, got %q, want %q", err, calls, got, want)
	}
}

func TestDB_Columns(t *testing.T) {
	db := reading(t, build(t, "c.db", "CREATE TABLE t(a TEXT, b REAL)", "INSERT INTO t VALUES(NULL, 2.0)"))
	cols, err := db.Columns(t.Context(), "t")
	if err != nil {
		t.Fatal(err)
	}
	if !cols.Has("a", "b") || cols.Has("a", "c") || cols.Or("c", "NULL") != "NULL" || cols.Or("a", "NULL") != "a" {
		t.Errorf("got %v", cols)
	}
	if none, err := db.Columns(t.Context(), "absent"); err != nil || len(none) != 0 {
		t.Errorf("absent table: %v, %v", none, err)
	}
}

func TestRow_Values(t *testing.T) {
	db := reading(t, build(t, "v.db", "CREATE TABLE t(a)"))
	stop := errors.New("stop")
	err := db.Each(t.Context(), "SELECT NULL, 'x', x'79', 3, 4.0, 4.5 WHERE ?=1", []any{int64(1)}, func(r Row) error {
		if n, ok := r.Int(4); !r.Null(0) || r.Text(1) != "x" || string(r.Bytes(2)) != "y" || n != 4 || !ok {
			t.Errorf("got %v", r)
		}
		if _, ok := r.Int(5); ok {
			t.Error("4.5 is an integer")
		}
		if f, ok := r.Float(3); f != 3 || !ok {
			t.Errorf("float: %v", f)
		}
		return stop
	})
	if !errors.Is(err, stop) {
		t.Errorf("got %v, want %v", err, stop)
	}
}

func TestDB_EndedContext(t *testing.T) {
	path := build(t, "x.db", "CREATE TABLE t(a)")
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := Read(ctx, path, Options{}, func(*DB) error { return nil }); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
}

func sum(t *testing.T, path string) [32]byte {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return sha256.Sum256(b)
}

func list(t *testing.T, dir string) (names []string) {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		names = append(names, e.Name())
	}
	return names
}
