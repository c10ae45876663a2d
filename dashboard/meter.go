// Package dashboard says what the faces of the meter (the HTTP API, its events,
// the metrics, the pages) need of it, and the shapes that only they have. The
// rooms below it do the work: guard lets requests in, api answers them, events
// tells what changes. None of them may import anything of the project but the
// domain and analytics; internal/daemon hands them its meter and serves them.
package dashboard

import (
	"context"
	"time"

	"meterbridge"
	"meterbridge/analytics"
)

// Meter answers what is asked over HTTP; internal/daemon's is one. Its errors
// are those of analytics, wrapped or not.
type Meter interface {
	Reports
	Subjects
	Checks
	Installation
}

// Installation is how the meter stands, and what is installed beside it.
type Installation interface {
	State
	Extensions
	Calls
}

// Subjects are who spends: sessions, and the agents that they belong to.
type Subjects interface {
	SessionReader
	AgentReader
}

// Reports are questions over the whole ledger.
type Reports interface {
	Usage(ctx context.Context, q analytics.UsageQuery) (analytics.UsageReport, error)
	Sessions(ctx context.Context, f analytics.SessionFilter) (analytics.SessionList, error)
	// Unpriced lists the models without a price, their days in the zone.
	Unpriced(ctx context.Context, zone *time.Location) ([]analytics.UnpricedName, error)
	// ShowPrice says what a model costs at a time; an empty provider lists all that sell it.
	ShowPrice(model, provider string, at time.Time) analytics.ModelPrices
}

// SessionReader answers about one session, by its id or a unique beginning of
// one. Zero times are no bounds.
type SessionReader interface {
	Session(ctx context.Context, id string, since, until time.Time) (analytics.SessionAnswer, error)
	Window(ctx context.Context, id string, since, until time.Time) (analytics.WindowUsage, error)
	Timeline(ctx context.Context, id string, since, until time.Time) (analytics.Timeline, error)
	// Explain also takes a day in the zone.
	Explain(ctx context.Context, what string, zone *time.Location) (analytics.ExplainReport, error)
}

// Checks tell whether all is well: with what is spent, and with what is read.
type Checks interface {
	// BudgetStates tells how the budgets of the settings stand.
	BudgetStates(ctx context.Context, zone *time.Location, weekStart time.Weekday) (BudgetList, error)
	// Doctor tells of the ledger, its places and what could not be read; its days are in the zone.
	Doctor(ctx context.Context, zone *time.Location) (analytics.DoctorReport, error)
}

// State is how the meter stands.
type State interface {
	Harnesses(ctx context.Context) (HarnessList, error)
	// Health never waits for the ledger.
	Health() Health
	// Period has the zone and the week of reports, and no bounds.
	Period() meterbridge.Period
	// Revision rises with every change of the ledger.
	Revision() uint64
}
