package analytics

import (
	"fmt"
	"time"

	"meterbridge"
)

// stretch is a part of time, of one harness or of all.
type stretch struct {
	harness    string
	start, end time.Time
}

// filter narrows a budget's scope to the stretch.
func (s stretch) filter(f Filter) Filter {
	if s.harness != "" {
		f.Harness = s.harness
	}
	f.Since, f.Until = s.start, s.end
	return f
}

// windows are the stretches that a budget's window consists of now, and where
// their ends come from.
func (b *budgeting) windows(budget *Budget) ([]stretch, *string, error) {
	if budget.Window == WindowBlock {
		return b.blocks(budget)
	}
	start, end, err := calendarWindow(budget.Window, b.now.In(b.q.Zone), b.q.WeekStart)
	source := "calendar"
	return []stretch{{start: start, end: end}}, &source, err
}

// calendarWindow is the day, week or month that holds now, in now's zone.
func calendarWindow(w BudgetWindow, now time.Time, weekStart time.Weekday) (start, end time.Time, err error) {
	y, m, d := now.Date()
	day := func(y int, m time.Month, d int) time.Time {
		date := time.Date(y, m, d, 0, 0, 0, 0, time.UTC) // brings the 32nd to the next month
		return meterbridge.StartOfDay(date.Year(), date.Month(), date.Day(), now.Location())
	}
	switch w {
	case WindowDay:
		return day(y, m, d), day(y, m, d+1), nil
	case WindowWeek:
		d -= (int(now.Weekday()) - int(weekStart) + 7) % 7
		return day(y, m, d), day(y, m, d+7), nil
	case WindowMonth:
		return day(y, m, 1), day(y, m+1, 1), nil
	}
	return now, now, fmt.Errorf("%w: a budget for the window %q", ErrQuery, w)
}

// blocks are the five-hour blocks in force of the harnesses in the budget's
// scope. They are formed of everything in the ledger, so that a scope does not
// move them.
func (b *budgeting) blocks(budget *Budget) ([]stretch, *string, error) {
	u := &usage{q: UsageQuery{By: "block", Zone: b.q.Zone}, l: b.l, ctx: b.ctx, c: b.c, by: groupings()["block"], now: b.now}
	if err := u.resolveBlocks(); err != nil {
		return nil, nil, err
	}
	var active []stretch
	var source *string
	for _, block := range u.blocks {
		inScope := budget.Filter.Harness == "" || budget.Filter.Harness == block.harness
		if !inScope || b.now.Before(block.start) || !b.now.Before(block.end) {
			continue
		}
		active = append(active, stretch{block.harness, block.start, block.end})
		name := "inferred"
		if block.recorded {
			name = "recorded"
		}
		if source == nil || name == "inferred" {
			source = &name
		}
	}
	return active, source, nil
}
