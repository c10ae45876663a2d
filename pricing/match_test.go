package pricing

import (
	"testing"
	"time"

	"meterbridge"
)

// noon is a moment at which the rates used in tests are in force.
func noon() time.Time { return time.Date(2026, 10, 20, 12, 0, 0, 0, time.UTC) }

// million asks for the price of one million output tokens (or of what change makes of it).
func million(provider, model string, change ...func(*meterbridge.Request)) *meterbridge.Request {
	r := &meterbridge.Request{Provider: provider, Model: model, EndedAt: noon()}
	r.Tokens.Output = meterbridge.Reported(1_000_000)
	for _, f := range change {
		f(r)
	}
	return r
}

// The names of requests that peers priced wrongly, each with what a million
// output tokens cost by the vendor's list, or "" for no price.
func TestPrice_PeerFailures(t *testing.T) {
	table := Embedded()
	for _, c := range []struct{ issue, provider, model, want string }{
		{"ccusage/ccusage#934: priced as gpt-5", "openai", "gpt-5.4-mini", "4.50"},
		{"ccusage/ccusage#1473: not known", "kimi", "k3", "15.00"},
		{"ccusage/ccusage#1602: not known", "openai", "gpt-daybreak-blue-latest", "20.00"},
		{"junhoyeo/tokscale#172: priced as gpt-5.1-codex-mini", "openai", "gpt-5.3-codex", "14.00"},
		{"junhoyeo/tokscale#523, #550: priced as r1-distill", "fireworks", "accounts/fireworks/models/deepseek-v4-pro", ""},
		{"junhoyeo/tokscale#548: a wrong price is worse than none", "anthropic", "claude-opus-6", ""},
		{"junhoyeo/tokscale#831: unknown gateway", "omniroute", "cx/gpt-5.5", ""},
		{"junhoyeo/tokscale#1019: priced as gemini-2.0-flash-lite", "google", "gemini-default", ""},
		{"junhoyeo/tokscale#1062: a reseller's zero row", "kenari", "claude-opus-5", ""},
		{"junhoyeo/tokscale#1211: -fast", "openai", "gpt-5.5-fast", "75.00"},
		{"planetf1/otelite#112: [1m] priced as Opus 4", "anthropic", "claude-opus-5[1m]", "25.00"},
		{"Owloops/claude-powerline#71: priced as opus-4", "anthropic", "claude-opus-4-6", "25.00"},
		{"majiayu000/ccstats#44: contained in a longer id", "openai", "gpt-5.4-min", ""},
		{"majiayu000/ccstats#44: contains an id", "openai", "my-gpt-5.4", ""},
		{"vivekchand/clawmetry#2515: 4o-mini as 4o", "openai", "gpt-4o-mini", "0.60"},
		{"odysseus-dev/odysseus#1439: the longest match is a guess", "openai", "gpt-4o-ultra", ""},
		{"HKUDS/DeepTutor#1492: a later version as an earlier one", "openai", "gpt-5.9", ""},
		{"phuryn/claude-usage#20: a default price", "anthropic", "some-model", ""},
		{"farion1231/cc-switch#885: ids with slashes", "openrouter", "anthropic/claude-opus-5.5", "20.00"},
		{"krayong/ccsidekick 1.6.4: a display name is no id", "anthropic", "Opus 5.5", ""},
		{"promptfoo/promptfoo#10947: :free is not the bare name", "openrouter", "qwen/qwen3.8-27b:free", "0.00"},
	} {
		t.Run(c.issue, func(t *testing.T) {
			got := table.Price(million(c.provider, c.model), "")
			if text := usd(got.List); text != c.want || !got.Paid {
				t.Errorf("input %s/%s: got %q (%s), want %q", c.provider, c.model, text, got.Key, c.want)
			}
		})
	}
}

// usd is an amount as text, "" for none.
func usd(p meterbridge.NullPico) string {
	if !p.OK {
		return ""
	}
	return p.Amount.String()
}

// junhoyeo/tokscale#1013: an unpriced model must not stop the rest.
func TestCostOf_UnpricedModelStopsNothing(t *testing.T) {
	a, err := Embedded().CostOf([]GivenRequest{
		{Provider: "anthropic", Model: "claude-opus-6", Input: 10},
		{Provider: "anthropic", Model: "claude-haiku-4-5", Input: 1000},
	}, Auto, "", noon())
	if err != nil || a.CostMicroUSD == nil || *a.CostMicroUSD != 1000 || !a.CostPartial {
		t.Errorf("got %v, partial %v, error %v; want 1000, partial", a.CostMicroUSD, a.CostPartial, err)
	}
}

