package main

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"meterbridge/internal/cases"
)

func TestWanted_TokensDiffer(t *testing.T) {
	want := wanted{reasoning: 30, want: map[string]any{"inputTokens": 10.0, "outputTokens": 100.0, "cacheWriteTokens": nil, "requests": 1.0}}
	for _, tt := range []struct {
		name string
		got  sums
		want string
	}{
		{"equal", sums{input: 10, output: 100}, ""},
		{"output without its reasoning", sums{input: 10, output: 70}, ""},
		{"a class that the case does not name", sums{input: 10, output: 100, cacheRead: 5}, ""},
		{"null is 0, not 5", sums{input: 10, output: 100, cacheWrite: 5}, "cacheWrite 5, right 0"},
		{"both", sums{input: 20, output: 99}, "input 20, right 10; output 99, right 100"},
	} {
		if got := want.tokensDiffer(answer{"": &tt.got}); got != tt.want {
			t.Errorf("%s: %q, want %q", tt.name, got, tt.want)
		}
	}
}

func TestWanted_CostDiffers(t *testing.T) {
	for _, tt := range []struct {
		name string
		want any
		got  sums
		text string
	}{
		{"equal", 7.0, sums{microUSD: 7}, ""},
		{"another", 7.0, sums{microUSD: 8}, "8, right 7"},
		{"named as without a price", 7.0, sums{unpriced: true}, "no price, and says so"},
		{"unknown and shown as none", nil, sums{microUSD: -1}, ""},
		{"unknown and named", nil, sums{unpriced: true}, ""},
		{"unknown and guessed", nil, sums{microUSD: 5}, "5, right unknown"},
	} {
		w := wanted{want: map[string]any{"costMicroUsd": tt.want}}
		if got := w.costDiffers(answer{"": &tt.got}); got != tt.text {
			t.Errorf("%s: %q, want %q", tt.name, got, tt.text)
		}
	}
}

func TestCcusage_Args(t *testing.T) {
	for _, tt := range []struct {
		q    query
		want string
	}{
		{query{harness: "claude-code"}, "claude daily --json --offline"},
		{query{harness: "codex-cli", by: "month", zone: "UTC"}, "codex monthly --json --offline --timezone UTC"},
		{query{harness: everyHarness}, "daily --json --offline"},
		{query{harness: "claude-code", session: "S"}, "claude session --id S --json --offline"},
		{query{harness: "claude-code", by: "week"}, "claude weekly --json --offline --start-of-week monday"},
		{query{harness: "claude-code", since: "2026-03-01", cost: "list"}, "claude daily --json --offline --since 20260301 --mode calculate"},
		{query{harness: "codex-cli", by: "week"}, "no such report"},
		{query{harness: "codex-cli", by: "project"}, "no such report"},
	} {
		args, err := ccusage{}.args(tt.q)
		got := strings.Join(args, " ")
		if err != nil {
			got = err.Error()
		}
		if got != tt.want {
			t.Errorf("%+v: %q, want %q", tt.q, got, tt.want)
		}
	}
}

func TestCcusageReport_Answer(t *testing.T) {
	const daily = `{"daily":[{"date":"2026-03-02","inputTokens":5,"outputTokens":2,"costUSD":0.0000011,"models":{"m":{"inputTokens":5}}}],
		"totals":{"inputTokens":5,"outputTokens":2,"reasoningOutputTokens":1,"costUSD":0.0000011,"unpricedModels":["x"]}}`
	const session = `{"entries":[{"inputTokens":3},{"inputTokens":4}],"totalCost":0.5}`
	for _, tt := range []struct {
		text, by, key string
		want          sums
	}{
		{daily, "day", "", sums{input: 5, output: 2, reasoning: 1, microUSD: 2, unpriced: true}},
		{daily, "day", "2026-03-02", sums{input: 5, output: 2, reasoning: -1, microUSD: 2}},
		{daily, "model", "m", sums{input: 5, reasoning: -1, microUSD: -1}},
		{session, "", "", sums{input: 7, reasoning: -1, microUSD: 500000}},
	} {
		var r ccusageReport
		if err := json.Unmarshal([]byte(tt.text), &r); err != nil {
			t.Fatal(err)
		}
		if got := r.answer(tt.by).at(tt.key); *got != tt.want {
			t.Errorf("by %q, %q: %+v, want %+v", tt.by, tt.key, *got, tt.want)
		}
	}
}

// Every case but those about projects can be asked of others.
func TestAsk_FindsTheQuestionOfEveryCase(t *testing.T) {
	list, err := cases.All("../../testdata/cases")
	if err != nil {
		t.Fatal(err)
	}
	var none []string
	for i := range list {
		if ask(&list[i]) == nil {
			none = append(none, list[i].ID)
		}
	}
	if want := []string{"C-25", "F-11"}; !slices.Equal(none, want) {
		t.Errorf("no question in %v, want %v", none, want)
	}
}
