package mux

import (
	"strings"

	"meterbridge"
	"meterbridge/harnesses/jsonvalue"
)

// ticksPico is the worth of a tick: 10^10 of them are a dollar.
const ticksPico = 100

// spent is what one record of usage tells.
type spent struct {
	tokens   meterbridge.Tokens
	recorded meterbridge.NullPico
	wrong    bool
}

// usage reads a usage with what its provider adds to it. Input holds both cache
// classes, but in old messages of Anthropic's models; output holds the reasoning,
// but where it is the smaller of the two.
func usage(o, provider jsonvalue.Object) (s spent) {
	var c jsonvalue.Counts
	in, out := o["inputTokenDetails"].Object(), o["outputTokenDetails"].Object()
	read := c.Of(either(o["cachedInputTokens"], in["cacheReadTokens"]))
	written := c.Of(either(provider["anthropic"].Object()["cacheCreationInputTokens"], in["cacheWriteTokens"]))
	s.tokens = meterbridge.Tokens{
		Input: c.Of(o["inputTokens"]), Output: c.Of(o["outputTokens"]), CacheRead: read, CacheWrite5m: written,
		Reasoning: c.Of(either(o["reasoningTokens"], out["reasoningTokens"], provider["openai"].Object()["reasoningTokens"])),
	}
	t := &s.tokens
	if t.Input.N >= read.N+written.N {
		t.Input = jsonvalue.Minus(t.Input, read, written)
	}
	if t.Output.OK && t.Reasoning.N > t.Output.N {
		t.Output.N += t.Reasoning.N
	}
	if ticks, ok := provider["xai"].Object()["costInUsdTicks"].Int(); ok && ticks > 0 && ticks <= meterbridge.MaxCount {
		s.recorded = meterbridge.SomePico(meterbridge.Pico(ticks).Times(ticksPico))
	}
	s.wrong = c.Wrong
	return s
}

// either is the first value that is there.
func either(values ...jsonvalue.Value) jsonvalue.Value {
	for _, v := range values {
		if !v.Null() {
			return v
		}
	}
	return nil
}

// model splits the name under which the program knows a model.
func model(name string) (provider, model string) {
	if provider, model, ok := strings.Cut(name, ":"); ok {
		return provider, model
	}
	return "", name
}
