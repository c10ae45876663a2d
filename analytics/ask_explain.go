package analytics

import (
	"context"
	"database/sql"
	"encoding/hex"
	"errors"
	"time"

	duckdb "github.com/duckdb/duckdb-go/v2"

	"meterbridge"
)

// ExplainRow is a request of the ledger with its provenance.
type ExplainRow struct {
	ID        meterbridge.ID
	Harness   string
	Session   string
	StartedAt *time.Time
	EndedAt   time.Time
	Model     *string
	Tokens    meterbridge.Tokens
	// Recorded is the harness's own cost, List the list price.
	Recorded, List       meterbridge.NullPico
	PriceKey, PriceTable *string
	Rule                 *string
	// Source is the ledger's number of the source in which the record lies that counts.
	Source, Line, Offset int64
	Aborted              bool
	// Vanished: the source no longer holds it.
	Vanished bool
	// FirstSeen is when the scan began that saw it first.
	FirstSeen *time.Time
	// Calls is how many requests the row counts as.
	Calls int64
}

// Cost is the recorded cost, else the list price.
func (r *ExplainRow) Cost() meterbridge.NullPico {
	if r.Recorded.OK {
		return r.Recorded
	}
	return r.List
}

// ExplainSource is a log to read again.
type ExplainSource struct {
	ID      int64   `json:"-"`
	Harness string  `json:"harness"`
	Path    string  `json:"path"`
	Machine *string `json:"machine"`
	// Gone: it was not there when last looked for.
	Gone bool `json:"gone"`
}

// ElsewhereRow is a request that the same sources hold, of another session or day.
type ElsewhereRow struct {
	Session string
	EndedAt time.Time
	// Harness is that of a row which stands for another harness's record.
	Harness string
}

// recordPlace is a record of a source.
type recordPlace struct {
	harness, path string
	line          int64
}

// ExplainRows is the ledger's side of an explanation.
type ExplainRows struct {
	// Session and Harness, or Day, say what is explained.
	Session, Harness, Day string
	Timezone              string
	Since, Until          time.Time
	// Sessions are the session itself and its sub-agents; empty for a day.
	Sessions []string
	Rows     []ExplainRow
	Sources  []ExplainSource
	// Elsewhere are the other requests that the sources hold.
	Elsewhere map[meterbridge.ID]ElsewhereRow
	// Mirrors are the records of the sources of which another harness's row counts.
	Mirrors map[recordPlace]ElsewhereRow
	// Aliases are the second ids of requests that a fork copied under new ones.
	Aliases map[meterbridge.ID]meterbridge.ID
	// Reported are the figures that reports show, exact.
	Reported figures
}

// ExplainRows collects the rows behind the numbers of a session (an ID, or a
// unique beginning of one) or of a day ("2006-01-02", in the zone; nil is the
// ledger's), and the logs to read again. Its errors are those of an ID.
func (l *Ledger) ExplainRows(ctx context.Context, what string, zone *time.Location) (ExplainRows, error) {
	if zone == nil {
		zone = l.opts.ReportZone
	}
	e := ExplainRows{Timezone: zone.String()}
	err := l.reading(ctx, func(q *sql.Conn) error {
		chosen, from, to, err := e.choose(ctx, q, what, zone)
		if err != nil {
			return err
		}
		return e.load(ctx, q, chosen, from, to)
	})
	return e, err
}

// choose finds out what is asked for: the session numbers and the window. A
// session whose id is a date comes first.
func (e *ExplainRows) choose(ctx context.Context, q querier, what string, zone *time.Location) ([]int32, int64, int64, error) {
	f, err := findSession(ctx, q, what)
	day, notDay := time.Parse(time.DateOnly, what)
	if notDay == nil && errors.Is(err, ErrUnknown) {
		e.Day, e.Since, e.Until = what, startOfDay(day, zone), startOfDay(day.AddDate(0, 0, 1), zone)
		from, to := bounds(e.Since, e.Until)
		return []int32{}, from, to, nil
	}
	if err != nil {
		return nil, 0, 0, err
	}
	t, err := treeOf(ctx, q, f.id)
	if err != nil {
		return nil, 0, 0, err
	}
	e.Session, e.Harness = f.Session, f.Harness
	for _, b := range t {
		e.Sessions = append(e.Sessions, b.native)
	}
	from, to := t.within(bounds(time.Time{}, time.Time{}))
	return t.ids(), from, to, nil
}

