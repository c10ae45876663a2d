package pricing

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"
)

// The sentinels of a table that is refused although it can be read.
var (
	// ErrOlder is a table older than the active one.
	ErrOlder = errors.New("older than the active table")
	// ErrShrunk is a table that lost half of the priced models.
	ErrShrunk = errors.New("lost more than half of the priced models")
	// ErrJump is a vendor's rate that changed more than a rate changes.
	ErrJump = errors.New("a vendor's rate changed by more than 20 times")
)

const (
	maxProviders = 5000
	maxModels    = 200_000
	// maxJump is the largest change of a vendor's rate that is believed.
	maxJump = 20
)

// check reads a table in full and refuses it as a whole when any part is wrong.
func check(data []byte) (*document, error) {
	if err := strictJSON(data); err != nil {
		return nil, fmt.Errorf("%w: %w", ErrTable, err)
	}
	d, err := split(data)
	if err != nil {
		return nil, err
	}
	for _, f := range []func() error{
		func() error { return knownTop(data) }, d.checkHead, d.checkProviders, d.checkAliases, d.checkCanonical, d.checkCanaries,
	} {
		if err := f(); err != nil {
			return nil, fmt.Errorf("%w: %w", ErrTable, err)
		}
	}
	return d, nil
}

func knownTop(data []byte) error {
	return members(data, func(key string, _ []byte) error {
		switch key {
		case "schema", "version", "as_of", "unit", "sources", "modifiers", "name_rules", "provider_aliases", "providers":
			return nil
		}
		return fmt.Errorf("unknown key %.80q", key)
	})
}

func (d *document) checkHead() error {
	if !usableName(d.Version) {
		return fmt.Errorf("version %w", errMissing)
	}
	if _, err := time.Parse(time.DateOnly, d.AsOf); err != nil {
		return fmt.Errorf("as_of: %w", err)
	}
	return nil
}

// names are the providers in order, so that the first complaint is always the same.
func (d *document) names() []string { return slices.Sorted(maps.Keys(d.providers)) }

func (d *document) checkProviders() error {
	if len(d.providers) > maxProviders {
		return fmt.Errorf("%d providers, at most %d", len(d.providers), maxProviders)
	}
	total := 0
	for _, name := range d.names() {
		p := d.providers[name].open()
		if p.err != nil {
			return p.err
		}
		if total += len(p.models); total > maxModels {
			return fmt.Errorf("more than %d models", maxModels)
		}
		if err := p.check(); err != nil {
			return fmt.Errorf("provider %.80q: %w", p.id, err)
		}
	}
	return nil
}

func (p *provider) check() error {
	if !usableName(p.id) || !knownKind(p.kind) {
		return fmt.Errorf("id or kind %.40q %w", p.kind, errMissing)
	}
	for _, name := range slices.Sorted(maps.Keys(p.aliases)) {
		if !usableName(name) {
			return fmt.Errorf("alias %.80q %w", name, errMissing)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(p.models)) {
		m := p.models[name]
		if !usableName(m.id) {
			return fmt.Errorf("model %.80q %w", m.id, errMissing)
		}
		for i := range m.intervals {
			if err := m.intervals[i].check(); err != nil {
				return fmt.Errorf("model %.80q: %w", m.id, err)
			}
		}
	}
	return nil
}

func knownKind(kind string) bool {
	switch kind {
	case "vendor", "cloud", "reseller", kindPlan, kindPlanMetered, kindLocal:
		return true
	}
	return false
}

func (iv *interval) check() error {
	parts := []partial{iv.base}
	for _, t := range iv.tiers {
		parts = append(parts, t.part)
	}
	for _, m := range iv.modes {
		if !knownMode(m.name) {
			return fmt.Errorf("%.40q %w", m.name, errMode)
		}
		parts = append(parts, m.part)
	}
	for _, w := range iv.windows {
		parts = append(parts, w.part)
	}
	for _, p := range parts {
		for _, pico := range p.pico {
			if pico < 0 || pico > MaxPico {
				return fmt.Errorf("%w: %d pico-USD", ErrNumber, pico)
			}
		}
	}
	if !iv.tiersAscend() {
		return errTierOrder
	}
	return nil
}

func (d *document) checkAliases() error {
	for _, name := range slices.Sorted(maps.Keys(d.aliases)) {
		target := d.aliases[name]
		if target != localProvider && d.providers[target] == nil {
			return fmt.Errorf("provider alias %.80q: %.80q %w", name, target, errNoSuch)
		}
		if d.providers[name] != nil {
			return fmt.Errorf("provider alias %.80q %w", name, errName)
		}
	}
	return nil
}

// checkCanonical follows each canonical name to its end. A name that leads to
// itself is allowed: it says that the row is the maker's own.
func (d *document) checkCanonical() error {
	for _, name := range d.names() {
		for _, m := range d.providers[name].models {
			seen := map[*model]bool{m: true}
			for next := d.canonicalOf(m); next != nil && next != m; next = d.canonicalOf(next) {
				if seen[next] {
					break
				}
				seen[next] = true
				if d.canonicalOf(next) == m {
					return fmt.Errorf("canonical of %.80q leads back to it", m.id)
				}
			}
		}
	}
	return nil
}

func (d *document) canonicalOf(m *model) *model {
	maker, id, ok := strings.Cut(strings.ToLower(m.canonical), "/")
	p := d.providers[maker]
	if !ok || p == nil {
		return nil
	}
	return p.open().models[id]
}

// checkCanaries looks for what no true table is without: prices of the large
// vendors' families, a tier, a mode. A file of the right form that lost them
// was made by a broken program.
func (d *document) checkCanaries() error {
	tiers, modes := false, false
	for _, canary := range []struct{ provider, prefix string }{
		{"anthropic", "claude-"}, {"openai", "gpt-"}, {"google", "gemini-"},
	} {
		p := d.providers[canary.provider]
		if p == nil {
			return fmt.Errorf("provider %s %w", canary.provider, errNoSuch)
		}
		priced := false
		for id, m := range p.models {
			priced = priced || strings.HasPrefix(id, canary.prefix) && len(m.intervals) > 0
			for _, iv := range m.intervals {
				tiers, modes = tiers || len(iv.tiers) > 0, modes || len(iv.modes) > 0
			}
		}
		if !priced {
			return fmt.Errorf("no priced %s* of %s", canary.prefix, canary.provider)
		}
	}
	if !tiers || !modes {
		return errors.New("no tier or no mode in the large vendors' rates")
	}
	return nil
}
