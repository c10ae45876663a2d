package pricing

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"meterbridge"
)

func TestShow_OneProvider(t *testing.T) {
	got := Embedded().Show("claude-opus-4-8", "claude", noon(), noon())
	text, err := json.Marshal(got)
	if err != nil {
		t.Fatal(err)
	}
	want := `{"schemaVersion":1,"model":"claude-opus-4-8","provider":"claude","at":"2026-10-20T12:00:00Z","tableVersion":"2026-11-30.2","asOf":"2026-11-20","ageDays":0,"reason":null,` +
		`"rows":[{"provider":"anthropic","id":"claude-opus-4-8","step":"exact","from":"2026-05-28","to":null,"variant":"base","flags":[],"source":"cur","kind":"vendor",` +
		`"classes":[{"class":"input","usdPerMillion":"5","fallback":false},{"class":"output","usdPerMillion":"25","fallback":false},{"class":"cache_read","usdPerMillion":"0.5","fallback":false},` +
		`{"class":"cache_write_5m","usdPerMillion":"6.25","fallback":false},{"class":"cache_write_1h","usdPerMillion":"10","fallback":false}],"tiers":[],` +
		`"modes":[{"name":"fast until 2026-12-01","classes":[{"class":"input","usdPerMillion":"10","fallback":false},{"class":"output","usdPerMillion":"50","fallback":false},{"class":"cache_read","usdPerMillion":"1","fallback":false},` +
		`{"class":"cache_write_5m","usdPerMillion":"12.5","fallback":false},{"class":"cache_write_1h","usdPerMillion":"20","fallback":false}]}],"windows":[],"seen":null}]}`
	if string(text) != want {
		t.Errorf("got\n%s\nwant\n%s", text, want)
	}
}

func TestShow_Windows(t *testing.T) {
	got := Embedded().Show("deepseek-flash", "deepseek", noon(), noon())
	if len(got.Rows) != 1 || len(got.Rows[0].Windows) != 1 || got.Rows[0].Windows[0].Name != "01:00-04:00,06:00-10:00 days 12345" {
		t.Errorf("got %+v", got.Rows)
	}
}

// Without a provider, every provider that has the id is shown, makers first.
func TestShow_AllSellers(t *testing.T) {
	got := Embedded().Show("Claude-Opus-5", "", noon(), noon().AddDate(0, 3, 0))
	if len(got.Rows) < 5 || got.Rows[0].Provider != "anthropic" || got.AgeDays != 61 {
		t.Errorf("got %d rows, first %+v, age %d", len(got.Rows), got.Rows[0], got.AgeDays)
	}
	for _, row := range got.Rows {
		if !strings.EqualFold(row.ID, "claude-opus-5") && row.Step != stepAlias && row.Step != stepCanonical {
			t.Errorf("got %s/%s by %s", row.Provider, row.ID, row.Step)
		}
	}
}

func TestShow_Unknown(t *testing.T) {
	for _, c := range []struct{ model, provider, want string }{
		{"claude-opus-6", "anthropic", ReasonUnknownModel},
		{"claude-opus-6", "", ReasonNoProvider},
		{"gpt-5.5", "ollama", ReasonOwnServer},
		{"gpt-5.5", "nobody", ReasonUnknownProvider},
	} {
		got := Embedded().Show(c.model, c.provider, noon(), noon())
		if got.Reason == nil || *got.Reason != c.want || len(got.Rows) != 0 {
			t.Errorf("input %s, %s: got %+v, want %s", c.model, c.provider, got, c.want)
		}
	}
}

