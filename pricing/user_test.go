package pricing

import (
	"errors"
	"testing"
	"time"

	"meterbridge"
)

// usdPer is a price in USD per million as the overrides hold it.
func usdPer(text string) *int64 {
	n, err := ParsePerMillion(text)
	if err != nil {
		panic(err)
	}
	return &n
}

func classesOf(input, output string) Classes {
	return Classes{Input: usdPer(input), Output: usdPer(output)}
}

// userTable lays u over the embedded table.
func userTable(t *testing.T, u User) *Table {
	t.Helper()
	table, err := withUser(embeddedData(), u)
	if err != nil {
		t.Fatal(err)
	}
	return table
}

func day(text string) time.Time {
	t, err := ParseAt(text)
	if err != nil {
		panic(err)
	}
	return t
}

func TestUser_Override(t *testing.T) {
	kimi := classesOf("0.95", "4.00")
	kimi.CacheRead = usdPer("0.16")
	table := userTable(t, User{Overrides: []Override{
		{
			Provider: "fireworks", Model: "accounts/fireworks/routers/kimi-latest", From: day("2026-10-01"), Classes: kimi,
			Tiers: []OverrideTier{{Above: 200_000, Classes: classesOf("1.90", "6.00")}},
		},
		{Provider: "openai", Model: "GPT-5.6", From: day("2026-10-01"), To: day("2026-11-01"), Classes: classesOf("1", "2")},
		{Provider: "my-cloud", Model: "own-model", Classes: classesOf("0.1", "0.2"), Modes: map[string]Classes{"priority": classesOf("0.2", "0.4")}},
	}})
	write := meterbridge.Tokens{CacheWrite5m: meterbridge.Reported(100_000)}
	for _, c := range []struct {
		name    string
		r       *meterbridge.Request
		want    string
		wantKey string
	}{
		{"its price", million("fireworks-ai", "accounts/fireworks/routers/kimi-latest"), "4.00", "fireworks-ai/accounts/fireworks/routers/kimi-latest|2026-10-01|exact|base|estimated"},
		{"its tier", million("fireworks-ai", "accounts/fireworks/routers/kimi-latest", prompt(300_000)), "6.57", "fireworks-ai/accounts/fireworks/routers/kimi-latest|2026-10-01|exact|above-200000|estimated"},
		{"nothing is inherited: a write costs what input costs", million("openai", "gpt-5.6", func(r *meterbridge.Request) { r.Tokens = write }), "0.10", "openai/GPT-5.6|2026-10-01|exact|base|estimated"},
		{"an alias becomes an id of its own", million("openai", "gpt-5.6"), "2.00", "openai/GPT-5.6|2026-10-01|exact|base|"},
		{"its model keeps its price", million("openai", "gpt-5.6-sol"), "20.00", "openai/gpt-5.6-sol|2026-08-21|exact|base|"},
		{"outside of its time the table holds", million("openai", "gpt-5.6", at("2026-09-30")), "20.00", "openai/GPT-5.6|2026-08-21|exact|base|"},
		{"behind its time as well", million("openai", "gpt-5.6", at("2026-11-01")), "20.00", "openai/GPT-5.6|2026-11-01|exact|base|"},
		{"a provider of the user's own", million("my-cloud", "own-model"), "0.20", "my-cloud/own-model|-|exact|base|"},
		{"with a mode", million("my-cloud", "own-model", served("priority")), "0.40", "my-cloud/own-model|-|exact|priority|"},
		{"of which the rest is unknown", million("my-cloud", "other"), "", "unpriced|unknown-model"},
	} {
		got := table.Price(c.r, "")
		if text := usd(got.List); text != c.want || got.Key != c.wantKey {
			t.Errorf("%s: got %q %s, want %q %s", c.name, text, got.Key, c.want, c.wantKey)
		}
	}
}

