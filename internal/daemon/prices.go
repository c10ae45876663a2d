package daemon

import (
	"fmt"
	"time"

	"meterbridge/internal/config"
	"meterbridge/pricing"
)

// Questions and answers of the price table.
type (
	// GivenRequest is a request whose tokens are stated, not read from a log.
	GivenRequest = pricing.GivenRequest
	// CostAnswer is what given requests cost.
	CostAnswer = pricing.CostAnswer
)

// ReadRequests reads {"requests":[...]}.
func ReadRequests(data []byte) ([]GivenRequest, error) { return pricing.ReadRequests(data) }

// Prices is the price table of an installation, without its ledger.
type Prices struct {
	table *pricing.Table
	files pricing.Files
	url   string
	now   func() time.Time
	warn  []string
}

// OpenPrices reads the installed table and the user's overrides, else the
// embedded table.
func OpenPrices(o Options) (*Prices, error) {
	paths := config.Locate(o.Getenv)
	if o.Paths != nil {
		paths = *o.Paths
	}
	c, err := config.Load(paths.Settings(), o.Home)
	if err != nil {
		return nil, settingsFault(err)
	}
	return loadPrices(paths, c, o.Now)
}

func loadPrices(paths config.Paths, c config.Config, now func() time.Time) (*Prices, error) {
	p := &Prices{files: pricing.Files{Dir: paths.Data, User: paths.PriceOverrides()}, url: c.Pricing.URL, now: now}
	table, warnings, err := pricing.Load(p.files)
	if err != nil {
		return nil, &Fault{Err: fmt.Errorf("prices: %w", err), Hint: "docs/guide.md, section Prices, has an example of pricing.toml"}
	}
	p.table = table
	for _, w := range warnings {
		p.warn = append(p.warn, fmt.Sprintf("%s: %v", w.File, w.Err))
	}
	return p, nil
}

// Warnings are sentences that the user should see once.
func (p *Prices) Warnings() []string { return p.warn }

// Cost prices given requests; cost is "auto", "recorded" or "list".
func (p *Prices) Cost(requests []GivenRequest, cost string) (CostAnswer, error) {
	return p.table.CostOf(requests, pricing.Choice(cost), "", p.now())
}
