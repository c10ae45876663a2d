package analytics

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"slices"

	duckdb "github.com/duckdb/duckdb-go/v2"

	"meterbridge"
)

// family is what the ledger has of a root session and the sessions folded into
// it. Questions about one session are answered from it without DuckDB, which
// needs longer to plan one of their statements than to read all of this; what
// cards ask again and again is kept (families). It is never changed, only replaced.
type family struct {
	members []branch
	// requests are in the order of their ends, prompts of when they were typed.
	requests []spentRow
	prompts  []asking
	endings  []ending
	stops    []moments
}

// spentRow is a request, as far as sums and turns need it.
type spentRow struct {
	id       meterbridge.ID
	session  int64
	started  sql.NullInt64
	ended    int64
	tokens   meterbridge.Tokens
	searches meterbridge.Count
	recorded meterbridge.Count
	list     meterbridge.NullPico
	calls    int64

	model, provider, tools string
	coarse, aborted        bool
	source, line           int64
}

// asking is a prompt.
type asking struct {
	session, at, line int64
}

// ending is a turn that a log marks.
type ending struct {
	session        int64
	started, ended sql.NullInt64
	outcome        string
}

// moments is when a session was interrupted.
type moments struct{ session, at int64 }

// largestFamily is how many requests are read into a family; of a larger one
// DuckDB makes the sums.
const largestFamily = 16_384

var errLargeFamily = errors.New("more requests than are summed at hand")

const selectSpending = `SELECT id, session, started_at, ended_at, input, output, reasoning, cache_read, cache_write_5m, cache_write_1h,
  web_searches, recorded_pusd, list_pusd, calls, model, facet, tools, source, line FROM request WHERE session IN `

// readFamily reads the family of a root. One thing is asked at a time, with the
// numbers written out: that is quicker than one statement for all.
func (l *Ledger) readFamily(ctx context.Context, q querier, root int64) (*family, error) {
	f := &family{}
	var err error
	f.members, err = collectRows(ctx, q, "family", fmt.Sprintf(
		"SELECT id, native, parent, relation = 'subagent', agent_type, title, first_at, last_at FROM session WHERE root = %d ORDER BY first_at NULLS LAST, native", root),
		func(rows *sql.Rows, b *branch) error {
			return rows.Scan(&b.id, &b.native, &b.above, &b.subagent, text{&b.agentType}, text{&b.title}, moment{&b.firstAt}, moment{&b.lastAt})
		})
	if err != nil {
		return nil, err
	}
	in := numbers(tree(f.members).ids())
	for _, read := range []func(context.Context, querier, string) error{l.readSpending(f), f.readPrompts, f.readEndings} {
		if err := read(ctx, q, in); err != nil {
			return nil, err
		}
	}
	return f, nil
}

// readSpending reads the family's requests.
func (l *Ledger) readSpending(f *family) func(context.Context, querier, string) error {
	return func(ctx context.Context, q querier, in string) (err error) {
		first, last := tree(f.members).life()
		if last < first {
			return nil
		}
		type row struct {
			spentRow
			model, facet, tools int32
		}
		query := selectSpending + in + fmt.Sprintf(" AND ended_at BETWEEN %d AND %d ORDER BY ended_at LIMIT %d", first, last, largestFamily+1)
		rows, err := collectRows(ctx, q, "family's requests", query, func(rows *sql.Rows, r *row) error {
			var id duckdb.UUID
			t := &r.tokens
			err := rows.Scan(&id, &r.session, &r.started, &r.ended, counted{&t.Input}, counted{&t.Output}, counted{&t.Reasoning}, counted{&t.CacheRead},
				counted{&t.CacheWrite5m}, counted{&t.CacheWrite1h}, counted{&r.searches}, counted{&r.recorded}, amount{&r.list}, &r.calls,
				&r.model, &r.facet, &r.tools, &r.source, &r.line)
			r.id = meterbridge.ID(id)
			return err
		})
		if err != nil {
			return err
		}
		if len(rows) > largestFamily {
			return errLargeFamily
		}
		f.requests = make([]spentRow, len(rows))
		for i := range rows {
			s := &f.requests[i]
			*s = rows[i].spentRow
			if s.model, err = l.dictionary.word(ctx, q, rows[i].model); err != nil {
				return err
			}
			if s.tools, err = l.dictionary.word(ctx, q, rows[i].tools); err != nil {
				return err
			}
			if err := l.dictionary.describe(ctx, q, s, rows[i].facet); err != nil {
				return err
			}
		}
		return nil
	}
}

func (f *family) readPrompts(ctx context.Context, q querier, in string) (err error) {
	f.prompts, err = collectRows(ctx, q, "family's prompts", "SELECT session, happened_at, line FROM prompt WHERE session IN "+in+" ORDER BY happened_at, line",
		func(rows *sql.Rows, p *asking) error { return rows.Scan(&p.session, &p.at, &p.line) })
	return err
}

func (f *family) readEndings(ctx context.Context, q querier, in string) (err error) {
	f.endings, err = collectRows(ctx, q, "family's turns", "SELECT session, started_at, ended_at, outcome FROM turn WHERE session IN "+in,
		func(rows *sql.Rows, e *ending) error { return rows.Scan(&e.session, &e.started, &e.ended, &e.outcome) })
	if err != nil {
		return err
	}
	f.stops, err = collectRows(ctx, q, "family's events", "SELECT session, happened_at FROM event WHERE kind = 'interrupted' AND session IN "+in,
		func(rows *sql.Rows, m *moments) error { return rows.Scan(&m.session, &m.at) })
	return err
}

// counted scans a count that may be NULL.
type counted struct{ at *meterbridge.Count }

func (c counted) Scan(v any) error {
	n, ok := v.(int64)
	*c.at = meterbridge.Count{N: n, OK: ok}
	return nil
}

// with is the family with one request more, or another version of one; nil
// when it had to be put in order for that.
func (f *family) with(s spentRow, known bool) *family {
	g := *f
	n := len(f.requests)
	if !known {
		if n == largestFamily || (n > 0 && f.requests[n-1].ended > s.ended) {
			return nil
		}
		// Only the newest of the versions is ever grown, so they can share memory.
		g.requests = append(f.requests, s)
		return &g
	}
	for i := n - 1; i >= 0; i-- {
		if f.requests[i].id != s.id {
			continue
		}
		if (i > 0 && f.requests[i-1].ended > s.ended) || (i+1 < n && f.requests[i+1].ended < s.ended) {
			return nil
		}
		g.requests = slices.Clone(f.requests)
		g.requests[i] = s
		return &g
	}
	return nil
}