// aws-solutions-library-samples/accelerated-intelligent-document-processing-on-aws#926:
// a class found by a part of its name took cache reads for input.
func TestPrice_CacheReadIsNotInput(t *testing.T) {
	r := million("anthropic", "claude-sonnet-4-5", func(r *meterbridge.Request) {
		r.Tokens = meterbridge.Tokens{CacheRead: meterbridge.Reported(100_000)}
	})
	// 100,000 × 0.30 per million = 0.03; at the input rate it would be 0.30.
	if got := usd(Embedded().Price(r, "").List); got != "0.03" {
		t.Errorf("got %s, want 0.03", got)
	}
}

func TestPrice_Steps(t *testing.T) {
	table := Embedded()
	for _, c := range []struct{ provider, fallback, model, wantKey string }{
		{"anthropic", "", "claude-opus-5", "anthropic/claude-opus-5|2026-07-24|exact|base|"},
		{" Anthropic ", "", " CLAUDE-Opus-5 ", "anthropic/claude-opus-5|2026-07-24|exact|base|"},
		{"minimax", "", "minimax-m3", "minimax/MiniMax-M3|-|exact|base|"},
		{"", "anthropic", "claude-opus-5", "anthropic/claude-opus-5|2026-07-24|exact|base|"},
		{"claude", "openai", "claude-5-opus", "anthropic/claude-opus-5|2026-07-24|alias|base|"},
		{"", "", "anthropic/claude-opus-5", "anthropic/claude-opus-5|2026-07-24|transport|base|"},
		{"", "", "claude-opus-5", "unpriced|no-provider"},
		{"", "", "nobody/claude-opus-5", "unpriced|no-provider"},
		{"openai", "", "openai/gpt-5.5", "openai/gpt-5.5|2026-04-23|transport|base|"},
		{"openai", "", "codex/gpt-5.5", "openai/gpt-5.5|2026-04-23|transport|base|"},
		{"openai", "", "anthropic/gpt-5.5", "unpriced|unknown-model"},
		{"google", "", "models/gemini-2.5-pro", "google/gemini-2.5-pro|-|transport|base|"},
		{"google", "", "publishers/google/models/gemini-2.5-pro", "google/gemini-2.5-pro|-|transport|base|"},
		{"google", "", "publishers/models/gemini-2.5-pro", "unpriced|unknown-model"},
		{"fireworks", "", "accounts/other/models/kimi-latest", "unpriced|unknown-model"},
		{"anthropic", "", "claude-opus-5[1m]", "anthropic/claude-opus-5|2026-07-24|neutral|base|"},
		{"anthropic", "", "claude-opus-5-20260724", "anthropic/claude-opus-5|2026-07-24|neutral|base|"},
		{"anthropic", "", "anthropic/claude-opus-5-20260724[1m]", "anthropic/claude-opus-5|2026-07-24|neutral|base|"},
		{"anthropic", "", "claude-opus-5@default", "anthropic/claude-opus-5|2026-07-24|neutral|base|"},
		{"anthropic", "", "claude-opus-5@20260724", "anthropic/claude-opus-5|2026-07-24|neutral|base|"},
		{"anthropic", "", "claude-opus-5-v1:0", "anthropic/claude-opus-5|2026-07-24|neutral|base|"},
		{"anthropic", "", "claude-opus-5-v1", "unpriced|unknown-model"},
		{"openai", "", "gpt-5.5-2026-04-23", "openai/gpt-5.5|2026-04-23|neutral|base|"},
		{"openai", "", "gpt-5.5-2026-02-30", "unpriced|unknown-model"},
		{"openai", "", "gpt-5.5-20221231", "unpriced|unknown-model"},
		{"anthropic", "", "claude-opus-5-5-fast", "anthropic/claude-opus-5-5|2026-09-22|mode|fast|"},
		{"anthropic", "", "claude-opus-5-5-fast[1m]", "anthropic/claude-opus-5-5|2026-09-22|mode|fast|"},
		{"anthropic", "", "claude-sonnet-5-fast", "unpriced|unknown-model"},
		{"openai", "", "gpt-5.5-priority", "openai/gpt-5.5|2026-04-23|mode|priority|"},
		{"openai", "", "gpt-5.5-flex", "openai/gpt-5.5|2026-04-23|mode|flex|"},
		{"openai", "", "gpt-5.5-batch", "unpriced|unknown-model"},
		{"openai", "", "gpt-5.3-codex-xhigh", "openai/gpt-5.3-codex|-|effort|base|"},
		{"openai", "", "gpt-5.3-codex (max)", "openai/gpt-5.3-codex|-|effort|base|"},
		{"openai", "", "gpt-5.3-codex-max", "unpriced|unknown-model"},
		{"openai", "", "gpt-5.1-codex-max", "openai/gpt-5.1-codex-max|-|exact|base|"},
		{"openai", "", "gpt-5.3-codex-high-high", "unpriced|unknown-model"},
		{"zai-coding-plan", "", "glm-4.7", "zai/glm-4.7|-|canonical|base|equivalent"},
		{"kimi-for-coding", "", "k3", "kimi-for-coding/k3|-|exact|base|equivalent"},
		{"github-copilot", "", "gpt-5.5", "github-copilot/gpt-5.5|-|exact|base|equivalent"},
		{"openai-codex", "", "gpt-5.5", "openai/gpt-5.5|2026-04-23|exact|base|equivalent"},
		{"mistral", "", "mistral-large-latest", "mistral/mistral-large-latest|-|exact|base|estimated"},
		{"bedrock", "", "arn:aws:bedrock:us-east-1:000000000000:inference-profile/global.anthropic.claude-opus-4-8", "amazon-bedrock/global.anthropic.claude-opus-4-8|-|exact|base|"},
		{"bedrock", "", "arn:aws:bedrock:us-east-1:000000000000:application-inference-profile/abc123", "unpriced|unknown-model"},
		{"ollama", "", "gpt-5.5", "unpriced|own-server"},
		{"qvac", "", "gpt-oss-120b", "unpriced|own-server"},
		{"http://192.168.1.5:8000/v1", "", "gpt-5.5", "unpriced|own-server"},
		{"https://api.example.com/v1", "", "gpt-5.5", "unpriced|unknown-provider"},
		{"kenari", "", "claude-opus-5", "unpriced|no-rate"},
		{"nobody", "", "gpt-5.5", "unpriced|unknown-provider"},
	} {
		got := table.Price(million(c.provider, c.model), c.fallback)
		if got.Key != c.wantKey {
			t.Errorf("input %q, %q, default %q: got %q, want %q", c.provider, c.model, c.fallback, got.Key, c.wantKey)
		}
	}
}

