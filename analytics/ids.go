package analytics

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"slices"
	"sync"

	duckdb "github.com/duckdb/duckdb-go/v2"

	"meterbridge"
)

// idFilter tells which ids the ledger cannot have, so that a line that was just
// appended is not searched for among millions: to prove that an id is new, every
// id would have to be read, for a replay may bear any time. It is a Bloom filter
// of requests, prompts, tool calls and turns: it errs only by naming an id that
// is not there. An id that was taken out stays in it, and so does one whose
// commit failed.
//
// It is filled beside the passes of a live scanner, from the ledger as that was
// when filling began and by every commit since; until then it knows nothing.
type idFilter struct {
	mu   sync.Mutex
	bits []uint64
	// count ids are in it, of room.
	count, room int
	// filling: it takes ids; complete: it has all of them.
	filling, complete bool
}

const (
	// idHashes is how many bits an id sets.
	idHashes = 6
	// bitsPerID is the least number of bits for an id: with twice that (it is a
	// power of two) one id in 3,000 that is new is searched for, with it one in 100.
	bitsPerID = 12
	// idPortion is how many rows are read at once.
	idPortion = 1 << 20
)

// begin makes an empty filter with room for so many ids.
func (f *idFilter) begin(ids int) {
	f.mu.Lock()
	defer f.mu.Unlock()
	words := 1 << 10
	for words*64 < ids*bitsPerID {
		words *= 2
	}
	f.bits, f.count, f.room = make([]uint64, words), 0, words*64/bitsPerID
	f.filling, f.complete = true, false
}

// add notes ids that the ledger has, or may have soon.
func (f *idFilter) add(ids []meterbridge.ID) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if !f.filling {
		return
	}
	mask := uint64(len(f.bits)*64 - 1)
	for i := range ids {
		at, step := halves(&ids[i])
		for range idHashes {
			bit := at & mask
			f.bits[bit/64] |= 1 << (bit % 64)
			at += step
		}
	}
	if f.count += len(ids); f.count > f.room {
		f.drop()
	}
}

// drop empties the filter; it is filled again, with more room, when it is wanted.
func (f *idFilter) drop() { f.bits, f.filling, f.complete = nil, false, false }

// fail gives up a filter that could not be filled.
func (f *idFilter) fail() {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.drop()
}

// finish says that all ids are in it, if it did not overflow meanwhile.
func (f *idFilter) finish() {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.complete = f.filling
}

// wanted reports whether nobody fills it.
func (f *idFilter) wanted() bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	return !f.filling
}

// perhaps keeps the ids that the ledger may have.
func (f *idFilter) perhaps(ids []meterbridge.ID) []meterbridge.ID {
	f.mu.Lock()
	defer f.mu.Unlock()
	if !f.complete {
		return ids
	}
	return slices.DeleteFunc(ids, func(id meterbridge.ID) bool { return !f.has(&id) })
}

func (f *idFilter) has(id *meterbridge.ID) bool {
	mask := uint64(len(f.bits)*64 - 1)
	at, step := halves(id)
	for range idHashes {
		bit := at & mask
		if f.bits[bit/64]&(1<<(bit%64)) == 0 {
			return false
		}
		at += step
	}
	return true
}

// halves are two numbers of an id, which is the beginning of a hash; the second
// is odd.
func halves(id *meterbridge.ID) (uint64, uint64) {
	return binary.LittleEndian.Uint64(id[:8]), binary.LittleEndian.Uint64(id[8:]) | 1
}

// knowIDs begins to fill the filter beside everything else, unless it is filled
// already. The caller is the writer: what is committed later is added by Commit.
func (l *Ledger) knowIDs() {
	if !l.known.wanted() {
		return
	}
	rows := int(l.mem.requests)
	// A request has a tool call as a rule, and every tenth a prompt.
	l.known.begin(max(2*rows+rows/2, 1<<16))
	l.beside.Go(func() {
		if err := l.readIDs(l.open); err != nil {
			l.known.fail() // ids are searched for, as before
			return
		}
		l.known.finish()
	})
}

// readIDs reads the ids of all tables, in portions.
func (l *Ledger) readIDs(ctx context.Context) error {
	return l.reading(ctx, func(c *sql.Conn) error {
		for _, table := range []string{"request", "prompt", "tool_call", "turn"} {
			var last sql.NullInt64
			if err := c.QueryRowContext(ctx, "SELECT max(rowid) FROM "+table).Scan(&last); err != nil {
				return err
			}
			for from := int64(0); last.Valid && from <= last.Int64; from += idPortion {
				query := fmt.Sprintf("SELECT id FROM %s WHERE rowid >= %d AND rowid < %d", table, from, from+idPortion)
				if err := l.readPortion(ctx, c, query); err != nil {
					return err
				}
			}
		}
		return nil
	})
}

// readPortion reads the driver's rows as they come, which takes a third of the
// time that database/sql needs for them.
func (l *Ledger) readPortion(ctx context.Context, c *sql.Conn, query string) error {
	return c.Raw(func(dc any) error {
		rows, err := dc.(driver.QueryerContext).QueryContext(ctx, query, nil)
		if err != nil {
			return err
		}
		defer rows.Close()
		ids, v := make([]meterbridge.ID, 0, 1<<10), make([]driver.Value, 1)
		for {
			err := rows.Next(v)
			if errors.Is(err, io.EOF) || len(ids) == cap(ids) {
				l.known.add(ids)
				ids = ids[:0]
			}
			if errors.Is(err, io.EOF) {
				return nil
			}
			if err != nil {
				return err
			}
			id, err := asID(v[0])
			if err != nil {
				return err
			}
			ids = append(ids, id)
		}
	})
}

// asID is a value of a UUID column, as the driver gives it.
func asID(v driver.Value) (meterbridge.ID, error) {
	switch b := v.(type) {
	case duckdb.UUID:
		return meterbridge.ID(b), nil
	case []byte:
		if len(b) == len(meterbridge.ID{}) {
			return meterbridge.ID(b), nil
		}
	}
	return meterbridge.ID{}, fmt.Errorf("%T is no id", v)
}
