package config

import (
	"testing"

	"meterbridge"
)

func TestLoad_ReadsBudgets(t *testing.T) {
	c, err := Load(write(t, `
[[budget]]
name = "all of it"
scope = "all"
window = "month"
max_usd = "100.50"
[[budget]]
name = "claude"
scope = "harness"
match = "claude-code"
window = "5h"
max_usd = 0.1
max_tokens = 5000
action = "hold"
[[budget]]
name = "whole dollars"
scope = "all"
window = "day"
max_usd = 20
[[budget]]
name = "one agent"
scope = "agent"
match = "worker"
window = "day"
max_tokens = 1
action = "stop"
[[budget]]
name = "a workspace"
scope = "workspace"
match = "shop"
window = "week"
max_tokens = 1
`), "/home/dev")
	if err != nil {
		t.Fatal(err)
	}
	// 100.50 USD, 0.1 USD and 20 USD in pico-USD.
	for i, want := range []int64{100_500_000_000_000, 100_000_000_000, 20_000_000_000_000} {
		got, err := c.Budgets[i].Limit()
		if err != nil || got == nil || *got != meterbridge.Pico(want) {
			t.Errorf("limit of %q: %v, %v; want %d pico-USD", c.Budgets[i].Name, got, err, want)
		}
	}
	if c.Budgets[0].Action != "notify" || c.Budgets[1].Action != "hold" || *c.Budgets[1].MaxTokens != 5000 || len(c.Budgets) != 5 {
		t.Errorf("budgets %+v", c.Budgets)
	}
}

func TestLoad_RefusesBudgetsThatCannotBeMeant(t *testing.T) {
	const good = "name = \"b\"\nscope = \"all\"\nwindow = \"day\"\nmax_usd = 1\n"
	for why, text := range map[string]string{
		"no name":            "scope = \"all\"\nwindow = \"day\"\nmax_usd = 1\n",
		"no limit":           "name = \"b\"\nscope = \"all\"\nwindow = \"day\"\n",
		"no window":          "name = \"b\"\nscope = \"all\"\nmax_usd = 1\n",
		"an unknown scope":   "name = \"b\"\nscope = \"team\"\nmatch = \"x\"\nwindow = \"day\"\nmax_usd = 1\n",
		"a scope of nothing": "name = \"b\"\nscope = \"model\"\nwindow = \"day\"\nmax_usd = 1\n",
		"all of something":   good + "match = \"x\"\n",
		"an unknown action":  good + "action = \"explode\"\n",
		"no amount":          "name = \"b\"\nscope = \"all\"\nwindow = \"day\"\nmax_usd = \"much\"\n",
		"a negative amount":  "name = \"b\"\nscope = \"all\"\nwindow = \"day\"\nmax_usd = -1\n",
		"an infinite amount": "name = \"b\"\nscope = \"all\"\nwindow = \"day\"\nmax_usd = inf\n",
		"negative tokens":    "name = \"b\"\nscope = \"all\"\nwindow = \"day\"\nmax_tokens = -1\n",
		"two of one name":    good + "[[budget]]\n" + good,
		"an unknown key":     good + "colour = \"red\"\n",
		"an amount as table": "name = \"b\"\nscope = \"all\"\nwindow = \"day\"\nmax_usd = {}\n",
	} {
		if _, err := Load(write(t, "[[budget]]\n"+text), "/home/dev"); err == nil {
			t.Errorf("%s was accepted:\n%s", why, text)
		}
	}
}