func TestUser_Mappings(t *testing.T) {
	table := userTable(t, User{
		Aliases:  []Alias{{Provider: "azure-openai", Model: "My-Deployment", As: "openai/gpt-5.5"}, {Provider: "ollama", Model: "hosted", As: "openai/gpt-5.5"}},
		Gateways: []Gateway{{Provider: "omniroute", Strip: "cx/", As: "openai"}, {Provider: "omniroute", Strip: "cx/long/", As: "anthropic"}},
		Locals:   []Local{{Provider: "my-vllm"}, {Provider: "groq"}},
		Multipliers: []Multiplier{
			{Provider: "anthropic", Value: Factor{17, 20}}, {Provider: "zai-coding-plan", Value: Factor{1, 2}},
		},
	})
	for _, c := range []struct{ provider, model, want, wantKey string }{
		{"azure", "my-deployment", "30.00", "openai/gpt-5.5|2026-04-23|user-alias|base|"},
		{"ollama", "hosted", "30.00", "openai/gpt-5.5|2026-04-23|user-alias|base|"},
		{"vllm", "hosted", "", "unpriced|own-server"},
		{"omniroute", "cx/gpt-5.5", "30.00", "openai/gpt-5.5|2026-04-23|gateway|base|"},
		{"omniroute", "CX/long/claude-opus-5", "25.00", "anthropic/claude-opus-5|2026-07-24|gateway|base|"},
		{"omniroute", "gpt-5.5", "", "unpriced|unknown-provider"},
		{"my-vllm", "gpt-5.5", "", "unpriced|own-server"},
		{"groq", "openai/gpt-oss-120b", "", "unpriced|own-server"},
		{"anthropic", "claude-opus-5", "21.25", "anthropic/claude-opus-5|2026-07-24|exact|x17/20|"},
		{"zai-coding-plan", "glm-4.7", "1.10", "zai/glm-4.7|-|canonical|x1/2|equivalent"},
		{"zai", "glm-4.7", "2.20", "zai/glm-4.7|-|exact|base|"},
	} {
		got := table.Price(million(c.provider, c.model), "")
		if text := usd(got.List); text != c.want || got.Key != c.wantKey {
			t.Errorf("input %s/%s: got %q %s, want %q %s", c.provider, c.model, text, got.Key, c.want, c.wantKey)
		}
	}
	fee := million("anthropic", "claude-opus-5", searches(1))
	if got := usd(table.Price(fee, "").List); got != "21.26" {
		t.Errorf("a fee is not multiplied: got %s, want 21.26", got)
	}
}

func TestUser_Version(t *testing.T) {
	none, one, other := userTable(t, User{}), userTable(t, User{Locals: []Local{{Provider: "a"}}}), userTable(t, User{Locals: []Local{{Provider: "b"}}})
	moved := userTable(t, User{Locals: []Local{{Provider: "a", Pos: Position{9, 9}}}})
	if none.Version() != Embedded().Version() {
		t.Errorf("no overrides: got %s, want %s", none.Version(), Embedded().Version())
	}
	if one.Version() == none.Version() || one.Version() == other.Version() || one.Version() != moved.Version() {
		t.Errorf("got %s, %s, %s, %s", none.Version(), one.Version(), other.Version(), moved.Version())
	}
}

