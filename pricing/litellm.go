package pricing

import (
	"encoding/json"
	"slices"
	"strconv"
	"strings"
)

// liteKey is the key of a class in LiteLLM's price map.
func liteKey(c class) string {
	return [classes]string{
		"input_cost_per_token", "output_cost_per_token", "cache_read_input_token_cost",
		"cache_creation_input_token_cost", "cache_creation_input_token_cost_above_1hr", "output_cost_per_reasoning_token",
	}[c]
}

// picoPerUSD scales USD per token.
const picoPerUSD = 1_000_000_000_000

// readLiteLLM reads LiteLLM's price map: one flat object per model, USD per
// token as floats, tiers and modes in the names of keys.
func readLiteLLM(data []byte) (foreign, error) {
	list := foreign{}
	err := members(data, func(name string, raw []byte) error {
		var entry map[string]json.RawMessage
		if name == "sample_spec" || json.Unmarshal(raw, &entry) != nil {
			return nil
		}
		provider, mode := textOf(entry["litellm_provider"]), textOf(entry["mode"])
		if provider == "" || mode != "chat" && mode != "responses" && mode != "completion" {
			return nil
		}
		rate, ok := liteRate(entry)
		if ok {
			id := strings.TrimPrefix(name, provider+"/")
			list.add(liteProvider(provider), id, rate)
		}
		return nil
	})
	return list, err
}

// liteProvider drops the part that only says which vendor's models are meant:
// "vertex_ai-language-models" is "vertex_ai".
func liteProvider(name string) string {
	if strings.HasPrefix(name, "vertex_ai-") {
		return "vertex_ai"
	}
	return name
}

func liteRate(entry map[string]json.RawMessage) (wireRate, bool) {
	base := liteClasses(entry, "")
	var rate wireRate
	// Zero for both stands for "not known" as often as for "free".
	if base.Input == nil || base.Output == nil || *base.Input == 0 && *base.Output == 0 {
		return rate, false
	}
	rate.wireClasses = base
	for _, above := range liteThresholds(entry) {
		t := liteClasses(entry, "_above_"+strconv.FormatInt(above/1000, 10)+"k_tokens")
		rate.Tiers = append(rate.Tiers, wireTier{Above: above, wireClasses: notBelow(t, base)})
	}
	for _, name := range []string{"priority", "flex"} {
		if m := liteClasses(entry, "_"+name); m.Input != nil && m.Output != nil {
			if rate.Modes == nil {
				rate.Modes = map[string]wireMode{}
			}
			rate.Modes[name] = wireMode{wireClasses: m}
		}
	}
	return rate, true
}

// liteClasses reads the classes of one variant. A zero for a cache class means
// "not given" in this list.
func liteClasses(entry map[string]json.RawMessage, suffix string) wireClasses {
	var c wireClasses
	for k := range class(classes) {
		n, err := rounded(numberOf(entry[liteKey(k)+suffix]), picoPerUSD)
		if err != nil || n == 0 && k > output {
			continue
		}
		*c.at(k) = &n
	}
	return c
}

// liteThresholds are the N of "input_cost_per_token_above_Nk_tokens", in tokens.
func liteThresholds(entry map[string]json.RawMessage) []int64 {
	var list []int64
	for key := range entry {
		rest, ok := strings.CutPrefix(key, "input_cost_per_token_above_")
		if !ok {
			continue
		}
		rest, ok = strings.CutSuffix(rest, "k_tokens")
		if n, err := strconv.ParseInt(rest, 10, 32); ok && err == nil && n > 0 {
			list = append(list, n*1000)
		}
	}
	slices.Sort(list)
	return list
}

// notBelow drops classes of a tier that are cheaper than the base: a slip of
// the list, as no vendor sells long prompts cheaper.
func notBelow(tier, base wireClasses) wireClasses {
	for c := range class(classes) {
		if t, b := *tier.at(c), *base.at(c); t != nil && b != nil && *t < *b {
			*tier.at(c) = nil
		}
	}
	return tier
}

// at is the field of a class.
func (c *wireClasses) at(which class) **int64 {
	return [classes]**int64{&c.Input, &c.Output, &c.CacheRead, &c.CacheWrite5m, &c.CacheWrite1h, &c.Reasoning}[which]
}

func textOf(raw json.RawMessage) string {
	var text string
	if json.Unmarshal(raw, &text) != nil {
		return ""
	}
	return text
}

// numberOf is the text of a JSON number; "" for anything else.
func numberOf(raw json.RawMessage) string {
	var n json.Number
	if len(raw) == 0 || raw[0] == '"' || json.Unmarshal(raw, &n) != nil {
		return ""
	}
	return n.String()
}
