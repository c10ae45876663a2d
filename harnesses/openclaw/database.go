package openclaw

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/cespare/xxhash/v2"

	"meterbridge"
	"meterbridge/harnesses"
	"meterbridge/harnesses/sqlite"
	"meterbridge/harnesses/treelog"
)

// factLimit is how many facts are found before Query hands them on.
const factLimit = 20_000

// errSchema is the error of a database that lacks what is read.
var errSchema error = &schemaError{}

type schemaError struct{}

func (*schemaError) Error() string {
	return "another schema than the ones known: no usable table transcript_events"
}

// Reason is the word for problems and metrics.
func (*schemaError) Reason() string { return "unknown-schema" }

// database reads an agent's database.
type database struct{ opt harnesses.Options }

// Query implements harnesses.DatabaseParser.
func (d *database) Query(ctx context.Context, out *meterbridge.Batch) ([]byte, error) {
	var r *reader
	err := sqlite.Read(ctx, d.opt.Path, sqlite.Options{}, func(db *sqlite.DB) error {
		r = &reader{db: db, opt: d.opt, memory: remember(d.opt.State), out: &meterbridge.Batch{}}
		return r.read(ctx)
	})
	if err != nil {
		return nil, err
	}
	merge(out, r.out)
	state := r.memory.bytes()
	if r.more {
		return state, harnesses.ErrMore
	}
	return state, nil
}

func merge(out, b *meterbridge.Batch) {
	out.Requests = append(out.Requests, b.Requests...)
	out.Sessions = append(out.Sessions, b.Sessions...)
	out.Prompts = append(out.Prompts, b.Prompts...)
	out.ToolCalls = append(out.ToolCalls, b.ToolCalls...)
	out.Events = append(out.Events, b.Events...)
	out.Problems = append(out.Problems, b.Problems...)
	out.Traces = append(out.Traces, b.Traces...)
}

// reader reads one snapshot.
type reader struct {
	db      *sqlite.DB
	opt     harnesses.Options
	memory  memory
	out     *meterbridge.Batch
	windows map[string]window
	more    bool
}

func (r *reader) read(ctx context.Context) error {
	columns, err := r.db.Columns(ctx, "transcript_events")
	if err != nil {
		return err
	}
	if !columns.Has("session_id", "seq") || !columns["event_json"] && !columns["event_zstd"] {
		return errSchema
	}
	if err := r.loadWindows(ctx); err != nil {
		return err
	}
	latest, err := r.latest(ctx)
	if err != nil {
		return err
	}
	for _, session := range slices.SortedFunc(maps.Keys(latest), strings.Compare) {
		if r.more = r.out.Len() >= factLimit; r.more {
			return nil
		}
		if err := r.session(ctx, session, latest[session], columns); err != nil {
			return err
		}
	}
	return r.archives(ctx)
}

// latest is how far each session has come: its last event, and how often it was
// rewritten.
func (r *reader) latest(ctx context.Context) (map[string]cursor, error) {
	all := map[string]cursor{}
	err := r.db.Each(ctx, "SELECT session_id, max(seq) FROM transcript_events GROUP BY session_id", nil, func(v sqlite.Row) error {
		n, _ := v.Int(1)
		all[v.Text(0)] = cursor{Seq: n + 1}
		return nil
	})
	if err != nil {
		return nil, err
	}
	c, err := r.db.Columns(ctx, "transcript_rewrite_watermarks")
	if err != nil || !c.Has("session_id", "generation") {
		return all, err
	}
	return all, r.db.Each(ctx, "SELECT session_id, generation FROM transcript_rewrite_watermarks", nil, func(v sqlite.Row) error {
		if at, ok := all[v.Text(0)]; ok {
			at.Generation, _ = v.Int(1)
			all[v.Text(0)] = at
		}
		return nil
	})
}

