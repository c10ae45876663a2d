package daemon

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

// priceDesk holds the prices in force: an immutable table, swapped as a whole
// while a daemon runs.
type priceDesk struct {
	inForce atomic.Pointer[Prices]
	// failures counts tables and overrides that were refused since the start.
	failures atomic.Int64
}

func newPriceDesk(p *Prices) *priceDesk {
	d := &priceDesk{}
	d.inForce.Store(p)
	return d
}

func (d *priceDesk) now() *Prices { return d.inForce.Load() }

// priceLook is how often the files of prices are looked at.
const priceLook = 2 * time.Second

// priceWatch takes up changes of the price table and of pricing.toml, and fetches
// a newer table where the settings ask for it.
type priceWatch struct {
	meter *Meter
	log   *slog.Logger
	// changed is told of a table that has come into force.
	changed func(version string)
	// files are those of prices as they were last seen.
	files string
	// fetched is when a table was last fetched, or tried.
	fetched time.Time
}

// start looks until stop is called, which waits for the end.
func (w *priceWatch) start(ctx context.Context) (stop func()) {
	ctx, cancel := context.WithCancel(ctx)
	var wg sync.WaitGroup
	wg.Go(func() { w.run(ctx) })
	return func() {
		cancel()
		wg.Wait()
	}
}

// run looks until ctx ends.
func (w *priceWatch) run(ctx context.Context) {
	w.files, w.fetched = w.seen(), w.meter.prices.now().installedAt()
	tick := time.NewTicker(priceLook)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
			w.fetch(ctx)
			w.look(ctx)
		}
	}
}

// seen tells the files of prices apart from what they were.
func (w *priceWatch) seen() string {
	text := ""
	for _, path := range []string{filepath.Join(w.meter.paths.Data, "prices.json"), w.meter.paths.PriceOverrides()} {
		if info, err := os.Stat(path); err == nil {
			text += fmt.Sprintf("%s %d %d\n", path, info.Size(), info.ModTime().UnixNano())
		}
	}
	return text
}

// look takes the prices of files that have changed into force. Prices that
// cannot be used leave those in force as they are until the files change again;
// where the ledger cannot be priced by them now, the next look tries again.
func (w *priceWatch) look(ctx context.Context) {
	files := w.seen()
	if files == w.files {
		return
	}
	next, err := w.meter.readPrices()
	if err != nil {
		w.files = files
		w.meter.prices.failures.Add(1)
		w.log.WarnContext(ctx, "the prices in force stay", slog.Any("error", err))
		return
	}
	if err := w.meter.ledger.Reprice(ctx, next.table); err != nil {
		w.log.WarnContext(ctx, "the ledger is not priced anew yet", slog.Any("error", err))
		return
	}
	w.files = files
	next.keepUser(w.meter.paths)
	w.meter.prices.inForce.Store(next)
	version := next.table.Version()
	w.log.InfoContext(ctx, "prices in force", slog.String("table", version))
	w.changed(version)
}

// readPrices reads the prices on disk, if they can be used as a whole: a table
// that cannot be read would be replaced by the embedded one.
func (m *Meter) readPrices() (*Prices, error) {
	next, err := loadPrices(m.paths, m.config, m.opts.Now)
	if err == nil && len(next.warn) > 0 {
		err = errors.New(strings.Join(next.warn, "; "))
	}
	return next, err
}

// fetch fetches a newer table where it is time for that. look finds it.
func (w *priceWatch) fetch(ctx context.Context) {
	every, err := w.meter.config.Pricing.UpdateEvery()
	now := w.meter.opts.Now()
	if err != nil || every == 0 || now.Sub(w.fetched) < every {
		return
	}
	w.fetched = now
	report, err := w.meter.prices.now().Update(ctx, UpdateOptions{})
	if err != nil {
		w.meter.prices.failures.Add(1)
		w.log.WarnContext(ctx, "no newer price table", slog.Any("error", err))
		return
	}
	w.log.InfoContext(ctx, "price table fetched", slog.String("before", report.Before), slog.String("after", report.After))
}

// installedAt is when the installed table was fetched; zero for the embedded one.
func (p *Prices) installedAt() time.Time {
	info, err := os.Stat(filepath.Join(p.files.Dir, "prices.json"))
	if err != nil {
		return time.Time{}
	}
	return info.ModTime()
}
