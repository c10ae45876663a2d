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
	Overrides   []Override
	Aliases     []Alias
	Gateways    []Gateway
	Locals      []Local
	Multipliers []Multiplier
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
	Provider, Model string
	// From and To are whole seconds; zero is open.
	From, To time.Time
	Classes
	Tiers []OverrideTier
	Modes map[string]Classes
	Pos   Position `json:"-"`
}

// Classes are prices of token classes in pico-USD per token; nil is "not given".
type Classes struct {
	Input, Output, CacheRead, CacheWrite5m, CacheWrite1h, Reasoning *int64
}

// OverrideTier holds for the whole request when its prompt is above Above tokens.
type OverrideTier struct {
	Above int64
	Classes
}

// Alias prices a name of one provider (a deployment, say) as "provider/id".
type Alias struct {
	Provider string
	Model    string
	As       string
	Pos      Position `json:"-"`
}

// Gateway prices the models of a provider that the table does not know as those
// of another, after taking Strip off their names.
type Gateway struct {
	Provider string
	Strip    string
	As       string
	Pos      Position `json:"-"`
}

// Local is a server of the user's own, which is never priced.
type Local struct {
	Provider string
	Pos      Position `json:"-"`
}

// Multiplier applies to the token classes of a provider's list costs, never to
// recorded costs or fees.
type Multiplier struct {
	Provider string
	Value    Factor
	Pos      Position `json:"-"`
}

// seconds is a bound of an interval; open stands for the zero time.
func seconds(t time.Time, open int64) int64 {
	if t.IsZero() {
		return open
	}
	return t.Unix()
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
	for i, v := range []*int64{c.Input, c.Output, c.CacheRead, c.CacheWrite5m, c.CacheWrite1h, c.Reasoning} {
		if v != nil {
			p.set(class(i), *v)
		}
	}
	return p
}
