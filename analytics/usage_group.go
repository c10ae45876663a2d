package analytics

import (
	"database/sql"
	"fmt"
	"math"
	"math/big"
	"slices"
)

// usageGroup are the sums of one row of a report, or of one harness and model in it.
type usageGroup struct {
	figures
	// key is the row's key as text; harness and model are those of a part.
	key, harness, model string
	// last is the newest request's time, or its day out of the rollup.
	last int64
	// asked is the newest prompt's time.
	asked int64
	// order is the key as a number, where it is one.
	order int64
	// parts are the sums by harness and model of a row.
	parts []*usageGroup
}

func (g *usageGroup) scan(rows *sql.Rows) error {
	var write1h *int64
	err := rows.Scan(&g.key, &g.harness, &g.model, &g.requests, wide{&g.input}, wide{&g.output}, wide{&g.reasoning},
		wide{&g.cacheRead}, wide{&g.cacheWrite}, wide{&write1h}, amount{&g.cost}, &g.priced, &g.unpriced, &g.recorded, &g.last)
	g.cacheWrite = plus(g.cacheWrite, write1h)
	g.all = plus(plus(g.input, g.output), plus(g.cacheRead, g.cacheWrite))
	if g.model != "" {
		g.models = []string{g.model}
		if g.unpriced > 0 {
			g.unpricedModels = g.models
		}
	}
	return err
}

// add adds the sums of part to the row's.
func (g *usageGroup) add(part *usageGroup) {
	g.figures.add(&part.figures)
	g.last = max(g.last, part.last)
	if g.harness == "" {
		g.harness = part.harness
	}
}

// take adds a part, one for each harness and model: the hours of a block come apart.
func (g *usageGroup) take(part *usageGroup) {
	for _, p := range g.parts {
		if p.harness == part.harness && p.model == part.model {
			p.add(part)
			return
		}
	}
	g.parts = append(g.parts, part)
}

// row is the group as a row of the report.
func (g *usageGroup) row(u *usage, prompts *int64) UsageRow {
	row := UsageRow{by: u.q.By, Key: g.key, Numbers: g.numbers(prompts), Models: some(g.models)}
	if u.by.text != nil {
		row.Key = u.by.text(u, g.key)
	}
	if u.by.ofHarness {
		row.Harness = &g.harness
	}
	if u.q.Breakdown {
		row.Breakdown = []UsageRow{}
		for _, p := range g.parts {
			row.Breakdown = append(row.Breakdown, UsageRow{
				by: byBreakdown, Key: p.model, Harness: &p.harness, Numbers: p.numbers(nil), Models: some(p.models),
			})
		}
	}
	return row
}

// union is the sorted set of both lists.
func union(a, b []string) []string {
	if len(b) == 0 {
		return a
	}
	out := append(slices.Clone(a), b...)
	slices.Sort(out)
	return slices.Compact(out)
}

// plus adds two numbers; null only when both are. It stops at the largest number.
func plus(a, b *int64) *int64 {
	if a == nil || b == nil {
		if a == nil {
			return b
		}
		return a
	}
	sum := *a + *b
	if *a > 0 && *b > 0 && sum < 0 {
		sum = math.MaxInt64
	}
	return &sum
}

// wide scans a BIGINT or HUGEINT into a number that stops at the largest one.
type wide struct{ at **int64 }

func (w wide) Scan(v any) error {
	switch n := v.(type) {
	case nil:
		*w.at = nil
	case int32:
		m := int64(n)
		*w.at = &m
	case int64:
		*w.at = &n
	case *big.Int:
		m := int64(math.MaxInt64)
		if n.IsInt64() {
			m = n.Int64()
		} else if n.Sign() < 0 {
			m = math.MinInt64
		}
		*w.at = &m
	default:
		return fmt.Errorf("%v is no number", v)
	}
	return nil
}
