package pricing

import (
	"testing"
	"time"

	"meterbridge"
)

func at(text string) func(*meterbridge.Request) {
	return func(r *meterbridge.Request) {
		t, err := ParseAt(text)
		if err != nil {
			panic(err)
		}
		r.EndedAt = t
	}
}

func served(word string) func(*meterbridge.Request) {
	return func(r *meterbridge.Request) { r.ServiceTier = word }
}

func speed(word string) func(*meterbridge.Request) {
	return func(r *meterbridge.Request) { r.Speed = word }
}

func geo(word string) func(*meterbridge.Request) {
	return func(r *meterbridge.Request) { r.Geo = word }
}

// prompt adds uncached input tokens.
func prompt(n int64) func(*meterbridge.Request) {
	return func(r *meterbridge.Request) { r.Tokens.Input = meterbridge.Reported(n) }
}

func searches(n int64) func(*meterbridge.Request) {
	return func(r *meterbridge.Request) { r.WebSearches = meterbridge.Reported(n) }
}

type change = func(*meterbridge.Request)

// A million output tokens and what else each row says; "want" is worked by hand
// from the vendors' rates that the row's comment names (input/output per million).
func TestPrice_Variants(t *testing.T) {
	table := Embedded()
	for _, c := range []struct {
		name, provider, model string
		changes               []change
		want, wantKey         string
	}{
		// Anthropic, Opus 5.5: 4/20, fast 8/40.
		{"priority is the list price", "anthropic", "claude-opus-5-5", []change{served("priority")}, "20.00", "anthropic/claude-opus-5-5|2026-09-22|exact|base|"},
		{"fast beats a tier", "anthropic", "claude-opus-5-5", []change{speed("fast"), served("batch")}, "40.00", "anthropic/claude-opus-5-5|2026-09-22|exact|fast|"},
		{"batch is half", "anthropic", "claude-opus-5-5", []change{served("batch")}, "10.00", "anthropic/claude-opus-5-5|2026-09-22|exact|half-batch|"},
		{"an unknown tier has no price", "anthropic", "claude-opus-5-5", []change{served("turbo")}, "", "unpriced|unknown-mode"},
		{"capitals in words", "anthropic", "claude-opus-5-5", []change{served("Standard"), speed("STANDARD")}, "20.00", "anthropic/claude-opus-5-5|2026-09-22|exact|base|"},
		{"us and batch multiply", "anthropic", "claude-opus-5-5", []change{served("batch"), geo("us")}, "11.00", "anthropic/claude-opus-5-5|2026-09-22|exact|half-batch+geo|"},
		{"us where it does not apply", "anthropic", "claude-sonnet-4-5", []change{geo("us")}, "15.00", "anthropic/claude-sonnet-4-5|-|exact|base|"},
		{"global", "anthropic", "claude-opus-5-5", []change{geo("global")}, "20.00", "anthropic/claude-opus-5-5|2026-09-22|exact|base|"},
		{"not available", "anthropic", "claude-opus-5-5", []change{geo("not_available")}, "20.00", "anthropic/claude-opus-5-5|2026-09-22|exact|base|"},
		{"an unknown place may cost more", "anthropic", "claude-opus-5-5", []change{geo("mars")}, "20.00", "anthropic/claude-opus-5-5|2026-09-22|exact|base|estimated"},
		{"fast ended on that day", "anthropic", "claude-opus-4-7", []change{speed("fast"), at("2026-07-24")}, "", "unpriced|unknown-mode"},
		{"fast one second before", "anthropic", "claude-opus-4-7", []change{speed("fast"), at("2026-07-23T23:59:59Z")}, "150.00", "anthropic/claude-opus-4-7|-|exact|fast|"},
		{"fast ignores the place's absence and takes us", "anthropic", "claude-opus-5-5", []change{speed("fast"), geo("us")}, "44.00", "anthropic/claude-opus-5-5|2026-09-22|exact|fast+geo|"},
		{"fees are not multiplied", "anthropic", "claude-opus-5-5", []change{geo("us"), searches(1)}, "22.01", "anthropic/claude-opus-5-5|2026-09-22|exact|geo|"},
		// OpenAI, GPT-5.4: 2.5/15, above 272k 5/22.5, priority 5/30, batch and flex half.
		{"exactly 272000 is not long", "openai", "gpt-5.4", []change{prompt(272_000)}, "15.68", "openai/gpt-5.4|-|exact|base|"},
		{"272001 is long as a whole", "openai", "gpt-5.4", []change{prompt(272_001)}, "23.860005", "openai/gpt-5.4|-|exact|above-272000|"},
		{"priority ignores the tier", "openai", "gpt-5.4", []change{prompt(300_000), served("priority")}, "31.50", "openai/gpt-5.4|-|exact|priority|"},
		{"fast means priority", "openai", "gpt-5.4", []change{served("fast")}, "30.00", "openai/gpt-5.4|-|exact|priority|"},
		{"the speed fast means priority too", "openai", "gpt-5.4", []change{speed("fast")}, "30.00", "openai/gpt-5.4|-|exact|priority|"},
		{"batch below the tier", "openai", "gpt-5.4", []change{served("batch")}, "7.50", "openai/gpt-5.4|-|exact|batch|"},
		{"flex above the tier is half of the tier", "openai", "gpt-5.4", []change{prompt(300_000), served("flex")}, "12.00", "openai/gpt-5.4|-|exact|above-272000+half-flex|"},
		{"default and auto are standard", "openai", "gpt-5.4", []change{served("default"), speed("auto")}, "15.00", "openai/gpt-5.4|-|exact|base|"},
		{"GPT-6.2 lists no flex", "openai", "gpt-6.2-astra", []change{served("flex"), at("2026-11-20")}, "", "unpriced|unknown-mode"},
		{"a batch of a model without a row is half, estimated", "openai", "gpt-5", []change{served("batch")}, "5.00", "openai/gpt-5|-|exact|half-batch|estimated"},
		{"ultrafast is 6 times", "openai", "gpt-6-astra", []change{served("ultrafast")}, "300.00", "openai/gpt-6-astra|2026-09-03|exact|ultrafast|"},
		{"ultrafast of others is not in the table", "openai", "gpt-6-sol", []change{served("ultrafast")}, "", "unpriced|unknown-mode"},
		{"a place is no matter of OpenAI's logs", "openai", "gpt-5.4", []change{geo("us")}, "15.00", "openai/gpt-5.4|-|exact|base|"},
		// Google, Gemini 3.1 Pro: 2/12, above 200k 4/18; searches have free allowances.
		{"gemini above 200k", "google", "gemini-3.1-pro-preview", []change{prompt(250_000)}, "19.00", "google/gemini-3.1-pro-preview|-|exact|above-200000|"},
		{"an unknown fee is marked", "google", "gemini-3.1-pro-preview", []change{searches(2)}, "12.00", "google/gemini-3.1-pro-preview|-|exact|base|estimated"},
		// xAI: 200,000 and above, twice everything; a server tool costs 0.005.
		{"grok at 200000", "xai", "grok-4.6", []change{prompt(200_000)}, "12.80", "xai/grok-4.6|-|exact|above-199999|"},
		{"a search of xAI", "xai", "grok-4.6", []change{searches(2)}, "6.01", "xai/grok-4.6|-|exact|base|"},
		// Alibaba's bands, whole request: 3/15 above 128k, 6/60 above 256k.
		{"third band", "alibaba", "qwen3-coder-plus", []change{prompt(128_001)}, "15.384003", "alibaba/qwen3-coder-plus|-|exact|above-128000|"},
		{"fourth band", "alibaba", "qwen3-coder-plus", []change{prompt(256_001)}, "61.536006", "alibaba/qwen3-coder-plus|-|exact|above-256000|"},
		// Gemini 4 Argon: 2/10, from 2026-12-01 4/20, announced.
		{"the day before", "google", "gemini-4-argon", []change{at("2026-11-30T23:59:59Z")}, "10.00", "google/gemini-4-argon|2026-10-13|exact|base|"},
		{"scheduled", "google", "gemini-4-argon", []change{at("2026-12-01")}, "20.00", "google/gemini-4-argon|2026-12-01|exact|base|estimated,scheduled"},
		{"before the first known rate", "google", "gemini-4-argon", []change{at("2026-01-01")}, "10.00", "google/gemini-4-argon|2026-10-13|exact|base|estimated"},
		// DeepSeek Flash: 0.15/0.6, at 01:00-04:00 and 06:00-10:00 on working days twice.
		{"peak begins", "deepseek", "deepseek-flash", []change{at("2026-10-21T01:00:00Z")}, "1.20", "deepseek/deepseek-flash|2026-09-10T04:00:00Z|exact|window|"},
		{"peak has ended", "deepseek", "deepseek-flash", []change{at("2026-10-21T04:00:00Z")}, "0.60", "deepseek/deepseek-flash|2026-09-10T04:00:00Z|exact|base|"},
		{"second peak", "deepseek", "deepseek-flash", []change{at("2026-10-23T09:59:59Z")}, "1.20", "deepseek/deepseek-flash|2026-09-10T04:00:00Z|exact|window|"},
		{"no peak on Saturday", "deepseek", "deepseek-flash", []change{at("2026-10-24T02:00:00Z")}, "0.60", "deepseek/deepseek-flash|2026-09-10T04:00:00Z|exact|base|"},
		{"peak on Saturday in the first week", "deepseek", "deepseek-v4-pro", []change{at("2026-08-22T02:00:00Z")}, "3.96", "deepseek/deepseek-v4-pro|2026-08-16T16:00:00Z|exact|window|"},
	} {
		r := million(c.provider, c.model, c.changes...)
		got := table.Price(r, "")
		if text := usd(got.List); text != c.want || got.Key != c.wantKey {
			t.Errorf("%s\ninput %s/%s\ngot  %q %s\nwant %q %s", c.name, c.provider, c.model, text, got.Key, c.want, c.wantKey)
		}
	}
}