func TestExplain_EachFactor(t *testing.T) {
	table := userTable(t, User{Multipliers: []Multiplier{{Provider: "anthropic", Value: Factor{17, 20}}}})
	r := million("anthropic", "claude-opus-5-5", served("batch"), geo("us"), searches(2), prompt(10))
	got := table.Explain(r, "")
	// 10 × 4 + 1,000,000 × 20 = 20000040; × 1/2 × 11/10 × 17/20 = 9350018.7; + 20000 for the searches.
	listUSD, micro := "9.3700187", int64(9_370_019)
	want := Explanation{
		Provider: "anthropic", Model: "claude-opus-5-5", At: noon(), TableVersion: table.Version(), Paid: true,
		Matched: &MatchedRow{Provider: "anthropic", ID: "claude-opus-5-5", Step: "exact", From: some("2026-09-22"), Variant: "half-batch+geo+x17/20", Flags: []string{}, Source: "cur"},
		Lines:   []Line{{"input", 10, "4", false}, {"output", 1_000_000, "20", false}},
		Factors: []NamedFactor{{"batch", "1/2"}, {"geography", "11/10"}, {"user", "17/20"}},
		FeeUSD:  some("0.02"), ListUSD: &listUSD, CostMicroUSD: &micro, CostBasis: BasisList,
		PriceKey:   "anthropic/claude-opus-5-5|2026-09-22|exact|half-batch+geo+x17/20|",
		Arithmetic: "anthropic/claude-opus-5-5: 10 input × 4 × 1/2 × 11/10 × 17/20 + 1000000 output × 20 × 1/2 × 11/10 × 17/20 + 2 searches = $0.02 = 9370018.7",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}

func TestExplain_WithoutPrice(t *testing.T) {
	table := Embedded()
	unknown := table.Explain(million("anthropic", "claude-opus-6"), "")
	if unknown.Reason == nil || *unknown.Reason != ReasonUnknownModel || unknown.Arithmetic != "claude-opus-6: no price (unknown-model)" || unknown.CostBasis != BasisNone {
		t.Errorf("got %+v", unknown)
	}
	none := table.Explain(&meterbridge.Request{Model: "<synthetic>", EndedAt: noon()}, "anthropic")
	if none.Paid || none.PriceKey != "" || none.CostMicroUSD != nil {
		t.Errorf("got %+v", none)
	}
}

func TestCostOf_Choices(t *testing.T) {
	requests := []GivenRequest{
		{Provider: "anthropic", Model: "claude-opus-5", Output: 100, RecordedUSD: json.RawMessage(`"0.01"`)},
		{Provider: "anthropic", Model: "claude-opus-5", Output: 100},
	}
	for _, c := range []struct {
		choice  Choice
		want    int64
		partial bool
		basis   Basis
	}{
		{Auto, 12_500, false, BasisMixed}, {List, 5_000, false, BasisList}, {Recorded, 10_000, true, BasisRecorded},
	} {
		got, err := Embedded().CostOf(requests, c.choice, "", noon())
		if err != nil || *got.CostMicroUSD != c.want || got.CostPartial != c.partial || got.CostBasis != c.basis {
			t.Errorf("%s: got %d, %v, %s, %v, want %d, %v, %s", c.choice, *got.CostMicroUSD, got.CostPartial, got.CostBasis, err, c.want, c.partial, c.basis)
		}
	}
}

func TestReadRequests_Refused(t *testing.T) {
	for _, text := range []string{"", "[]", "{}", `{"requests":[{"modell":"x"}]}`, `{"requests":[]}{}`, `{"requests":[{"input":1.5}]}`} {
		if _, err := ReadRequests([]byte(text)); !errors.Is(err, ErrRequests) {
			t.Errorf("input %s: got %v, want %v", text, err, ErrRequests)
		}
	}
}

func TestGivenRequest_Refused(t *testing.T) {
	for _, text := range []string{
		`{"input":-1}`, `{"at":"yesterday"}`, `{"recorded_usd":"-1"}`, `{"recorded_usd":"NaN"}`, `{"recorded_usd":"1000000.01"}`, `{"recorded_usd":true}`,
	} {
		requests, err := ReadRequests([]byte(`{"requests":[` + text + `]}`))
		if err != nil {
			t.Fatal(err)
		}
		if _, err := Embedded().CostOf(requests, Auto, "", noon()); err == nil {
			t.Errorf("input %s: no error", text)
		}
	}
}

func TestParseAt(t *testing.T) {
	for text, want := range map[string]time.Time{
		"2026-10-20": time.Date(2026, 10, 20, 0, 0, 0, 0, time.UTC), "2026-10-20T14:00:00+02:00": noon(), "2026-10-20T12:00:00Z": noon(),
	} {
		if got, err := ParseAt(text); err != nil || !got.Equal(want) {
			t.Errorf("input %s: got %v, %v, want %v", text, got, err, want)
		}
	}
}

// The rates for the ledger hold every class with its interval.
func TestRates_OfOneModel(t *testing.T) {
	got := map[string]int64{}
	for r := range Embedded().Rates {
		if r.Provider != "openai" || r.Model != "o3" {
			continue
		}
		got[strings.Join([]string{boundOf(r.From), boundOf(r.To), r.Mode, r.Class}, " ")] = r.PicoPerToken
	}
	want := map[string]int64{
		"- 2025-06-10  input": 10_000_000, "- 2025-06-10  output": 40_000_000, "- 2025-06-10  cache_read": 2_500_000,
		"2025-06-10 -  input": 2_000_000, "2025-06-10 -  output": 8_000_000, "2025-06-10 -  cache_read": 500_000,
		"2025-06-10 - batch input": 1_000_000, "2025-06-10 - batch output": 4_000_000, "2025-06-10 - batch cache_read": 250_000,
		"2025-06-10 - flex input": 1_000_000, "2025-06-10 - flex output": 4_000_000, "2025-06-10 - flex cache_read": 250_000,
		"2025-06-10 - priority input": 3_500_000, "2025-06-10 - priority output": 14_000_000, "2025-06-10 - priority cache_read": 875_000,
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}

func boundOf(t time.Time) string {
	if t.IsZero() {
		return "-"
	}
	return t.Format(time.DateOnly)
}
