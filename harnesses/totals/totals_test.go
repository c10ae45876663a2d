package totals

import (
	"encoding/json"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"meterbridge"
)

func at(clock string) time.Time {
	t, err := time.Parse("2006-01-02 15:04", "2026-08-25 "+clock)
	if err != nil {
		panic(err)
	}
	return t
}

func tokens(in, out int64) meterbridge.Tokens {
	return meterbridge.Tokens{Input: meterbridge.Reported(in), Output: meterbridge.Reported(out)}
}

func cost(text string) meterbridge.NullPico { return amount(text) }

// told is a row in short.
type told struct {
	ID, Rule, Cost, Start, End string
	In, Out                    int64
}

// read takes readings one after the other, the memory going through JSON between them.
func read(t *testing.T, seed meterbridge.Tokens, readings ...Reading) (out []told) {
	t.Helper()
	var c Counter
	c.Seed(seed)
	for _, r := range readings {
		c.Read(r)
		b, err := json.Marshal(c)
		if err != nil {
			t.Fatal(err)
		}
		c = Counter{}
		if err := json.Unmarshal(b, &c); err != nil {
			t.Fatal(err)
		}
	}
	for _, r := range c.Requests(meterbridge.Request{NativeID: "s", Session: "s"}) {
		x := told{ID: r.NativeID, Rule: r.Rule, In: r.Tokens.Input.N, Out: r.Tokens.Output.N, Cost: usd(r.Recorded), Start: r.StartedAt.Format("15:04"), End: r.EndedAt.Format("15:04")}
		out = append(out, x)
	}
	return out
}

func TestCounter_DifferencesBetweenReadings(t *testing.T) {
	got := read(t, meterbridge.Tokens{},
		Reading{Start: at("08:00"), End: at("08:10"), Tokens: tokens(100, 10), Cost: cost("0.10"), Model: "m"},
		Reading{Start: at("08:00"), End: at("08:10"), Tokens: tokens(100, 10), Cost: cost("0.10"), Model: "m"}, // nothing new
		Reading{Start: at("08:00"), End: at("08:32"), Tokens: tokens(150, 20), Cost: cost("0.15"), Model: "m"},
		Reading{Start: at("08:00"), End: at("08:40"), Tokens: tokens(160, 25), Cost: cost("0.16"), Model: "m"}, // the same quarter
		Reading{Start: at("08:00"), End: at("08:42"), Tokens: tokens(170, 30), Cost: cost("0.17"), Model: "n"}, // another model
		Reading{Start: at("08:00"), End: at("08:50"), Tokens: tokens(90, 5), Cost: cost("0.09"), Model: "n"},   // an older copy
		Reading{Start: at("08:00"), End: at("09:00"), Tokens: tokens(171, 40), Cost: cost("0.20"), Model: "n"},
	)
	want := []told{
		{"s", RuleFirst, "0.10", "08:00", "08:10", 100, 10},
		{"s@20260825T0830Z", RuleGrowth, "0.06", "08:10", "08:40", 60, 15},
		{"s@20260825T0830Z/n", RuleGrowth, "0.01", "08:40", "08:50", 10, 5},
		{"s@20260825T0900Z", RuleGrowth, "0.03", "08:50", "09:00", 1, 10},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}

func TestCounter_CountsFromWhatItInherited(t *testing.T) {
	got := read(t, tokens(100, 10), Reading{End: at("08:10"), Tokens: tokens(100, 10)}, Reading{Start: at("08:00"), End: at("08:20"), Tokens: tokens(130, 14)})
	want := []told{{"s", RuleFirst, "", "08:00", "08:20", 30, 4}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}

func TestCounter_WhatIsNotReportedStaysNull(t *testing.T) {
	var c Counter
	c.Read(Reading{End: at("08:00"), Tokens: meterbridge.Tokens{Output: meterbridge.Reported(5), Reasoning: meterbridge.Reported(9)}})
	r := c.Requests(meterbridge.Request{})[0]
	if r.Tokens.Input.OK || r.Tokens.CacheRead.OK || r.Recorded.OK || r.Tokens.Reasoning.N != 5 {
		t.Errorf("got %+v", r)
	}
}
