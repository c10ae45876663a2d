package pricefile

import (
	"fmt"
	"strconv"
	"time"

	"github.com/pelletier/go-toml/v2"

	"meterbridge/pricing"
)

// user converts the file; at knows where things are written.
func (f file) user(at places) (pricing.User, error) {
	var u pricing.User
	for i, o := range f.Overrides {
		entry := "override." + strconv.Itoa(i)
		converted, err := o.convert(entry, at)
		if err != nil {
			return pricing.User{}, err
		}
		u.Overrides = append(u.Overrides, converted)
	}
	for i, a := range f.Aliases {
		u.Aliases = append(u.Aliases, pricing.Alias{Provider: a.Provider, Model: a.Model, As: a.As, Pos: at["alias."+strconv.Itoa(i)]})
	}
	for i, g := range f.Gateways {
		u.Gateways = append(u.Gateways, pricing.Gateway{Provider: g.Provider, Strip: g.Strip, As: g.As, Pos: at["gateway."+strconv.Itoa(i)]})
	}
	for i, l := range f.Locals {
		u.Locals = append(u.Locals, pricing.Local{Provider: l.Provider, Pos: at["local."+strconv.Itoa(i)]})
	}
	for i, m := range f.Multipliers {
		entry := "multiplier." + strconv.Itoa(i)
		value, err := pricing.ParseFactor(m.Value)
		if err != nil {
			return pricing.User{}, &pricing.UserError{Position: at.of(entry, "value"), Err: err}
		}
		u.Multipliers = append(u.Multipliers, pricing.Multiplier{Provider: m.Provider, Value: value, Pos: at[entry]})
	}
	return u, nil
}

func (o override) convert(entry string, at places) (pricing.Override, error) {
	out := pricing.Override{Provider: o.Provider, Model: o.Model, Pos: at[entry]}
	fail := func(key string, err error) error {
		return &pricing.UserError{Position: at.of(entry, key), Err: fmt.Errorf("%s: %w", key, err)}
	}
	var err error
	if out.From, err = moment(o.From); err != nil {
		return out, fail("from", err)
	}
	if out.To, err = moment(o.To); err != nil {
		return out, fail("to", err)
	}
	var key string
	if out.Classes, key, err = o.classes.convert(); err != nil {
		return out, fail(key, err)
	}
	for _, t := range o.Tiers {
		c, key, err := t.convert()
		if err != nil {
			return out, fail("tiers", fmt.Errorf("%s: %w", key, err))
		}
		out.Tiers = append(out.Tiers, pricing.OverrideTier{Above: t.Above, Classes: c})
	}
	for name, m := range o.Modes {
		c, key, err := m.convert()
		if err != nil {
			return out, fail("modes", fmt.Errorf("%s.%s: %w", name, key, err))
		}
		if out.Modes == nil {
			out.Modes = map[string]pricing.Classes{}
		}
		out.Modes[name] = c
	}
	return out, nil
}

// convert reads the prices; key names the one that is wrong.
func (c classes) convert() (out pricing.Classes, key string, err error) {
	for _, field := range [...]struct {
		key  string
		text *string
		to   **int64
	}{
		{"input", c.Input, &out.Input},
		{"output", c.Output, &out.Output},
		{"cache_read", c.CacheRead, &out.CacheRead},
		{"cache_write_5m", c.CacheWrite5m, &out.CacheWrite5m},
		{"cache_write_1h", c.CacheWrite1h, &out.CacheWrite1h},
		{"reasoning", c.Reasoning, &out.Reasoning},
	} {
		if field.text == nil {
			continue
		}
		n, err := pricing.ParsePerMillion(*field.text)
		if err != nil {
			return out, field.key, err
		}
		*field.to = &n
	}
	return out, "", nil
}

// moment reads a date or a time in any of TOML's forms; one without a zone is UTC.
func moment(value any) (time.Time, error) {
	var t time.Time
	switch v := value.(type) {
	case nil:
		return t, nil
	case string:
		var err error
		if t, err = pricing.ParseAt(v); err != nil {
			return t, err
		}
	case toml.LocalDate:
		t = v.AsTime(time.UTC)
	case toml.LocalDateTime:
		t = v.AsTime(time.UTC)
	case time.Time:
		t = v.UTC()
	default:
		return t, fmt.Errorf("%w: a date or a time such as 2026-11-01", ErrFile)
	}
	if t.Nanosecond() != 0 || t.IsZero() {
		return t, fmt.Errorf("%w: a time in whole seconds", ErrFile)
	}
	return t, nil
}
