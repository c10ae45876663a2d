package pricing

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"time"
)

// User is the user's pricing file, decoded: what ranks above every table. The
// zero value changes nothing.
type User struct {
	Overrides   []Override   `toml:"override"`
	Aliases     []Alias      `toml:"alias"`
	Gateways    []Gateway    `toml:"gateway"`
	Locals      []Local      `toml:"local"`
	Multipliers []Multiplier `toml:"multiplier"`
}

// Position is where an entry begins in its file; 1-based, zero when unknown.
type Position struct{ Line, Column int }

// UserError is an entry of the user's pricing file that cannot be used. One
// such entry refuses the whole file.
type UserError struct {
	Position
	Err error
}

func (e *UserError) Error() string {
	return fmt.Sprintf("line %d, column %d: %v", e.Line, e.Column, e.Err)
}

func (e *UserError) Unwrap() error { return e.Err }

// Override is the user's own price of one model, valid in [From, To). Classes
// that it does not give follow the usual fallbacks; nothing is inherited.
type Override struct {
	Provider string  `toml:"provider"`
	Model    string  `toml:"model"`
	From     Instant `toml:"from"`
	To       Instant `toml:"to"`
	Classes
	Tiers []OverrideTier     `toml:"tiers"`
	Modes map[string]Classes `toml:"modes"`
	Pos   Position           `toml:"-" json:"-"`
}

// Classes are prices of token classes; nil is "not given".
type Classes struct {
	Input        *PerMillion `toml:"input"`
	Output       *PerMillion `toml:"output"`
	CacheRead    *PerMillion `toml:"cache_read"`
	CacheWrite5m *PerMillion `toml:"cache_write_5m"`
	CacheWrite1h *PerMillion `toml:"cache_write_1h"`
	Reasoning    *PerMillion `toml:"reasoning"`
}

// OverrideTier holds for the whole request when its prompt is above Above tokens.
type OverrideTier struct {
	Above int64 `toml:"above"`
	Classes
}

// Alias prices a name of one provider (a deployment, say) as "provider/id".
type Alias struct {
	Provider string   `toml:"provider"`
	Model    string   `toml:"model"`
	As       string   `toml:"as"`
	Pos      Position `toml:"-" json:"-"`
}

// Gateway prices the models of a provider that the table does not know as those
// of another, after taking Strip off their names.
type Gateway struct {
	Provider string   `toml:"provider"`
	Strip    string   `toml:"strip"`
	As       string   `toml:"as"`
	Pos      Position `toml:"-" json:"-"`
}

// Local is a server of the user's own, which is never priced.
type Local struct {
	Provider string   `toml:"provider"`
	Pos      Position `toml:"-" json:"-"`
}

// Multiplier applies to the token classes of a provider's list costs, never to
// recorded costs or fees.
type Multiplier struct {
	Provider string   `toml:"provider"`
	Value    Factor   `toml:"value"`
	Pos      Position `toml:"-" json:"-"`
}

// PerMillion is a price in pico-USD per token, written as USD per million tokens.
type PerMillion int64

// UnmarshalText reads decimal USD per million tokens ("0.95").
func (p *PerMillion) UnmarshalText(text []byte) error {
	n, err := perMillion(string(text))
	*p = PerMillion(n)
	return err
}

// Instant is a moment, written as a date (its start in UTC) or in RFC 3339; the
// zero value is open.
type Instant struct {
	sec int64
	set bool
}

// UnmarshalText reads a date or a time.
func (i *Instant) UnmarshalText(text []byte) error {
	sec, err := bound(string(text), 0)
	*i = Instant{sec: sec, set: true}
	return err
}

// MarshalText is the inverse of UnmarshalText.
func (i Instant) MarshalText() ([]byte, error) {
	if !i.set {
		return nil, nil
	}
	return []byte(boundText(i.sec)), nil
}

// Time is the moment in UTC; zero when open.
func (i Instant) Time() time.Time {
	if !i.set {
		return time.Time{}
	}
	return time.Unix(i.sec, 0).UTC()
}

func (i Instant) or(open int64) int64 {
	if !i.set {
		return open
	}
	return i.sec
}

func (u User) empty() bool {
	return len(u.Overrides)+len(u.Aliases)+len(u.Gateways)+len(u.Locals)+len(u.Multipliers) == 0
}

// digest names the contents of the file in a table's version.
func (u User) digest() string {
	text, err := json.Marshal(u)
	if err != nil {
		return "unknown"
	}
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:4])
}

func (c Classes) given() partial {
	var p partial
	for i, v := range []*PerMillion{c.Input, c.Output, c.CacheRead, c.CacheWrite5m, c.CacheWrite1h, c.Reasoning} {
		if v != nil {
			p.set(class(i), int64(*v))
		}
	}
	return p
}
