package analytics

import (
	"context"
	"encoding/json"
	"fmt"
)

// CellSums are what a proof remembers of a harness on a machine in a month.
type CellSums struct {
	Requests    int64  `json:"requests"`
	TotalTokens int64  `json:"totalTokens"`
	CostPicoUSD string `json:"costPicoUsd"`
}

// monthsKey is where the ledger keeps them.
const monthsKey = "month_sums"

// tolerated is by how many percent a month may fall without a warning: the
// finished record of a request may be a little smaller than an early one.
const tolerated = 2.0

// compareMonths warns of months that lie below what an earlier proof saw (the
// ledger's past never shrinks) and remembers the highest sums.
func (l *Ledger) compareMonths(ctx context.Context, r *ReconcileReport, accept bool) error {
	l.write.Lock()
	defer l.write.Unlock()
	stored, err := l.meta(ctx, monthsKey)
	if err != nil {
		return fmt.Errorf("read the sums of months: %w", err)
	}
	seen := map[string]CellSums{}
	if stored != "" {
		if err := json.Unmarshal([]byte(stored), &seen); err != nil {
			r.Warnings = append(r.Warnings, "the remembered sums of months cannot be read and begin anew")
		}
	}
	keep := r.held(seen, accept)
	now, err := json.Marshal(keep)
	if err != nil {
		return fmt.Errorf("remember the sums of months: %w", err)
	}
	if string(now) == stored {
		return nil
	}
	return l.transact(ctx, func() error { return l.setMeta(ctx, monthsKey, string(now)) })
}

// held compares the cells with what was seen and returns what is to be
// remembered. A month without any row left is compared too.
func (r *ReconcileReport) held(seen map[string]CellSums, accept bool) map[string]CellSums {
	keep := map[string]CellSums{}
	for i := range r.Cells {
		c := &r.Cells[i]
		key := c.key()
		keep[key] = c.sums()
		was, ok := seen[key]
		if !ok {
			continue
		}
		c.Was = &was
		if !accept {
			keep[key] = higher(was, keep[key])
			r.warn(c)
		}
	}
	for key, was := range seen {
		if _, ok := keep[key]; ok || accept {
			continue
		}
		var c Cell
		c.named(key)
		c.Was, c.CostPicoUSD, c.RecordedPicoUSD, c.ListPicoUSD, keep[key] = &was, "0", "0", "0", was
		r.warn(&c)
		r.Cells = append(r.Cells, c)
	}
	return keep
}

func (r *ReconcileReport) warn(c *Cell) {
	now := c.sums()
	c.FellPercent = max(fell(c.Was.TotalTokens, now.TotalTokens), fell(c.Was.Requests, now.Requests))
	if c.FellPercent > tolerated {
		machine := "this machine"
		if c.Machine != nil {
			machine = *c.Machine
		}
		r.Warnings = append(r.Warnings, fmt.Sprintf("%s on %s: %s fell by %.1f %% (requests %d, were %d; tokens %d, were %d)",
			c.Harness, machine, c.Month, c.FellPercent, now.Requests, c.Was.Requests, now.TotalTokens, c.Was.TotalTokens))
	}
}

// fell is by how many percent now lies below was.
func fell(was, now int64) float64 {
	if was <= 0 || now >= was {
		return 0
	}
	return 100 * float64(was-now) / float64(was)
}

func (c *Cell) sums() CellSums {
	return CellSums{
		Requests: c.Requests, TotalTokens: c.InputTokens + c.OutputTokens + c.CacheReadTokens + c.CacheWriteTokens, CostPicoUSD: c.CostPicoUSD,
	}
}

// key names the cell; the parts are JSON, for a machine's name may hold anything.
func (c *Cell) key() string {
	machine := ""
	if c.Machine != nil {
		machine = *c.Machine
	}
	b, _ := json.Marshal([3]string{c.Harness, machine, c.Month})
	return string(b)
}

func (c *Cell) named(key string) {
	var parts [3]string
	if json.Unmarshal([]byte(key), &parts) == nil {
		c.Harness, c.Machine, c.Month = parts[0], given(parts[1]), parts[2]
	}
}

// higher takes the larger of each sum.
func higher(a, b CellSums) CellSums {
	out := CellSums{Requests: max(a.Requests, b.Requests), TotalTokens: max(a.TotalTokens, b.TotalTokens), CostPicoUSD: b.CostPicoUSD}
	return out
}
