package pricing

import (
	"encoding/json"
	"fmt"
	"math/big"
	"strconv"
)

// Factor is an exact fraction that token costs are multiplied by; the zero
// value is no factor (1).
type Factor struct {
	Num, Den int64
}

// maxFactor bounds factors so that their product with any cost stays exact.
const maxFactor = 1000

// factorDecimals is the finest factor that is accepted, in decimals.
const factorDecimals = 6

// one is the factor that changes nothing.
func one() Factor { return Factor{1, 1} }

// ParseFactor reads a decimal factor such as "0.85": above 0, at most 1000,
// with at most six decimals.
func ParseFactor(text string) (Factor, error) {
	r, err := parseDecimal(text)
	if err != nil {
		return Factor{}, err
	}
	scaled := new(big.Rat).Mul(r, big.NewRat(1_000_000, 1))
	if r.Sign() <= 0 || r.Cmp(big.NewRat(maxFactor, 1)) > 0 || !scaled.IsInt() {
		return Factor{}, fmt.Errorf("%w: factor %q: above 0, at most %d, at most %d decimals", ErrNumber, text, maxFactor, factorDecimals)
	}
	return Factor{Num: r.Num().Int64(), Den: r.Denom().Int64()}, nil
}

// UnmarshalJSON reads [numerator, denominator].
func (f *Factor) UnmarshalJSON(data []byte) error {
	var pair [2]int64
	if err := json.Unmarshal(data, &pair); err != nil {
		return err
	}
	if pair[0] <= 0 || pair[1] <= 0 || pair[0] > 1_000_000 || pair[1] > 1_000_000 {
		return fmt.Errorf("%w: factor %d/%d", ErrNumber, pair[0], pair[1])
	}
	*f = Factor{pair[0], pair[1]}
	return nil
}

func (f Factor) isOne() bool { return f.Num == f.Den }

func (f Factor) times(g Factor) Factor {
	switch {
	case f.isOne():
		return g
	case g.isOne():
		return f
	}
	return Factor{f.Num * g.Num, f.Den * g.Den}
}

// String is the fraction in lowest terms: "11/10", or "2" for whole numbers.
func (f Factor) String() string {
	if f.Den == 0 {
		return "1"
	}
	r := big.NewRat(f.Num, f.Den)
	if r.IsInt() {
		return r.Num().String()
	}
	return strconv.FormatInt(r.Num().Int64(), 10) + "/" + strconv.FormatInt(r.Denom().Int64(), 10)
}
