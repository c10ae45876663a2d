package pricing

import (
	"bytes"
	"errors"
	"os"
	"testing"
	"time"

	"meterbridge"
)

const liteLLM = `{
 "sample_spec": {"litellm_provider": "openai", "mode": "chat", "input_cost_per_token": 1, "output_cost_per_token": 1},
 "gpt-5.5": {"litellm_provider": "openai", "mode": "chat", "input_cost_per_token": 4e-06, "output_cost_per_token": 2.4e-05,
   "cache_read_input_token_cost": 0, "input_cost_per_token_above_272k_tokens": 8e-06, "output_cost_per_token_above_272k_tokens": 1e-06,
   "input_cost_per_token_priority": 1e-05, "output_cost_per_token_priority": 6e-05},
 "gpt-5.4": {"litellm_provider": "openai", "mode": "responses", "input_cost_per_token": 2.5e-06, "output_cost_per_token": 1.5e-05},
 "openai/gpt-99": {"litellm_provider": "openai", "mode": "chat", "input_cost_per_token": 1e-06, "output_cost_per_token": 0.00000333333333333},
 "gpt-98": {"litellm_provider": "openai", "mode": "chat", "input_cost_per_token": 0, "output_cost_per_token": 0},
 "text-embed": {"litellm_provider": "openai", "mode": "embedding", "input_cost_per_token": 1e-07, "output_cost_per_token": 0},
 "gemini/gemini-2.5-pro": {"litellm_provider": "gemini", "mode": "chat", "input_cost_per_token": 1, "output_cost_per_token": 1}
}`

const modelsDev = `{
 "xai": {"id": "xai", "models": {
   "grok-4.6": {"cost": {"input": 3, "output": 9, "cache_read": 0.75, "cache_write": 0, "tiers": [{"input": 6, "output": 18, "tier": {"type": "context", "size": 200001}}]}},
   "grok-9": {"cost": {"input": 1, "output": 2, "context_over_200k": {"input": 2, "output": 4}}},
   "grok-free": {"cost": {"input": 0, "output": 0}}, "grok-unknown": {}}},
 "google": {"id": "google", "models": {"gemini-4-argon": {"cost": {"input": 1, "output": 2}}}},
 "anthropic": {"id": "anthropic", "models": {"claude-opus-5": {"cost": {"input": 1, "output": 1}}}}
}`

func importOf(format string, providers ...string) func(*UpdateOptions) {
	return func(o *UpdateOptions) { o.Format, o.Providers, o.AllowOlder = format, providers, true }
}

// prices are checked before and after the import's moment, 2026-12-05 09:00 UTC.
func TestUpdate_ImportLiteLLM(t *testing.T) {
	dir := t.TempDir()
	report, err := update(t, dir, source(t, []byte(liteLLM)), importOf(FormatLiteLLM, "codex"))
	if err != nil {
		t.Fatal(err)
	}
	if report.After != "2026-11-30.2+litellm.20261205.090000" || report.AsOf != "2026-12-05" || len(report.Added) != 1 || len(report.Removed) != 0 || len(report.Changed) != 1 {
		t.Errorf("got %+v", report)
	}
	table, warnings, err := Load(Files{Dir: dir})
	if err != nil || len(warnings) > 0 {
		t.Fatal(warnings, err)
	}
	for _, c := range []struct {
		name, model string
		changes     []change
		want        string
	}{
		{"before", "gpt-5.5", []change{at("2026-12-05T08:59:59Z")}, "30.00"},
		{"from now on", "gpt-5.5", []change{at("2026-12-05T09:00:00Z")}, "24.00"},
		{"a tier's class below the base is a slip: 0.3 × 8 + 24", "gpt-5.5", []change{at("2026-12-06"), prompt(300_000)}, "26.40"},
		{"a mode", "gpt-5.5", []change{at("2026-12-06"), served("priority")}, "60.00"},
		{"modes of two sources are not mixed", "gpt-5.5", []change{at("2026-12-06"), served("flex")}, ""},
		{"agreement leaves the richer rate", "gpt-5.4", []change{at("2026-12-06"), served("flex")}, "7.50"},
		{"a new model", "gpt-99", []change{at("2026-12-06")}, "3.333333"},
		{"two zeros say nothing", "gpt-98", []change{at("2026-12-06")}, ""},
	} {
		if got := usd(table.Price(million("openai", c.model, c.changes...), "").List); got != c.want {
			t.Errorf("%s: got %q, want %q", c.name, got, c.want)
		}
	}
	read := million("openai", "gpt-5.5", at("2026-12-06"))
	read.Tokens = meterbridge.Tokens{CacheRead: meterbridge.Reported(1000)}
	if got := usd(table.Price(read, "").List); got != "0.004" {
		t.Errorf("a zero cache price is not given, so reads cost what input costs: got %s, want 0.004", got)
	}
	if got := usd(table.Price(million("google", "gemini-2.5-pro", at("2026-12-06")), "").List); got != "10.00" {
		t.Errorf("a provider that was not named: got %s, want 10.00", got)
	}
}

