// Package snapshot reads one state of another program's database: what a parser
// remembers goes through JSON from one reading to the next, and a reading that
// had to start anew leaves nothing behind. It imports the domain, the contract of
// a harness and the SQLite access; the harnesses that keep a database call it.
package snapshot

import (
	"context"
	"encoding/json"
	"errors"

	"meterbridge"
	"meterbridge/harnesses"
	"meterbridge/harnesses/facts"
	"meterbridge/harnesses/sqlite"
)

// Only makes h a harness whose roots hold one database of that name and nothing
// else: its kind, the write-ahead log that stands for its growth, and its parser.
func Only(h harnesses.Harness, file string, kind harnesses.Kind, open func(harnesses.Options) harnesses.DatabaseParser) harnesses.Harness {
	kind.Shape = harnesses.Database
	h.Claim = func(rel string) (harnesses.Kind, bool) { return kind, rel == file }
	h.Skip = func(relDir string) bool { return relDir != file }
	h.Companion = func(path string) string { return path + "-wal" }
	h.Database = func(_ harnesses.Kind, o harnesses.Options) harnesses.DatabaseParser { return open(o) }
	return h
}

// Reader reads one snapshot into found. memory is what the reading before left,
// and is changed into what the next one needs. An error that is
// harnesses.ErrMore keeps what was found.
type Reader[M any] func(ctx context.Context, db *sqlite.DB, memory *M, found *meterbridge.Batch) error

// Database is a parser of a database; the memory M must be of use as its zero value.
type Database[M any] struct {
	opt  harnesses.Options
	read Reader[M]
}

// New returns the parser of the database that the options name.
func New[M any](o harnesses.Options, read Reader[M]) *Database[M] {
	return &Database[M]{opt: o, read: read}
}

// Query implements harnesses.DatabaseParser.
func (d *Database[M]) Query(ctx context.Context, out *meterbridge.Batch) ([]byte, error) {
	var found meterbridge.Batch
	var memory M
	err := sqlite.Read(ctx, d.opt.Path, sqlite.Options{}, func(db *sqlite.DB) error {
		found, memory = meterbridge.Batch{}, facts.Memory[M](d.opt.State)
		return d.read(ctx, db, &memory, &found)
	})
	if err != nil && !errors.Is(err, harnesses.ErrMore) {
		return nil, err
	}
	*out = found
	next, broken := json.Marshal(memory)
	if broken != nil {
		return nil, broken
	}
	return next, err
}
