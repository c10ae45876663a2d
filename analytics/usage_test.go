package analytics

import (
	"encoding/json"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"meterbridge"
	"meterbridge/pricing"
)

// flat prices every token of a model at the same pico-USD; other models have no price.
type flat struct {
	version string
	rates   map[string]int64
}

func (f flat) Price(r *meterbridge.Request, _ string) pricing.Price {
	n, fee := r.Tokens.Total(), r.WebSearches.N
	if n == 0 && fee == 0 {
		return pricing.Price{}
	}
	rate, ok := f.rates[r.Model]
	if !ok {
		return pricing.Price{Key: "unpriced|model", Paid: true}
	}
	return pricing.Price{List: meterbridge.SomePico(meterbridge.Pico(rate).Times(n)), Key: "p/" + r.Model, Paid: true}
}

func (f flat) Version() string { return f.version }

func (f flat) Rates(yield func(pricing.Rate) bool) {
	for model, rate := range f.rates {
		if !yield(pricing.Rate{Provider: "p", Model: model, Class: "input", PicoPerToken: rate}) {
			return
		}
	}
}

func usageOf(t *testing.T, l *Ledger, q UsageQuery) UsageReport {
	t.Helper()
	if q.Zone == nil {
		q.Zone = time.UTC
	}
	r, err := l.Usage(t.Context(), q)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func jsonOf(t *testing.T, v any) string {
	t.Helper()
	b, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

func TestUsage_IsTheContract(t *testing.T) {
	l := open(t, Options{ReportZone: time.UTC, Prices: flat{"1", map[string]int64{"m1": 600_000}}})
	unit := logOf("/logs/a.jsonl", said("S1", "a", 100, 1), said("S1", "b", 50, 2))
	unit.Batch.Prompts = []meterbridge.Prompt{{Harness: "claude-code", NativeID: "p1", Session: "S1", At: time.Date(2026, 10, 5, 7, 59, 0, 0, time.UTC)}}
	scanned(t, l, unit)
	// 170 tokens at 0.6 micro-USD are 102 micro-USD.
	want := `{"schemaVersion":1,"by":"day","timezone":"UTC","since":null,"until":null,` +
		`"rows":[{"day":"2026-10-05","harness":null,"requests":2,"prompts":1,"inputTokens":20,"outputTokens":150,"reasoningTokens":null,` +
		`"cacheReadTokens":null,"cacheWriteTokens":null,"totalTokens":170,"costMicroUsd":102,"costPartial":false,"costBasis":"list","unpricedModels":[],"models":["m1"]}],` +
		`"totals":{"requests":2,"prompts":1,"inputTokens":20,"outputTokens":150,"reasoningTokens":null,` +
		`"cacheReadTokens":null,"cacheWriteTokens":null,"totalTokens":170,"costMicroUsd":102,"costPartial":false,"costBasis":"list","unpricedModels":[]}}`
	if got := jsonOf(t, usageOf(t, l, UsageQuery{By: "day"})); got != want {
		t.Errorf("report\n got %s\nwant %s", got, want)
	}
}

func TestUsage_EveryGroupingGivesTheSameTotals(t *testing.T) {
	l := open(t, Options{ReportZone: time.UTC, Prices: flat{"1", map[string]int64{"m1": 600_000}}})
	other := said("S2", "z", 7, 40)
	other.Model, other.Harness, other.Project = "m2", "codex-cli", ""
	scanned(t, l, logOf("/logs/a.jsonl", said("S1", "a", 100, 1), said("S1", "b", 50, 2)), logOf("/logs/b.jsonl", other))
	want := jsonOf(t, usageOf(t, l, UsageQuery{By: "day"}).Totals)
	for by := range groupings() {
		for _, zone := range []string{"UTC", "Asia/Tokyo"} {
			loc, _ := time.LoadLocation(zone)
			got := jsonOf(t, usageOf(t, l, UsageQuery{By: by, Zone: loc, Breakdown: true}).Totals)
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("by %s in %s (-want +got):\n%s", by, zone, diff)
			}
		}
	}
}
