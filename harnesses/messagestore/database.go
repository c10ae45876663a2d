package messagestore

import (
	"context"
	"encoding/json"
	"errors"
	"strconv"

	"github.com/cespare/xxhash/v2"

	"meterbridge"
	"meterbridge/harnesses"
	"meterbridge/harnesses/sqlite"
)

// errSchema is the error of a database that lacks what is read.
var errSchema = errors.New("another schema than the ones known")

// schemaError names what is missing.
type schemaError struct{ table string }

func (e *schemaError) Error() string { return errSchema.Error() + ": no usable table " + e.table }

func (e *schemaError) Unwrap() error { return errSchema }

// Reason is the word for problems and metrics.
func (e *schemaError) Reason() string { return "unknown-schema" }

const (
	// pageRows is how many messages are read at a time, factLimit how many facts
	// are found before Query hands them on.
	pageRows  = 1000
	factLimit = 20_000
	// overlap is how far behind the newest change the next reading begins, in ms:
	// a transaction may commit later than the time it stamps.
	overlap = 60_000
)

// database reads the SQLite layout.
type database struct {
	product Product
	opt     harnesses.Options
}

// Query reads the messages that changed since the state, with their parts.
func (d *database) Query(ctx context.Context, out *meterbridge.Batch) ([]byte, error) {
	before := memoryOf(d.opt.State)
	var (
		found meterbridge.Batch
		after memory
		more  bool
	)
	err := sqlite.Read(ctx, d.opt.Path, sqlite.Options{}, func(db *sqlite.DB) error {
		found, after, more = meterbridge.Batch{}, before, false
		r := &reader{
			db: db, memory: &after, words: words{}, sessions: map[string]*session{}, replies: map[string]reply{},
			scribe: scribe{harness: d.product.ID, trace: d.opt.Trace, out: &found},
		}
		var err error
		more, err = r.read(ctx)
		return err
	})
	moveTo(out, &found)
	switch {
	case errors.Is(err, errSchema) && !d.product.named(d.opt.Path):
		return nil, nil // some other program's database that lies in the folder
	case err != nil:
		return nil, err
	}
	state, err := json.Marshal(&after)
	if err == nil && more {
		err = harnesses.ErrMore
	}
	return state, err
}

// reader reads one snapshot.
type reader struct {
	scribe
	db       *sqlite.DB
	memory   *memory
	columns  struct{ message, part, session sqlite.Columns }
	sessions map[string]*session
	forks    forks
	replies  map[string]reply
	words    words
	// pages is the memory of the page before.
	pages []row
}

// reply is the newest text of an agent in a session.
type reply struct {
	raw []byte
	at  int64
}

// row is a message as it lies in its table.
type row struct {
	message
	parts  parts
	writes int64
	place  meterbridge.Place
	// told: an earlier reading has named what is wrong with the row.
	told bool
}

// read goes on with the pass that the memory is in; more says that it is not
// at its end.
func (r *reader) read(ctx context.Context) (more bool, err error) {
	if err := r.probe(ctx); err != nil {
		return false, err
	}
	if err := r.loadSessions(ctx); err != nil {
		return false, err
	}
	if err := r.begin(ctx); err != nil {
		return false, err
	}
	for {
		page, err := r.page(ctx)
		if err != nil {
			return false, err
		}
		if err := r.write(ctx, page); err != nil {
			return false, err
		}
		if len(page) < pageRows {
			break
		}
		if more = r.out.Len() >= factLimit; more {
			break
		}
	}
	r.writeReplies()
	if !more {
		r.memory.finish()
	}
	return more, nil
}

// probe asks which columns there are: they came one by one over the versions.
func (r *reader) probe(ctx context.Context) (err error) {
	tables := []struct {
		name    string
		columns *sqlite.Columns
		needed  []string
	}{
		{"message", &r.columns.message, []string{"id", "session_id", "data"}},
		{"part", &r.columns.part, nil},
		{"session", &r.columns.session, nil},
	}
	for _, t := range tables {
		if *t.columns, err = r.db.Columns(ctx, t.name); err != nil {
			return err
		}
		if !t.columns.Has(t.needed...) {
			return &schemaError{t.name}
		}
	}
	return nil
}

// begin starts a pass over the messages, or goes on with one whose rows are
// still where they were.
func (r *reader) begin(ctx context.Context) error {
	version, greatest := int64(0), int64(0)
	err := r.db.Each(ctx, "PRAGMA schema_version", nil, func(row sqlite.Row) error {
		version, _ = row.Int(0)
		return nil
	})
	if err != nil {
		return err
	}
	err = r.db.Each(ctx, "SELECT max(rowid) FROM message", nil, func(row sqlite.Row) error {
		greatest, _ = row.Int(0)
		return nil
	})
	if err != nil {
		return err
	}
	r.memory.begin(version, greatest)
	if p := r.memory.Pass; p.Whole {
		r.out.Requests = make([]meterbridge.Request, 0, max(0, min(greatest-p.After, factLimit/2)))
	}
	return nil
}

// page reads the next messages that changed, in the order of rows, with their parts.
func (r *reader) page(ctx context.Context) ([]row, error) {
	m, c := r.memory, r.columns.message
	query := "SELECT rowid, CAST(id AS BLOB), CAST(session_id AS BLOB), " + c.Or("time_updated", "NULL") + ", CAST(data AS BLOB) FROM message WHERE rowid > ?"
	args := []any{m.Pass.After}
	if c.Has("time_updated") && !m.Pass.Whole {
		query += " AND (time_updated > ? OR rowid > ? OR id IN (SELECT value FROM json_each(?)))"
		args = append(args, m.Updated-overlap, m.Row, m.pending())
	}
	query += " ORDER BY rowid LIMIT " + strconv.Itoa(pageRows)
	page := r.pages[:0]
	err := r.db.Each(ctx, query, args, func(v sqlite.Row) error {
		page = append(page, r.row(v))
		return nil
	})
	if err != nil {
		return nil, err
	}
	r.pages = page
	return page, r.addParts(ctx, page)
}

// row reads one message. The columns win over what its text says.
func (r *reader) row(v sqlite.Row) row {
	rowid, _ := v.Int(0)
	data := v.Bytes(4)
	at := meterbridge.Place{Line: rowid, Hash: xxhash.Sum64(data)}
	updated, _ := v.Int(3)
	r.told = r.memory.told(rowid, updated)
	m, err := decode(data, r.words)
	if err != nil {
		r.problem(at, "malformed-json", "a message is "+err.Error())
	}
	m.id, m.session = v.Text(1), r.words.plain(v.Bytes(2))
	r.memory.see(rowid, updated, &m)
	return row{message: m, writes: updated, place: at, parts: m.parts, told: r.told}
}

func (r *reader) write(ctx context.Context, page []row) error {
	for i := range page {
		w := &page[i]
		r.told = w.told
		in := r.conversation(w.session)
		original, err := r.original(ctx, &w.message, in)
		if err != nil {
			return err
		}
		r.message(&w.message, &w.parts, in, w.place, w.writes, original)
		if raw, at, ok := r.reply(&w.message, &w.parts); ok && at >= r.replies[w.session].at {
			r.replies[w.session] = reply{raw, at}
		}
	}
	return nil
}

// conversation is what is known of a session; little, when its row is gone.
func (r *reader) conversation(id string) *conversation {
	if s := r.sessions[id]; s != nil {
		return &s.conversation
	}
	return &conversation{id: id}
}
