package analytics

import (
	"context"
	_ "embed"
	"fmt"
	"time"
)

//go:embed sql/rollup.sql
var rollupSQL string

// dayMillis is the length of a day of the clock.
const dayMillis = 86_400_000

// dayOf is the number of at's day in the rollup's zone, from 1970-01-01 on.
func (l *Ledger) dayOf(at time.Time) int32 {
	_, offset := at.In(l.opts.ReportZone).Zone()
	ms := at.UnixMilli() + int64(offset)*1000
	day := ms / dayMillis
	if ms%dayMillis < 0 {
		day--
	}
	return int32(day)
}

// flushDays notes the days that the commit touched; their sums are made later.
func (c *commit) flushDays() error {
	for _, day := range sorted(c.days) {
		if c.l.mem.dirty[day] {
			continue
		}
		c.l.mem.dirty[day] = true
		if err := c.out.append("rollup_dirty", day); err != nil {
			return err
		}
	}
	return nil
}

// rollUp sums the dirty days again.
func (l *Ledger) rollUp(ctx context.Context) error {
	if l.mem.loaded && len(l.mem.dirty) == 0 {
		return nil
	}
	err := l.transact(ctx, func() error {
		zone, err := zoneCase(ctx, l.w, l.opts.ReportZone, "ended_at")
		if err != nil {
			return err
		}
		return l.execAll(ctx,
			"DELETE FROM rollup_day WHERE day IN (SELECT day FROM rollup_dirty)",
			fill(rollupSQL, map[string]string{"day": dayExpr(zone, "ended_at")}),
			"DELETE FROM rollup_dirty")
	})
	if err != nil {
		return fmt.Errorf("sum the days: %w", err)
	}
	l.stats.Days += int64(len(l.mem.dirty))
	if l.mem.loaded {
		l.mem.dirty = map[int32]bool{}
	}
	return nil
}
