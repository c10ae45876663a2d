package analytics

import (
	"context"
	_ "embed" // the statement
	"fmt"
	"strconv"
	"time"
)

//go:embed sql/scan_begin.sql
var scanBeginSQL string

// BeginScan starts a scan: what the ledger holds now was seen earlier and keeps
// its owner. Nothing is written before the first commit.
func (l *Ledger) BeginScan(ctx context.Context) error {
	l.write.Lock()
	defer l.write.Unlock()
	return l.beginScan(ctx)
}

func (l *Ledger) beginScan(ctx context.Context) error {
	var last int64
	var empty bool
	err := l.w.QueryRowContext(ctx, scanBeginSQL).Scan(&last, &empty)
	if err != nil {
		return fmt.Errorf("begin a scan: %w", err)
	}
	l.scan = scanState{
		number: int32(last) + 1, startedAt: l.opts.Now(), open: true, backfill: empty, before: l.stats.Written,
		sources: map[sourceKey]int64{},
	}
	if l.scan.backfill {
		l.scan.seen = map[uint64]struct{}{}
	}
	return nil
}

// startScan writes the scan's row with its first commit.
func (c *commit) startScan() error {
	l := c.l
	if !l.scan.open {
		if err := l.beginScan(c.ctx); err != nil {
			return err
		}
	}
	if l.scan.written {
		return nil
	}
	l.scan.written = true
	return c.out.append("scan", l.scan.number, l.scan.startedAt.UnixMilli())
}

// EndScan ends a scan: it brings the rollup up to date, puts the requests in
// time order when too many came out of it, and after a back-fill writes all of
// it to the ledger's file.
func (l *Ledger) EndScan(ctx context.Context) error {
	l.rolling.Lock()
	defer l.rolling.Unlock()
	l.write.Lock()
	defer l.write.Unlock()
	s := l.scan
	l.scan = scanState{}
	if !s.written {
		return nil
	}
	if err := l.compact(ctx); err != nil {
		return fmt.Errorf("put the ledger in time order: %w", err)
	}
	if err := l.rollUp(ctx); err != nil {
		return err
	}
	if !s.backfill && l.stats.Written-s.before < checkpointRows {
		return nil
	}
	if _, err := l.w.ExecContext(ctx, "CHECKPOINT"); err != nil {
		return fmt.Errorf("write the ledger's file: %w", err)
	}
	return nil
}

const (
	// checkpointRows written in one scan are worth a checkpoint.
	checkpointRows = 50_000
	// unorderedShare is the share of rows out of time order that is tolerated,
	// of a table with at least compactRows: DuckDB skips whole row groups of
	// 122,880, so order gains nothing in a smaller one.
	unorderedShare = 0.20
	compactRows    = 250_000
)

// compact rewrites the requests in time order when many are not.
func (l *Ledger) compact(ctx context.Context) error {
	m := &l.mem
	if !m.loaded || m.requests < l.compactFrom || float64(m.unordered) <= unorderedShare*float64(m.requests) {
		return l.keepUnordered(ctx)
	}
	err := l.transact(ctx, func() error {
		return l.execAll(ctx,
			"ALTER TABLE request RENAME TO request_unordered",
			requestTableSQL(),
			"INSERT INTO request SELECT * FROM request_unordered ORDER BY ended_at",
			"DROP TABLE request_unordered")
	})
	if err != nil {
		return err
	}
	m.unordered = 0
	l.stats.Compactions++
	return l.keepUnordered(ctx)
}

// keepUnordered remembers the number of rows out of order over a restart.
func (l *Ledger) keepUnordered(ctx context.Context) error {
	if !l.mem.loaded {
		return nil
	}
	text, err := l.meta(ctx, "unordered")
	if now := strconv.FormatInt(l.mem.unordered, 10); err != nil || text == now || (text == "" && now == "0") {
		return err
	}
	return l.transact(ctx, func() error { return l.setMeta(ctx, "unordered", strconv.FormatInt(l.mem.unordered, 10)) })
}

func (l *Ledger) execAll(ctx context.Context, queries ...string) error {
	for _, q := range queries {
		if _, err := l.w.ExecContext(ctx, q); err != nil {
			return fmt.Errorf("%.60s: %w", q, err)
		}
	}
	return nil
}

// dirty notes that the day of at must be summed again.
func (c *commit) dirty(at time.Time) { c.days[c.l.dayOf(at)] = true }

// happened notes that what counts as a prompt may have changed on the day of at.
func (c *commit) happened(at time.Time) {
	if !at.IsZero() {
		c.dirty(at)
	}
}
