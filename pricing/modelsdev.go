package pricing

import (
	"encoding/json"
	"slices"
)

// picoPerMillion scales USD per million tokens.
const picoPerMillion = 1_000_000

// readModelsDev reads the catalogue of models.dev: providers with models, USD
// per million tokens as floats.
func readModelsDev(data []byte) (foreign, error) {
	list := foreign{}
	err := members(data, func(provider string, raw []byte) error {
		var p struct {
			Models map[string]struct {
				Cost map[string]json.RawMessage `json:"cost"`
			} `json:"models"`
		}
		if json.Unmarshal(raw, &p) != nil {
			return nil
		}
		for id, m := range p.Models {
			if rate, ok := devRate(m.Cost); ok {
				list.add(provider, id, rate)
			}
		}
		return nil
	})
	return list, err
}

func devRate(cost map[string]json.RawMessage) (wireRate, bool) {
	base := devClasses(cost)
	var rate wireRate
	if base.Input == nil || base.Output == nil || *base.Input == 0 && *base.Output == 0 {
		return rate, false
	}
	rate.wireClasses = base
	rate.Tiers = devTiers(cost, base)
	return rate, true
}

// devClasses ignores a zero in a cache class, which means "not given".
func devClasses(cost map[string]json.RawMessage) wireClasses {
	var c wireClasses
	for _, k := range [...]struct {
		class class
		key   string
	}{{input, "input"}, {output, "output"}, {cacheRead, "cache_read"}, {cacheWrite5m, "cache_write"}, {reasoning, "reasoning"}} {
		n, err := rounded(numberOf(cost[k.key]), picoPerMillion)
		if err != nil || n == 0 && k.class != input && k.class != output {
			continue
		}
		*c.at(k.class) = &n
	}
	return c
}

// devTiers reads both spellings of long-context prices.
func devTiers(cost map[string]json.RawMessage, base wireClasses) []wireTier {
	var tiers []wireTier
	var listed []map[string]json.RawMessage
	if json.Unmarshal(cost["tiers"], &listed) == nil {
		for _, t := range listed {
			if size := devSize(t["tier"]); size > 0 {
				tiers = append(tiers, wireTier{Above: size, wireClasses: notBelow(devClasses(t), base)})
			}
		}
	}
	var over map[string]json.RawMessage
	if len(tiers) == 0 && json.Unmarshal(cost["context_over_200k"], &over) == nil && len(over) > 0 {
		tiers = append(tiers, wireTier{Above: 200_000, wireClasses: notBelow(devClasses(over), base)})
	}
	slices.SortFunc(tiers, func(a, b wireTier) int { return int(a.Above - b.Above) })
	return tiers
}

// devSize is the threshold of a tier; the list means the same by 200000 and 200001.
func devSize(raw json.RawMessage) int64 {
	var t struct {
		Type string `json:"type"`
		Size int64  `json:"size"`
	}
	if json.Unmarshal(raw, &t) != nil || t.Type != "" && t.Type != "context" {
		return 0
	}
	if t.Size%1000 == 1 {
		t.Size--
	}
	return t.Size
}