// Endings that belong to a model's name are never taken off.
func TestPrice_NeverTakesOff(t *testing.T) {
	table := Embedded()
	for _, end := range []string{
		"-mini", "-nano", "-lite", "-pro", "-codex", "-turbo", "-air", "-flash", "-plus", "-preview", "-highspeed", "-exp",
		"-instruct", "-base", "-vision", "-image", "-audio", "-live", "-tts", "-customtools", "-reasoning", "-non-reasoning",
		"-multi-agent", ":free", ":nitro", ":floor", ":online", ":exacto", ":extended", "-max", "-batch", "-latest",
	} {
		for _, row := range []struct{ provider, id string }{{"anthropic", "claude-sonnet-4-5"}, {"google", "gemini-2.5-pro"}, {"openai", "o3-mini"}} {
			name := row.id + end
			if _, listed := table.open().providers[row.provider].open().exact(name); listed {
				continue
			}
			if got := table.Price(million(row.provider, name), ""); got.List.OK {
				t.Errorf("input %s/%s: got %s, want no price", row.provider, name, got.Key)
			}
		}
	}
}

func TestLocalURL(t *testing.T) {
	for text, want := range map[string]bool{
		"http://localhost:11434": true, "http://127.0.0.1:8080/v1": true, "http://[::1]:1234": true, "http://10.1.2.3": true,
		"http://box.local:8000": true, "https://172.16.0.9/v1": true, "http://169.254.1.1": true,
		"https://api.openai.com/v1": false, "http://8.8.8.8": false, "localhost": false, "https://local.example.com": false, "http://%zz": false,
	} {
		if got := localURL(text); got != want {
			t.Errorf("input %q: got %v, want %v", text, got, want)
		}
	}
}
