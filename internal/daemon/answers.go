package daemon

import (
	"context"
	"time"

	"meterbridge/analytics"
	"meterbridge/scanner"
)

// The questions and answers that commands print, under the names of the
// packages that give them.
type (
	// UsageQuery asks for one usage report.
	UsageQuery = analytics.UsageQuery
	// Filter narrows a report.
	Filter = analytics.Filter
	// CostMode chooses which cost a report sums.
	CostMode = analytics.CostMode
	// UsageReport is the answer of `usage`.
	UsageReport = analytics.UsageReport
	// UsageRow is one of its rows.
	UsageRow = analytics.UsageRow
	// Numbers are the figures of a row.
	Numbers = analytics.Numbers
	// SessionFilter narrows the list of sessions.
	SessionFilter = analytics.SessionFilter
	// SessionList is the answer of `sessions`.
	SessionList = analytics.SessionList
	// SessionAnswer is one session in full.
	SessionAnswer = analytics.SessionAnswer
	// WindowUsage are the numbers of a session in a stretch of time.
	WindowUsage = analytics.WindowUsage
	// Timeline is what a session did over time.
	Timeline = analytics.Timeline
	// TimedRequest is one request of a timeline.
	TimedRequest = analytics.TimedRequest
	// SQLLimits bound a statement.
	SQLLimits = analytics.SQLLimits
	// SQLResult is the answer of `sql`.
	SQLResult = analytics.SQLResult
	// ExportQuery says what is exported and where to.
	ExportQuery = analytics.ExportQuery
	// ExportResult tells what was written.
	ExportResult = analytics.ExportResult
	// DoctorReport tells of sources, problems and the ledger's state.
	DoctorReport = analytics.DoctorReport
	// UnpricedName is a model without a price.
	UnpricedName = analytics.UnpricedName
	// CompareOptions of a comparison.
	CompareOptions = analytics.CompareOptions
	// CompareReport holds another tool's report against the ledger.
	CompareReport = analytics.CompareReport
	// CompareSums are one side's sums.
	CompareSums = analytics.CompareSums
	// Cause is why two figures differ.
	Cause = analytics.Cause
	// ScanResult counts what a scan did.
	ScanResult = scanner.Result
	// Progress hears how far a scan is.
	Progress = scanner.Progress
)

// Usage answers one usage report.
func (m *Meter) Usage(ctx context.Context, q UsageQuery) (UsageReport, error) {
	r, err := m.ledger.Usage(ctx, q)
	return r, answerFault(err)
}

// Sessions lists sessions.
func (m *Meter) Sessions(ctx context.Context, f SessionFilter) (SessionList, error) {
	r, err := m.ledger.Sessions(ctx, f)
	return r, answerFault(err)
}

// Session shows one session in full, in a stretch of time; zero times are no bounds.
func (m *Meter) Session(ctx context.Context, id string, since, until time.Time) (SessionAnswer, error) {
	r, err := m.ledger.Session(ctx, id, since, until)
	if err == nil && !usageReadable(r.Harness) {
		r.Usage.Unreadable()
	}
	return r, answerFault(err)
}

// Window is what a session spent and did in a stretch of time; zero times are no bounds.
func (m *Meter) Window(ctx context.Context, id string, since, until time.Time) (WindowUsage, error) {
	r, err := m.ledger.Window(ctx, id, since, until)
	if err == nil && !usageReadable(r.Harness) {
		r.Unreadable()
	}
	return r, answerFault(err)
}

// Timeline shows a session over time; zero times are no bounds.
func (m *Meter) Timeline(ctx context.Context, id string, since, until time.Time) (Timeline, error) {
	r, err := m.ledger.Timeline(ctx, id, since, until)
	r.UsageReadable = r.UsageReadable && usageReadable(r.Harness)
	return r, answerFault(err)
}

// SQL runs one read-only statement.
func (m *Meter) SQL(ctx context.Context, text string, limits SQLLimits) (SQLResult, error) {
	r, err := m.ledger.SQL(ctx, text, limits)
	return r, answerFault(err)
}

// Export writes a view or the answer of a SELECT to a file.
func (m *Meter) Export(ctx context.Context, q ExportQuery) (ExportResult, error) {
	r, err := m.ledger.Export(ctx, q)
	return r, answerFault(err)
}

// Doctor looks at sources, problems and the ledger's own state.
func (m *Meter) Doctor(ctx context.Context, zone *time.Location) (DoctorReport, error) {
	r, err := m.ledger.Doctor(ctx, zone)
	return r, answerFault(err)
}

// Unpriced lists the models that have no price, the most used first.
func (m *Meter) Unpriced(ctx context.Context, zone *time.Location) ([]UnpricedName, error) {
	r, err := m.ledger.Unpriced(ctx, zone)
	return r, answerFault(err)
}

// Compare holds a JSON report of ccusage against the ledger.
func (m *Meter) Compare(ctx context.Context, report []byte, o CompareOptions) (CompareReport, error) {
	r, err := m.ledger.Compare(ctx, report, o)
	return r, answerFault(err)
}
