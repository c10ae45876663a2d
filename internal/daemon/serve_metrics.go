package daemon

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"time"

	"meterbridge"
	"meterbridge/analytics"
	"meterbridge/dashboard/metrics"
)

// metricSource shows a running daemon to its metrics.
type metricSource struct {
	meter *Meter
	// sessions counts the sessions of MCP, extensions tells their states; nil for none.
	sessions   func() int
	extensions func() map[string]string
}

// Counters implements metrics.Source.
func (s metricSource) Counters(ctx context.Context, byProject bool) (analytics.Counters, error) {
	return s.meter.ledger.Counters(ctx, byProject)
}

// Revision implements metrics.Source.
func (s metricSource) Revision() uint64 { return s.meter.ledger.Revision() }

// State implements metrics.Source.
func (s metricSource) State() metrics.State {
	live := s.meter.live.State()
	prices := s.meter.prices.now().table
	out := metrics.State{
		Ready: live.Ready, Files: map[string]int{}, Problems: map[string]map[string]int64{}, Lag: live.Lag,
		StoreBytes: s.meter.ledgerBytes(), PriceTable: prices.Version(), PriceDate: prices.AsOf(),
		PriceFailures: s.meter.prices.failures.Load(),
	}
	for _, h := range live.Harnesses {
		out.Files[h.Harness], out.Problems[h.Harness] = h.Files, h.Problems
		out.BytesRead += h.BytesRead
	}
	if s.sessions != nil {
		out.MCPSessions = s.sessions()
	}
	if s.meter.fleet != nil {
		out.Agents = s.meter.fleet.Counts()
	}
	if room := s.meter.prompting; room != nil {
		out.Waiting, out.Delivered = room.Waiting(), room.Delivered()
	}
	if s.extensions != nil {
		out.Extensions = s.extensions()
	}
	return out
}

// Budgets implements metrics.Source.
func (s metricSource) Budgets(ctx context.Context) ([]metrics.Budget, error) {
	list, err := s.meter.Budgets(ctx, BudgetQuery{Zone: s.meter.zone, WeekStart: s.meter.week})
	out := make([]metrics.Budget, len(list.Rows))
	for i, b := range list.Rows {
		out[i] = metrics.Budget{Name: b.Name, Window: b.Window, UsedRatio: b.UsedRatio}
	}
	return out, err
}

// shownFile keeps what metrics showed over a restart.
type shownFile string

// Load implements metrics.Floor.
func (f shownFile) Load() (map[string]float64, error) {
	text, err := os.ReadFile(string(f))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("read what metrics showed: %w", err)
	}
	values := map[string]float64{}
	if err := json.Unmarshal(text, &values); err != nil {
		return nil, fmt.Errorf("read what metrics showed in %s: %w", string(f), err)
	}
	return values, nil
}

// Save implements metrics.Floor.
func (f shownFile) Save(values map[string]float64) error {
	text, err := json.Marshal(values)
	if err == nil {
		err = replaceFile(string(f), text)
	}
	if err != nil {
		return fmt.Errorf("keep what metrics showed: %w", err)
	}
	return nil
}

// timed is the ledger as the scanner's sink, telling how long commits take.
type timed struct {
	*analytics.Ledger
	took func(time.Duration)
}

// Commit implements scanner.Sink.
func (t timed) Commit(ctx context.Context, units []meterbridge.Unit) error {
	begun := time.Now()
	err := t.Ledger.Commit(ctx, units)
	t.took(time.Since(begun))
	return err
}
