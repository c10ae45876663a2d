package goose

import (
	"context"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/cespare/xxhash/v2"

	"meterbridge"
	"meterbridge/harnesses/instant"
	"meterbridge/harnesses/jsonvalue"
	"meterbridge/harnesses/sqlite"
)

// session is one row of the table of sessions.
type session struct {
	id, kind, project, parent string
	provider, model           string
	created, updated          string
	place                     meterbridge.Place
	// all are the totals of the session, last the tokens of its last call: input
	// includes the cache.
	all, last meterbridge.Tokens
	wrong     bool
	cost      meterbridge.NullPico
	// counted is what the ledger holds of it; nil without a ledger.
	counted *sum
	// parentOf: other sessions name it as their parent.
	parentOf bool
}

// sum is what the ledger holds of a session.
type sum struct {
	tokens, last meterbridge.Tokens
	cost         meterbridge.NullPico
	first        time.Time
}

// sessionColumns are read where they are: they came one by one over the versions.
const sessionColumns = `name description session_type working_dir created_at updated_at provider_name model_config_json
	parent_session_id input_tokens output_tokens accumulated_input_tokens accumulated_output_tokens
	accumulated_cache_read_tokens accumulated_cache_write_tokens`

// loadSessions reads all sessions, and writes down those that changed.
func (r *reader) loadSessions(ctx context.Context) error {
	cols, err := r.db.Need(ctx, "sessions", "id")
	if err != nil {
		return err
	}
	query := "SELECT rowid, id"
	for _, name := range strings.Fields(sessionColumns) {
		column := cols.Or(name, "NULL")
		if strings.HasSuffix(name, "_at") {
			column = "CAST(" + column + " AS TEXT)" // as it is written, not as the driver takes it
		}
		query += ", " + column
	}
	query += ", CAST(" + cols.Or("accumulated_cost", "NULL") + " AS TEXT) FROM sessions ORDER BY rowid"
	since := r.state.Updated
	err = r.db.Each(ctx, query, nil, func(row sqlite.Row) error {
		s := r.sessionOf(row)
		r.sessions[s.id] = s
		if s.updated >= since {
			r.fact(s, row.Text(2), row.Text(3))
		}
		r.state.Updated = max(r.state.Updated, s.updated)
		return nil
	})
	for _, s := range r.sessions {
		if p := r.sessions[s.parent]; p != nil {
			p.parentOf = true
		}
	}
	return err
}

func (r *reader) sessionOf(row sqlite.Row) *session {
	n, _ := row.Int(0)
	s := &session{
		id: row.Text(1), kind: row.Text(4), project: row.Text(5), created: row.Text(6), updated: row.Text(7),
		provider: row.Text(8), parent: row.Text(10),
	}
	s.place = meterbridge.Place{Line: n, Hash: xxhash.Sum64String(s.id + s.updated)}
	config, _ := jsonvalue.Parse(row.Bytes(9))
	s.model = config["model_name"].Text()
	var c counts
	s.last = meterbridge.Tokens{Input: c.of(row, 11), Output: c.of(row, 12)}
	c = counts{}
	s.all = meterbridge.Tokens{Input: c.of(row, 13), Output: c.of(row, 14), CacheRead: c.of(row, 15), CacheWrite5m: c.of(row, 16)}
	s.wrong = c.wrong
	s.cost, _ = jsonvalue.USD(jsonvalue.Value(row.Bytes(17)), false)
	return s
}

// fact tells what is known of a session. A name that only repeats the id is none.
func (r *reader) fact(s *session, name, description string) {
	f := meterbridge.Session{ID: s.id, Project: s.project, Title: name, TitleRank: meterbridge.TitleFromModel}
	if name == "" || name == s.id {
		f.Title = description
	}
	if s.parent != "" && s.parent != s.id {
		f.Parent, f.Relation = s.parent, meterbridge.SubAgent
	}
	r.Session(f)
}

// counts reads counts of columns, and remembers that one was none.
type counts struct{ wrong bool }

