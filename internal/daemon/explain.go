package daemon

import (
	"context"
	"time"

	"meterbridge/analytics"
	"meterbridge/scanner"
)

type (
	// ExplainReport lists every usage record behind a number.
	ExplainReport = analytics.ExplainReport
	// ExplainRecord is one of them.
	ExplainRecord = analytics.ExplainRecord
	// ReconcileOptions of a proof.
	ReconcileOptions = analytics.ReconcileOptions
	// ReconcileReport proves that all reports agree.
	ReconcileReport = analytics.ReconcileReport
)

// Explain reads the sources behind a session's or a day's numbers again and
// says of each record what became of it. what is an id, a unique beginning of
// one, or a day in the zone.
func (m *Meter) Explain(ctx context.Context, what string, zone *time.Location) (ExplainReport, error) {
	rows, err := m.ledger.ExplainRows(ctx, what, zone)
	if err != nil {
		return ExplainReport{}, answerFault(err)
	}
	s, err := m.newScanner(nil)
	if err != nil {
		return ExplainReport{}, err
	}
	var sources []scanner.Source
	for _, src := range rows.Sources {
		if src.Harness == telemetrySource {
			continue // it was told, and left no log
		}
		sources = append(sources, scanner.Source{Harness: src.Harness, Path: src.Path})
	}
	var traces []analytics.SourceTrace
	err = s.Trace(ctx, sources, func(t scanner.Traced) error {
		traces = append(traces, analytics.SourceTrace{Harness: t.Harness, Path: t.Path, Traces: t.Batch.Traces, Err: t.Err})
		return nil
	})
	if err != nil {
		return ExplainReport{}, err
	}
	return analytics.JoinExplain(rows, traces), nil
}

// Reconcile proves that all reports agree.
func (m *Meter) Reconcile(ctx context.Context, o ReconcileOptions) (ReconcileReport, error) {
	r, err := m.ledger.Reconcile(ctx, o)
	return r, answerFault(err)
}
