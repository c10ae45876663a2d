package pricing

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// rules are the user's file, checked against a table and ready for look-ups.
type rules struct {
	aliases     map[place]target
	gateways    map[string][]gateway
	local       map[string]bool
	multipliers map[string]Factor
}

// place is a name at a provider; target is the row it is priced as.
type place struct{ provider, model string }

type target struct {
	provider string
	model    *model
}

type gateway struct{ strip, as string }

// The sentinels of a user's file that cannot be used.
var (
	errTwice      = errors.New("is there twice")
	errMissing    = errors.New("is missing or not usable as a name")
	errNoSuch     = errors.New("is not in the price table")
	errOwnServer  = errors.New("is the user's own server, which is never priced")
	errTierOrder  = errors.New("tiers must ascend and must not be below the base price")
	errMode       = errors.New("is not a mode (fast, priority, flex, batch, ultrafast)")
	errEmptyRange = errors.New("from must be before to")
	errOverlap    = errors.New("overlaps another override of the model")
)

// newRules checks the user's file against d and lays its overrides over d,
// which must belong to the new table alone.
func newRules(u User, d *document) (*rules, error) {
	r := &rules{aliases: map[place]target{}, gateways: map[string][]gateway{}, local: map[string]bool{}, multipliers: map[string]Factor{}}
	for _, l := range u.Locals {
		if err := r.addLocal(l, d); err != nil {
			return nil, &UserError{l.Pos, err}
		}
	}
	for _, o := range u.Overrides {
		if err := d.addOverride(o, r); err != nil {
			return nil, &UserError{o.Pos, err}
		}
	}
	for _, a := range u.Aliases {
		if err := r.addAlias(a, d); err != nil {
			return nil, &UserError{a.Pos, err}
		}
	}
	for _, g := range u.Gateways {
		if err := r.addGateway(g, d); err != nil {
			return nil, &UserError{g.Pos, err}
		}
	}
	for _, m := range u.Multipliers {
		if err := r.addMultiplier(m, d); err != nil {
			return nil, &UserError{m.Pos, err}
		}
	}
	return r, nil
}

func (r *rules) addLocal(l Local, d *document) error {
	key, err := d.userProvider(l.Provider)
	if err != nil {
		return err
	}
	if r.local[key] {
		return fmt.Errorf("local %q %w", l.Provider, errTwice)
	}
	r.local[key] = true
	return nil
}

// userProvider is the table's key of a provider that the user names.
func (d *document) userProvider(name string) (string, error) {
	if !usableName(name) {
		return "", fmt.Errorf("provider %w", errMissing)
	}
	return d.key(strings.ToLower(strings.TrimSpace(name))), nil
}

// usableName reports whether text can be an id: 1 to 200 bytes, no control characters.
func usableName(text string) bool {
	return strings.TrimSpace(text) != "" && len(text) <= 200 && utf8.ValidString(text) && !strings.ContainsFunc(text, unicode.IsControl)
}

func (d *document) addOverride(o Override, r *rules) error {
	key, err := d.userProvider(o.Provider)
	switch {
	case err != nil:
		return err
	case !usableName(o.Model):
		return fmt.Errorf("model %w", errMissing)
	case r.local[key] || d.canonical(key) == localProvider:
		return fmt.Errorf("provider %q %w", o.Provider, errOwnServer)
	case seconds(o.From, always) >= seconds(o.To, never):
		return errEmptyRange
	}
	if _, err := o.interval(); err != nil {
		return err
	}
	p := d.providers[key]
	if p == nil {
		p = &provider{id: key}
		d.providers[key] = p
	}
	for _, other := range p.overrides {
		same := strings.EqualFold(strings.TrimSpace(other.Model), strings.TrimSpace(o.Model))
		if same && seconds(o.From, always) < seconds(other.To, never) && seconds(other.From, always) < seconds(o.To, never) {
			return errOverlap
		}
	}
	p.overrides = append(p.overrides, o)
	return nil
}

