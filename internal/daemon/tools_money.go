package daemon

import (
	"context"
	"fmt"

	"meterbridge"
)

type budgetIn struct {
	Budget    string `json:"budget"`
	Window    string `json:"window"`
	MaxUSD    string `json:"maxUsd"`
	MaxTokens *int64 `json:"maxTokens"`
	Harness   string `json:"harness"`
	Project   string `json:"project"`
	Model     string `json:"model"`
	Timezone  string `json:"timezone"`
	WeekStart string `json:"weekStart"`
}

func (t *meterTools) budget(ctx context.Context, m *Meter, in budgetIn) (toolReply, error) {
	p, err := periodIn{Timezone: in.Timezone, WeekStart: in.WeekStart}.resolve(m)
	if err != nil {
		return toolReply{}, err
	}
	q := BudgetQuery{Name: in.Budget, Zone: p.Zone, WeekStart: p.WeekStart}
	scoped := in.Harness != "" || in.Project != "" || in.Model != ""
	switch limited := in.MaxUSD != "" || in.MaxTokens != nil; {
	case in.Window != "" || limited || scoped:
		if in.Budget != "" || in.Window == "" || !limited {
			return toolReply{}, invalid("a stated budget needs window and maxUsd or maxTokens, and no budget; a budget of the settings needs budget alone, or nothing for all")
		}
		if err := isHarness(in.Harness); err != nil {
			return toolReply{}, err
		}
		most := int64(-1)
		if in.MaxTokens != nil {
			most = *in.MaxTokens
		}
		f := Filter{Harness: in.Harness, Project: in.Project, Model: in.Model}
		if q.Stated, err = StateBudget(in.MaxUSD, most, in.Window, f); err != nil {
			return toolReply{}, invalid("%v", err)
		}
	}
	r, err := m.Budgets(ctx, q)
	if err != nil {
		return toolReply{}, err
	}
	reached := 0
	for _, b := range r.Rows {
		if b.Reached {
			reached++
		}
	}
	text := fmt.Sprintf("%d budgets, %d of them reached; %d limits of providers.", len(r.Rows), reached, len(r.Limits))
	if len(r.Rows) == 0 {
		text = fmt.Sprintf("The user has set no budget; %d limits of providers.", len(r.Limits))
	}
	return whole(r, text), nil
}

type pricingIn struct {
	Model        string `json:"model"`
	Provider     string `json:"provider"`
	At           string `json:"at"`
	Input        *int64 `json:"input"`
	Output       *int64 `json:"output"`
	CacheRead    *int64 `json:"cacheRead"`
	CacheWrite5m *int64 `json:"cacheWrite5m"`
	CacheWrite1h *int64 `json:"cacheWrite1h"`
	WebSearches  *int64 `json:"webSearches"`
	Speed        string `json:"speed"`
	ServiceTier  string `json:"serviceTier"`
}

// ofPrices tells whether the question is of the price table alone, so that no log
// need be read.
func (p pricingIn) ofPrices() bool { return p.Model != "" }

// counts tells whether any count is given.
func (p *pricingIn) counts() bool {
	for _, n := range []*int64{p.Input, p.Output, p.CacheRead, p.CacheWrite5m, p.CacheWrite1h, p.WebSearches} {
		if n != nil {
			return true
		}
	}
	return false
}

func (t *meterTools) pricing(ctx context.Context, m *Meter, in pricingIn) (toolReply, error) {
	switch {
	case in.Model == "" && in != pricingIn{}:
		return toolReply{}, invalid("give model, or nothing for the models without a price")
	case in.Model == "":
		return t.unpriced(ctx, m)
	case in.counts():
		return t.cost(m, in)
	}
	zone := m.Period().Zone
	at, err := meterbridge.Instant(in.At, zone)
	if err != nil {
		return toolReply{}, err
	}
	if at.IsZero() {
		at = m.opts.Now()
	}
	r := m.prices.now().Show(in.Model, in.Provider, at)
	text := fmt.Sprintf("%d prices of %s.", len(r.Rows), in.Model)
	if r.Reason != nil {
		text = fmt.Sprintf("No price of %s: %s.", in.Model, *r.Reason)
	}
	return whole(r, text), nil
}

// missing is the answer of `pricing missing`.
type missing struct {
	SchemaVersion int            `json:"schemaVersion"`
	Rows          []UnpricedName `json:"rows"`
}

func (t *meterTools) unpriced(ctx context.Context, m *Meter) (toolReply, error) {
	rows, err := m.Unpriced(ctx, m.Period().Zone)
	if err != nil {
		return toolReply{}, err
	}
	return toolReply{
		most: rowsShown, text: fmt.Sprintf("%d models in use have no price.", len(rows)),
		build: func(most int) (any, leftOut) {
			var left leftOut
			return missing{1, first(&left, "models", rows, most)}, left
		},
	}, nil
}

func (t *meterTools) cost(m *Meter, in pricingIn) (toolReply, error) {
	or0 := func(n *int64) int64 {
		if n == nil {
			return 0
		}
		return *n
	}
	r, err := m.prices.now().Cost([]GivenRequest{{
		Provider: in.Provider, Model: in.Model, At: in.At, Speed: in.Speed, ServiceTier: in.ServiceTier,
		Input: or0(in.Input), Output: or0(in.Output), CacheRead: or0(in.CacheRead),
		CacheWrite5m: or0(in.CacheWrite5m), CacheWrite1h: or0(in.CacheWrite1h), WebSearches: or0(in.WebSearches),
	}}, "auto")
	if err != nil {
		return toolReply{}, invalid("%v", err)
	}
	return whole(r, fmt.Sprintf("These tokens cost %s.", usd(r.CostMicroUSD, r.CostPartial))), nil
}