// The start decides the price where it is logged: it lies before the change.
func TestPrice_StartDecides(t *testing.T) {
	r := million("anthropic", "claude-sonnet-5-5", at("2026-10-07T00:00:01Z"))
	r.Tokens = meterbridge.Tokens{CacheRead: meterbridge.Reported(1_000_000)}
	r.StartedAt = time.Date(2026, 10, 6, 23, 59, 59, 0, time.UTC)
	// Cache reads cost 0.2 until 2026-10-07, 0.1 from then on.
	if got := usd(Embedded().Price(r, "").List); got != "0.20" {
		t.Errorf("got %s, want 0.20", got)
	}
}

// A class that a rate does not give falls back upwards, marked as estimated.
func TestPrice_MissingClasses(t *testing.T) {
	m := meterbridge.Reported(1_000_000)
	for _, c := range []struct {
		name, provider, model string
		tokens                meterbridge.Tokens
		want                  string
		estimated             bool
	}{
		{"gpt-5-pro has no cache price: read = input", "openai", "gpt-5-pro", meterbridge.Tokens{CacheRead: m}, "15.00", true},
		{"gpt-5.5 has no write price: write = input", "openai", "gpt-5.5", meterbridge.Tokens{CacheWrite5m: m, Input: meterbridge.Reported(0), CacheWrite1h: meterbridge.Reported(0)}, "10.00", true},
		{"gpt-5.6 has no 1-hour price: = 5 minutes", "openai", "gpt-5.6-luna", meterbridge.Tokens{CacheWrite1h: meterbridge.Reported(1000)}, "0.00025", true},
		{"a write without a lifetime is a lower bound", "anthropic", "claude-opus-5", meterbridge.Tokens{CacheWrite5m: m}, "6.25", true},
		{"a write with its lifetime is not", "anthropic", "claude-opus-5", meterbridge.Tokens{CacheWrite5m: m, CacheWrite1h: meterbridge.Reported(0)}, "6.25", false},
		{"reasoning apart: 0.6 × 1.2 + 0.4 × 4", "alibaba", "qwen-plus", meterbridge.Tokens{Output: m, Reasoning: meterbridge.Reported(400_000)}, "2.32", false},
		{"reasoning not separated: output rate", "alibaba", "qwen-plus", meterbridge.Tokens{Output: m}, "1.20", true},
		{"reasoning is a part of output, never more", "alibaba", "qwen-plus", meterbridge.Tokens{Output: m, Reasoning: meterbridge.Reported(9_000_000)}, "4.00", false},
		{"reasoning costs what output costs elsewhere", "anthropic", "claude-opus-5", meterbridge.Tokens{Output: m, Reasoning: meterbridge.Reported(400_000)}, "25.00", false},
	} {
		r := million(c.provider, c.model)
		r.Tokens = c.tokens
		got := Embedded().Explain(r, "")
		if *got.ListUSD != c.want || (len(got.Matched.Flags) == 1 && got.Matched.Flags[0] == "estimated") != c.estimated {
			t.Errorf("%s: got %s %v, want %s, estimated %v", c.name, *got.ListUSD, got.Matched.Flags, c.want, c.estimated)
		}
	}
}

