// Package genai reads what OpenTelemetry's conventions for generative AI say of
// a request. Their classes are not ours: their input holds what was read from
// and written to a cache, so it is converted here and nowhere else. The
// telemetry of harnesses calls it; it imports the domain and harnesses alone.
package genai

import (
	"meterbridge"
	"meterbridge/harnesses"
)

// The attributes of the conventions, all of which are parts of the first two.
const (
	input      = "gen_ai.usage.input_tokens"
	output     = "gen_ai.usage.output_tokens"
	cacheRead  = "gen_ai.usage.cache_read.input_tokens"
	cacheWrite = "gen_ai.usage.cache_creation.input_tokens"
	reasoning  = "gen_ai.usage.reasoning.output_tokens"
)

// Tokens are the counts of a request by our classes. A whole that is less than
// its parts is harnesses.ErrWrongCount.
func Tokens(a harnesses.Attributes) (meterbridge.Tokens, error) {
	var t meterbridge.Tokens
	for _, class := range []struct {
		name string
		into *meterbridge.Count
	}{{input, &t.Input}, {output, &t.Output}, {cacheRead, &t.CacheRead}, {cacheWrite, &t.CacheWrite5m}, {reasoning, &t.Reasoning}} {
		var err error
		if *class.into, err = a.Count(class.name); err != nil {
			return meterbridge.Tokens{}, err
		}
	}
	t.Input.N -= t.CacheRead.N + t.CacheWrite5m.N
	if t.Input.N < 0 || t.Reasoning.N > t.Output.N {
		return meterbridge.Tokens{}, harnesses.ErrWrongCount
	}
	return t, nil
}
