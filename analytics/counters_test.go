package analytics

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"meterbridge"
)

func TestCounters_AddUpEverything(t *testing.T) {
	w := newWorld(t, Options{ReportZone: time.UTC, DefaultProvider: func(h string) string { return "of " + h }})
	w.together(func() {
		w.session(sessionRow{id: 1, harness: "claude-code", native: "a", first: at("2026-10-01T08:00:00Z"), last: at("2026-10-02T08:00:00Z")})
		w.session(sessionRow{id: 2, harness: "claude-code", native: "a/x", parent: 1, relation: "subagent", root: 1, first: at("2026-10-01T08:00:00Z"), last: at("2026-10-01T08:00:00Z")})
		w.session(sessionRow{id: 3, harness: "opencode", native: "o", first: at("2026-10-03T08:00:00Z"), last: at("2026-10-03T08:00:00Z")})
		w.session(sessionRow{id: 4, harness: "opencode", native: "without a request"})
		// Took 0.5 s (the first bound, inclusive) and 3 s.
		w.request(requestRow{
			native: "1", harness: "claude-code", session: 1, project: "/p", model: "m", start: at("2026-10-01T07:59:59.5Z"), end: at("2026-10-01T08:00:00Z"),
			in: int64(10), out: int64(20), reason: int64(5), read: int64(30), w5m: int64(4), w1h: int64(1), list: int64(100),
		})
		w.request(requestRow{
			native: "2", harness: "claude-code", session: 2, project: "/q", model: "m", start: at("2026-10-01T08:00:00Z"), end: at("2026-10-01T08:00:03Z"),
			in: int64(1), recorded: int64(7), list: int64(1000),
		})
		// Two without a price, one that names its provider; one without tokens.
		w.request(requestRow{native: "3", harness: "opencode", session: 3, project: "/p", model: "n", end: at("2026-10-03T08:00:00Z"), in: int64(2)})
		w.request(requestRow{native: "4", harness: "opencode", session: 3, project: "/p", model: "n", provider: "acme", end: at("2026-10-03T08:00:00Z"), in: int64(3)})
		w.request(requestRow{native: "5", harness: "opencode", session: 3, project: "/p", model: "n", end: at("2026-10-03T08:00:00Z")})
	})
	w.summed()
	got, err := w.l.Counters(t.Context(), false)
	if err != nil {
		t.Fatal(err)
	}
	want := Counters{
		Spent: []SpentCounter{
			{
				Harness: "claude-code", Model: "m", Requests: 2, Input: 11, Output: 20, Reasoning: 5, CacheRead: 30, CacheWrite: 5,
				Recorded: meterbridge.Pico(7), Listed: meterbridge.Pico(100),
			},
			{Harness: "opencode", Model: "n", Requests: 3, Input: 5},
		},
		Unpriced: []UnpricedCounter{{"of opencode", 1}, {"acme", 1}},
		Durations: []DurationCounter{{
			Harness: "claude-code", Requests: 2, Total: 3500 * time.Millisecond, Buckets: []int64{1, 1, 1, 2, 2, 2, 2, 2, 2, 2, 2},
		}},
		Sessions: map[string]int64{"claude-code": 1, "opencode": 1},
	}
	if diff := cmp.Diff(want, got, cmp.AllowUnexported(meterbridge.PicoUSD{})); diff != "" {
		t.Errorf("counters (-want +got):\n%s", diff)
	}
	if got, err = w.l.Counters(t.Context(), true); err != nil || len(got.Spent) != 3 || got.Spent[1].Project != "/q" || got.Spent[1].Input != 1 {
		t.Errorf("by project: %+v, %v", got.Spent, err)
	}
}

// The turns that are counted are those that the timelines of all main sessions show.
func TestCounters_TurnsAreThoseOfTimelines(t *testing.T) {
	w := shop(t)
	sessions, err := w.l.Sessions(t.Context(), SessionFilter{})
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]int64{}
	for _, s := range sessions.Sessions {
		line, err := w.l.Timeline(t.Context(), s.Harness+":"+s.Session, time.Time{}, time.Time{})
		if err != nil {
			t.Fatal(err)
		}
		for _, turn := range line.Turns {
			if turn.End != nil && turn.Counted {
				want[s.Harness+" "+turn.EndedAs]++
			}
		}
	}
	counters, err := w.l.Counters(t.Context(), false)
	if err != nil {
		t.Fatal(err)
	}
	got := map[string]int64{}
	for _, c := range counters.Turns {
		got[c.Harness+" "+c.Ended] += c.Turns
	}
	if diff := cmp.Diff(want, got); diff != "" || len(want) == 0 {
		t.Errorf("turns (-timelines +counters):\n%s", diff)
	}
}