// session reads what is new in a session, or all of it when it was rewritten, or
// when the parser's memory of it was given up.
func (r *reader) session(ctx context.Context, session string, now cursor, columns sqlite.Columns) error {
	w := r.windows[session]
	before := r.memory.Sessions[session]
	if before.Seq == now.Seq && before.Generation == now.Generation && before.Window == w.mark {
		return nil
	}
	from, opt := before.Seq, r.opt
	if opt.State = before.Memory; before.Generation != now.Generation || now.Seq < before.Seq || len(opt.State) == 0 {
		from, opt.State = 0, nil
	}
	w.fact(session, r.out)
	p := treelog.New(dialect(), w.origin(session, r.windows), opt)
	told := len(r.out.Problems)
	query := "SELECT seq, " + columns.Or("event_json", "NULL") + ", " + columns.Or("event_zstd", "NULL") +
		" FROM transcript_events WHERE session_id = ? AND seq >= ? ORDER BY seq"
	err := r.db.Each(ctx, query, []any{session, from}, func(v sqlite.Row) error {
		r.event(p, v)
		return nil
	})
	if err != nil {
		return err
	}
	p.Flush(r.out)
	if before.Generation == now.Generation { // what was read before was named before
		r.out.Problems = append(r.out.Problems[:told], slices.DeleteFunc(slices.Clone(r.out.Problems[told:]), func(p meterbridge.Problem) bool {
			return p.Place.Line <= before.Seq
		})...)
	}
	now.Memory, now.Window = p.State(), w.mark
	r.memory.keep(session, now)
	return nil
}

// event reads one event: JSON, or the same compressed.
func (r *reader) event(p *treelog.Parser, v sqlite.Row) {
	seq, _ := v.Int(0)
	at := meterbridge.Place{Line: seq + 1, Offset: seq + 1}
	data := v.Bytes(1)
	if v.Null(1) {
		var err error
		if data, err = unpack(v.Bytes(2), maxEvent); err != nil {
			r.out.Problems = append(r.out.Problems, meterbridge.Problem{Reason: "broken-stream", Detail: fmt.Sprintf("an event cannot be unpacked: %v", err), Place: at})
			return
		}
	}
	at.Hash = xxhash.Sum64(data)
	p.Line(data, at, r.out)
}

