package analytics

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

func TestTimeline(t *testing.T) {
	w := shop(t)
	got, err := w.l.Timeline(t.Context(), "aaaa-1", time.Time{}, time.Time{})
	if err != nil {
		t.Fatal(err)
	}
	sub := &Subagent{ID: "a9f", Name: ptr("Explore")}
	want := Timeline{
		SchemaVersion: 1, Session: "aaaa-1", Harness: "claude-code", UsageReadable: true, RequestTimes: "start-end", ScannedAt: ptr(at("2026-10-07T00:00:00Z")),
		Requests: []TimedRequest{
			{
				StartedAt: ptr(at("2026-10-05T08:00:02Z")), EndedAt: at("2026-10-05T08:00:05Z"), Model: ptr("opus"), InputTokens: ptr[int64](10), OutputTokens: ptr[int64](120),
				ReasoningTokens: ptr[int64](30), CacheReadTokens: ptr[int64](9000), CacheWriteTokens: ptr[int64](700), Tools: []string{"Bash"},
			},
			{
				EndedAt: at("2026-10-05T08:00:12Z"), Model: ptr("newcomer"), InputTokens: ptr[int64](5), OutputTokens: ptr[int64](40),
				CacheReadTokens: ptr[int64](100), CacheWriteTokens: ptr[int64](60), Tools: []string{"Grep", "Read"}, Subagent: sub,
			},
			{
				EndedAt: at("2026-10-05T08:00:20Z"), Model: ptr("opus"), InputTokens: ptr[int64](20), OutputTokens: ptr[int64](80),
				CacheReadTokens: ptr[int64](9500), CacheWriteTokens: ptr[int64](0), Tools: []string{},
			},
		},
		Statuses: []TimedStatus{},
		Turns: []Turn{
			{Start: at("2026-10-05T08:00:00Z"), End: ptr(at("2026-10-05T08:00:12Z")), EndedAs: "finished", Counted: true},
			{Start: at("2026-10-05T08:00:15Z"), End: ptr(at("2026-10-05T08:00:20Z")), EndedAs: "finished", Counted: true},
		},
		ToolCalls: []TimedTool{
			{Name: "Bash", StartedAt: ptr(at("2026-10-05T08:00:05Z")), EndedAt: ptr(at("2026-10-05T08:00:08Z")), OK: ptr(true)},
			{Name: "Grep", StartedAt: ptr(at("2026-10-05T08:00:12Z")), EndedAt: ptr(at("2026-10-05T08:00:13Z")), OK: ptr(true), Subagent: sub},
			{Name: "Grep", StartedAt: ptr(at("2026-10-05T08:00:13Z")), EndedAt: ptr(at("2026-10-05T08:00:13.500Z")), OK: ptr(false), Subagent: sub},
			{Name: "Read", StartedAt: ptr(at("2026-10-05T08:00:13Z")), Subagent: sub},
		},
	}
	if len(got.ToolCalls) == 4 && got.ToolCalls[2].Name == "Read" {
		// Both began in the same millisecond: their order is that of their ids.
		got.ToolCalls[2], got.ToolCalls[3] = got.ToolCalls[3], got.ToolCalls[2]
	}
	if d := cmp.Diff(want, got, seenTurns); d != "" {
		t.Errorf("timeline of aaaa-1 (-want +got):\n%s", d)
	}
}

// Of 2003 requests, a second apart, the newest 2000 are kept: 3 to 2002.
func TestTimeline_KeepsTheNewest(t *testing.T) {
	w := newWorld(t, Options{})
	start := at("2026-10-05T08:00:00Z")
	w.session(sessionRow{id: 1, harness: "opencode", native: "s", first: start, last: start + 2002_000})
	w.source(1, "opencode", "/srv/db", "", false)
	w.request(requestRow{native: "r", harness: "opencode", session: 1, end: start, in: 1, source: 1, line: 1})
	_, err := w.l.db.Exec("INSERT INTO request SELECT r.* REPLACE (uuid() AS id, r.ended_at + n * 1000 AS ended_at, n + 1 AS line) FROM request r, range(1, 2003) t(n)")
	if err != nil {
		t.Fatal(err)
	}
	got, err := w.l.Timeline(t.Context(), "s", time.Time{}, time.Time{})
	if err != nil {
		t.Fatal(err)
	}
	if len(got.Requests) != 2000 || !got.Truncated || got.Requests[0].EndedAt != start+3000 || got.RequestTimes != "end" {
		t.Errorf("%d requests, truncated %v, first at +%d ms, times %s; want 2000, true, 3000, end",
			len(got.Requests), got.Truncated, got.Requests[0].EndedAt-start, got.RequestTimes)
	}
}

