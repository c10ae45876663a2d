package pricefile

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"meterbridge/pricing"
)

// The example of the documentation, with what it means.
const example = `
[[override]]
provider = "fireworks-ai"
model = "accounts/fireworks/routers/kimi-latest"
from = 2026-11-01
to = 2026-12-01T06:00:00+02:00
input = "0.95"
output = "4.00"
cache_read = "0.16"
tiers = [{ above = 200000, input = "1.90", output = "6.00" }]
modes = { priority = { input = "2", output = "8" } }

[[alias]]
provider = "azure"
model = "my-deployment"
as = "openai/gpt-5.5"

[[gateway]]
provider = "omniroute"
strip = "cx/"
as = "openai"

[[local]]
provider = "my-vllm"

[[multiplier]]
provider = "anthropic"
value = "0.85"
`

func pico(n int64) *int64 { return &n }

func TestParse_Example(t *testing.T) {
	got, err := Parse([]byte(example))
	if err != nil {
		t.Fatal(err)
	}
	want := pricing.User{
		Overrides: []pricing.Override{{
			Provider: "fireworks-ai", Model: "accounts/fireworks/routers/kimi-latest",
			From: time.Date(2026, 11, 1, 0, 0, 0, 0, time.UTC), To: time.Date(2026, 12, 1, 4, 0, 0, 0, time.UTC),
			Classes: pricing.Classes{Input: pico(950_000), Output: pico(4_000_000), CacheRead: pico(160_000)},
			Tiers:   []pricing.OverrideTier{{Above: 200_000, Classes: pricing.Classes{Input: pico(1_900_000), Output: pico(6_000_000)}}},
			Modes:   map[string]pricing.Classes{"priority": {Input: pico(2_000_000), Output: pico(8_000_000)}},
			Pos:     pricing.Position{Line: 2, Column: 3},
		}},
		Aliases:     []pricing.Alias{{Provider: "azure", Model: "my-deployment", As: "openai/gpt-5.5", Pos: pricing.Position{Line: 13, Column: 3}}},
		Gateways:    []pricing.Gateway{{Provider: "omniroute", Strip: "cx/", As: "openai", Pos: pricing.Position{Line: 18, Column: 3}}},
		Locals:      []pricing.Local{{Provider: "my-vllm", Pos: pricing.Position{Line: 23, Column: 3}}},
		Multipliers: []pricing.Multiplier{{Provider: "anthropic", Value: pricing.Factor{Num: 17, Den: 20}, Pos: pricing.Position{Line: 26, Column: 3}}},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}

// A wrong file is refused with the line and the column of what is wrong.
func TestParse_Refused(t *testing.T) {
	for _, c := range []struct {
		name, text string
		want       pricing.Position
	}{
		{"unknown key", "[[local]]\nprovider = \"x\"\nname = \"y\"\n", pricing.Position{Line: 3, Column: 1}},
		{"unknown table", "[[overide]]\nprovider = \"x\"\n", pricing.Position{Line: 1, Column: 3}},
		{"syntax", "[[local]]\nprovider = x\n", pricing.Position{Line: 2, Column: 12}},
		{"a float instead of text", "[[override]]\nmodel = \"m\"\ninput = 0.95\n", pricing.Position{Line: 3, Column: 9}},
		{"no number", "[[override]]\nmodel = \"m\"\n  input = \"cheap\"\n", pricing.Position{Line: 3, Column: 3}},
		{"too fine", "[[override]]\noutput = \"0.00000001\"\n", pricing.Position{Line: 2, Column: 1}},
		{"in a tier", "[[override]]\nmodel = \"m\"\ntiers = [{above = 1, input = \"-1\"}]\n", pricing.Position{Line: 3, Column: 1}},
		{"in a mode", "[[override]]\nmodel = \"m\"\nmodes = {fast = {input = \"-1\"}}\n", pricing.Position{Line: 3, Column: 1}},
		{"in a mode's own table", "[[override]]\nmodel = \"m\"\n[override.modes.fast]\ninput = \"-1\"\n", pricing.Position{Line: 1, Column: 3}},
		{"no date", "[[override]]\nfrom = 5\n", pricing.Position{Line: 2, Column: 1}},
		{"fraction of a second", "[[override]]\nto = 2026-01-01T00:00:00.5Z\n", pricing.Position{Line: 2, Column: 1}},
		{"second entry", "[[multiplier]]\nvalue = \"1\"\n[[multiplier]]\nvalue = \"0\"\n", pricing.Position{Line: 4, Column: 1}},
		{"no value", "[[multiplier]]\nprovider = \"p\"\n", pricing.Position{Line: 1, Column: 3}},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := Parse([]byte(c.text))
			var at *pricing.UserError
			if !errors.As(err, &at) || at.Position != c.want {
				t.Errorf("input\n%s\ngot %v, want it at %v", c.text, err, c.want)
			}
		})
	}
}

func TestParse_Dates(t *testing.T) {
	want := time.Date(2026, 11, 1, 0, 0, 0, 0, time.UTC)
	for _, text := range []string{`2026-11-01`, `"2026-11-01"`, `2026-11-01T00:00:00`, `2026-11-01T00:00:00Z`, `"2026-11-01T01:00:00+01:00"`} {
		u, err := Parse([]byte("[[override]]\nfrom = " + text + "\n"))
		if err != nil || !u.Overrides[0].From.Equal(want) {
			t.Errorf("input %s: got %v, %v, want %v", text, u, err, want)
		}
	}
}

func TestParse_Empty(t *testing.T) {
	u, err := Parse(nil)
	if err != nil || len(u.Overrides) != 0 {
		t.Errorf("got %v, %v", u, err)
	}
}

// No file makes the reader panic, and a refused one yields nothing.
func FuzzParse(f *testing.F) {
	f.Add([]byte(example))
	f.Add([]byte(strings.ReplaceAll(example, "\"0.95\"", "0.95")))
	f.Add([]byte("[override]\n[[override]]\n"))
	f.Add([]byte("[[override]]\n[[override.tiers]]\nabove = 1\n"))
	f.Fuzz(func(t *testing.T, content []byte) {
		u, err := Parse(content)
		if err == nil {
			return
		}
		var at *pricing.UserError
		if !errors.As(err, &at) || len(u.Overrides) > 0 {
			t.Errorf("got %v, %v", u, err)
		}
	})
}