// One wrong entry refuses the whole file, with its place.
func TestUser_Refused(t *testing.T) {
	pos := Position{3, 1}
	ok := classesOf("1", "2")
	for name, c := range map[string]struct {
		user User
		want error
	}{
		"no model":           {User{Overrides: []Override{{Provider: "openai", Classes: ok, Pos: pos}}}, errMissing},
		"no provider":        {User{Overrides: []Override{{Model: "m", Classes: ok, Pos: pos}}}, errMissing},
		"control character":  {User{Overrides: []Override{{Provider: "p", Model: "a\nb", Classes: ok, Pos: pos}}}, errMissing},
		"no output":          {User{Overrides: []Override{{Provider: "p", Model: "m", Classes: Classes{Input: usdPer("1")}, Pos: pos}}}, errClasses},
		"own server":         {User{Overrides: []Override{{Provider: "ollama", Model: "m", Classes: ok, Pos: pos}}}, errOwnServer},
		"declared local":     {User{Locals: []Local{{Provider: "p"}}, Overrides: []Override{{Provider: "p", Model: "m", Classes: ok, Pos: pos}}}, errOwnServer},
		"from after to":      {User{Overrides: []Override{{Provider: "p", Model: "m", From: day("2026-02-01"), To: day("2026-01-01"), Classes: ok, Pos: pos}}}, errEmptyRange},
		"overlap":            {User{Overrides: []Override{{Provider: "p", Model: "m", Classes: ok}, {Provider: "P", Model: "M", From: day("2026-01-01"), Classes: ok, Pos: pos}}}, errOverlap},
		"tier below base":    {User{Overrides: []Override{{Provider: "p", Model: "m", Classes: ok, Tiers: []OverrideTier{{10, classesOf("0.5", "2")}}, Pos: pos}}}, errTierOrder},
		"tiers out of order": {User{Overrides: []Override{{Provider: "p", Model: "m", Classes: ok, Tiers: []OverrideTier{{10, ok}, {5, ok}}, Pos: pos}}}, errTierOrder},
		"unknown mode":       {User{Overrides: []Override{{Provider: "p", Model: "m", Classes: ok, Modes: map[string]Classes{"turbo": ok}, Pos: pos}}}, errMode},
		"alias to nothing":   {User{Aliases: []Alias{{Provider: "azure", Model: "d", As: "openai/gpt-99", Pos: pos}}}, errNoSuch},
		"alias to nobody":    {User{Aliases: []Alias{{Provider: "azure", Model: "d", As: "nobody/gpt-5", Pos: pos}}}, errNoSuch},
		"alias twice":        {User{Aliases: []Alias{{Provider: "azure", Model: "d", As: "openai/gpt-5"}, {Provider: "azure", Model: "D", As: "openai/gpt-5", Pos: pos}}}, errTwice},
		"gateway to nobody":  {User{Gateways: []Gateway{{Provider: "g", As: "nobody", Pos: pos}}}, errNoSuch},
		"gateway twice":      {User{Gateways: []Gateway{{Provider: "g", As: "openai"}, {Provider: "g", As: "google", Pos: pos}}}, errTwice},
		"local twice":        {User{Locals: []Local{{Provider: "g"}, {Provider: "G", Pos: pos}}}, errTwice},
		"multiplier twice":   {User{Multipliers: []Multiplier{{"openai", Factor{1, 2}, Position{}}, {"codex", Factor{1, 2}, pos}}}, errTwice},
		"no multiplier":      {User{Multipliers: []Multiplier{{"openai", Factor{}, pos}}}, errMissing},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := withUser(embeddedData(), c.user)
			var at *UserError
			if !errors.As(err, &at) || at.Position != pos || !errors.Is(err, c.want) {
				t.Errorf("got %v, want %v at %v", err, c.want, pos)
			}
		})
	}
}

func TestParsePerMillion(t *testing.T) {
	for text, want := range map[string]int64{"0.0028": 2800, "0": 0, "1000000": MaxPico, "3": 3_000_000, "1e-1": 100_000, "0.000001": 1} {
		if got, err := ParsePerMillion(text); err != nil || got != want {
			t.Errorf("input %q: got %d, %v, want %d", text, got, err, want)
		}
	}
	for _, text := range []string{"", "-1", "0.0000001", "1000000.1", "1,5", "1/2", "NaN", "0x10", "1e999999999", "1_0"} {
		if got, err := ParsePerMillion(text); !errors.Is(err, ErrNumber) {
			t.Errorf("input %q: got %d, %v, want an error", text, got, err)
		}
	}
}

func TestParseFactor(t *testing.T) {
	for text, want := range map[string]Factor{"0.85": {17, 20}, "1": {1, 1}, "1.1": {11, 10}, "1000": {1000, 1}, "0.000001": {1, 1_000_000}} {
		if got, err := ParseFactor(text); err != nil || got != want {
			t.Errorf("input %q: got %v, %v, want %v", text, got, err, want)
		}
	}
	for _, text := range []string{"", "0", "-1", "1001", "0.0000001", "half"} {
		if got, err := ParseFactor(text); !errors.Is(err, ErrNumber) {
			t.Errorf("input %q: got %v, %v, want an error", text, got, err)
		}
	}
}