func TestUpdate_ImportModelsDev(t *testing.T) {
	dir := t.TempDir()
	if _, err := update(t, dir, source(t, []byte(modelsDev)), importOf(FormatModelsDev, "xai", "google"), func(o *UpdateOptions) {
		o.Now = time.Date(2026, 11, 30, 9, 0, 0, 0, time.UTC)
	}); err != nil {
		t.Fatal(err)
	}
	table, _, _ := Load(Files{Dir: dir})
	for _, c := range []struct {
		name, provider, model string
		changes               []change
		want                  string
	}{
		{"new price", "xai", "grok-4.6", []change{at("2026-12-06"), prompt(200_000)}, "9.60"},
		{"200001 means above 200000", "xai", "grok-4.6", []change{at("2026-12-06"), prompt(200_001)}, "19.200006"},
		{"the other spelling", "xai", "grok-9", []change{at("2026-12-06"), prompt(300_000)}, "4.60"},
		{"free is not believed", "xai", "grok-free", []change{at("2026-12-06")}, ""},
		{"no cost", "xai", "grok-unknown", []change{at("2026-12-06")}, ""},
		{"a scheduled rate stays", "google", "gemini-4-argon", []change{at("2026-12-01")}, "20.00"},
		{"until then the new one", "google", "gemini-4-argon", []change{at("2026-11-30T10:00:00Z")}, "2.00"},
		{"not named", "anthropic", "claude-opus-5", []change{at("2026-12-06")}, "25.00"},
	} {
		if got := usd(table.Price(million(c.provider, c.model, c.changes...), "").List); got != c.want {
			t.Errorf("%s: got %q, want %q", c.name, got, c.want)
		}
	}
}

func TestUpdate_ImportRefused(t *testing.T) {
	for _, c := range []struct {
		name, data, format, provider string
	}{
		{"a provider that is not in the list", modelsDev, FormatModelsDev, "mistral"},
		{"own server", modelsDev, FormatModelsDev, "ollama"},
		{"no list", `[]`, FormatModelsDev, "xai"},
		{"an error object", `{"error": "down"}`, FormatLiteLLM, "openai"},
	} {
		dir := t.TempDir()
		if _, err := update(t, dir, source(t, []byte(c.data)), importOf(c.format, c.provider)); !errors.Is(err, ErrFormat) {
			t.Errorf("%s: got %v, want %v", c.name, err, ErrFormat)
		}
		if left, _ := os.ReadDir(dir); len(left) != 0 {
			t.Errorf("%s: written %v", c.name, left)
		}
	}
}

// An import twice changes nothing the second time.
func TestUpdate_ImportTwice(t *testing.T) {
	dir := t.TempDir()
	from := source(t, []byte(liteLLM))
	if _, err := update(t, dir, from, importOf(FormatLiteLLM, "openai")); err != nil {
		t.Fatal(err)
	}
	again, err := update(t, dir, from, importOf(FormatLiteLLM, "openai"), func(o *UpdateOptions) { o.Now = o.Now.Add(time.Hour) })
	if err != nil || len(again.Changed)+len(again.Added)+len(again.Removed) != 0 {
		t.Errorf("got %+v, %v", again, err)
	}
}

// A book writes what it read: the same prices, one model per line.
func TestBook_RoundTrip(t *testing.T) {
	b, err := openBook(embeddedData())
	if err != nil {
		t.Fatal(err)
	}
	text := b.bytes()
	d, err := check(text)
	if err != nil {
		t.Fatal(err)
	}
	own, _ := split(embeddedData())
	added, removed, changed := own.difference(d, noon())
	if len(added)+len(removed)+len(changed) != 0 {
		t.Errorf("got %v, %v, %v", added, removed, changed)
	}
	if lines := bytes.Count(text, []byte("\n")); lines < 8700 {
		t.Errorf("%d lines", lines)
	}
}
