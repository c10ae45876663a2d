package analytics

import (
	"meterbridge"
)

// price is the list price of r and its key, null and empty without a table.
func (l *Ledger) price(r *meterbridge.Request) (meterbridge.NullPico, string) {
	if l.opts.Prices == nil {
		return meterbridge.NullPico{}, ""
	}
	p := l.opts.Prices.Price(r, l.opts.DefaultProvider(r.Harness))
	return p.List, p.Key
}

// priceVersion names the table that prices rows.
func (l *Ledger) priceVersion() string {
	if l.opts.Prices == nil {
		return ""
	}
	return l.opts.Prices.Version()
}
