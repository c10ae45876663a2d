package analytics

import (
	"context"
	_ "embed"
	"fmt"
	"hash/fnv"
	"time"
)

//go:embed sql/rollup.sql
var rollupSQL string

//go:embed sql/rollup_prompt.sql
var rollupPromptSQL string

//go:embed sql/touched.sql
var touchedSQL string

//go:embed sql/unanswered.sql
var unansweredSQL string

// dayMillis is the length of a day of the clock.
const dayMillis = 86_400_000

// dayOf is the number of at's day in the rollup's zone, from 1970-01-01 on.
func (l *Ledger) dayOf(at time.Time) int32 { return dayIn(at, l.opts.ReportZone) }

// dayIn is the number of at's day in a zone.
func dayIn(at time.Time, zone *time.Location) int32 {
	_, offset := at.In(zone).Zone()
	ms := at.UnixMilli() + int64(offset)*1000
	day := ms / dayMillis
	if ms%dayMillis < 0 {
		day--
	}
	return int32(day)
}

// zoneMark tells zones apart by their name and what they do, since "Local" may
// be another zone tomorrow and a zone's rules change.
func zoneMark(zone *time.Location) string {
	h := fnv.New64a()
	for _, c := range zoneChanges(zone, 0, 130*365*dayMillis) {
		fmt.Fprintln(h, c.until, c.offsetMS)
	}
	return fmt.Sprintf("%s %x", zone, h.Sum64())
}

// rezone throws the rollup away when the zone of reports has changed.
func (l *Ledger) rezone(ctx context.Context) error {
	l.rollupZone = zoneMark(l.opts.ReportZone)
	stored, err := l.meta(ctx, "rollup_zone")
	if err != nil || stored == l.rollupZone {
		return err
	}
	return l.transact(ctx, func() error {
		zone, err := zoneCase(ctx, l.w, l.opts.ReportZone, "ended_at")
		if err != nil {
			return err
		}
		err = l.execAll(ctx, "DELETE FROM rollup_day", "DELETE FROM rollup_prompt", "DELETE FROM rollup_dirty",
			"INSERT INTO rollup_dirty SELECT DISTINCT "+dayExpr(zone, "ended_at")+
				" FROM (SELECT ended_at FROM request UNION ALL SELECT happened_at FROM prompt)")
		if err != nil {
			return err
		}
		return l.setMeta(ctx, "rollup_zone", l.rollupZone)
	})
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

// touchedRoots is a query for the root sessions whose prompts must be looked at
// again: those of the sessions that commits touched since the last time while
// they are few and remembered, else all that were alive on the dirty days.
func (m *memory) touchedRoots() string {
	if !m.loaded || m.touchedMany {
		return touchedSQL
	}
	return "SELECT root FROM session WHERE id IN " + numbers(append(sorted(m.touched), 0))
}

// orphaned are the rows of unanswered whose prompt is another root's now: a session
// turned out to be a sub-agent, or an older log took the prompt over from one that
// has nothing left to be found by.
func (m *memory) orphaned() string {
	if !m.loaded || m.touchedMany {
		return " OR id IN (SELECT u.id FROM unanswered u JOIN prompt p ON p.id = u.id JOIN session s ON s.id = p.session WHERE s.root <> u.root)"
	}
	return ""
}

// outdated are the rows of rollup_prompt that are made anew or have gone: those of the
// touched roots, and of roots that are others' sub-agents now; where it is not known
// which were touched, all of the dirty days too, for a root that is not alive on them
// any more has nothing left to be found by.
func (m *memory) outdated(touched string) string {
	where := "root IN (" + touched + ") OR root NOT IN (SELECT id FROM session WHERE root = id)"
	if !m.loaded || m.touchedMany {
		where += " OR day IN (SELECT day FROM rollup_dirty)"
	}
	return "DELETE FROM rollup_prompt WHERE " + where
}

// maxTouched is how many touched sessions are remembered one by one.
const maxTouched = 1000

// touchSession notes that facts of a session changed.
func (m *memory) touchSession(id int32) {
	if m.touchedMany {
		return
	}
	m.touched[id] = true
	m.touchedMany = len(m.touched) > maxTouched
}
