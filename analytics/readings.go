package analytics

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"fmt"
	"slices"
	"time"

	duckdb "github.com/duckdb/duckdb-go/v2"

	"meterbridge"
)

// readingsKept is how long readings are kept: a little longer than harnesses
// keep the logs that they are held against.
const readingsKept = 35 * 24 * time.Hour

// KeepReadings keeps what counters of telemetry told, for Doctor alone. A reading that
// is there already changes nothing; of a cumulative counter the latest stays.
func (l *Ledger) KeepReadings(ctx context.Context, readings []meterbridge.Reading) error {
	if len(readings) == 0 {
		return nil
	}
	l.write.Lock()
	defer l.write.Unlock()
	err := l.derive(ctx, func() error {
		if err := l.stageReadings(ctx, latest(readings)); err != nil {
			return err
		}
		if err := l.execAll(ctx,
			"DELETE FROM told WHERE EXISTS (SELECT 1 FROM staged_told s WHERE s.id = told.id AND s.until > told.until)",
			"INSERT INTO told SELECT * FROM staged_told WHERE id NOT IN (SELECT id FROM told)"); err != nil {
			return err
		}
		_, err := l.w.ExecContext(ctx, "DELETE FROM told WHERE until < ?", milli(l.opts.Now().Add(-readingsKept)))
		return err
	})
	if err != nil {
		return fmt.Errorf("keep readings of telemetry: %w", err)
	}
	return nil
}

// latest keeps of the readings of one key the last one.
func latest(readings []meterbridge.Reading) []meterbridge.Reading {
	at := map[meterbridge.ID]int{}
	var out []meterbridge.Reading
	for i := range readings {
		r := &readings[i]
		switch n, known := at[r.Key]; {
		case !known:
			at[r.Key] = len(out)
			out = append(out, *r)
		case out[n].Until.Before(r.Until):
			out[n] = *r
		}
	}
	return slices.Clip(out)
}

func (l *Ledger) stageReadings(ctx context.Context, readings []meterbridge.Reading) error {
	if _, err := l.w.ExecContext(ctx, "CREATE OR REPLACE TEMP TABLE staged_told AS SELECT * FROM told LIMIT 0"); err != nil {
		return err
	}
	return l.raw(func(c driver.Conn) error {
		a, err := duckdb.NewAppender(c, "temp", "main", "staged_told")
		if err != nil {
			return err
		}
		for i := range readings {
			r := &readings[i]
			err := a.AppendRow(duckdb.UUID(r.Key), valid(r.Harness), valid(r.Session), valid(r.Model), r.Kind, milli(r.Since), milli(r.Until), r.N)
			if err != nil {
				return errors.Join(err, a.Close())
			}
		}
		return a.Close()
	})
}

// TelemetryCheck holds what telemetry told of tokens against the ledger, for the
// sessions and the time that it covers. A difference is no fault by itself:
// telemetry also counts calls that no log holds, and events of them may be off.
type TelemetryCheck struct {
	Since time.Time `json:"since"`
	Until time.Time `json:"until"`
	// Sessions counts those that telemetry names.
	Sessions int64           `json:"sessions"`
	Rows     []TelemetryCell `json:"rows"`
}

// TelemetryCell are the tokens of one class.
type TelemetryCell struct {
	Harness string  `json:"harness"`
	Model   *string `json:"model"`
	// Kind is "input", "output", "cacheRead" or "cacheWrite".
	Kind            string `json:"kind"`
	TelemetryTokens int64  `json:"telemetryTokens"`
	LedgerTokens    int64  `json:"ledgerTokens"`
	// Difference is what telemetry told beyond the ledger.
	Difference int64 `json:"difference"`
}

// coverSlack is how far apart in milliseconds the two may note the end of an answer.
const coverSlack = 5000

// telemetryCheck is nil where no telemetry was told.
func telemetryCheck(ctx context.Context, q querier) (*TelemetryCheck, error) {
	c := &TelemetryCheck{}
	var since, until sql.NullInt64
	const ask = "SELECT min(since), max(until), count(DISTINCT session) FILTER (session <> '') FROM told"
	if err := q.QueryRowContext(ctx, ask).Scan(&since, &until, &c.Sessions); err != nil || !since.Valid {
		return nil, err
	}
	c.Since, c.Until = fromMilli(since.Int64), fromMilli(until.Int64)
	var err error
	c.Rows, err = collect(ctx, q, "doctor_telemetry", func(rows *sql.Rows, t *TelemetryCell) error {
		err := rows.Scan(&t.Harness, text{&t.Model}, &t.Kind, number{&t.TelemetryTokens}, number{&t.LedgerTokens})
		t.Difference = t.TelemetryTokens - t.LedgerTokens
		return err
	}, coverSlack)
	return c, err
}
