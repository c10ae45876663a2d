package pricing

import (
	"encoding/json"
	"fmt"
	"strings"
)

// modifiers are what the table says of a provider as a whole: how its words for
// service tiers are priced, what a place of inference adds, what a search costs.
type modifiers struct {
	tiers map[string]tierRule
	geo   map[string]Factor
	// geoModels are the ids for which geo holds.
	geoModels map[string]bool
	// search is the fee of one web search in pico-USD; searchKnown is false
	// where the table has none.
	search      int64
	searchKnown bool
}

// tierRule is the price of a service tier: a mode of the rate, or a factor.
type tierRule struct {
	mode   string
	factor Factor
}

func parseModifiers(raw []byte) (map[string]*modifiers, error) {
	all := map[string]*modifiers{}
	err := members(raw, func(provider string, value []byte) error {
		if value[0] != '{' {
			return nil
		}
		m, err := providerModifiers(value)
		if err != nil {
			return fmt.Errorf("modifiers of %s: %w", provider, err)
		}
		all[strings.ToLower(provider)] = m
		return nil
	})
	return all, err
}

func providerModifiers(raw []byte) (*modifiers, error) {
	var w struct {
		ServiceTier  map[string]json.RawMessage `json:"service_tier"`
		InferenceGeo map[string]json.RawMessage `json:"inference_geo"`
		Fees         map[string]json.RawMessage `json:"fees"`
	}
	if err := json.Unmarshal(raw, &w); err != nil {
		return nil, err
	}
	m := &modifiers{tiers: map[string]tierRule{}, geo: map[string]Factor{}, geoModels: map[string]bool{}}
	for word, value := range w.ServiceTier {
		rule, err := parseTierRule(value)
		if err != nil {
			return nil, fmt.Errorf("service tier %s: %w", word, err)
		}
		m.tiers[strings.ToLower(word)] = rule
	}
	if err := m.readGeo(w.InferenceGeo); err != nil {
		return nil, err
	}
	return m, m.readFees(w.Fees)
}

// parseTierRule reads [n,d], "modes.X", or a sentence that says it costs the list price.
func parseTierRule(value json.RawMessage) (tierRule, error) {
	if value[0] != '"' {
		rule := tierRule{}
		return rule, json.Unmarshal(value, &rule.factor)
	}
	var text string
	if err := json.Unmarshal(value, &text); err != nil {
		return tierRule{}, err
	}
	if name, ok := strings.CutPrefix(text, "modes."); ok {
		return tierRule{mode: name}, nil
	}
	return tierRule{factor: one()}, nil
}

func (m *modifiers) readGeo(geo map[string]json.RawMessage) error {
	for word, value := range geo {
		if word == "applies_to_models" {
			var ids []string
			if err := json.Unmarshal(value, &ids); err != nil {
				return fmt.Errorf("inference geography: %w", err)
			}
			for _, id := range ids {
				m.geoModels[strings.ToLower(id)] = true
			}
			continue
		}
		var f Factor
		if err := json.Unmarshal(value, &f); err != nil {
			return fmt.Errorf("inference geography %s: %w", word, err)
		}
		m.geo[strings.ToLower(word)] = f
	}
	return nil
}

// readFees takes the fee of a search, or of any server tool where a search is one.
func (m *modifiers) readFees(fees map[string]json.RawMessage) error {
	for _, name := range []string{"web_search_request", "server_tool_call"} {
		value, ok := fees[name]
		if !ok {
			continue
		}
		if err := json.Unmarshal(value, &m.search); err != nil {
			return fmt.Errorf("fee %s: %w", name, err)
		}
		if m.search < 0 || m.search > 1000*MaxPico {
			return fmt.Errorf("%w: fee %s", ErrNumber, name)
		}
		m.searchKnown = true
		return nil
	}
	return nil
}
