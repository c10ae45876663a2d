package goose

import (
	"context"
	_ "embed" // the statements
	"strings"

	"meterbridge"
	"meterbridge/harnesses"
	"meterbridge/harnesses/facts"
	"meterbridge/harnesses/snapshot"
	"meterbridge/harnesses/sqlite"
)

//go:embed sql/ledger.sql
var ledgerSQL string

//go:embed sql/sums.sql
var sumsSQL string

// ledgerColumns are those that the ledger had from its first version on.
const ledgerColumns = `id session_id created_timestamp model input_tokens output_tokens cache_read_tokens cache_write_tokens cost cost_source is_compaction`

// state is how far the database has been read.
type state struct {
	// Ledger and Message are the last rows seen of these tables.
	Ledger  int64 `json:"ledger"`
	Message int64 `json:"message"`
	// Updated is when the newest session changed, as it is written.
	Updated string `json:"updated"`
}

// openDatabase returns the parser of a sessions.db.
func openDatabase(o harnesses.Options) harnesses.DatabaseParser {
	return snapshot.New(o, func(ctx context.Context, db *sqlite.DB, memory *state, found *meterbridge.Batch) error {
		r := reader{Writer: facts.Writer{Harness: id, Store: store, Trace: o.Trace, Out: found}, db: db, state: memory, sessions: map[string]*session{}}
		if err := r.read(ctx); err != nil || !r.more {
			return err
		}
		return harnesses.ErrMore
	})
}

// reader reads one snapshot.
type reader struct {
	facts.Writer
	db       *sqlite.DB
	state    *state
	sessions map[string]*session
	more     bool
}

func (r *reader) read(ctx context.Context) error {
	since := r.state.Updated
	if err := r.loadSessions(ctx); err != nil {
		return err
	}
	ledger, err := r.db.Columns(ctx, "usage_ledger")
	if err != nil {
		return err
	}
	if len(ledger) > 0 {
		if !ledger.Has(strings.Fields(ledgerColumns)...) {
			return &sqlite.Missing{Table: "usage_ledger"}
		}
		if err := r.ledger(ctx); err != nil {
			return err
		}
		if err := r.sums(ctx); err != nil {
			return err
		}
	}
	r.rests(since)
	return r.messages(ctx)
}

// restart begins again from the first row when the last one seen is gone: ids
// are never used twice, so it is another database.
func (r *reader) restart(ctx context.Context, table string, seen *int64) error {
	return r.db.Each(ctx, "SELECT max(id) FROM "+table, nil, func(row sqlite.Row) error {
		if greatest, ok := row.Int(0); !ok || greatest < *seen {
			*seen = 0
		}
		return nil
	})
}
