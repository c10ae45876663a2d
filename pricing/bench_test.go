package pricing

import (
	"testing"
	"time"

	"meterbridge"
)

func sonnet(at time.Time) meterbridge.Request {
	return meterbridge.Request{
		Model: "claude-sonnet-4-5-20250929", EndedAt: at, ServiceTier: "standard",
		Tokens: meterbridge.Tokens{
			Input: meterbridge.Reported(12), Output: meterbridge.Reported(340), CacheRead: meterbridge.Reported(56000),
			CacheWrite5m: meterbridge.Reported(700), CacheWrite1h: meterbridge.Reported(90),
		},
	}
}

func BenchmarkEmbedded_Version(b *testing.B) {
	for b.Loop() {
		_ = Embedded().Version()
	}
}

func BenchmarkEmbedded_FirstPrice(b *testing.B) {
	r := sonnet(time.Date(2026, 10, 20, 12, 0, 0, 0, time.UTC))
	for b.Loop() {
		Embedded().Price(&r, "anthropic")
	}
}

func BenchmarkPrice(b *testing.B) {
	r := sonnet(time.Date(2026, 10, 20, 12, 0, 0, 0, time.UTC))
	t := Embedded()
	b.ReportAllocs()
	for b.Loop() {
		t.Price(&r, "anthropic")
	}
}

func BenchmarkRates_All(b *testing.B) {
	for b.Loop() {
		for range Embedded().Rates {
		}
	}
}

// The price of a request whose model has been seen costs no allocation: the
// key is the cached one.
func TestPrice_AllocatesNothing(t *testing.T) {
	table := Embedded()
	r := sonnet(time.Date(2026, 10, 20, 12, 0, 0, 0, time.UTC))
	if n := testing.AllocsPerRun(100, func() { table.Price(&r, "anthropic") }); n != 0 {
		t.Errorf("got %v allocations, want 0", n)
	}
}
