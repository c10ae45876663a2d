package analytics

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"meterbridge"
)

func TestBridgeCalls_AreKeptWhole(t *testing.T) {
	now := time.Date(2026, 10, 6, 0, 0, 0, 0, time.UTC)
	l := open(t, Options{Now: func() time.Time { return now }})
	first := BridgeCall{
		ID: "c1", Started: now.Add(-time.Minute), Ended: now.Add(-50 * time.Second), Agent: "ag-1", Session: "s1", Via: "link", Package: "desk", Version: "1.2.0",
		Tool: "open_ticket", Exposed: "desk_open_ticket", ToolDigest: "aa", TreeDigest: "bb", Instance: "desk", Queued: 2 * time.Millisecond, Woke: 3 * time.Second,
		Handled: 7 * time.Second, ArgumentBytes: 18, ArgumentShape: `{"it's":"string"}`, ResultBytes: 9, Items: 1, Removed: 2, Progress: 3, Outcome: "ok", Era: "2026-07-28", TraceID: "t",
	}
	second := BridgeCall{ID: "c2", Started: now, Ended: now.Add(time.Second), Agent: "local", Via: "built-in", Tool: "meter_usage", Exposed: "meter_usage", Outcome: "INVALID_PARAMS"}
	old := second
	old.ID, old.Started = "c0", now.Add(-91*24*time.Hour)
	if err := l.SaveBridgeCalls(t.Context(), []BridgeCall{old, first, second}); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		query BridgeCallQuery
		want  []BridgeCall
	}{
		{BridgeCallQuery{}, []BridgeCall{second, first}},
		{BridgeCallQuery{Most: 1}, []BridgeCall{second}},
		{BridgeCallQuery{Agent: "ag-1"}, []BridgeCall{first}},
		{BridgeCallQuery{Package: "desk"}, []BridgeCall{first}},
		{BridgeCallQuery{Tool: "open_ticket"}, []BridgeCall{first}},
		{BridgeCallQuery{Tool: "desk_open_ticket"}, []BridgeCall{first}},
		{BridgeCallQuery{Since: now}, []BridgeCall{second}},
		{BridgeCallQuery{Agent: "nobody"}, []BridgeCall{}},
	} {
		got, err := l.BridgeCalls(t.Context(), c.query)
		if err != nil {
			t.Fatal(err)
		}
		if d := cmp.Diff(c.want, got); d != "" {
			t.Errorf("%+v (-want +got)\n%s", c.query, d)
		}
	}
}

// The requests that carried results are the next ones of the session that the
// agent had, each once, and what has none is not guessed.
func TestBridgeStats_JoinsTheCarryingRequests(t *testing.T) {
	w := newWorld(t, Options{})
	w.shopSessions()
	w.shopRequests()
	w.insert("binding", row{"agent": "ag-1", "harness": "claude-code", "session": "aaaa-1", "source": "hook", "generation": 1})
	start := time.Date(2026, 10, 5, 8, 0, 0, 0, time.UTC)
	call := func(id, agent, session, tool, outcome string, began, took time.Duration) BridgeCall {
		return BridgeCall{
			ID: id, Started: start.Add(began), Ended: start.Add(began + took), Agent: agent, Session: session, Via: "link", Package: "desk", Tool: tool, Exposed: "desk_" + tool,
			Handled: took, ResultBytes: 100, Progress: 1, Outcome: outcome,
		}
	}
	err := w.l.SaveBridgeCalls(t.Context(), []BridgeCall{
		// The binding says the session: r1 ended 5 s after the start, r2 20 s after it.
		call("c1", "ag-1", "", "open", "ok", time.Second, time.Second),
		call("c2", "ag-1", "", "open", "ok", 6*time.Second, 2*time.Second),
		call("c3", "ag-1", "", "open", "tool_error", 7*time.Second, 6*time.Second),
		// After the last request nothing carried it.
		call("c4", "ag-1", "", "open", "cancelled", 30*time.Second, 4*time.Second),
		// Without a binding the session of that time counts.
		call("c5", "ag-9", "aaaa-2", "close", "ok", 40*time.Second, time.Second),
		call("c6", "local", "", "list", "ok", 40*time.Second, time.Second),
	})
	if err != nil {
		t.Fatal(err)
	}
	got, err := w.l.BridgeStats(t.Context(), start, start.Add(time.Hour))
	if err != nil {
		t.Fatal(err)
	}
	pico := func(n int64) meterbridge.NullPico { return meterbridge.SomePico(meterbridge.Pico(n)) }
	want := []BridgeToolStats{
		{
			Tool: "desk_open", Package: "desk", Calls: 4, OK: 2, Cancelled: 1, ResultBytes: 400, Progress: 4, Median: 2 * time.Second, Slow: 6 * time.Second,
			Newest: start.Add(30 * time.Second), Carried: 3, Requests: 2, FreshTokens: 10 + 500 + 200 + 20, Cost: pico(1_234_567 + 2_000_001),
		},
		{
			Tool: "desk_close", Package: "desk", Calls: 1, OK: 1, ResultBytes: 100, Progress: 1, Median: time.Second, Slow: time.Second,
			Newest: start.Add(40 * time.Second), Carried: 1, Requests: 1, FreshTokens: 312, Cost: pico(5_000_000),
		},
		{
			Tool: "desk_list", Package: "desk", Calls: 1, OK: 1, ResultBytes: 100, Progress: 1, Median: time.Second, Slow: time.Second,
			Newest: start.Add(40 * time.Second),
		},
	}
	if d := cmp.Diff(want, got, cmp.AllowUnexported(meterbridge.PicoUSD{})); d != "" {
		t.Errorf("(-want +got)\n%s", d)
	}
}
