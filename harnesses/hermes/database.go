package hermes

import (
	"context"
	"slices"

	"meterbridge"
	"meterbridge/harnesses"
	"meterbridge/harnesses/facts"
	"meterbridge/harnesses/snapshot"
	"meterbridge/harnesses/sqlite"
	"meterbridge/harnesses/totals"
)

// memory is what a reading leaves for the next one.
type memory struct {
	// Totals are those of each session, model, route and task, by native id.
	Totals map[string]*total `json:"totals,omitempty"`
	// Message is the last row of messages that was read.
	Message int64 `json:"message,omitempty"`
}

// total is what is remembered of one row of usage.
type total struct {
	totals.Counter
	Session string `json:"session"`
	// Place is the row's number; 0 for what only the session's own row tells.
	Place    int64  `json:"place,omitempty"`
	Provider string `json:"provider,omitempty"`
	Project  string `json:"project,omitempty"`
	Branch   string `json:"branch,omitempty"`
	Task     string `json:"task,omitempty"`
	// Calls are the model requests of each row of the counter, Seen all of them.
	Calls map[string]int64 `json:"calls,omitempty"`
	Seen  int64            `json:"seen,omitempty"`
}

// read takes a reading; the calls since the last one belong to its row.
func (t *total) read(r totals.Reading, calls int64) {
	t.Read(r)
	if n := len(t.Rows); n > 0 && calls > t.Seen {
		if t.Calls == nil {
			t.Calls = map[string]int64{}
		}
		t.Calls[t.Rows[n-1].ID] += calls - t.Seen
		t.Seen = calls
	}
}

// openDatabase returns the parser of a state.db.
func openDatabase(o harnesses.Options) harnesses.DatabaseParser {
	return snapshot.New(o, func(ctx context.Context, db *sqlite.DB, remembered *memory, found *meterbridge.Batch) error {
		if remembered.Totals == nil {
			remembered.Totals = map[string]*total{}
		}
		r := reader{Writer: facts.Writer{Harness: id, Store: store, Trace: o.Trace, Out: found}, db: db, memory: remembered, sessions: map[string]*session{}}
		return r.read(ctx)
	})
}

// reader reads one snapshot.
type reader struct {
	facts.Writer
	db       *sqlite.DB
	memory   *memory
	sessions map[string]*session
	// order are the sessions as they lie in their table.
	order []*session
}

func (r *reader) read(ctx context.Context) error {
	for _, step := range []func(context.Context) error{r.loadSessions, r.loadEnds, r.usage, r.rests, r.messages} {
		if err := step(ctx); err != nil {
			return err
		}
	}
	for _, s := range r.order {
		r.Session(s.fact(r.sessions[s.parent]))
	}
	r.requests()
	return nil
}

// requests tells of all rows that are remembered, those of deleted sessions too.
func (r *reader) requests() {
	ids := make([]string, 0, len(r.memory.Totals))
	for native := range r.memory.Totals {
		ids = append(ids, native)
	}
	slices.Sort(ids)
	for _, native := range ids {
		t := r.memory.Totals[native]
		like := meterbridge.Request{
			NativeID: native, Session: t.Session, Provider: t.Provider, Project: t.Project, Branch: t.Branch,
			Purpose: t.Task, Place: meterbridge.Place{Line: t.Place},
		}
		for _, q := range t.Requests(like) {
			q.Calls = meterbridge.Reported(t.Calls[q.NativeID[len(native):]])
			r.Request(q)
		}
	}
}

// total is what is remembered under a native id.
func (r *reader) total(native string, s *session) *total {
	t := r.memory.Totals[native]
	if t == nil {
		t = &total{}
		r.memory.Totals[native] = t
	}
	t.Session, t.Project, t.Branch = s.id, s.cwd, s.branch
	return t
}
