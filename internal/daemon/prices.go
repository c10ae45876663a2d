package daemon

import (
	"context"
	"errors"
	"fmt"
	"time"

	"meterbridge/internal/config"
	"meterbridge/internal/pricefile"
	"meterbridge/pricing"
)

// Questions and answers of the price table.
type (
	// GivenRequest is a request whose tokens are stated, not read from a log.
	GivenRequest = pricing.GivenRequest
	// CostAnswer is what given requests cost.
	CostAnswer = pricing.CostAnswer
	// ShowAnswer is what a model costs.
	ShowAnswer = pricing.ShowAnswer
	// ShownPart is the price of a tier, a mode or a window.
	ShownPart = pricing.ShownPart
	// UpdateOptions say where a new table comes from.
	UpdateOptions = pricing.UpdateOptions
	// UpdateReport says what an update did.
	UpdateReport = pricing.UpdateReport
	// RollbackReport says which table a rollback returned to.
	RollbackReport = pricing.RollbackReport
	// PriceExplanation shows each factor of a price.
	PriceExplanation = pricing.Explanation
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
	// user is the content of the user's file, nil without one.
	user []byte
	// refused: the user's file cannot be used, and the table is not of it.
	refused bool
}

// OpenPrices reads the installed table and the user's overrides, else the
// embedded table. A pricing.toml that cannot be used is a *Fault: the answers are
// about prices alone.
func OpenPrices(o Options) (*Prices, error) {
	paths := o.places()
	c, err := config.Load(paths.Settings(), o.Home)
	if err != nil {
		return nil, settingsFault(err)
	}
	p, err := loadPrices(paths, c, o.Now)
	if err != nil {
		return nil, &Fault{Err: fmt.Errorf("prices: %w", err), Hint: "docs/guide.md, section Prices, has an example of pricing.toml"}
	}
	return p, nil
}

// loadPrices reads the price table. The error is about the user's file, which is
// refused as a whole; the prices beside it are good and lack what it says.
func loadPrices(paths config.Paths, c config.Config, now func() time.Time) (*Prices, error) {
	p := &Prices{url: c.Pricing.URL, now: now}
	p.files = pricing.Files{Dir: paths.Data, User: paths.PriceOverrides(), ParseUser: func(content []byte) (pricing.User, error) {
		p.user = content
		return pricefile.Parse(content)
	}}
	table, warnings, err := pricing.Load(p.files)
	p.table = table
	for _, w := range warnings {
		p.warn = append(p.warn, fmt.Sprintf("%s: %v", w.File, w.Err))
	}
	return p, err
}

// Warnings are sentences that the user should see once.
func (p *Prices) Warnings() []string { return p.warn }

// Cost prices given requests; cost is "auto", "recorded" or "list".
func (p *Prices) Cost(requests []GivenRequest, cost string) (CostAnswer, error) {
	return p.table.CostOf(requests, pricing.Choice(cost), "", p.now())
}

// Show says what a model costs at a time; an empty provider lists all that sell it.
func (p *Prices) Show(model, provider string, at time.Time) ShowAnswer {
	return p.table.Show(model, provider, at, p.now())
}

// Update installs a newer table, all or nothing.
func (p *Prices) Update(ctx context.Context, o UpdateOptions) (UpdateReport, error) {
	if o.From == "" {
		o.From = p.url
	}
	o.Now = p.now()
	r, err := pricing.Update(ctx, p.files, o)
	if errors.Is(err, pricing.ErrNoSource) {
		return r, &Fault{Err: err, Hint: "--from names an https address, a file or embedded; [pricing] url in config.toml does so for good"}
	}
	return r, err
}

// Rollback goes back to the table before the last update.
func (p *Prices) Rollback() (RollbackReport, error) {
	r, err := pricing.Rollback(p.files)
	if errors.Is(err, pricing.ErrNoPrevious) {
		return r, &Fault{Err: err, Hint: "`meterbridge pricing update --from embedded` installs the table inside the program", Nothing: true}
	}
	return r, err
}

// ExplainPrice shows each factor of the price of one request of the ledger.
func (m *Meter) ExplainPrice(ctx context.Context, id string) (PriceExplanation, error) {
	r, err := m.ledger.Request(ctx, id)
	if err != nil {
		return PriceExplanation{}, answerFault(err)
	}
	return m.prices.now().table.Explain(&r, m.defaultProvider(r.Harness)), nil
}
