package analytics

import (
	"context"
	"database/sql"
	"fmt"
	"time"

	"meterbridge"
)

// ReconcileOptions of a proof. The zero value is valid.
type ReconcileOptions struct {
	// Zone forms days, weeks and months; nil is the ledger's.
	Zone *time.Location
	// WeekStart is the week's first day.
	WeekStart time.Weekday
	// Accept makes the present sums those that later proofs are held against,
	// even where they fell.
	Accept bool
}

// ReconcileReport proves that all reports agree: each is a query over the same
// rows, so its rows and the ledger's rows must have the same sums, exactly.
type ReconcileReport struct {
	SchemaVersion int    `json:"schemaVersion"`
	Timezone      string `json:"timezone"`
	// OK: every check holds. Warnings do not make it false.
	OK       bool         `json:"ok"`
	Totals   ReportTotals `json:"totals"`
	Checks   []Check      `json:"checks"`
	Warnings []string     `json:"warnings"`
	// Cells are the sums by harness, machine and month of UTC: a total of all
	// time would hide a month that fell.
	Cells []Cell `json:"cells"`
}

// ExactTotals are sums without rounding; classes that nothing reports are 0.
type ExactTotals struct {
	Totals
	// CostPicoUSD is a whole number of pico-USD as text: of the recorded cost,
	// else the list price. The others are those of --cost recorded and list.
	CostPicoUSD     string `json:"costPicoUsd"`
	RecordedPicoUSD string `json:"recordedPicoUsd"`
	ListPicoUSD     string `json:"listPicoUsd"`
}

// ReportTotals are what every report must add up to.
type ReportTotals struct {
	ExactTotals
	// Prompts are those that people typed, but for the ones that ended without an answer.
	Prompts int64 `json:"prompts"`
}

// Check is one thing that must hold.
type Check struct {
	Name string `json:"name"`
	OK   bool   `json:"ok"`
	// Got are the sums that differ from the totals; absent otherwise.
	Got *ReportTotals `json:"got,omitempty"`
	// Detail says what is wrong; empty when nothing is.
	Detail string `json:"detail,omitempty"`
}

// Cell is one harness on one machine in one month.
type Cell struct {
	Harness string  `json:"harness"`
	Machine *string `json:"machine"`
	Month   string  `json:"month"`
	ExactTotals
	// Was are the highest sums of earlier proofs; null at the first.
	Was *CellSums `json:"was"`
	// FellPercent is how far tokens or requests lie below them; 0 when they do not.
	FellPercent float64 `json:"fellPercent"`
}

// reports are the reports that must agree.
func reports() []string {
	return []string{"day", "week", "month", "hour", "session", "project", "model", "harness", "agent", "block"}
}

// Reconcile proves that all reports agree and that the ledger keeps its laws,
// and remembers the sums of each month for the next proof.
func (l *Ledger) Reconcile(ctx context.Context, o ReconcileOptions) (ReconcileReport, error) {
	if o.Zone == nil {
		o.Zone = l.opts.ReportZone
	}
	r := ReconcileReport{SchemaVersion: SchemaVersion, Timezone: ZoneName(o.Zone), OK: true, Checks: []Check{}, Warnings: []string{}}
	if err := l.freshen(ctx); err != nil {
		return r, err
	}
	err := l.reading(ctx, func(c *sql.Conn) error {
		if err := r.cells(ctx, c); err != nil {
			return err
		}
		for _, by := range reports() {
			if err := r.report(ctx, c, l, by, o); err != nil {
				return err
			}
		}
		if err := r.windows(ctx, c, l, o); err != nil {
			return err
		}
		if err := r.rollup(ctx, c, l); err != nil {
			return err
		}
		return r.laws(ctx, c)
	})
	if err != nil {
		return r, fmt.Errorf("reconcile: %w", err)
	}
	for _, c := range r.Checks {
		r.OK = r.OK && c.OK
	}
	return r, l.compareMonths(ctx, &r, o.Accept)
}

// cells sums the rows themselves: what everything else is held against.
func (r *ReconcileReport) cells(ctx context.Context, q querier) (err error) {
	total := exact{}
	r.Cells, err = collect(ctx, q, "reconcile_cells", func(rows *sql.Rows, c *Cell) error {
		var e exact
		var cost, recorded, list meterbridge.NullPico
		err := rows.Scan(&c.Harness, text{&c.Machine}, &c.Month, &e.Requests, number{&e.InputTokens}, number{&e.OutputTokens}, number{&e.ReasoningTokens},
			number{&e.CacheReadTokens}, number{&e.CacheWriteTokens}, amount{&cost}, amount{&recorded}, amount{&list})
		e.cost, e.recorded, e.list = cost.Amount, recorded.Amount, list.Amount
		total.add(e)
		c.ExactTotals = e.shown()
		return err
	})
	if err != nil {
		return err
	}
	r.Totals.ExactTotals = total.shown()
	_, err = collect(ctx, q, "reconcile_prompts", func(rows *sql.Rows, _ *struct{}) error { return rows.Scan(&r.Totals.Prompts) })
	return err
}

