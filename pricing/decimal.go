package pricing

import (
	"errors"
	"fmt"
	"math/big"
	"strings"
)

// ErrNumber is text that is no acceptable number.
var ErrNumber = errors.New("not an acceptable number")

// MaxPico is the highest price of a token, in pico-USD: 1,000,000 USD per
// million tokens.
const MaxPico = 1_000_000_000_000

// parseDecimal reads plain decimal text, with or without an exponent.
func parseDecimal(text string) (*big.Rat, error) {
	if text == "" || len(text) > 64 || strings.Trim(text, "+-.0123456789eE") != "" {
		return nil, fmt.Errorf("%w: %.64q", ErrNumber, text)
	}
	if i := strings.IndexAny(text, "eE"); i >= 0 && len(text)-i > 5 {
		return nil, fmt.Errorf("%w: %.64q", ErrNumber, text)
	}
	r, ok := new(big.Rat).SetString(text)
	if !ok {
		return nil, fmt.Errorf("%w: %.64q", ErrNumber, text)
	}
	return r, nil
}

// ParsePerMillion reads decimal USD per million tokens ("0.95"), exactly, as
// pico-USD per token.
func ParsePerMillion(text string) (int64, error) {
	r, err := parseDecimal(text)
	if err != nil {
		return 0, err
	}
	r.Mul(r, big.NewRat(1_000_000, 1))
	if !r.IsInt() || r.Sign() < 0 || r.Cmp(big.NewRat(MaxPico, 1)) > 0 {
		return 0, fmt.Errorf("%w: %q: USD per million tokens, 0 to 1000000, at most six decimals", ErrNumber, text)
	}
	return r.Num().Int64(), nil
}

// rounded reads a decimal price and scales it to pico-USD per token, rounding
// half up: foreign price lists are written by programs that use floats.
func rounded(text string, scale int64) (int64, error) {
	r, err := parseDecimal(text)
	if err != nil {
		return 0, err
	}
	r.Mul(r, big.NewRat(scale, 1))
	r.Add(r, big.NewRat(1, 2))
	n := new(big.Int).Quo(r.Num(), r.Denom())
	if r.Sign() < 0 || !n.IsInt64() || n.Int64() > MaxPico {
		return 0, fmt.Errorf("%w: price %q", ErrNumber, text)
	}
	return n.Int64(), nil
}

// usdPerMillion is the inverse of ParsePerMillion, for people: "0.0028".
func usdPerMillion(pico int64) string { return trimDecimal(big.NewRat(pico, 1_000_000)) }

// trimDecimal is r with as many decimals as it needs, at most 12.
func trimDecimal(r *big.Rat) string {
	s := r.FloatString(12)
	return strings.TrimSuffix(strings.TrimRight(s, "0"), ".")
}