// archives reads the transcripts that were moved out of the events, each once.
func (r *reader) archives(ctx context.Context) error {
	for _, table := range []struct{ name, encoding string }{
		{"session_transcript_archives", "encoding"}, {"session_transcript_cold_archives", "storage"},
	} {
		c, err := r.db.Columns(ctx, table.name)
		if err != nil {
			return err
		}
		if !c.Has("session_id", "archive_blob") {
			continue
		}
		query := "SELECT rowid, session_id, " + c.Or("generation", "0") + ", archive_blob FROM " + table.name + " WHERE archive_blob IS NOT NULL ORDER BY rowid"
		err = r.db.Each(ctx, query, nil, func(v sqlite.Row) error {
			r.archive(table.name, v)
			return nil
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// archive reads a whole transcript: lines, as they are or compressed.
func (r *reader) archive(table string, v sqlite.Row) {
	row, _ := v.Int(0)
	generation, _ := v.Int(2)
	session, blob := v.Text(1), v.Bytes(3)
	key := fmt.Sprintf("%s %s %d %x", table, session, generation, xxhash.Sum64(blob))
	if r.memory.archived(key) {
		return
	}
	text, err := blob, error(nil)
	if bytes.HasPrefix(blob, []byte(zstdMagic)) {
		text, err = unpack(blob, maxArchive)
	}
	if err != nil {
		r.out.Problems = append(r.out.Problems, meterbridge.Problem{Reason: "broken-stream", Detail: fmt.Sprintf("an archived transcript cannot be unpacked: %v", err), Place: meterbridge.Place{Line: row}})
		return
	}
	opt := r.opt
	opt.State = nil
	p := treelog.New(dialect(), r.windows[session].origin(session, r.windows), opt)
	at := meterbridge.Place{}
	for line := range bytes.Lines(text) {
		at.Line++
		at.Hash = xxhash.Sum64(line)
		p.Line(bytes.TrimRight(line, "\r\n"), at, r.out)
		at.Offset += int64(len(line))
	}
	p.Flush(r.out)
}

// window is what the tables of sessions say of one.
type window struct {
	key, previous, channel, harness string
	parentKey, spawnedBy            string
	label, display                  string
	// mark changes when any of it does.
	mark uint64
}

// loadWindows reads what is known of the sessions; columns came one by one.
func (r *reader) loadWindows(ctx context.Context) error {
	r.windows = map[string]window{}
	c, err := r.db.Columns(ctx, "session_windows")
	if err != nil || !c.Has("session_id") {
		return err
	}
	nodes, err := r.nodes(ctx)
	if err != nil {
		return err
	}
	query := "SELECT session_id"
	for _, name := range []string{"session_key", "previous_session_id", "channel", "agent_harness_id", "parent_session_key", "spawned_by", "display_name"} {
		query += ", " + c.Or(name, "NULL")
	}
	return r.db.Each(ctx, query+" FROM session_windows", nil, func(v sqlite.Row) error {
		w := window{key: v.Text(1), previous: v.Text(2), channel: v.Text(3), harness: v.Text(4), parentKey: v.Text(5), spawnedBy: v.Text(6), display: v.Text(7)}
		if n, ok := nodes[w.key]; ok && n.session == v.Text(0) {
			w.label, w.display = n.label, cmp.Or(n.display, w.display)
		}
		w.mark = xxhash.Sum64String(strings.Join([]string{w.previous, w.channel, w.harness, w.parentKey, w.spawnedBy, w.label, w.display}, "\x00"))
		r.windows[v.Text(0)] = w
		return nil
	})
}

type node struct{ session, label, display string }

func (r *reader) nodes(ctx context.Context) (map[string]node, error) {
	c, err := r.db.Columns(ctx, "session_nodes")
	if err != nil || !c.Has("session_key", "current_session_id") {
		return nil, err
	}
	all := map[string]node{}
	query := "SELECT session_key, current_session_id, " + c.Or("label", "NULL") + ", " + c.Or("display_name", "NULL") + " FROM session_nodes"
	return all, r.db.Each(ctx, query, nil, func(v sqlite.Row) error {
		all[v.Text(0)] = node{v.Text(1), v.Text(2), v.Text(3)}
		return nil
	})
}

// origin is where a session came from: the one that spawned it as a sub-agent,
// the one that it is a thread of, or the one that a reset ended.
func (w window) origin(session string, all map[string]window) treelog.Origin {
	o := treelog.Origin{Session: session}
	if w.harness != "" {
		o.Precision = meterbridge.PerRun
	}
	if o.Parent = newest(w.spawnedBy, session, all); o.Parent != "" {
		o.Relation = meterbridge.SubAgent
		return o
	}
	if o.Parent = newest(w.parentKey, session, all); o.Parent != "" {
		o.Relation = meterbridge.Fork
		return o
	}
	if o.Parent = w.previous; o.Parent != "" {
		o.Relation = meterbridge.Continuation
	}
	return o
}

// newest is the session of a key; of several the greatest id, so that the order
// of rows does not matter.
func newest(key, not string, all map[string]window) (found string) {
	if key == "" {
		return ""
	}
	for session, w := range all {
		if w.key == key && session != not && session > found {
			found = session
		}
	}
	return found
}

// fact tells the title of a session: a chat without one is known by its channel.
func (w window) fact(session string, out *meterbridge.Batch) {
	s := meterbridge.Session{Harness: id, ID: session, Title: w.label, TitleRank: meterbridge.TitleFromUser}
	if s.Title == "" {
		s.Title, s.TitleRank = w.display, meterbridge.TitleFromModel
	}
	if s.Title == "" {
		s.Title, s.TitleRank = w.channel, meterbridge.TitleFromPrompt
	}
	if s.Title != "" {
		out.Sessions = append(out.Sessions, s)
	}
}
