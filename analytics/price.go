package analytics

import (
	"meterbridge"
	"meterbridge/pricing"
)

// price is the list price of r and its key, null and empty without a table.
func (l *Ledger) price(r *meterbridge.Request) (meterbridge.NullPico, string) {
	if l.opts.Prices == nil {
		return meterbridge.NullPico{}, ""
	}
	p := l.opts.Prices.Price(r, l.provider(r.Harness))
	return p.List, p.Key
}

// provider is the default provider of a harness, asked for once.
func (l *Ledger) provider(harness string) string {
	p, known := l.providers[harness]
	if !known {
		p = l.opts.DefaultProvider(harness)
		l.providers[harness] = p
	}
	return p
}

// priceVersion names the table that prices rows.
func (l *Ledger) priceVersion() string {
	if l.opts.Prices == nil {
		return ""
	}
	return l.opts.Prices.Version()
}

// ModelPrices is what a model costs, for those who may not import pricing.
type ModelPrices = pricing.ShowAnswer
