package analytics

import (
	"context"
	"database/sql"
	"fmt"
	"time"

	"meterbridge"
)

// BudgetWindow is the stretch of time that a budget is for.
type BudgetWindow string

// The windows of budgets. All but the first are of the report's calendar.
const (
	// WindowBlock is the five-hour block in force of each harness.
	WindowBlock BudgetWindow = "5h"
	WindowDay   BudgetWindow = "day"
	WindowWeek  BudgetWindow = "week"
	WindowMonth BudgetWindow = "month"
)

// Budget is a limit on what may be spent in a window.
type Budget struct {
	Name string
	// Filter is the budget's scope; its times are not used.
	Filter Filter
	// Agents are the ids of those whose spending counts, instead of Filter; nil for
	// everything that Filter keeps, empty for nobody's.
	Agents []string
	Window BudgetWindow
	// MaxUSD and MaxTokens are the limits; nil is none.
	MaxUSD    *meterbridge.PicoUSD
	MaxTokens *int64
}

// BudgetState is how much of a budget is used. Cost is that of --cost auto:
// requests without a price count in tokens only, and costPartial says so.
type BudgetState struct {
	// Since and Until are the window; nil when no five-hour block is in force. With
	// blocks of several harnesses they are the first start and the last end.
	Since *time.Time `json:"since"`
	Until *time.Time `json:"until"`
	// ResetSource is "calendar", or of blocks "recorded" or "inferred", as at least
	// one is; nil when none is in force.
	ResetSource  *string `json:"resetSource"`
	UsedMicroUSD *int64  `json:"usedMicroUsd"`
	UsedTokens   int64   `json:"usedTokens"`
	CostPartial  bool    `json:"costPartial"`
	MaxMicroUSD  *int64  `json:"maxMicroUsd"`
	MaxTokens    *int64  `json:"maxTokens"`
	// UsedRatio is the used part of the limit that is nearest; 1 is all of it.
	UsedRatio float64 `json:"usedRatio"`
	Reached   bool    `json:"reached"`
	// Forecast is nil when too little happened lately to tell.
	Forecast *Forecast `json:"forecast"`
}

// BudgetQuery asks how budgets stand.
type BudgetQuery struct {
	Budgets []Budget
	// Zone and WeekStart form days, weeks and months.
	Zone      *time.Location
	WeekStart time.Weekday
}

// Budgets tells how each budget stands now, in their order.
func (l *Ledger) Budgets(ctx context.Context, q BudgetQuery) ([]BudgetState, error) {
	if q.Zone == nil {
		q.Zone = l.opts.ReportZone
	}
	if err := l.freshen(ctx); err != nil {
		return nil, err
	}
	states := make([]BudgetState, len(q.Budgets))
	err := l.reading(ctx, func(c *sql.Conn) error {
		b := budgeting{l: l, ctx: ctx, c: c, q: q, now: l.opts.Now()}
		for i := range q.Budgets {
			state, err := b.state(&q.Budgets[i])
			if err != nil {
				return fmt.Errorf("budget %s: %w", q.Budgets[i].Name, err)
			}
			states[i] = state
		}
		return nil
	})
	return states, err
}

// budgeting is one look at the budgets.
type budgeting struct {
	l   *Ledger
	ctx context.Context
	c   *sql.Conn
	q   BudgetQuery
	now time.Time
}

// spending is what was used of a budget, exact.
type spending struct {
	cost   meterbridge.PicoUSD
	priced bool
	// partial: some requests have a cost and some have none.
	partial bool
	tokens  int64
}

func (b *budgeting) state(budget *Budget) (BudgetState, error) {
	windows, source, err := b.windows(budget)
	if err != nil {
		return BudgetState{}, err
	}
	s := BudgetState{ResetSource: source, MaxTokens: budget.MaxTokens}
	total, err := b.total(budget, windows)
	if err != nil {
		return s, err
	}
	for _, w := range windows {
		s.Since, s.Until = earlier(s.Since, w.start.In(b.q.Zone)), later(s.Until, w.end.In(b.q.Zone))
	}
	used := spending{cost: total.cost.Amount, priced: total.priced > 0, partial: total.partial(), tokens: or0(total.all)}
	s.UsedTokens, s.CostPartial, s.UsedMicroUSD = used.tokens, used.partial, total.costMicro()
	s.measure(budget, used)
	if s.Until != nil && s.Until.After(b.now) && budget.Agents == nil {
		s.Forecast, err = b.forecast(budget, used, *s.Until)
	}
	return s, err
}

// total is what was used of the budget in the stretches of its window.
func (b *budgeting) total(budget *Budget, windows []stretch) (*usageGroup, error) {
	if budget.Agents != nil {
		return b.ofAgents(budget, windows)
	}
	total := &usageGroup{}
	for _, w := range windows {
		g, err := b.spent(w.filter(budget.Filter))
		if err != nil {
			return nil, err
		}
		total.add(g)
	}
	return total, nil
}

// measure holds what was used against the limits.
func (s *BudgetState) measure(budget *Budget, used spending) {
	if budget.MaxUSD != nil {
		limit := budget.MaxUSD.MicroUSD()
		s.MaxMicroUSD = &limit
		s.UsedRatio = ratio(Dollars(used.cost), Dollars(*budget.MaxUSD))
		s.Reached = used.cost.Cmp(*budget.MaxUSD) >= 0
	}
	if budget.MaxTokens != nil {
		s.UsedRatio = max(s.UsedRatio, ratio(float64(used.tokens), float64(*budget.MaxTokens)))
		s.Reached = s.Reached || used.tokens >= *budget.MaxTokens
	}
}

// ratio is the part of the limit that is used; a limit of nothing is used up.
func ratio(used, limit float64) float64 {
	if limit <= 0 {
		return 1
	}
	return used / limit
}

// spent sums what a filter keeps.
func (b *budgeting) spent(f Filter) (*usageGroup, error) {
	total := &usageGroup{}
	groups, err := b.groups(f, groupings()["harness"])
	for _, g := range groups {
		total.add(g)
	}
	return total, err
}

// groups are the sums of what a filter keeps, by a grouping.
func (b *budgeting) groups(f Filter, by grouping) ([]*usageGroup, error) {
	u := &usage{
		q: UsageQuery{Filter: f, Zone: b.q.Zone, WeekStart: b.q.WeekStart, Cost: CostAuto},
		l: b.l, ctx: b.ctx, c: b.c, by: by, now: b.now,
	}
	for _, step := range []func() error{u.resolveZone, u.resolveSessions} {
		if err := step(); err != nil {
			return nil, err
		}
	}
	found, err := u.groups()
	return u.ordered(found), err
}

func earlier(a *time.Time, b time.Time) *time.Time {
	if a != nil && a.Before(b) {
		return a
	}
	return &b
}

func later(a *time.Time, b time.Time) *time.Time {
	if a != nil && a.After(b) {
		return a
	}
	return &b
}
