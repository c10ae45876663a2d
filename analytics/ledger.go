// Package analytics is the ledger, a DuckDB file with one row per model request,
// and every question asked of it: usage, blocks, sessions, timeline, explain,
// reconcile, compare, export, sql. It is the only package that knows DuckDB.
// It imports the domain and the price table, never a harness or the scanner;
// internal/daemon opens it and hands it to the scanner as its sink.
package analytics

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	duckdb "github.com/duckdb/duckdb-go/v2"

	"meterbridge"
	"meterbridge/pricing"
)

// PriceTable gives list prices; *pricing.Table is one.
type PriceTable interface {
	// Price is the list price of r; defaultProvider is used when r names no provider.
	Price(r *meterbridge.Request, defaultProvider string) pricing.Price
	// Version names the table; another version prices all rows again.
	Version() string
	// Rates yields every rate, for the view prices.
	Rates(yield func(pricing.Rate) bool)
}

// Options of a ledger. The zero value is valid: no prices, the system's zone.
type Options struct {
	// Prices gives list prices; nil leaves them null.
	Prices PriceTable
	// DefaultProvider is the price table's provider of a harness's requests that name none.
	DefaultProvider func(harness string) string
	// Drivers are the harnesses that can run another one inside, whose log then
	// holds the same calls.
	Drivers []string
	// Unreadable are the harnesses whose logs hold no usage: that no request follows
	// a prompt of theirs says nothing.
	Unreadable []string
	// ReportZone is the zone of the day rollup; nil is the system's.
	ReportZone *time.Location
	// Machine names this machine in rows of its own logs; may be empty.
	Machine string
	// Now is the clock; nil is time.Now.
	Now func() time.Time
	// MemoryLimitMB bounds DuckDB's memory; 0 is 256: each join of a question holds 8
	// of it, and some questions are asked at once.
	MemoryLimitMB int
	// Threads bounds DuckDB's threads; 0 is 1, and 2 for a ledger of a size at
	// which a report gains more than the second thread costs.
	Threads int
}

// Ledger is an open ledger. One process has it at a time; its methods may be
// called at once, writers wait for each other.
type Ledger struct {
	// db serves readers; each question takes a connection of its own.
	db   *sql.DB
	path string
	opts Options
	// rollupZone marks the zone of the day rollup.
	rollupZone string

	// open ends when the ledger is closed, and with it what runs beside.
	open   context.Context
	closed context.CancelFunc
	beside sync.WaitGroup
	// known tells which ids are new.
	known idFilter

	// dictionary and families are what readers remember.
	dictionary dictionary
	families   families

	// revision counts the transactions that changed what answers say.
	revision atomic.Uint64

	// rolling is held while the rollup is made, and taken before write.
	rolling sync.Mutex
	// dirtied counts what made the rollup out of date, and is summed where that
	// was when the rollup was made.
	dirtied, summed atomic.Uint64

	// write guards everything below: there is one writer.
	write sync.Mutex
	w     *sql.Conn
	// summing: a rollup is made beside; reread: mem was read meanwhile, from days of
	// which it was not known whether they will have been summed.
	summing, reread bool
	// prepared are statements of w.
	prepared map[string]*sql.Stmt
	mem      memory
	scan     scanState
	// passing: a live scanner is in the middle of a pass.
	passing bool
	stats   Stats
	bulk    struct{ requests, toolCalls *bulk }
	// compactFrom is how many requests are worth putting in time order.
	compactFrom int64
	// empty: the file was made by this opening and nothing was committed to it.
	empty bool
	// stored is the table meta; nil while it is to be read.
	stored map[string]string
	// providers are the default providers of harnesses.
	providers map[string]string
}

// ErrBusy says that another process has the ledger open.
var ErrBusy = errors.New("the ledger is open in another process")

// ErrNewer says that the ledger was written by a newer program.
var ErrNewer = errors.New("the ledger was written by a newer version")

const readers = 4

