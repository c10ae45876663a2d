package config

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"meterbridge"
)

// Budget is one [[budget]]: a limit on what may be spent in a window.
type Budget struct {
	Name string `toml:"name"`
	// Scope is all, harness, project, model, agent or workspace; Match the id, name or
	// path that it keeps, empty for all.
	Scope string `toml:"scope"`
	Match string `toml:"match"`
	// Window is 5h, day, week or month.
	Window string `toml:"window"`
	// MaxUSD is a decimal number, as a text or as a number of TOML; nil is none.
	MaxUSD any `toml:"max_usd"`
	// MaxTokens is nil for none.
	MaxTokens *int64 `toml:"max_tokens"`
	// Action is notify, hold or stop; empty for notify.
	Action string `toml:"action"`
}

// Limit is MaxUSD exactly; nil when there is none.
func (b Budget) Limit() (*meterbridge.PicoUSD, error) {
	var text string
	switch v := b.MaxUSD.(type) {
	case nil:
		return nil, nil
	case string:
		text = v
	case int64:
		text = strconv.FormatInt(v, 10)
	case float64:
		text = strconv.FormatFloat(v, 'f', -1, 64)
	default:
		return nil, fmt.Errorf("max_usd is not an amount")
	}
	p, err := meterbridge.ParseUSD(text)
	if err != nil || strings.HasPrefix(text, "-") {
		return nil, fmt.Errorf("max_usd %q is not an amount of USD", text)
	}
	return &p, nil
}

// Check says what cannot be meant, and fills in the default action.
func (b *Budget) Check() error {
	if b.Action == "" {
		b.Action = "notify"
	}
	for _, word := range []struct {
		key, value string
		known      []string
	}{
		{"scope", b.Scope, []string{"all", "harness", "project", "model", "agent", "workspace"}},
		{"window", b.Window, []string{"5h", "day", "week", "month"}},
		{"action", b.Action, []string{"notify", "hold", "stop"}},
	} {
		if !slices.Contains(word.known, word.value) {
			return &keyError{word.key, fmt.Errorf("%s %q is none of %s", word.key, word.value, strings.Join(word.known, ", "))}
		}
	}
	_, err := b.Limit()
	switch {
	case b.Name == "":
		return &keyError{"name", errors.New("a name is needed")}
	case (b.Scope == "all") != (b.Match == ""):
		return &keyError{"match", errors.New("match goes with a scope other than all, which needs it")}
	case err != nil:
		return &keyError{"max_usd", err}
	case b.MaxUSD == nil && b.MaxTokens == nil:
		return &keyError{"max_usd", errors.New("max_usd or max_tokens is needed")}
	case b.MaxTokens != nil && *b.MaxTokens < 0:
		return &keyError{"max_tokens", fmt.Errorf("max_tokens %d is negative", *b.MaxTokens)}
	}
	return nil
}

// keyError is what is wrong with the value of a budget's key.
type keyError struct {
	key string
	err error
}

func (e *keyError) Error() string { return e.err.Error() }

func (e *keyError) Unwrap() error { return e.err }

// checkBudgets checks each and that names tell them apart.
func checkBudgets(budgets []Budget) error {
	seen := map[string]bool{}
	for i := range budgets {
		err := budgets[i].Check()
		if err == nil && seen[budgets[i].Name] {
			err = &keyError{"name", fmt.Errorf("the name %q is taken", budgets[i].Name)}
		}
		if wrong := (*keyError)(nil); errors.As(err, &wrong) {
			return &valueError{table: "budget", n: i + 1, key: wrong.key, err: err, told: true}
		}
		seen[budgets[i].Name] = true
	}
	return nil
}
