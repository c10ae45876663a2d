package meterbridge

import (
	"math"
	"math/big"
	"testing"
)

// One micro-USD is 10^6 pico-USD, and what remains rounds up; beyond the range
// the ends hold.
func TestPicoUSD_MicroUSDAtTheEndsOfItsRange(t *testing.T) {
	micros := func(n int64, picos int64) *big.Int {
		b := new(big.Int).Mul(big.NewInt(n), big.NewInt(1_000_000))
		return b.Add(b, big.NewInt(picos))
	}
	power := func(n uint) *big.Int { return new(big.Int).Lsh(big.NewInt(1), n) }
	for _, c := range []struct {
		name  string
		picos *big.Int
		want  int64
	}{
		{"greatest but one, rounded up", micros(math.MaxInt64-1, 1), math.MaxInt64},
		{"greatest", micros(math.MaxInt64, 0), math.MaxInt64},
		{"a pico above the greatest", micros(math.MaxInt64, 1), math.MaxInt64},
		{"2^62 tokens at 25 USD per million, thrice", new(big.Int).Mul(power(62), big.NewInt(75_000_000)), math.MaxInt64},
		{"greatest amount", new(big.Int).Sub(power(127), big.NewInt(1)), math.MaxInt64},
		{"least", micros(math.MinInt64, 0), math.MinInt64},
		{"below the least", micros(math.MinInt64, -1_000_000), math.MinInt64},
		{"least amount", new(big.Int).Neg(power(127)), math.MinInt64},
		{"above 2^64 picos, in range", micros(20_000_000_000_000, 1), 20_000_000_000_001},
	} {
		p, ok := FromBig(c.picos)
		if got := p.MicroUSD(); !ok || got != c.want {
			t.Errorf("%s: %v pico-USD: got %d (fits %v), want %d", c.name, c.picos, got, ok, c.want)
		}
	}
}

func TestTokens_SumsNeverChangeTheirSign(t *testing.T) {
	huge, one, least := Reported(math.MaxInt64), Reported(1), Reported(math.MinInt64)
	for _, c := range []struct {
		t             Tokens
		prompt, total int64
	}{
		{Tokens{Input: huge, CacheRead: one}, math.MaxInt64, math.MaxInt64},
		{Tokens{Input: Reported(1 << 62), CacheRead: Reported(1 << 62), Output: Reported(1 << 62)}, math.MaxInt64, math.MaxInt64},
		{Tokens{CacheWrite5m: huge, CacheWrite1h: huge}, math.MaxInt64, math.MaxInt64},
		{Tokens{Input: one, Output: huge}, 1, math.MaxInt64},
		{Tokens{Input: least, CacheRead: least}, math.MinInt64, math.MinInt64},
		{Tokens{Input: Reported(MaxCount), CacheRead: Reported(MaxCount), Output: Reported(MaxCount)}, 2 * MaxCount, 3 * MaxCount},
	} {
		if p, n := c.t.Prompt(), c.t.Total(); p != c.prompt || n != c.total {
			t.Errorf("input %+v: got prompt %d, total %d, want %d, %d", c.t, p, n, c.prompt, c.total)
		}
	}
	if got := huge.Plus(one); got != huge {
		t.Errorf("got %+v, want %+v", got, huge)
	}
}
