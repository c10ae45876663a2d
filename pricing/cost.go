package pricing

import (
	"math"
	"math/big"
	"math/bits"

	"meterbridge"
)

// amounts are the tokens of a request by price class; they are disjoint here:
// output is without the reasoning that has a price of its own.
type amounts [classes]int64

// amountsOf splits the tokens as the sheet prices them. Logs hold no negative
// counts; one that does counts as nothing.
func amountsOf(t *meterbridge.Tokens, s *sheet) amounts {
	a := amounts{
		input: max(t.Input.N, 0), output: max(t.Output.N, 0), cacheRead: max(t.CacheRead.N, 0),
		cacheWrite5m: max(t.CacheWrite5m.N, 0), cacheWrite1h: max(t.CacheWrite1h.N, 0),
	}
	if s.given.has(reasoning) && t.Reasoning.OK {
		a[reasoning] = min(max(t.Reasoning.N, 0), a[output])
		a[output] -= a[reasoning]
	}
	return a
}

// guessed reports whether a class of the request is priced by a fallback, or by
// a lower bound because the log does not split it.
func guessed(t *meterbridge.Tokens, a *amounts, s *sheet) bool {
	for c := cacheRead; c <= cacheWrite1h; c++ {
		if a[c] > 0 && !s.given.has(c) {
			return true
		}
	}
	noLifetime := a[cacheWrite5m] > 0 && !t.CacheWrite1h.OK && s.pico[cacheWrite1h] != s.pico[cacheWrite5m]
	noReasoning := a[output] > 0 && !t.Reasoning.OK && s.pico[reasoning] != s.pico[output]
	return noLifetime || noReasoning
}

// tokenCost is Σ tokens × price × factor, rounded up to a whole pico-USD if a
// fraction remains. ok is false when it does not fit in 128 bits.
func tokenCost(a *amounts, s *sheet, f Factor) (p meterbridge.PicoUSD, ok bool) {
	var hi, lo uint64
	for c := range a {
		h, l := bits.Mul64(uint64(a[c]), uint64(s.pico[c]))
		var carry uint64
		lo, carry = bits.Add64(lo, l, 0)
		hi, _ = bits.Add64(hi, h, carry)
	}
	if f.isOne() && hi == 0 && lo <= math.MaxInt64 {
		return meterbridge.Pico(int64(lo)), true
	}
	return scaled(hi, lo, f)
}

// scaled multiplies the 128-bit number by f, in 64-bit steps where that is
// exact and with big integers where it is not.
func scaled(hi, lo uint64, f Factor) (meterbridge.PicoUSD, bool) {
	num, den := uint64(f.Num), uint64(f.Den)
	h, l := bits.Mul64(lo, num)
	if hi == 0 && h < den {
		q, rest := bits.Div64(h, l, den)
		if q < math.MaxInt64 {
			return meterbridge.Pico(int64(q) + int64(min(rest, 1))), true
		}
	}
	n := new(big.Int).SetUint64(hi)
	n.Lsh(n, 64).Add(n, new(big.Int).SetUint64(lo))
	n.Mul(n, new(big.Int).SetUint64(num))
	q, rest := n.QuoRem(n, new(big.Int).SetUint64(den), new(big.Int))
	if rest.Sign() > 0 {
		q.Add(q, big.NewInt(1))
	}
	return meterbridge.FromBig(q)
}

// fee is what the server tools of a request cost; known is false when the
// provider may charge for them and the table does not say how much.
func (m *matched) fee(r *meterbridge.Request) (p meterbridge.PicoUSD, known bool) {
	n := r.WebSearches.N
	if n <= 0 {
		return meterbridge.PicoUSD{}, true
	}
	if !m.modifiers.searchKnown {
		return meterbridge.PicoUSD{}, false
	}
	if hi, lo := bits.Mul64(uint64(n), uint64(m.modifiers.search)); hi == 0 && lo <= math.MaxInt64 {
		return meterbridge.Pico(int64(lo)), true
	}
	return meterbridge.Pico(m.modifiers.search).Times(n), true
}
