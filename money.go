package meterbridge

import (
	"errors"
	"fmt"
	"math"
	"math/big"
	"math/bits"
	"strings"
)

// PicoUSD is an exact, non-negative or negative amount in pico-USD (10^-12
// USD), in 128 bits. The zero value is nothing.
type PicoUSD struct {
	hi int64
	lo uint64
}

// NullPico is an amount that may be absent: the zero value is "no amount",
// which is never the same as an amount of 0.
type NullPico struct {
	Amount PicoUSD
	OK     bool
}

// PicosPerMicro is the number of pico-USD in a micro-USD.
const PicosPerMicro = 1_000_000

// MaxRecorded is the largest cost that a single request may record, in USD;
// a larger one is refused as nonsense (pricing, section 3.9).
const MaxRecorded = 1_000_000

// ErrAmount is returned for text that is no acceptable amount.
var ErrAmount = errors.New("not an amount")

// Pico returns n pico-USD.
func Pico(n int64) PicoUSD {
	return PicoUSD{hi: n >> 63, lo: uint64(n)}
}

// SomePico returns the amount p, present.
func SomePico(p PicoUSD) NullPico { return NullPico{Amount: p, OK: true} }

// Add returns p + q.
func (p PicoUSD) Add(q PicoUSD) PicoUSD {
	lo, carry := bits.Add64(p.lo, q.lo, 0)
	hi, _ := bits.Add64(uint64(p.hi), uint64(q.hi), carry)
	return PicoUSD{hi: int64(hi), lo: lo}
}

// Cmp returns -1, 0 or 1.
func (p PicoUSD) Cmp(q PicoUSD) int {
	switch {
	case p.hi != q.hi:
		if p.hi < q.hi {
			return -1
		}
		return 1
	case p.lo != q.lo:
		if p.lo < q.lo {
			return -1
		}
		return 1
	}
	return 0
}

// IsZero reports whether p is nothing.
func (p PicoUSD) IsZero() bool { return p == PicoUSD{} }

// Times returns p × n.
func (p PicoUSD) Times(n int64) PicoUSD {
	r, _ := FromBig(new(big.Int).Mul(p.Big(), big.NewInt(n)))
	return r
}

// MicroUSD is p in micro-USD, rounded up: the one rounding of a reported figure.
// An amount beyond what an int64 of micro-USD holds (9 × 10^12 USD) is the
// greatest or the least one: a figure never turns into one of the other sign.
func (p PicoUSD) MicroUSD() int64 {
	if p.hi == 0 {
		q, r := p.lo/PicosPerMicro, p.lo%PicosPerMicro
		if r > 0 {
			q++
		}
		return int64(q)
	}
	q, r := new(big.Int).QuoRem(p.Big(), big.NewInt(PicosPerMicro), new(big.Int))
	if r.Sign() > 0 {
		q.Add(q, big.NewInt(1))
	}
	switch {
	case q.IsInt64():
		return q.Int64()
	case q.Sign() < 0:
		return math.MinInt64
	}
	return math.MaxInt64
}

// Int64 returns p as an int64 and whether it fits.
func (p PicoUSD) Int64() (int64, bool) {
	n := int64(p.lo)
	return n, p.hi == n>>63
}

// Words returns p as the two halves of a 128-bit integer in two's complement.
func (p PicoUSD) Words() (high int64, low uint64) { return p.hi, p.lo }

// Big returns p as a big integer.
func (p PicoUSD) Big() *big.Int {
	b := big.NewInt(p.hi)
	b.Lsh(b, 64)
	return b.Add(b, new(big.Int).SetUint64(p.lo))
}

// FromBig converts a number of pico-USD; ok is false when it does not fit in 128 bits.
func FromBig(b *big.Int) (p PicoUSD, ok bool) {
	mask := new(big.Int).SetUint64(^uint64(0))
	lo := new(big.Int).And(b, mask)
	hi := new(big.Int).Rsh(b, 64)
	if !hi.IsInt64() {
		return PicoUSD{}, false
	}
	return PicoUSD{hi: hi.Int64(), lo: lo.Uint64()}, true
}

// String is the amount in USD with as many decimals as it needs, at least two.
func (p PicoUSD) String() string {
	r := new(big.Rat).SetFrac(p.Big(), big.NewInt(1_000_000_000_000))
	s := strings.TrimRight(r.FloatString(12), "0")
	if i := strings.IndexByte(s, '.'); len(s)-i < 3 {
		s += "00"[:3-(len(s)-i)]
	}
	return s
}

// ParseUSD reads a decimal number of USD as JSON writes it ("0.0123", "1e-05"),
// exactly, to 10^-12, rounding half away from zero beyond. Negative amounts,
// and amounts above MaxRecorded, are refused with ErrAmount.
func ParseUSD(text string) (PicoUSD, error) {
	if p, ok := plainUSD(text); ok {
		return p, nil
	}
	if len(text) > 64 || strings.ContainsAny(text, "/_xXpPbBoO") {
		return PicoUSD{}, fmt.Errorf("%w: %.64q", ErrAmount, text)
	}
	if i := strings.IndexAny(text, "eE"); i >= 0 && len(text)-i > 5 {
		return PicoUSD{}, fmt.Errorf("%w: %q", ErrAmount, text)
	}
	r, ok := new(big.Rat).SetString(text)
	if !ok || r.Sign() < 0 || r.Cmp(new(big.Rat).SetInt64(MaxRecorded)) > 0 {
		return PicoUSD{}, fmt.Errorf("%w: %q", ErrAmount, text)
	}
	r.Mul(r, new(big.Rat).SetInt64(1_000_000_000_000))
	num := new(big.Int).Mul(r.Num(), big.NewInt(2))
	num.Add(num, r.Denom())
	num.Quo(num, new(big.Int).Mul(r.Denom(), big.NewInt(2)))
	p, _ := FromBig(num)
	return p, nil
}

// plainUSD reads what nearly every log holds without big numbers: up to six
// digits, and behind a point up to twelve.
func plainUSD(text string) (PicoUSD, bool) {
	whole, fraction, point := strings.Cut(text, ".")
	if len(whole) == 0 || len(whole) > 6 || len(fraction) > 12 || point && fraction == "" {
		return PicoUSD{}, false
	}
	n := int64(0)
	for i := range len(whole) + 12 {
		digit := byte('0')
		switch {
		case i < len(whole):
			digit = whole[i]
		case i-len(whole) < len(fraction):
			digit = fraction[i-len(whole)]
		}
		if digit < '0' || digit > '9' {
			return PicoUSD{}, false
		}
		n = n*10 + int64(digit-'0')
	}
	return Pico(n), true
}
