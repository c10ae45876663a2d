package analytics

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"
)

// mostNamed bounds how many of the missing keys the hint names.
const mostNamed = 10

// missing lists what the ledger has and the report has no row for: two sides
// agree only where neither lacks what the other has.
func (c *comparison) missing(ctx context.Context) error {
	c.missingRows()
	days, err := c.daysOutside(ctx)
	if err != nil {
		return err
	}
	if c.out.Missing = append(c.out.Missing, days...); len(c.out.Missing) == 0 {
		return nil
	}
	slices.Sort(c.out.Missing)
	c.out.Missing = slices.Compact(c.out.Missing)
	c.out.Agree = false
	what, more := "days", ""
	switch c.peer.kind {
	case "session":
		what = "sessions"
	case "weekly", "monthly", "blocks":
		what = "rows or days"
	}
	named := c.out.Missing
	if n := len(named) - mostNamed; n > 0 {
		named, more = named[:mostNamed], fmt.Sprintf(" and %d more", n)
	}
	c.hint("the report has nothing of %d %s that the ledger has: %s%s", len(c.out.Missing), what, strings.Join(named, ", "), more)
	return nil
}

func (c *comparison) missingRows() {
	shown := map[string]bool{}
	for _, r := range c.peer.rows {
		shown[c.ours.find(r.key)] = true
	}
	var between cellSum
	for _, key := range sortedKeys(c.ours.cells) {
		s := c.ours.cells[key].sum(c.scope)
		if shown[key] || s.requests == 0 {
			continue
		}
		c.out.Missing = append(c.out.Missing, key)
		if c.peer.kind == "session" {
			between = cellSum{between.plus(s.spent), between.requests + s.requests, between.kept + s.kept}
			continue
		}
		our := s.sums()
		c.total(s.spent, spent{})
		c.out.Rows = append(c.out.Rows, CompareRow{Key: key, Ours: &our, Models: []CompareModel{}, Causes: []Cause{rowMissing(s)}})
	}
	slices.SortStableFunc(c.out.Rows, func(a, b CompareRow) int { return strings.Compare(a.Key, b.Key) })
	if len(c.peer.rows) == 0 {
		c.outside("in the ledger, while the report has no rows", c.ours.outside[0].sum(c.scope))
		return
	}
	c.outside("in sessions that the report lacks", between)
	c.outside("before its first row", c.ours.outside[0].sum(c.scope))
	c.outside("between its rows", c.ours.outside[2].sum(c.scope))
	c.outside("behind its last row", c.ours.outside[1].sum(c.scope))
}

// daysOutside are the days with requests before the report's first row and
// behind its last one.
func (c *comparison) daysOutside(ctx context.Context) ([]string, error) {
	if len(c.out.Outside) == 0 || c.peer.kind == "session" && len(c.peer.rows) > 0 {
		return nil, nil
	}
	_, to := bounds(time.Time{}, time.Time{})
	from := to
	if _, list := c.windows(); len(list) > 0 {
		from, to = list[0].from, list[len(list)-1].to
	}
	zone, err := zoneCase(ctx, c.q, c.zone, "r.ended_at")
	if err != nil {
		return nil, err
	}
	query := fill(question("compare_days"), map[string]string{"day": dayExpr(zone, "r.ended_at")})
	rows, err := c.q.QueryContext(ctx, query, from, to, c.scope)
	if err != nil {
		return nil, fmt.Errorf("ask compare_days: %w", err)
	}
	defer rows.Close()
	var days []string
	for rows.Next() {
		var day int64
		if err := rows.Scan(&day); err != nil {
			return nil, fmt.Errorf("ask compare_days: %w", err)
		}
		days = append(days, dayOfKey(fmt.Sprint(day)).Format(time.DateOnly))
	}
	return days, rows.Err()
}

func (c *comparison) outside(where string, s cellSum) {
	if s.requests == 0 {
		return
	}
	c.out.Agree = false
	c.out.Outside = append(c.out.Outside, OutsideSums{Where: where, CompareSums: s.sums(), Requests: s.requests, Kept: s.kept})
	if s.kept > 0 {
		c.hint("%s: %d of %d requests are kept here though their log is gone or no longer holds them", where, s.kept, s.requests)
	}
}
