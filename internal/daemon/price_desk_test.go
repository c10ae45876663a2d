package daemon

import (
	"context"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

const override = `[[override]]
provider = "anthropic"
model = "claude-opus-4-5-20251101"
from = 2025-01-01
input = "1000"
output = "1000"
cache_read = "0"
cache_write_5m = "0"
cache_write_1h = "0"
`

// Overrides that appear while the daemon runs price the ledger anew; overrides
// that cannot be read leave the prices as they are, are counted, and are taken up
// once they are mended.
func TestPriceWatch_TakesUpChanges(t *testing.T) {
	m, err := OpenDemo(t.Context(), Options{Getenv: func(string) string { return "" }, OS: "linux", Now: time.Now})
	if err != nil {
		t.Fatal(err)
	}
	defer m.Close()
	if _, err := m.Scan(t.Context(), nil); err != nil {
		t.Fatal(err)
	}
	var told []string
	w := &priceWatch{meter: m, log: slog.New(slog.DiscardHandler), changed: func(v string) { told = append(told, v) }}
	w.files = w.seen()
	cost := func() int64 {
		t.Helper()
		r, err := m.Usage(t.Context(), UsageQuery{By: "model", Filter: Filter{Model: "claude-opus-4-5-20251101"}})
		if err != nil || r.Totals.CostMicroUSD == nil {
			t.Fatalf("no cost: %v", err)
		}
		return *r.Totals.CostMicroUSD
	}
	put := func(text string) {
		t.Helper()
		if err := os.MkdirAll(filepath.Dir(m.paths.PriceOverrides()), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(m.paths.PriceOverrides(), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		w.look(t.Context())
	}
	before := cost()
	if w.look(t.Context()); len(told) != 0 {
		t.Error("a change was told though there was none")
	}
	put("this is no TOML")
	if cost() != before || m.prices.failures.Load() != 1 || len(told) != 0 {
		t.Errorf("with a bad file: cost %d of %d, %d failures, told %v", cost(), before, m.prices.failures.Load(), told)
	}
	// Three requests at standard speed: 52 input and 183 output tokens for 1000 USD
	// a million.
	const overridden = (52 + 183) * 1000
	put(override)
	if cost() != overridden || len(told) != 1 || told[0] != m.prices.now().table.Version() {
		t.Errorf("with an override: cost %d, want %d; told %v", cost(), overridden, told)
	}
	// A ledger that cannot be priced now is priced at the next look.
	ended, end := context.WithCancel(t.Context())
	end()
	if err := os.WriteFile(m.paths.PriceOverrides(), []byte(strings.ReplaceAll(override, "1000", "2000")), 0o600); err != nil {
		t.Fatal(err)
	}
	if w.look(ended); len(told) != 1 || cost() != overridden {
		t.Errorf("while the ledger cannot be priced: cost %d, told %v", cost(), told)
	}
	if w.look(t.Context()); len(told) != 2 || cost() != 2*overridden {
		t.Errorf("at the next look: cost %d, want %d; told %v", cost(), 2*overridden, told)
	}
	put(override)
	if len(told) != 3 || cost() != overridden {
		t.Errorf("with the override as it was: cost %d, told %v", cost(), told)
	}
	put("this is no TOML either")
	if cost() != overridden || m.prices.failures.Load() != 2 {
		t.Errorf("with a bad file again: cost %d, %d failures", cost(), m.prices.failures.Load())
	}
	if err := os.WriteFile(filepath.Join(m.paths.Data, "prices.json"), []byte("{}"), 0o600); err != nil {
		t.Fatal(err)
	}
	if w.look(t.Context()); m.prices.failures.Load() != 3 || len(told) != 3 || cost() != overridden {
		t.Errorf("with a bad table: cost %d, %d failures, told %v", cost(), m.prices.failures.Load(), told)
	}
}

// A table is fetched when it is time for that and not before; one that cannot be
// had is tried again only after as long.
func TestPriceWatch_FetchesInItsTime(t *testing.T) {
	now := time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC)
	m, err := OpenDemo(t.Context(), Options{Getenv: func(string) string { return "" }, OS: "linux", Now: func() time.Time { return now }})
	if err != nil {
		t.Fatal(err)
	}
	defer m.Close()
	w := &priceWatch{meter: m, log: slog.New(slog.DiscardHandler)}
	tries := func() int64 {
		w.fetch(context.Background())
		return m.prices.failures.Load()
	}
	if tries() != 0 {
		t.Error("a table was fetched though no setting says so")
	}
	m.config.Pricing.URL, m.config.Pricing.AutoUpdate = "http://127.0.0.1:1/prices.json", "24h"
	m.prices.now().url = m.config.Pricing.URL
	for _, step := range []struct {
		later time.Duration
		tries int64
	}{{0, 1}, {23 * time.Hour, 1}, {time.Hour, 2}, {time.Minute, 2}} {
		now = now.Add(step.later)
		if got := tries(); got != step.tries {
			t.Errorf("at %v: %d tries, want %d", now, got, step.tries)
		}
	}
}
