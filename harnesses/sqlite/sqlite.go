// Package sqlite reads other programs' SQLite files without ever writing to
// them: read-only connections that see the write-ahead log of a live writer,
// one consistent snapshot per reading, and errors that a harness can tell
// apart. It imports nothing of the project; the harnesses that keep a database
// call Read, and nothing else opens SQLite files.
//
// The database file is never changed, and no file is left beside it. A
// read-only connection to a WAL database would leave an empty "-wal" and a
// "-shm" behind where there were none; so a database without a log is read as
// an immutable file, and read again when it did change meanwhile. With a log
// (a program has it open, or crashed) the connection is an ordinary read-only
// one, which touches the time of the "-shm" and makes it when it is missing.
package sqlite

import (
	"context"
	"database/sql/driver"
	"errors"
	"fmt"
	"io"
	"net/url"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"time"

	lite "modernc.org/sqlite"
)

// BusyTimeout is how long a reader waits for a lock unless Options say otherwise.
const BusyTimeout = 5 * time.Second

// tries is how often a file that cannot be opened is tried before it is
// copied; pause lies between the tries.
const (
	tries = 3
	pause = 20 * time.Millisecond
)

// Options change how a file is opened; the zero value is for production.
type Options struct {
	// BusyTimeout replaces the constant of that name.
	BusyTimeout time.Duration
	// TempDir is where a copy is made; empty for the system's.
	TempDir string
}

// DB is a read-only connection that sees one snapshot of the file. It is not
// safe for concurrent use and must not outlive the function that Read gave it to.
type DB struct {
	path string
	// temp is the folder of the copy that is read instead; empty without one.
	temp string
	conn driver.Conn
}

// Read opens the file at path read-only and calls f with one snapshot of it. f
// may be called again when another program began to write to the file while it
// was read: it must then start anew and forget what it has found.
//
// A file that cannot be opened in place (its side files cannot be made, it
// needs recovery) is copied with its log to a temporary folder, and the copy is
// read. The errors are those of f, those of this package, or fs.ErrNotExist.
func Read(ctx context.Context, path string, opt Options, f func(*DB) error) error {
	if opt.BusyTimeout == 0 {
		opt.BusyTimeout = BusyTimeout
	}
	for n := 0; n < tries; n++ {
		before := stamps(path)
		db, quiet, err := open(ctx, path, before, opt)
		if err != nil {
			return err
		}
		err = errors.Join(f(db), db.close())
		if !quiet || stamps(path) == before {
			return err
		}
	}
	return fmt.Errorf("read %s: %w: it changed during each of %d readings", path, ErrLocked, tries)
}

// open opens the file; quiet says that it is read without locks, so that the
// reading only counts when nothing changed meanwhile.
func open(ctx context.Context, path string, now stampSet, opt Options) (db *DB, quiet bool, err error) {
	head, err := readHeader(path)
	if err != nil {
		return nil, false, err
	}
	mode := "mode=ro"
	if quiet = head.wal && !now.logged(); quiet {
		mode = "immutable=1"
	}
	for n := 0; n < tries; n++ {
		var conn driver.Conn
		if conn, err = connect(ctx, path, mode, opt.BusyTimeout); err == nil {
			db = &DB{path: path, conn: conn}
			if err = db.complete(ctx, now); err == nil {
				return db, quiet, nil
			}
			err = errors.Join(err, db.close())
		}
		if !errors.Is(err, ErrCannotOpen) {
			return nil, false, fmt.Errorf("open %s: %w", path, err)
		}
		if e := wait(ctx, pause); e != nil {
			return nil, false, e
		}
	}
	db, copyErr := openCopy(ctx, path, opt)
	if copyErr != nil {
		return nil, false, fmt.Errorf("open %s: %w; then a copy of it: %w", path, err, copyErr)
	}
	return db, false, nil
}

// complete reports a file that was cut off: of a page that is there in part
// SQLite reads zeroes and says nothing. With a log the end of the file may still
// stand in it.
func (db *DB) complete(ctx context.Context, now stampSet) error {
	if now.logged() {
		return nil
	}
	var pages, size int64
	for query, n := range map[string]*int64{"PRAGMA page_count": &pages, "PRAGMA page_size": &size} {
		if err := db.Each(ctx, query, nil, func(r Row) error { *n, _ = r.Int(0); return nil }); err != nil {
			return err
		}
	}
	if have := stampOf(db.path).size; have < pages*size {
		return fmt.Errorf("%w: %d bytes of %d", ErrCorrupt, have, pages*size)
	}
	return nil
}

