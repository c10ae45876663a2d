package analytics

import (
	"cmp"
	"context"
	"database/sql"
	"embed"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"time"
)

//go:embed sql/usage_*.sql
var usageFiles embed.FS

// ErrQuery says that the question cannot be asked like that.
var ErrQuery = errors.New("no such report")

// usage is one usage report while it is made.
type usage struct {
	q   UsageQuery
	l   *Ledger
	ctx context.Context
	c   *sql.Conn
	by  grouping
	// offset is the zone's offset as SQL, over {at}, and change when it began.
	offset, change string
	// sessions are the only ones that are looked at, unless nil, and first and
	// last the time in which they have requests.
	sessions    []int32
	first, last sql.NullInt64
	// blocks are the recorded ones, by harness and time, then the inferred ones.
	blocks   []block
	recorded int
	now      time.Time
}

// Usage answers one usage report. Days, weeks, months and hours are formed in
// q.Zone, whatever zone the ledger's rollup has.
func (l *Ledger) Usage(ctx context.Context, q UsageQuery) (UsageReport, error) {
	if q.Zone == nil {
		q.Zone = l.opts.ReportZone
	}
	if q.Cost == "" {
		q.Cost = CostAuto
	}
	by, ok := groupings()[q.By]
	if !ok {
		return UsageReport{}, fmt.Errorf("%w: usage by %q", ErrQuery, q.By)
	}
	if err := l.freshen(ctx); err != nil {
		return UsageReport{}, err
	}
	var report UsageReport
	err := l.reading(ctx, func(c *sql.Conn) (err error) {
		u := &usage{q: q, l: l, ctx: ctx, c: c, by: by, now: l.opts.Now()}
		report, err = u.report()
		return err
	})
	if err != nil {
		return UsageReport{}, fmt.Errorf("usage by %s: %w", q.By, err)
	}
	return report, nil
}

func (u *usage) report() (UsageReport, error) {
	r := UsageReport{
		SchemaVersion: SchemaVersion, By: u.q.By, Timezone: ZoneName(u.q.Zone), Rows: []UsageRow{},
		Since: textOrNil(u.q.SinceText), Until: textOrNil(u.q.UntilText),
	}
	for _, step := range []func() error{u.resolveZone, u.resolveSessions, u.resolveBlocks} {
		if err := step(); err != nil {
			return r, err
		}
	}
	groups, err := u.groups()
	if err != nil {
		return r, err
	}
	prompts, err := u.prompts()
	if err != nil {
		return r, err
	}
	prompts.join(groups)
	rows := u.ordered(groups)
	total := &usageGroup{}
	for _, g := range rows {
		row := g.row(u, prompts.of(g))
		total.add(g)
		r.Rows = append(r.Rows, row)
	}
	if err := u.describe(r.Rows, rows); err != nil {
		return r, err
	}
	r.Totals = total.numbers(prompts.total(rows))
	return r, nil
}

func textOrNil(s string) *string {
	if s == "" {
		return nil
	}
	return &s
}

// usageFile is the statement of sql/usage_<name>.sql.
func usageFile(name string) string {
	text, err := usageFiles.ReadFile("sql/usage_" + name + ".sql")
	if err != nil {
		return "SELECT error('no such question: " + name + "')"
	}
	return string(text)
}

func (u *usage) resolveZone() (err error) {
	changes, err := zoneOf(u.ctx, u.c, u.q.Zone)
	u.offset, u.change = offsetExpr(changes, "{at}"), changeExpr(changes, "{at}")
	return err
}

// groups are the sums of requests by the report's key.
func (u *usage) groups() (map[string]*usageGroup, error) {
	query, args := u.statement()
	found, err := u.c.QueryContext(u.ctx, query, bound(args)...)
	if err != nil {
		return nil, err
	}
	defer found.Close()
	groups := map[string]*usageGroup{}
	for found.Next() {
		part := &usageGroup{}
		if err := part.scan(found); err != nil {
			return nil, err
		}
		if u.q.By == "block" {
			part.key = u.blockOf(part.key, part.harness)
		}
		g := groups[part.key]
		if g == nil {
			g = &usageGroup{key: part.key}
			groups[part.key] = g
		}
		g.take(part)
	}
	return groups, found.Err()
}

// ordered are the report's rows, oldest or first in the alphabet first; the
// newest ones where only those are asked for.
func (u *usage) ordered(groups map[string]*usageGroup) []*usageGroup {
	rows := make([]*usageGroup, 0, len(groups))
	for _, g := range groups {
		slices.SortFunc(g.parts, func(a, b *usageGroup) int {
			return cmp.Or(cmp.Compare(a.harness, b.harness), cmp.Compare(a.model, b.model))
		})
		for _, part := range g.parts {
			g.add(part)
		}
		g.order, _ = strconv.ParseInt(g.key, 10, 64)
		if u.q.By == "block" {
			g.order = u.block(g.key).start.UnixMilli()
		}
		rows = append(rows, g)
	}
	if u.q.Last > 0 && u.by.newest != byKey {
		u.sort(rows, true)
		rows = rows[max(0, len(rows)-u.q.Last):]
	}
	u.sort(rows, u.by.newest == byLast)
	if u.q.Last > 0 {
		rows = rows[max(0, len(rows)-u.q.Last):]
	}
	return rows
}

// sort puts rows in the order of their keys, or by the time of the newest request
// or prompt first.
func (u *usage) sort(rows []*usageGroup, byTime bool) {
	slices.SortFunc(rows, func(a, b *usageGroup) int {
		last := 0
		if byTime {
			last = cmp.Compare(max(a.last, a.asked), max(b.last, b.asked))
		}
		if !u.by.named {
			return cmp.Or(last, cmp.Compare(a.order, b.order), cmp.Compare(a.harness, b.harness))
		}
		return cmp.Or(last, cmp.Compare(a.key, b.key))
	})
}