// A start after the end, or an hour before it, is no send time.
func TestTimeline_RefusesImpossibleStarts(t *testing.T) {
	w := newWorld(t, Options{})
	end := at("2026-10-05T08:00:00Z")
	w.session(sessionRow{id: 1, harness: "opencode", native: "s", first: end, last: end + 1})
	w.request(requestRow{native: "a", harness: "opencode", session: 1, start: end + 5, end: end, source: 1, line: 1})
	w.request(requestRow{native: "b", harness: "opencode", session: 1, start: end - 3_600_000, end: end + 1, source: 1, line: 2})
	got, err := w.l.Timeline(t.Context(), "s", time.Time{}, time.Time{})
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range got.Requests {
		if r.StartedAt != nil {
			t.Errorf("request that ended at %d starts at %d, want null", r.EndedAt, *r.StartedAt)
		}
	}
}

func TestTurnMark_Ending(t *testing.T) {
	later := ptr[int64](50)
	tests := []struct {
		why  string
		mark turnMark
		want Turn
	}{
		{
			"the log says finished",
			turnMark{start: 10, stop: ptr[int64](30), outcome: "finished", logged: true, requests: 1, lastEnd: ptr[int64](29)},
			Turn{Start: 10, End: ptr[int64](30), EndedAs: "finished", Counted: true},
		},
		{
			"an end in an error is an end",
			turnMark{start: 10, stop: ptr[int64](30), outcome: "failed", logged: true, requests: 1, lastEnd: ptr[int64](29)},
			Turn{Start: 10, End: ptr[int64](30), EndedAs: "finished", Counted: true},
		},
		{
			"interrupted",
			turnMark{start: 10, stop: ptr[int64](30), outcome: "interrupted", logged: true, requests: 1, lastEnd: ptr[int64](29)},
			Turn{Start: 10, End: ptr[int64](30), EndedAs: "interrupted", Counted: true},
		},
		{
			"a finished turn without a request is not counted",
			turnMark{start: 10, stop: ptr[int64](11), outcome: "finished", logged: true},
			Turn{Start: 10, End: ptr[int64](11), EndedAs: "finished"},
		},
		{
			"the log never ends it, and goes on",
			turnMark{start: 10, logged: true, requests: 1, lastEnd: ptr[int64](20), next: later},
			Turn{Start: 10, End: ptr[int64](20), EndedAs: "exited", Counted: true},
		},
		{"under way", turnMark{start: 10, logged: true, requests: 1, lastEnd: ptr[int64](20)}, Turn{Start: 10, Counted: true}},
		{
			"a prompt, answered, then another",
			turnMark{start: 10, requests: 2, lastEnd: ptr[int64](20), called: true, next: later},
			Turn{Start: 10, End: ptr[int64](20), EndedAs: "finished", Counted: true},
		},
		{
			"the last prompt, its answer called no tool",
			turnMark{start: 10, requests: 2, lastEnd: ptr[int64](20)},
			Turn{Start: 10, End: ptr[int64](20), EndedAs: "finished", Counted: true},
		},
		{"the last prompt, a tool is called", turnMark{start: 10, requests: 2, lastEnd: ptr[int64](20), called: true}, Turn{Start: 10, Counted: true}},
		{"the last prompt, no answer yet", turnMark{start: 10}, Turn{Start: 10, Counted: true}},
		{"a prompt without an answer, then another", turnMark{start: 10, next: later}, Turn{Start: 10, End: ptr[int64](10), EndedAs: "finished"}},
		{
			"a prompt whose answer was broken off",
			turnMark{start: 10, requests: 1, lastEnd: ptr[int64](20), aborted: true},
			Turn{Start: 10, End: ptr[int64](20), EndedAs: "interrupted", Counted: true},
		},
		{
			"the log has an interruption",
			turnMark{start: 10, requests: 1, lastEnd: ptr[int64](20), called: true, interrupted: true},
			Turn{Start: 10, End: ptr[int64](20), EndedAs: "interrupted", Counted: true},
		},
	}
	for _, tt := range tests {
		if d := cmp.Diff(tt.want, tt.mark.turn(), seenTurns); d != "" {
			t.Errorf("%s: %+v (-want +got):\n%s", tt.why, tt.mark, d)
		}
	}
}
