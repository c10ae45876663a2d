package analytics

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"maps"
)

// freshen sums days that changed since they were last summed. It takes no lock
// when there are none, and does not keep commits waiting while it sums: it reads
// a snapshot, and a day that changes meanwhile is out of date again.
func (l *Ledger) freshen(ctx context.Context) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	want := l.dirtied.Load()
	if l.summed.Load() >= want {
		return nil
	}
	l.rolling.Lock()
	defer l.rolling.Unlock()
	if l.summed.Load() >= want {
		return nil // while this waited
	}
	// Who asks may give up before all of a large ledger is summed; the next one, who
	// would have to begin again, finds it done.
	return summing(l.rollBeside(l.open))
}

// rollUp does the same within the writer's lock, when nothing else is to be
// written. The caller holds both locks.
func (l *Ledger) rollUp(ctx context.Context) error {
	r := rollup{covers: l.dirtied.Load()}
	err := r.plan(ctx, l)
	if err == nil && r.days > 0 {
		err = l.derive(ctx, func() error { return r.make(ctx, l.w) })
	}
	if err == nil {
		r.done(l)
	}
	return summing(err)
}

func summing(err error) error {
	if err != nil {
		return fmt.Errorf("sum the days: %w", err)
	}
	return nil
}

// rollup is the work of summing the days that are out of date.
type rollup struct {
	// covers is what of Ledger.dirtied it takes into account.
	covers uint64
	days   int64
	// statements are the days' and the prompts'.
	statements []string
	// dirty and touched are what the writer's memory knew when it was planned.
	dirty       map[int32]bool
	touched     map[int32]bool
	touchedMany bool
}

// plan says what is to be done. The caller holds the writer's lock.
func (r *rollup) plan(ctx context.Context, l *Ledger) error {
	m := &l.mem
	r.days = int64(len(m.dirty))
	if !m.loaded {
		if err := l.number(ctx, "SELECT count(DISTINCT day) FROM rollup_dirty", &r.days); err != nil {
			return err
		}
	}
	if r.days == 0 {
		return nil
	}
	zone, err := zoneCase(ctx, l.w, l.opts.ReportZone, "ended_at")
	if err != nil {
		return err
	}
	asked, err := zoneCase(ctx, l.w, l.opts.ReportZone, "happened_at")
	if err != nil {
		return err
	}
	touched := m.touchedRoots()
	r.statements = []string{
		"DELETE FROM rollup_day WHERE day IN (SELECT day FROM rollup_dirty)",
		fill(rollupSQL, map[string]string{"day": dayExpr(zone, "ended_at")}),
		"DELETE FROM unanswered WHERE root IN (" + touched + ")" + m.orphaned(),
		fill(unansweredSQL, map[string]string{"touched": touched, "unreadable": numbersOf(l.opts.Unreadable)}),
		m.outdated(touched),
		fill(rollupPromptSQL, map[string]string{"touched": touched, "day": dayExpr(asked, "a.happened_at")}),
		"DELETE FROM rollup_dirty",
	}
	return nil
}

// make runs the statements within a transaction of c.
func (r *rollup) make(ctx context.Context, c execer) error {
	for _, q := range r.statements {
		if _, err := c.ExecContext(ctx, q); err != nil {
			return fmt.Errorf("%.60s: %w", q, err)
		}
	}
	return nil
}

type execer interface {
	ExecContext(ctx context.Context, query string, args ...any) (sql.Result, error)
}

// done notes that the sums are made. The caller holds the writer's lock.
func (r *rollup) done(l *Ledger) {
	l.stats.Days += r.days
	l.summed.Store(r.covers)
	if r.days > 0 && l.mem.loaded && r.dirty == nil {
		l.mem.clean()
	}
}

// clean forgets what the rollup was behind.
func (m *memory) clean() {
	m.dirty, m.touched, m.touchedMany = map[int32]bool{}, map[int32]bool{}, false
}

// rollBeside makes the rollup on a connection of its own. The caller holds rolling.
func (l *Ledger) rollBeside(ctx context.Context) error {
	c, err := l.db.Conn(ctx)
	if err != nil {
		return err
	}
	defer c.Close()
	r, err := l.beginBeside(ctx, c)
	if err != nil || r.days == 0 {
		return err
	}
	err = r.make(ctx, c)
	end := "COMMIT"
	if err != nil {
		end = "ROLLBACK"
	}
	_, ended := c.ExecContext(context.WithoutCancel(ctx), end)
	err = errors.Join(err, ended)
	l.endBeside(r, err)
	return err
}

// beginBeside plans the rollup, and begins a transaction that sees exactly what
// was committed so far: what is committed from now on makes days dirty anew.
func (l *Ledger) beginBeside(ctx context.Context, c *sql.Conn) (*rollup, error) {
	l.write.Lock()
	defer l.write.Unlock()
	r := &rollup{covers: l.dirtied.Load()}
	if err := r.plan(ctx, l); err != nil {
		return nil, err
	}
	if r.days == 0 {
		r.done(l)
		return r, nil
	}
	if _, err := c.ExecContext(ctx, "BEGIN"); err != nil {
		return nil, err
	}
	// A transaction sees what was there at its first statement.
	var days int64
	if err := c.QueryRowContext(ctx, "SELECT count(*) FROM rollup_dirty").Scan(&days); err != nil {
		_, back := c.ExecContext(context.WithoutCancel(ctx), "ROLLBACK")
		return nil, errors.Join(err, back)
	}
	m := &l.mem
	if r.dirty, r.touched, r.touchedMany = m.dirty, m.touched, m.touchedMany; m.loaded {
		m.clean()
	}
	l.summing = true
	return r, nil
}

// endBeside notes that the sums are made, or gives back what they were to be made of.
func (l *Ledger) endBeside(r *rollup, failed error) {
	l.write.Lock()
	defer l.write.Unlock()
	l.summing = false
	switch m := &l.mem; {
	case l.reread:
		l.mem, l.reread = memory{}, false
		l.dirtied.Add(1)
	case failed != nil && m.loaded && r.dirty != nil:
		maps.Copy(m.dirty, r.dirty)
		maps.Copy(m.touched, r.touched)
		m.touchedMany = m.touchedMany || r.touchedMany || len(m.touched) > maxTouched
	}
	if failed == nil {
		l.stats.Days += r.days
		l.summed.Store(r.covers)
	}
}