func (e *ExplainRows) load(ctx context.Context, q querier, chosen []int32, from, to int64) (err error) {
	if e.Rows, err = collect(ctx, q, "explain_rows", scanExplainRow, chosen, from, to); err != nil {
		return err
	}
	if e.Sources, err = collect(ctx, q, "explain_sources", func(rows *sql.Rows, s *ExplainSource) error {
		return rows.Scan(&s.ID, &s.Harness, &s.Path, text{&s.Machine}, &s.Gone)
	}, chosen, from, to); err != nil {
		return err
	}
	reported, err := collect(ctx, q, "explain_reported", func(rows *sql.Rows, f *figures) error {
		return rows.Scan(f.targets()...)
	}, chosen, from, to)
	if err != nil {
		return err
	}
	e.Reported = reported[0]
	if err := e.aliases(ctx, q); err != nil {
		return err
	}
	return e.elsewhere(ctx, q, from, to)
}

func (e *ExplainRows) aliases(ctx context.Context, q querier) error {
	e.Aliases = map[meterbridge.ID]meterbridge.ID{}
	_, err := collect(ctx, q, "explain_aliases", func(rows *sql.Rows, _ *struct{}) error {
		var id, canonical duckdb.UUID
		err := rows.Scan(&id, &canonical)
		e.Aliases[meterbridge.ID(id)] = meterbridge.ID(canonical)
		return err
	})
	return err
}

// elsewhere loads the other requests of the sources: of a session's sources all
// of them, of a day's those of the days around it.
func (e *ExplainRows) elsewhere(ctx context.Context, q querier, from, to int64) error {
	const days = 2 * 24 * 3_600_000
	sources := make([]int32, len(e.Sources))
	for i, s := range e.Sources {
		sources[i] = int32(s.ID)
	}
	if e.Day != "" {
		from, to = from-days, to+days
	} else {
		from, to = bounds(time.Time{}, time.Time{})
	}
	here := map[meterbridge.ID]bool{}
	for i := range e.Rows {
		here[e.Rows[i].ID] = true
	}
	e.Elsewhere = map[meterbridge.ID]ElsewhereRow{}
	_, err := collect(ctx, q, "explain_elsewhere", func(rows *sql.Rows, _ *struct{}) error {
		var id duckdb.UUID
		var r ElsewhereRow
		var at int64
		if err := rows.Scan(&id, &r.Session, &at); err != nil {
			return err
		}
		if r.EndedAt = time.UnixMilli(at).UTC(); !here[meterbridge.ID(id)] {
			e.Elsewhere[meterbridge.ID(id)] = r
		}
		return nil
	}, sources, from, to)
	if err != nil {
		return err
	}
	return e.mirrors(ctx, q, sources)
}

// mirrors loads the records of which another harness's row counts.
func (e *ExplainRows) mirrors(ctx context.Context, q querier, sources []int32) error {
	e.Mirrors = map[recordPlace]ElsewhereRow{}
	_, err := collect(ctx, q, "explain_mirrors", func(rows *sql.Rows, _ *struct{}) error {
		var at recordPlace
		var r ElsewhereRow
		var ended int64
		if err := rows.Scan(&at.harness, &at.path, &at.line, &r.Harness, &r.Session, &ended); err != nil {
			return err
		}
		r.EndedAt = time.UnixMilli(ended).UTC()
		e.Mirrors[at] = r
		return nil
	}, sources)
	return err
}

func scanExplainRow(rows *sql.Rows, r *ExplainRow) error {
	var id duckdb.UUID
	var at int64
	t := &r.Tokens
	err := rows.Scan(&id, &r.Harness, &r.Session, moment{&r.StartedAt}, &at, text{&r.Model},
		tally{&t.Input}, tally{&t.Output}, tally{&t.Reasoning}, tally{&t.CacheRead}, tally{&t.CacheWrite5m}, tally{&t.CacheWrite1h},
		amount{&r.Recorded}, amount{&r.List}, text{&r.PriceKey}, text{&r.PriceTable}, text{&r.Rule}, &r.Source, &r.Line, &r.Offset,
		&r.Aborted, &r.Vanished, moment{&r.FirstSeen}, &r.Calls)
	r.ID, r.EndedAt = meterbridge.ID(id), time.UnixMilli(at).UTC()
	return err
}

// tally scans a BIGINT; NULL is not reported.
type tally struct{ at *meterbridge.Count }

func (c tally) Scan(v any) error {
	*c.at = meterbridge.Count{}
	if n, ok := v.(int64); ok {
		*c.at = meterbridge.Reported(n)
	}
	return nil
}

// hexID is an ID as answers show it.
func hexID(id meterbridge.ID) string { return hex.EncodeToString(id[:]) }
