package pricing

import (
	"errors"
	"math"
	"strings"
	"testing"

	"meterbridge"
)

func TestGivenRequest_ImpossibleCountsAreRefused(t *testing.T) {
	fields := map[string]func(*GivenRequest, int64){
		"input":               func(g *GivenRequest, n int64) { g.Input = n },
		"output":              func(g *GivenRequest, n int64) { g.Output = n },
		"reasoning":           func(g *GivenRequest, n int64) { g.Reasoning = &n },
		"cache_read":          func(g *GivenRequest, n int64) { g.CacheRead = n },
		"cache_write_5m":      func(g *GivenRequest, n int64) { g.CacheWrite5m = n },
		"cache_write_1h":      func(g *GivenRequest, n int64) { g.CacheWrite1h = n },
		"web_search_requests": func(g *GivenRequest, n int64) { g.WebSearches = n },
	}
	for name, set := range fields {
		for n, refused := range map[int64]bool{-1: true, 0: false, 1 << 53: false, 1<<53 + 1: true, 1 << 62: true, math.MaxInt64: true} {
			g := GivenRequest{Provider: "anthropic", Model: "claude-sonnet-4-5", At: "2026-03-01"}
			set(&g, n)
			_, err := g.Request(noon())
			if refused != errors.Is(err, ErrRequests) || refused && !strings.Contains(err.Error(), name) {
				t.Errorf("%s %d: got %v, want a refusal that names it: %v", name, n, err, refused)
			}
		}
	}
}

// Above 200,000 tokens Sonnet 4.5 costs 6 USD per million of input, 22.50 of
// output and 0.60 of cached input: 2^53 × 29.10 = 262,109,498,312,962,867.2
// micro-USD, and 2^62 × 29.10 is beyond 2^63. However large the prompt is, its
// sum chooses that tier.
func TestPrice_HugePromptsTakeTheTierAbove(t *testing.T) {
	for n, want := range map[int64]int64{meterbridge.MaxCount: 262_109_498_312_962_868, 1 << 62: math.MaxInt64} {
		r := meterbridge.Request{Provider: "anthropic", Model: "claude-sonnet-4-5", EndedAt: noon(), Tokens: meterbridge.Tokens{
			Input: meterbridge.Reported(n), Output: meterbridge.Reported(n), CacheRead: meterbridge.Reported(n),
		}}
		e := Embedded().Explain(&r, "")
		if e.Matched == nil || e.Matched.Variant != "above-200000" || e.CostMicroUSD == nil || *e.CostMicroUSD != want {
			t.Errorf("%d tokens of each class: got %+v, cost %v, want the tier above and %d", n, e.Matched, e.CostMicroUSD, want)
		}
	}
}