// report holds the rows of one report against the ledger's.
func (r *ReconcileReport) report(ctx context.Context, c *sql.Conn, l *Ledger, by string, o ReconcileOptions) error {
	u := &usage{
		q: UsageQuery{By: by, Zone: o.Zone, WeekStart: o.WeekStart},
		l: l, ctx: ctx, c: c, by: groupings()[by], now: l.opts.Now(),
	}
	for _, step := range []func() error{u.resolveZone, u.resolveSessions, u.resolveBlocks} {
		if err := step(); err != nil {
			return err
		}
	}
	rows, sum, err := u.exactly(CostAuto)
	if err != nil {
		return err
	}
	if sum.prompts, err = u.promptSum(); err != nil {
		return err
	}
	_, recorded, err := u.exactly(CostRecorded)
	if err != nil {
		return err
	}
	_, list, err := u.exactly(CostList)
	if err != nil {
		return err
	}
	sum.recorded, sum.list = recorded.cost, list.cost
	got := ReportTotals{sum.shown(), sum.prompts}
	check := Check{Name: "usage by " + by, OK: got == r.Totals && recorded.Totals == sum.Totals && list.Totals == sum.Totals}
	if !check.OK {
		check.Got, check.Detail = &got, fmt.Sprintf("the sum of its %d rows is not that of the ledger's requests and prompts", rows)
	}
	r.Checks = append(r.Checks, check)
	return nil
}

// exactly is the number of the report's rows and their sum, of one kind of cost.
func (u *usage) exactly(cost CostMode) (n int, sum exact, err error) {
	u.q.Cost = cost
	groups, err := u.groups()
	rows := u.ordered(groups)
	for _, g := range rows {
		sum.add(exactOf(&g.figures))
	}
	return len(rows), sum, err
}

// promptSum is the sum of the prompts of the report's rows.
func (u *usage) promptSum() (int64, error) {
	p, err := u.prompts()
	if err != nil {
		return 0, err
	}
	groups, err := u.groups()
	if err != nil {
		return 0, err
	}
	p.join(groups)
	return or0(p.total(u.ordered(groups))), nil
}

func (r *ReconcileReport) laws(ctx context.Context, q querier) error {
	checks, err := collect(ctx, q, "reconcile_laws", func(rows *sql.Rows, c *Check) error {
		var broken int64
		var example *string
		err := rows.Scan(&c.Name, &broken, text{&example})
		if c.OK = broken == 0; !c.OK {
			c.Detail = fmt.Sprintf("broken %d times", broken)
			if example != nil {
				c.Detail += ", for example " + *example
			}
		}
		return err
	})
	r.Checks = append(r.Checks, checks...)
	return err
}

// exact are sums without rounding.
type exact struct {
	Totals
	cost, recorded, list meterbridge.PicoUSD
	// prompts are those that count.
	prompts int64
}

func exactOf(f *figures) exact {
	return exact{Totals: Totals{
		Requests: f.requests, InputTokens: or0(f.input), OutputTokens: or0(f.output), ReasoningTokens: or0(f.reasoning),
		CacheReadTokens: or0(f.cacheRead), CacheWriteTokens: or0(f.cacheWrite),
	}, cost: f.cost.Amount}
}

func (e *exact) add(o exact) {
	e.Totals = e.Totals.minus(Totals{}.minus(o.Totals))
	e.cost, e.recorded, e.list = e.cost.Add(o.cost), e.recorded.Add(o.recorded), e.list.Add(o.list)
	e.prompts += o.prompts
}

func (e exact) shown() ExactTotals {
	return ExactTotals{
		Totals: e.Totals, CostPicoUSD: e.cost.Big().String(), RecordedPicoUSD: e.recorded.Big().String(), ListPicoUSD: e.list.Big().String(),
	}
}

// rollup holds the stored sums against the rows that they are of.
func (r *ReconcileReport) rollup(ctx context.Context, c *sql.Conn, l *Ledger) error {
	for _, sums := range []struct{ name, query, at string }{
		{"the stored sums of days are those of their requests", "reconcile_rollup", "r.ended_at"},
		{"the stored sums of prompts are those of their prompts", "reconcile_rollup_prompts", "a.happened_at"},
	} {
		zone, err := zoneCase(ctx, c, l.opts.ReportZone, sums.at)
		if err != nil {
			return err
		}
		var differ int64
		var first *int64
		query := fill(question(sums.query), map[string]string{"day": dayExpr(zone, sums.at)})
		if err := c.QueryRowContext(ctx, query).Scan(&differ, &first); err != nil {
			return fmt.Errorf("ask %s: %w", sums.query, err)
		}
		check := Check{Name: sums.name, OK: differ == 0}
		if !check.OK {
			check.Detail = fmt.Sprintf("%d sums differ, the first on %s", differ, dayOfKey(fmt.Sprint(or0(first))).Format(time.DateOnly))
		}
		r.Checks = append(r.Checks, check)
	}
	return nil
}
