package daemon

import (
	"context"
	"net/http"
	"os"
	"time"

	"meterbridge"
	"meterbridge/analytics"
	"meterbridge/dashboard"
	"meterbridge/dashboard/api"
)

// A Meter answers over HTTP as it does for the commands.
var _ dashboard.Meter = (*Meter)(nil)

// ShowPrice says what a model costs at a time; an empty provider lists all that sell it.
func (m *Meter) ShowPrice(model, provider string, at time.Time) analytics.ModelPrices {
	return m.prices.now().Show(model, provider, at)
}

// BudgetStates tells how the budgets of the settings stand now.
func (m *Meter) BudgetStates(ctx context.Context, zone *time.Location, weekStart time.Weekday) (dashboard.BudgetList, error) {
	return m.Budgets(ctx, BudgetQuery{Zone: zone, WeekStart: weekStart})
}

// Period has the zone and the week of reports, and no bounds.
func (m *Meter) Period() meterbridge.Period {
	return meterbridge.Period{Zone: m.zone, WeekStart: m.week}
}

// Revision rises with every change of the ledger.
func (m *Meter) Revision() uint64 { return m.ledger.Revision() }

// Health says how the meter stands; it never waits for the ledger.
func (m *Meter) Health() dashboard.Health {
	h := dashboard.Health{
		SchemaVersion: analytics.SchemaVersion, Status: dashboard.StatusStarting, Version: m.opts.Version, StartedAt: m.opened.UTC(),
		Revision: m.ledger.Revision(), Scan: m.scanState(), Warnings: listed(m.Warnings()),
	}
	if h.Scan.Complete {
		h.Status = dashboard.StatusOK
	}
	h.LedgerBytes = m.ledgerBytes()
	return h
}

// ledgerBytes is the size of the ledger's file and of its write-ahead log.
func (m *Meter) ledgerBytes() int64 {
	size := int64(0)
	for _, path := range []string{m.paths.Ledger(), m.paths.Ledger() + ".wal"} {
		if info, err := os.Stat(path); err == nil {
			size += info.Size()
		}
	}
	return size
}

// API answers /api/v1 and the probes; put it behind a guard. Unless o says
// otherwise, version, harnesses and clock are the meter's own.
func (m *Meter) API(o api.Options) http.Handler {
	if o.Version == "" {
		o.Version = m.opts.Version
	}
	if o.Harnesses == nil {
		o.Harnesses = HarnessIDs()
	}
	if o.Now == nil {
		o.Now = m.opts.Now
	}
	return api.New(m, o)
}