// Open opens the ledger at path, creates it when it is missing, and brings its
// schema, prices and rollup up to date. DuckDB may then neither download
// anything nor reach any file but its own and ExportDir.
func Open(ctx context.Context, path string, o Options) (*Ledger, error) {
	o = o.withDefaults()
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return nil, fmt.Errorf("make the ledger's folder: %w", err)
	}
	if err := dropUnfinished(path); err != nil {
		return nil, fmt.Errorf("open ledger %s: %w", path, err)
	}
	connector, err := duckdb.NewConnector(path, nil)
	if err != nil {
		return nil, fmt.Errorf("open ledger %s: %w", path, busy(err))
	}
	l := &Ledger{db: sql.OpenDB(connector), path: path, opts: o, compactFrom: compactRows, providers: map[string]string{}}
	l.dirtied.Store(1) // the last run may have left days to be summed
	l.open, l.closed = context.WithCancel(context.WithoutCancel(ctx))
	l.bulk.requests, l.bulk.toolCalls = newBulk("request", requestTypes()), newBulk("tool_call", toolTypes())
	l.db.SetMaxOpenConns(readers + 2) // the writer and the rollup have one each
	l.db.SetMaxIdleConns(readers + 2)
	if err := l.start(ctx); err != nil {
		return nil, errors.Join(fmt.Errorf("open ledger %s: %w", path, err), l.Close())
	}
	return l, nil
}

func (o Options) withDefaults() Options {
	if o.ReportZone == nil {
		o.ReportZone = time.Local
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.DefaultProvider == nil {
		o.DefaultProvider = func(string) string { return "" }
	}
	if o.MemoryLimitMB == 0 {
		o.MemoryLimitMB = 256
	}
	return o
}

// largeLedger is the size in bytes from which on reports run on two threads.
// Over less, the thread that waits spends more than the other one saves.
const largeLedger = 128 << 20

// threads is the number of DuckDB's threads for the ledger's file.
func (l *Ledger) threads() int {
	if l.opts.Threads > 0 {
		return l.opts.Threads
	}
	if info, err := os.Stat(l.path); err == nil && info.Size() >= largeLedger {
		return 2
	}
	return 1
}

// busy turns DuckDB's complaint about a lock into ErrBusy.
func busy(err error) error {
	if strings.Contains(err.Error(), "Could not set lock") || strings.Contains(err.Error(), "being used by another process") {
		return fmt.Errorf("%w: %w", ErrBusy, err)
	}
	return err
}

func (l *Ledger) start(ctx context.Context) (err error) {
	if l.w, err = l.db.Conn(ctx); err != nil {
		return err
	}
	if err := l.confine(ctx); err != nil {
		return err
	}
	return l.prepare(ctx)
}

// confine closes the instance: these settings hold for all its connections and
// cannot be undone. They are set one by one because a path in a data source
// name may hold characters that would swallow them.
func (l *Ledger) confine(ctx context.Context) error {
	settings := []string{
		"SET GLOBAL autoinstall_known_extensions = false",
		"SET GLOBAL autoload_known_extensions = false",
		fmt.Sprintf("SET GLOBAL threads = %d", l.threads()),
		fmt.Sprintf("SET GLOBAL memory_limit = '%dMB'", l.opts.MemoryLimitMB),
		"SET GLOBAL allowed_directories = [" + quote(l.ExportDir()) + "]",
		"SET GLOBAL enable_external_access = false",
	}
	for _, s := range settings {
		if _, err := l.w.ExecContext(ctx, s); err != nil {
			return fmt.Errorf("%s: %w", s, err)
		}
	}
	return nil
}

// ExportDir is the only folder outside the ledger that DuckDB may touch.
func (l *Ledger) ExportDir() string { return filepath.Join(filepath.Dir(l.path), "export") }

// Revision rises with every transaction that may change an answer, from 0 on at
// each opening: an answer that was asked for after a revision was read holds at
// least what that revision held.
func (l *Ledger) Revision() uint64 { return l.revision.Load() }

// Path is the ledger's file.
func (l *Ledger) Path() string { return l.path }

// quote writes s as an SQL string. A statement ends at a NUL, so one within the
// string is named.
func quote(s string) string {
	text := "'" + strings.ReplaceAll(s, "'", "''") + "'"
	if strings.IndexByte(s, 0) < 0 {
		return text
	}
	return "(" + strings.ReplaceAll(text, "\x00", "' || chr(0) || '") + ")"
}

// Close checkpoints and closes the ledger. What is asked of it afterwards is
// answered by sql.ErrConnDone.
func (l *Ledger) Close() error {
	l.closed()
	l.beside.Wait()
	l.rolling.Lock()
	defer l.rolling.Unlock()
	l.write.Lock()
	defer l.write.Unlock()
	var err error
	if l.w != nil {
		prepared := l.closePrepared()
		if err = l.w.Close(); errors.Is(err, sql.ErrConnDone) {
			err = nil // it was closed before
		}
		err = errors.Join(prepared, err)
	}
	return errors.Join(err, l.db.Close())
}

// raw calls fn with the writer's driver connection.
func (l *Ledger) raw(fn func(driver.Conn) error) error {
	return l.w.Raw(func(c any) error { return fn(c.(driver.Conn)) })
}
