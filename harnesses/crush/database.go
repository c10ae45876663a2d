package crush

import (
	"context"

	"github.com/cespare/xxhash/v2"

	"meterbridge"
	"meterbridge/harnesses"
	"meterbridge/harnesses/facts"
	"meterbridge/harnesses/instant"
	"meterbridge/harnesses/jsonvalue"
	"meterbridge/harnesses/snapshot"
	"meterbridge/harnesses/sqlite"
	"meterbridge/harnesses/totals"
)

// overlap is how far behind the newest change the next reading begins, in
// seconds, the unit of the database.
const overlap = 60

// state is what is remembered of the database.
type state struct {
	// Since is when the newest message changed.
	Since int64 `json:"since"`
	// Costs are those of sessions as they were read.
	Costs map[string]totals.Counter `json:"costs"`
}

// openDatabase returns the parser of a crush.db.
func openDatabase(o harnesses.Options) harnesses.DatabaseParser {
	return snapshot.New(o, func(ctx context.Context, db *sqlite.DB, memory *state, found *meterbridge.Batch) error {
		if memory.Costs == nil {
			memory.Costs = map[string]totals.Counter{}
		}
		r := reader{
			Writer: facts.Writer{Harness: id, Store: store, Trace: o.Trace, Out: found},
			db:     db, state: memory, project: projectOf(o.Path), sub: map[string]bool{}, model: map[string]string{},
		}
		return r.read(ctx)
	})
}

// reader reads one snapshot.
type reader struct {
	facts.Writer
	db      *sqlite.DB
	state   *state
	project string
	// sub are the sessions of sub-agents, model the last model of each session.
	sub   map[string]bool
	model map[string]string
}

func (r *reader) read(ctx context.Context) error {
	if _, err := r.db.Need(ctx, "sessions", "id", "parent_session_id", "title", "cost", "created_at", "updated_at"); err != nil {
		return err
	}
	cols, err := r.db.Columns(ctx, "messages")
	if err != nil {
		return err
	}
	known := cols.Has("id", "session_id", "role", "parts", "model", "created_at", "updated_at", "finished_at")
	if known {
		if err := r.models(ctx); err != nil {
			return err
		}
	}
	if err := r.sessions(ctx); err != nil || !known {
		return err
	}
	return r.messages(ctx, cols)
}

// models reads which model answered last in each session.
func (r *reader) models(ctx context.Context) error {
	const query = "SELECT session_id, model FROM messages WHERE role = 'assistant' AND model IS NOT NULL ORDER BY created_at, rowid"
	return r.db.Each(ctx, query, nil, func(row sqlite.Row) error {
		r.model[row.Text(0)] = row.Text(1)
		return nil
	})
}

func (r *reader) sessions(ctx context.Context) error {
	const query = "SELECT rowid, id, parent_session_id, title, CAST(cost AS TEXT), created_at, updated_at FROM sessions ORDER BY rowid"
	return r.db.Each(ctx, query, nil, func(row sqlite.Row) error {
		r.session(row)
		return nil
	})
}

func (r *reader) session(row sqlite.Row) {
	name, parent := row.Text(1), row.Text(2)
	if name == "" {
		return
	}
	s := meterbridge.Session{ID: name, Title: row.Text(3), TitleRank: meterbridge.TitleFromModel, Project: r.project}
	if parent != "" && parent != name {
		s.Parent, s.Relation = parent, meterbridge.SubAgent
		r.sub[name] = true
	}
	r.Session(s)
	if s.Parent == "" {
		r.cost(name, row)
	}
}

// cost reads the cost of a session that no other started: it holds those of the
// others.
func (r *reader) cost(name string, row sqlite.Row) {
	n, _ := row.Int(0)
	at := meterbridge.Place{Line: n, Hash: xxhash.Sum64String(name + row.Text(4))}
	cost, reason := jsonvalue.USD(jsonvalue.Value(row.Bytes(4)), false)
	r.Cost(at, reason)
	created, _ := row.Int(5)
	updated, _ := row.Int(6)
	counter := r.state.Costs[name]
	before := len(counter.Rows)
	if cost.OK {
		counter.Read(totals.Reading{Start: instant.EitherUnit(created), End: instant.EitherUnit(updated), Cost: cost, Model: r.model[name]})
	}
	if len(counter.Rows) == 0 && before == 0 {
		return
	}
	r.state.Costs[name] = counter
	like := meterbridge.Request{NativeID: name + "/cost", Session: name, Project: r.project, Calls: meterbridge.Reported(0), Place: at}
	for _, q := range counter.Requests(like) {
		r.Request(q)
	}
}