// What has neither tokens nor a fee counts on no side.
func TestPrice_Paid(t *testing.T) {
	table := Embedded()
	none := &meterbridge.Request{Provider: "anthropic", Model: "<synthetic>", EndedAt: noon()}
	if got := table.Price(none, ""); got != (Price{}) {
		t.Errorf("no tokens: got %v, want nothing", got)
	}
	zero := million("anthropic", "claude-opus-5")
	zero.Tokens.Output = meterbridge.Reported(0)
	if got := table.Price(zero, ""); got.Paid {
		t.Errorf("zero tokens: got %v", got)
	}
	fee := million("anthropic", "claude-opus-5", searches(3))
	fee.Tokens = meterbridge.Tokens{}
	if got := table.Price(fee, ""); usd(got.List) != "0.03" || !got.Paid {
		t.Errorf("a fee alone: got %v, want 0.03", got)
	}
	negative := million("anthropic", "claude-opus-5", prompt(-5))
	if got := table.Price(negative, ""); usd(got.List) != "25.00" {
		t.Errorf("a negative count: got %v, want 25.00", got)
	}
}

func TestChoose(t *testing.T) {
	cost := func(n int64) meterbridge.NullPico { return meterbridge.SomePico(meterbridge.Pico(n)) }
	var null meterbridge.NullPico
	both, unpriced := Price{List: cost(7), Paid: true}, Price{Paid: true}
	for _, c := range []struct {
		choice   Choice
		recorded meterbridge.NullPico
		price    Price
		want     meterbridge.NullPico
		basis    Basis
	}{
		{Auto, cost(5), both, cost(5), BasisRecorded},
		{Auto, null, both, cost(7), BasisList},
		{Auto, null, unpriced, null, BasisNone},
		{Auto, cost(0), both, cost(0), BasisRecorded},
		{List, cost(5), both, cost(7), BasisList},
		{List, cost(5), unpriced, null, BasisNone},
		{Recorded, null, both, null, BasisNone},
		{Recorded, cost(5), unpriced, cost(5), BasisRecorded},
		{Auto, cost(5), Price{}, null, BasisNone},
	} {
		got, basis := Choose(c.choice, c.recorded, c.price)
		if got != c.want || basis != c.basis {
			t.Errorf("input %s, recorded %v, %v: got %v %s, want %v %s", c.choice, c.recorded, c.price, got, basis, c.want, c.basis)
		}
	}
}

