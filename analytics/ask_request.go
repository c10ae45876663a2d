package analytics

import (
	"context"
	"database/sql"
	"fmt"
	"strings"

	"meterbridge"
)

// Request finds one request by its id, or a unique beginning of it, with what
// its price depends on. ErrUnknown when there is none.
func (l *Ledger) Request(ctx context.Context, id string) (meterbridge.Request, error) {
	id = strings.ToLower(strings.TrimSpace(id))
	var list []meterbridge.Request
	err := l.reading(ctx, func(q *sql.Conn) (err error) {
		list, err = collect(ctx, q, "request", scanPricedRequest, id, id)
		return err
	})
	switch {
	case err != nil:
		return meterbridge.Request{}, fmt.Errorf("request %q: %w", id, err)
	case len(list) == 0 || id == "":
		return meterbridge.Request{}, &HintError{
			Err:  fmt.Errorf("request %q: %w", id, ErrUnknown),
			Hint: "`meterbridge explain SESSION --json` shows the ids of a session's requests",
		}
	case len(list) > 1:
		return meterbridge.Request{}, &HintError{Err: fmt.Errorf("request %q is not the only one", id), Hint: "give more of the id"}
	}
	return list[0], nil
}

func scanPricedRequest(rows *sql.Rows, r *meterbridge.Request) error {
	var id string
	var started, ended, searches, recorded sql.NullInt64
	var tokens [6]sql.NullInt64
	err := rows.Scan(&id, &r.Harness, &r.Provider, &r.Model, &r.ServiceTier, &r.Speed, &r.Geo, &started, &ended,
		&tokens[0], &tokens[1], &tokens[2], &tokens[3], &tokens[4], &tokens[5], &searches, &recorded)
	if err != nil {
		return err
	}
	if started.Valid {
		r.StartedAt = fromMilli(started.Int64)
	}
	r.EndedAt = fromMilli(ended.Int64)
	r.Tokens = meterbridge.Tokens{
		Input: count(tokens[0]), Output: count(tokens[1]), Reasoning: count(tokens[2]), CacheRead: count(tokens[3]),
		CacheWrite5m: count(tokens[4]), CacheWrite1h: count(tokens[5]),
	}
	r.WebSearches = count(searches)
	if recorded.Valid {
		r.Recorded = meterbridge.SomePico(meterbridge.Pico(recorded.Int64))
	}
	return nil
}
