package goose

import (
	"context"

	"github.com/cespare/xxhash/v2"

	"meterbridge"
	"meterbridge/harnesses/instant"
	"meterbridge/harnesses/jsonvalue"
	"meterbridge/harnesses/sqlite"
)

// pageRows is how many rows of the ledger a reading takes; ledger.sql has it as
// its limit.
const pageRows = 5000

// ledger reads the requests that are new.
func (r *reader) ledger(ctx context.Context) error {
	if err := r.restart(ctx, "usage_ledger", &r.state.Ledger); err != nil {
		return err
	}
	n := 0
	err := r.db.Each(ctx, ledgerSQL, []any{r.state.Ledger}, func(row sqlite.Row) error {
		n++
		r.request(row)
		return nil
	})
	r.more = n == pageRows
	return err
}

func (r *reader) request(row sqlite.Row) {
	n, _ := row.Int(0)
	created, _ := row.Int(2)
	s := r.sessions[row.Text(1)]
	if s == nil {
		s = &session{id: row.Text(1)}
	}
	r.state.Ledger = n
	q := meterbridge.Request{
		NativeID: nativeOf(s.id, n, created), Session: s.id, Project: s.project, Provider: s.provider, Model: row.Text(3),
		EndedAt: instant.EitherUnit(created), Rule: "ledger", Place: meterbridge.Place{Line: n},
	}
	q.Place.Hash = xxhash.Sum64String(q.NativeID)
	if q.Model == "" {
		q.Model = s.model
	}
	if first, _ := row.Int(11); first == 1 && row.Text(9) == "carried_forward" {
		q.NativeID, q.Rule, q.Precision = s.id+"/rest@"+s.created, "carried-forward", meterbridge.PerSession
	}
	if compaction, _ := row.Int(10); compaction == 1 {
		q.Purpose = "compaction"
		r.Event(meterbridge.Event{Session: s.id, At: q.EndedAt, Kind: "compaction", Place: q.Place})
	}
	r.count(q, row)
}

func (r *reader) count(q meterbridge.Request, row sqlite.Row) {
	var c counts
	q.Tokens = uncached(meterbridge.Tokens{Input: c.of(row, 4), Output: c.of(row, 5), CacheRead: c.of(row, 6), CacheWrite5m: c.of(row, 7)})
	recorded, reason := jsonvalue.USD(jsonvalue.Value(row.Bytes(8)), false)
	q.Recorded = recorded
	r.Cost(q.Place, reason)
	switch {
	case q.Session == "":
		r.Problem(q.Place, "wrong-type", "a row of the ledger names no session")
	case c.wrong:
		r.Wrong(q)
	case q.Tokens.Total() == 0:
		r.Drop(q, "zero-usage")
	default:
		r.Request(q)
	}
}
