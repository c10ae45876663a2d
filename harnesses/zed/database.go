package zed

import (
	"bytes"
	"context"
	"errors"
	"io"
	"strings"

	"github.com/cespare/xxhash/v2"

	"meterbridge"
	"meterbridge/harnesses"
	"meterbridge/harnesses/facts"
	"meterbridge/harnesses/instant"
	"meterbridge/harnesses/jsonvalue"
	"meterbridge/harnesses/snapshot"
	"meterbridge/harnesses/sqlite"
	"meterbridge/harnesses/totals"
	"meterbridge/harnesses/zstdlines"
)

// maxThread bounds the size of a thread, unpacked.
const maxThread = 64 << 20

// state is what is remembered of the database.
type state struct {
	// Updated is when the newest thread changed, as it is written.
	Updated string                    `json:"updated"`
	Threads map[string]totals.Counter `json:"threads"`
}

// openDatabase returns the parser of a threads.db.
func openDatabase(o harnesses.Options) harnesses.DatabaseParser {
	return snapshot.New(o, func(ctx context.Context, db *sqlite.DB, memory *state, found *meterbridge.Batch) error {
		if memory.Threads == nil {
			memory.Threads = map[string]totals.Counter{}
		}
		r := reader{Writer: facts.Writer{Harness: id, Store: store, Trace: o.Trace, Out: found}, db: db, state: memory, all: o.Trace}
		return r.read(ctx)
	})
}

// reader reads one snapshot.
type reader struct {
	facts.Writer
	db    *sqlite.DB
	state *state
	// all: threads that have not changed are asked for too.
	all bool
}

func (r *reader) read(ctx context.Context) error {
	cols, err := r.db.Need(ctx, "threads", "id", "updated_at", "data_type", "data")
	if err != nil {
		return err
	}
	query := "SELECT rowid, id, CAST(updated_at AS TEXT), data_type, CAST(data AS BLOB), CAST(" + cols.Or("summary", "NULL") + " AS TEXT), CAST(" +
		cols.Or("created_at", "NULL") + " AS TEXT), " + cols.Or("parent_id", "NULL") + ", CAST(" + cols.Or("folder_paths", "NULL") +
		" AS TEXT) FROM threads WHERE CAST(updated_at AS TEXT) >= ? ORDER BY rowid"
	since := r.state.Updated
	if r.all {
		since = ""
	}
	return r.db.Each(ctx, query, []any{since}, func(row sqlite.Row) error {
		r.state.Updated = max(r.state.Updated, row.Text(2))
		r.thread(row)
		return nil
	})
}

func (r *reader) thread(row sqlite.Row) {
	n, _ := row.Int(0)
	at := meterbridge.Place{Line: n, Hash: xxhash.Sum64(row.Bytes(4))}
	name := row.Text(1)
	if name == "" {
		return
	}
	s := meterbridge.Session{ID: name, Title: row.Text(5), TitleRank: meterbridge.TitleFromModel, Project: folderOf(row.Text(8))}
	if parent := row.Text(7); parent != "" && parent != name {
		s.Parent, s.Relation = parent, meterbridge.SubAgent
	}
	r.Session(s)
	content, err := unpacked(row.Text(3), row.Bytes(4))
	if err != nil {
		r.Problem(at, "broken-stream", "a thread cannot be unpacked: "+err.Error())
		return
	}
	o, ok := jsonvalue.Parse(content)
	if !ok {
		r.Problem(at, "malformed-json", "a thread is not a JSON object")
		return
	}
	like := meterbridge.Request{NativeID: name, Session: name, Project: s.Project, Provider: o.At("model", "provider").Text(), Place: at}
	now, wrong := spent(o)
	counter := r.state.Threads[name]
	switch {
	case wrong:
		r.Wrong(like)
	case now.Total() > 0:
		counter.Read(totals.Reading{Start: instant.ISO(row.Text(6)), End: instant.ISO(row.Text(2)), Tokens: now, Model: o.At("model", "model").Text()})
		r.state.Threads[name] = counter
	}
	for _, q := range counter.Requests(like) {
		r.Request(q)
	}
}

// folderOf is the first of the folders of a thread.
func folderOf(text string) string {
	first, _, _ := strings.Cut(strings.TrimSpace(text), "\n")
	if strings.HasPrefix(first, "/") || len(first) > 2 && first[1] == ':' {
		return first
	}
	return ""
}

var errTooLarge = errors.New("it is too large")

func unpacked(kind string, data []byte) ([]byte, error) {
	if kind != "zstd" {
		return data, nil
	}
	z, err := zstdlines.NewReader(bytes.NewReader(data))
	if err != nil {
		return nil, err
	}
	defer z.Close()
	content, err := io.ReadAll(io.LimitReader(z, maxThread+1))
	if err == nil && len(content) > maxThread {
		err = errTooLarge
	}
	return content, err
}

// spent is what a thread has used: its total, or the sum of the last calls of its
// messages, whichever is larger. Input leaves out both cache classes.
func spent(o jsonvalue.Object) (meterbridge.Tokens, bool) {
	var c jsonvalue.Counts
	all := usage(&c, o["cumulative_token_usage"].Object())
	var sum meterbridge.Tokens
	for _, v := range o["request_token_usage"].Object() {
		k := usage(&c, v.Object())
		sum = meterbridge.Tokens{
			Input: sum.Input.Plus(k.Input), Output: sum.Output.Plus(k.Output),
			CacheRead: sum.CacheRead.Plus(k.CacheRead), CacheWrite5m: sum.CacheWrite5m.Plus(k.CacheWrite5m),
		}
	}
	if sum.Total() > all.Total() {
		all = sum
	}
	return all, c.Wrong
}

func usage(c *jsonvalue.Counts, o jsonvalue.Object) meterbridge.Tokens {
	return meterbridge.Tokens{
		Input: c.Of(o["input_tokens"]), Output: c.Of(o["output_tokens"]),
		CacheRead: c.Of(o["cache_read_input_tokens"]), CacheWrite5m: c.Of(o["cache_creation_input_tokens"]),
	}
}
