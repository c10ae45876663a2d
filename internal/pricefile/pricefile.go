// Package pricefile reads pricing.toml, the user's own prices, into the form
// that the price table is laid under. It imports the price table and a TOML
// decoder and never the ledger; internal/daemon hands Parse to pricing.Load.
package pricefile

import (
	"bytes"
	"errors"
	"fmt"
	"strings"

	"github.com/pelletier/go-toml/v2"

	"meterbridge/pricing"
)

// ErrFile is a file that is no pricing.toml.
var ErrFile = errors.New("not usable as pricing.toml")

// The tables of the file, as written.
type file struct {
	Overrides   []override   `toml:"override"`
	Aliases     []alias      `toml:"alias"`
	Gateways    []gateway    `toml:"gateway"`
	Locals      []local      `toml:"local"`
	Multipliers []multiplier `toml:"multiplier"`
}

type override struct {
	Provider string `toml:"provider"`
	Model    string `toml:"model"`
	// From and To are a TOML date or time, or text in the same form.
	From any `toml:"from"`
	To   any `toml:"to"`
	classes
	Tiers []tier             `toml:"tiers"`
	Modes map[string]classes `toml:"modes"`
}

// classes are decimal texts, USD per million tokens: a float would not say what
// was written.
type classes struct {
	Input        *string `toml:"input"`
	Output       *string `toml:"output"`
	CacheRead    *string `toml:"cache_read"`
	CacheWrite5m *string `toml:"cache_write_5m"`
	CacheWrite1h *string `toml:"cache_write_1h"`
	Reasoning    *string `toml:"reasoning"`
}

type tier struct {
	Above int64 `toml:"above"`
	classes
}

type alias struct {
	Provider string `toml:"provider"`
	Model    string `toml:"model"`
	As       string `toml:"as"`
}

type gateway struct {
	Provider string `toml:"provider"`
	Strip    string `toml:"strip"`
	As       string `toml:"as"`
}

type local struct {
	Provider string `toml:"provider"`
}

type multiplier struct {
	Provider string `toml:"provider"`
	Value    string `toml:"value"`
}

// Parse decodes the file strictly: an unknown key, a wrong type or a number that
// is none refuses it as a whole. The error is a *pricing.UserError with the
// line and the column.
func Parse(content []byte) (pricing.User, error) {
	var f file
	dec := toml.NewDecoder(bytes.NewReader(content)).DisallowUnknownFields()
	if err := dec.Decode(&f); err != nil {
		return pricing.User{}, located(err)
	}
	return f.user(findPlaces(content))
}

func located(err error) error {
	var unknown *toml.StrictMissingError
	if errors.As(err, &unknown) && len(unknown.Errors) > 0 {
		first := &unknown.Errors[0]
		return fault(first, fmt.Sprintf("unknown key %s", strings.Join(first.Key(), ".")))
	}
	var wrong *toml.DecodeError
	if errors.As(err, &wrong) {
		return fault(wrong, strings.TrimPrefix(wrong.Error(), "toml: "))
	}
	return &pricing.UserError{Err: fmt.Errorf("%w: %w", ErrFile, err)}
}

func fault(at *toml.DecodeError, problem string) error {
	line, column := at.Position()
	return &pricing.UserError{
		Position: pricing.Position{Line: line, Column: column},
		Err:      fmt.Errorf("%w: %s", ErrFile, problem),
	}
}