// A row that adds up several requests has no prompt whose size could make it a
// long one: Sonnet 4.5 costs 3/15, above 200k 6/22.5.
func TestPrice_OfSeveralRequestsNoneIsKnownToBeLong(t *testing.T) {
	precise := func(p meterbridge.Precision) func(*meterbridge.Request) {
		return func(r *meterbridge.Request) { r.Precision = p }
	}
	const long, base = "anthropic/claude-sonnet-4-5|-|exact|above-200000|", "anthropic/claude-sonnet-4-5|-|exact|base|"
	for _, c := range []struct {
		precision meterbridge.Precision
		prompt    int64
		// want is the price of the prompt with a million output tokens.
		want, wantKey string
	}{
		{"", 300_000, "24.30", long},
		{meterbridge.PerRequest, 300_000, "24.30", long},
		{meterbridge.PerTurn, 300_000, "15.90", base + "estimated"},
		{meterbridge.PerRun, 300_000, "15.90", base + "estimated"},
		{meterbridge.PerSession, 300_000, "15.90", base + "estimated"},
		{meterbridge.PerSession, 200_000, "15.60", base},
	} {
		r := million("anthropic", "claude-sonnet-4-5", prompt(c.prompt), precise(c.precision))
		got := Embedded().Price(r, "")
		if text := usd(got.List); text != c.want || got.Key != c.wantKey {
			t.Errorf("precision %q, prompt %d: got %q %s, want %q %s", c.precision, c.prompt, text, got.Key, c.want, c.wantKey)
		}
	}
}