// interval is the override as an interval of a model.
func (o Override) interval() (interval, error) {
	iv := interval{from: seconds(o.From, always), to: seconds(o.To, never), base: o.given(), source: "user"}
	iv.sheet = iv.base.settle()
	if !iv.base.given.has(input) || !iv.base.given.has(output) {
		return iv, errClasses
	}
	for _, t := range o.Tiers {
		iv.addTier(t.Above, t.given())
	}
	if !iv.tiersAscend() {
		return iv, errTierOrder
	}
	for name, c := range o.Modes {
		if !knownMode(name) {
			return iv, fmt.Errorf("%q %w", name, errMode)
		}
		m := mode{name: name, to: never, part: c.given(), sheet: c.given().settle()}
		if !m.part.given.has(input) || !m.part.given.has(output) {
			return iv, fmt.Errorf("mode %s: %w", name, errClasses)
		}
		iv.modes = append(iv.modes, m)
	}
	slices.SortFunc(iv.modes, func(a, b mode) int { return strings.Compare(a.name, b.name) })
	return iv, nil
}

// tiersAscend checks thresholds, and that no class of a tier is below the base.
func (iv *interval) tiersAscend() bool {
	above := int64(0)
	for _, t := range iv.tiers {
		if t.above <= above {
			return false
		}
		above = t.above
		for c := range class(classes) {
			if t.part.given.has(c) && iv.base.given.has(c) && t.part.pico[c] < iv.base.pico[c] {
				return false
			}
		}
	}
	return true
}

func knownMode(name string) bool {
	switch name {
	case "fast", "priority", "flex", "batch", "ultrafast":
		return true
	}
	return false
}

func (r *rules) addAlias(a Alias, d *document) error {
	key, err := d.userProvider(a.Provider)
	if err != nil {
		return err
	}
	if !usableName(a.Model) {
		return fmt.Errorf("model %w", errMissing)
	}
	at := place{key, strings.ToLower(strings.TrimSpace(a.Model))}
	if _, ok := r.aliases[at]; ok {
		return fmt.Errorf("alias %q %w", a.Model, errTwice)
	}
	maker, id, _ := strings.Cut(strings.ToLower(strings.TrimSpace(a.As)), "/")
	maker = d.key(maker)
	p := d.providers[maker]
	if p == nil {
		return fmt.Errorf("the provider of %q %w", a.As, errNoSuch)
	}
	hit, ok := p.open().exact(id)
	if !ok {
		return fmt.Errorf("%q %w", a.As, errNoSuch)
	}
	r.aliases[at] = target{maker, hit.m}
	return nil
}

func (r *rules) addGateway(g Gateway, d *document) error {
	key, err := d.userProvider(g.Provider)
	if err != nil {
		return err
	}
	as := d.key(strings.ToLower(strings.TrimSpace(g.As)))
	if d.providers[as] == nil {
		return fmt.Errorf("%q %w", g.As, errNoSuch)
	}
	strip := strings.ToLower(g.Strip)
	for _, other := range r.gateways[key] {
		if other.strip == strip {
			return fmt.Errorf("gateway %q with strip %q %w", g.Provider, g.Strip, errTwice)
		}
	}
	r.gateways[key] = append(r.gateways[key], gateway{strip, as})
	// The longest prefix is tried first, so that the order of the file does not matter.
	slices.SortFunc(r.gateways[key], func(a, b gateway) int { return len(b.strip) - len(a.strip) })
	return nil
}

func (r *rules) addMultiplier(m Multiplier, d *document) error {
	key, err := d.userProvider(m.Provider)
	if err != nil {
		return err
	}
	if m.Value.Den == 0 {
		return fmt.Errorf("value %w", errMissing)
	}
	if _, ok := r.multipliers[key]; ok {
		return fmt.Errorf("multiplier of %q %w", m.Provider, errTwice)
	}
	r.multipliers[key] = m.Value
	return nil
}
