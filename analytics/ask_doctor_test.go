package analytics

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// r3 (newcomer: 5+40+100+60 tokens) has no price. Of the places: claude-code
// here has three logs with r1 to r4, r1 also in the fork's log, which dates it two seconds later; on the laptop
// one log that is gone, with r6 that vanished; codex-cli has one log with r5.
// Stored in the order r1 r2 r3 r4 r5 r6, r3 lies behind the later r2 and r6
// behind r5: 2 of 6.
func TestDoctor(t *testing.T) {
	w := shop(t)
	got, err := w.l.Doctor(t.Context(), time.UTC)
	if err != nil {
		t.Fatal(err)
	}
	here := []*time.Time{ptr(instant("2026-10-05T08:00:05Z")), ptr(instant("2026-10-05T08:00:42Z")), ptr(instant("2026-09-30T23:30:00Z")), ptr(instant("2026-10-06T09:00:10Z"))}
	places := []PlaceFacts{
		{Harness: "claude-code", Sources: 3, Bytes: 3000, Requests: 4, Copied: 1, LateReplays: 1, OldestAt: here[0], NewestAt: here[1], Problems: 2},
		{Harness: "claude-code", Machine: ptr("laptop"), Sources: 1, Gone: 1, Bytes: 1000, Requests: 1, Vanished: 1, OldestAt: here[2], NewestAt: here[2]},
		{Harness: "codex-cli", Sources: 1, Bytes: 1000, Requests: 1, OldestAt: here[3], NewestAt: here[3]},
	}
	if d := cmp.Diff(places, got.Places); d != "" {
		t.Errorf("places (-want +got):\n%s", d)
	}
	detail := ptr("a line ends in the middle of a value")
	problems := []ProblemGroup{{Harness: "claude-code", Reason: "malformed-json", Count: 2, Examples: []ProblemPlace{
		{Path: "/srv/logs/a.jsonl", Line: 12, Detail: detail}, {Path: "/srv/logs/a.jsonl", Line: 15, Detail: detail},
	}}}
	if d := cmp.Diff(problems, got.Problems); d != "" {
		t.Errorf("problems (-want +got):\n%s", d)
	}
	sub := instant("2026-10-05T08:00:12Z")
	unpriced := []UnpricedName{{Harness: "claude-code", Model: ptr("newcomer"), Requests: 1, TotalTokens: 205, FirstAt: sub, LastAt: sub, FirstDay: "2026-10-05"}}
	if d := cmp.Diff(unpriced, got.Unpriced); d != "" {
		t.Errorf("unpriced (-want +got):\n%s", d)
	}
	facts := got.Ledger
	if facts.Bytes == 0 || facts.DuckDBVersion == "" || *facts.OutOfOrderShare != 2.0/6 || *facts.LateReplayShare != 1.0/6 {
		t.Errorf("ledger %+v, want a size, a version, a share of 2/6", facts)
	}
	facts.Bytes, facts.DuckDBVersion, facts.OutOfOrderShare, facts.LateReplayShare = 0, "", nil, nil
	want := LedgerFacts{
		Path: w.l.Path(), Version: LedgerVersion, PriceTable: ptr("table-1"), RollupZone: "UTC",
		Requests: 6, Sessions: 5, Subagents: 1, Prompts: 3, ToolCalls: 4, Turns: 2, Limits: 2, Events: 1, Sources: 5, Problems: 2, Scans: 1,
		OldestAt: here[2], NewestAt: here[3], LastScanAt: ptr(instant("2026-10-07T00:00:00Z")), OutOfOrder: 2, LateReplays: 1,
	}
	if d := cmp.Diff(want, facts); d != "" {
		t.Errorf("ledger (-want +got):\n%s", d)
	}
}

// At 06:30Z it is still the day before in Los Angeles.
func TestUnpriced_FirstDayIsOfTheZone(t *testing.T) {
	w := newWorld(t, Options{})
	zone, err := time.LoadLocation("America/Los_Angeles")
	if err != nil {
		t.Fatal(err)
	}
	end := at("2026-10-05T06:30:00Z")
	w.session(sessionRow{id: 1, harness: "opencode", native: "s", first: end, last: end})
	w.request(requestRow{native: "a", harness: "opencode", session: 1, model: "m", provider: "p", end: end, searches: 1, source: 1, line: 1})
	w.request(requestRow{native: "b", harness: "opencode", session: 1, model: "free", provider: "p", end: end, in: 0, source: 1, line: 2})
	list, err := w.l.Unpriced(t.Context(), zone)
	if err != nil {
		t.Fatal(err)
	}
	if len(list) != 1 || list[0].FirstDay != "2026-10-04" || *list[0].Model != "m" || *list[0].Provider != "p" {
		t.Errorf("unpriced = %s, want only m, of the 4th: a request without tokens needs no price", pretty(list))
	}
}

func TestDoctor_EmptyLedger(t *testing.T) {
	w := newWorld(t, Options{})
	if r, err := w.l.Doctor(t.Context(), nil); err != nil || r.Ledger.OutOfOrderShare != nil || len(r.Places) != 0 {
		t.Errorf("an empty ledger: %s, %v", pretty(r), err)
	}
}