func (c *counts) of(row sqlite.Row, i int) meterbridge.Count {
	if row.Null(i) {
		return meterbridge.Count{}
	}
	n, ok := row.Int(i)
	if !ok || n < 0 || n > meterbridge.MaxCount {
		c.wrong = true
		return meterbridge.Count{}
	}
	return meterbridge.Reported(n)
}

// sums reads what the ledger holds of each session.
func (r *reader) sums(ctx context.Context) error {
	return r.db.Each(ctx, sumsSQL, nil, func(row sqlite.Row) error {
		s := r.sessions[row.Text(0)]
		if s == nil {
			return nil
		}
		var c counts
		n, _ := row.Int(6)
		s.counted = &sum{
			tokens: meterbridge.Tokens{Input: c.of(row, 1), Output: c.of(row, 2), CacheRead: c.of(row, 3), CacheWrite5m: c.of(row, 4)},
			last:   meterbridge.Tokens{Input: c.of(row, 7), Output: c.of(row, 8)},
			first:  instant.EitherUnit(n),
		}
		s.wrong = s.wrong || c.wrong
		s.counted.cost, _ = jsonvalue.USD(jsonvalue.Value(row.Bytes(5)), false)
		return nil
	})
}

// rests counts what the totals of sessions hold beyond the ledger.
func (r *reader) rests(since string) {
	for _, name := range slices.Sorted(maps.Keys(r.sessions)) {
		if s := r.sessions[name]; s.updated >= since {
			r.rest(s)
		}
	}
}

// rest counts what a session spent before it had a ledger: all of it, where
// there is none.
func (r *reader) rest(s *session) {
	q := meterbridge.Request{
		NativeID: s.id + "/rest@" + s.created, Session: s.id, Project: s.project, Model: s.model, Provider: s.provider,
		StartedAt: instant.ISO(s.created), EndedAt: instant.ISO(s.updated), Precision: meterbridge.PerSession, Place: s.place,
		Tokens: meterbridge.Tokens{Input: s.all.Input, Output: s.all.Output}, Recorded: s.cost, Rule: "session-total",
	}
	switch {
	case s.wrong:
		r.Wrong(q)
		return
	case s.counted != nil && !s.beyond(&q):
		return
	}
	if q.Tokens.Input.N+q.Tokens.Output.N == 0 {
		return
	}
	r.Request(q)
}

// beyond takes out of the totals what the ledger holds. It reports false when
// they are not to be compared: the totals of a parent may hold those of the
// sessions that it started, and the last call may stand in them already and not
// yet in the ledger.
func (s *session) beyond(q *meterbridge.Request) bool {
	c := s.counted
	if s.parentOf || s.last != c.last {
		return false
	}
	over := func(all, counted meterbridge.Count) meterbridge.Count {
		if !all.OK {
			return all
		}
		return meterbridge.Reported(max(0, all.N-counted.N))
	}
	q.Tokens = uncached(meterbridge.Tokens{
		Input: over(s.all.Input, c.tokens.Input), Output: over(s.all.Output, c.tokens.Output),
		CacheRead: over(s.all.CacheRead, c.tokens.CacheRead), CacheWrite5m: over(s.all.CacheWrite5m, c.tokens.CacheWrite5m),
	})
	q.EndedAt, q.Precision, q.Rule, q.Recorded = c.first, meterbridge.PerRun, "remainder", meterbridge.NullPico{}
	q.Calls = meterbridge.Reported(0)
	if s.cost.OK && c.cost.OK && s.cost.Amount.Cmp(c.cost.Amount) > 0 {
		q.Recorded = meterbridge.SomePico(s.cost.Amount.Add(c.cost.Amount.Times(-1)))
	}
	return true
}

// uncached takes the cache out of input.
func uncached(k meterbridge.Tokens) meterbridge.Tokens {
	k.Input = jsonvalue.Minus(k.Input, k.CacheRead, k.CacheWrite5m)
	return k
}