func openCopy(ctx context.Context, path string, opt Options) (*DB, error) {
	temp, err := os.MkdirTemp(opt.TempDir, "meterbridge-sqlite-")
	if err != nil {
		return nil, err
	}
	to := filepath.Join(temp, "copy.db")
	if err := copyQuiet(ctx, path, to); err != nil {
		return nil, errors.Join(err, os.RemoveAll(temp))
	}
	// The copy is ours: it may be recovered, so it is opened for writing.
	conn, err := connect(ctx, to, "mode=rw", opt.BusyTimeout)
	if err != nil {
		return nil, errors.Join(err, os.RemoveAll(temp))
	}
	return &DB{path: path, temp: temp, conn: conn}, nil
}

// connect opens a connection, forbids writing on it, and begins the snapshot.
func connect(ctx context.Context, path, mode string, busy time.Duration) (driver.Conn, error) {
	conn, err := (&lite.Driver{}).Open(dsn(path, mode, busy))
	if err != nil {
		return nil, Explain(err)
	}
	err = run(ctx, conn, "BEGIN", nil, nil)
	if err == nil {
		err = run(ctx, conn, "SELECT count(*) FROM sqlite_master", nil, func(Row) error { return nil })
	}
	if err != nil {
		return nil, errors.Join(err, conn.Close())
	}
	return conn, nil
}

func dsn(path, mode string, busy time.Duration) string {
	p := filepath.ToSlash(path)
	if runtime.GOOS == "windows" && !strings.HasPrefix(p, "/") {
		p = "/" + p
	}
	query := mode + "&_pragma=query_only(1)&_pragma=busy_timeout(" + strconv.FormatInt(busy.Milliseconds(), 10) + ")"
	return (&url.URL{Scheme: "file", Path: p, RawQuery: query}).String()
}

func wait(ctx context.Context, d time.Duration) error {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-t.C:
		return nil
	}
}

// Copied reports whether a copy is read because the file could not be opened in place.
func (db *DB) Copied() bool { return db.temp != "" }

// close ends the snapshot and removes a copy.
func (db *DB) close() error {
	err := db.conn.Close()
	if db.temp != "" {
		err = errors.Join(err, os.RemoveAll(db.temp))
	}
	return err
}

// Columns returns the columns of a table or a view; none when there is no such table.
func (db *DB) Columns(ctx context.Context, table string) (Columns, error) {
	cols := Columns{}
	err := db.Each(ctx, "SELECT name FROM pragma_table_info(?)", []any{table}, func(r Row) error {
		cols[r.Text(0)] = true
		return nil
	})
	return cols, err
}

// Columns is a set of column names.
type Columns map[string]bool

// Has reports whether all names are columns.
func (c Columns) Has(names ...string) bool {
	for _, n := range names {
		if !c[n] {
			return false
		}
	}
	return true
}

// Or is name when it is a column, else the SQL text that stands for it.
func (c Columns) Or(name, otherwise string) string {
	if c[name] {
		return name
	}
	return otherwise
}

// Each runs a query and calls f with each row; an error of f ends it and is
// returned. f may run other queries.
func (db *DB) Each(ctx context.Context, query string, args []any, f func(Row) error) error {
	if err := run(ctx, db.conn, query, args, f); err != nil {
		return fmt.Errorf("read %s: %w", db.path, err)
	}
	return nil
}

// run steps through a statement. f is nil for one that returns nothing.
func run(ctx context.Context, conn driver.Conn, query string, args []any, f func(Row) error) error {
	q, ok := conn.(driver.QueryerContext)
	if !ok {
		return fmt.Errorf("the SQLite driver has no QueryContext")
	}
	named := make([]driver.NamedValue, len(args))
	for i, a := range args {
		named[i] = driver.NamedValue{Ordinal: i + 1, Value: a}
	}
	rows, err := q.QueryContext(ctx, query, named)
	if err != nil {
		return Explain(err)
	}
	err = step(rows, f)
	if e := rows.Close(); err == nil && e != nil {
		err = Explain(e)
	}
	return err
}

func step(rows driver.Rows, f func(Row) error) error {
	row := make(Row, len(rows.Columns()))
	for {
		switch err := rows.Next(row); {
		case errors.Is(err, io.EOF):
			return nil
		case err != nil:
			return Explain(err)
		}
		if f == nil {
			continue
		}
		if err := f(row); err != nil {
			return err
		}
	}
}
