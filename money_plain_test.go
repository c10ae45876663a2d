package meterbridge

import (
	"math/big"
	"strings"
	"testing"
)

// The plain way and the one by big numbers read the same amounts.
func FuzzParseUSD(f *testing.F) {
	for _, text := range []string{"0", "0.0041", "0.01463805", "999999.999999999999", "1000000", "1000000.1", "1e-05", "-1", "1.", ".5", "", "00.10", "0.0000000000005", "1/2", "0x1", "1_0", "٣"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		plain, ok := plainUSD(text)
		if !ok {
			return
		}
		whole, _, _ := strings.Cut(text, ".")
		want, valid := new(big.Rat).SetString(text)
		if !valid || len(whole) > 6 {
			t.Fatalf("plainUSD(%q) = %v, want a refusal", text, plain)
		}
		want.Mul(want, new(big.Rat).SetInt64(1_000_000_000_000))
		if !want.IsInt() || want.Num().Cmp(plain.Big()) != 0 {
			t.Errorf("plainUSD(%q) = %v, want %v", text, plain, want)
		}
	})
}
