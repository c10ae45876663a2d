package daemon

import (
	"log/slog"
	"time"

	"meterbridge/scanner"
)

// LiveOptions are what the daemon may choose of live watching; the zero value is
// valid.
type LiveOptions struct {
	// Committed is told after each commit what was in it; it must not block.
	Committed func(scanner.Committed)
	// Commit is told how long each commit took; nil for nobody.
	Commit func(time.Duration)
	// Progress hears how far a scan of everything is; nil for nobody.
	Progress Progress
	// Log is told of what went wrong; nil for nobody.
	Log *slog.Logger
}

// Live returns a scanner that keeps the ledger up to date while its Run runs.
// Beside it nothing else may scan: those who need everything on disk ask its
// Refresh.
func (m *Meter) Live(o LiveOptions) (*scanner.Live, error) {
	var sink scanner.Sink = m.ledger
	if o.Commit != nil {
		sink = timed{m.ledger, o.Commit}
	}
	l, err := scanner.NewLive(sink, m.scannerOptions(o.Progress), scanner.LiveOptions{Keeper: m.ledger, Committed: o.Committed, Log: o.Log})
	return l, scannerFault(err)
}
