package analytics

import (
	"errors"
	"io/fs"
	"strconv"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"meterbridge"
)

// record is a trace of a record with input and output tokens.
func record(native, session string, line, in, out int64, v meterbridge.Verdict, rule string) meterbridge.Trace {
	return meterbridge.Trace{
		Place: meterbridge.Place{Line: line}, Store: "s", NativeID: native, Session: session, Model: "opus", Verdict: v, Rule: rule,
		At: instant("2026-10-05T08:00:05Z"), Tokens: meterbridge.Tokens{Input: meterbridge.Reported(in), Output: meterbridge.Reported(out)},
	}
}

// verdicts are the lines of a report that a test compares.
func verdicts(r ExplainReport) []string {
	var out []string
	for _, e := range r.Records {
		out = append(out, string(e.Verdict)+" "+e.Rule+" "+e.Path+":"+strconv.FormatInt(e.Line, 10)+" "+e.Note)
	}
	for _, k := range r.Kept {
		out = append(out, k.Why+" "+k.Path+":"+strconv.FormatInt(k.Line, 10))
	}
	return out
}

// Session aaaa-1 with its sub-agent has r1, r2, r3. The logs are read again: r1
// was streamed in two lines and copied into the fork; a synthetic row and a
// replay in the sub-agent's file are dropped; the record of another session of
// the same file is not a part of the answer.
func TestExplain_Session(t *testing.T) {
	w := shop(t)
	rows, err := w.l.ExplainRows(t.Context(), "aaaa-1", time.UTC)
	if err != nil {
		t.Fatal(err)
	}
	var paths []string
	for _, s := range rows.Sources {
		paths = append(paths, s.Path)
	}
	if d := cmp.Diff([]string{"/srv/logs/a.jsonl", "/srv/logs/a/agent-a9f.jsonl", "/srv/logs/fork.jsonl"}, paths); d != "" {
		t.Fatalf("sources (-want +got):\n%s", d)
	}
	full := func(t meterbridge.Trace, reason, read, w5m, w1h int64) meterbridge.Trace {
		if reason > 0 {
			t.Tokens.Reasoning = meterbridge.Reported(reason)
		}
		t.Tokens.CacheRead, t.Tokens.CacheWrite5m = meterbridge.Reported(read), meterbridge.Reported(w5m)
		if w1h > 0 {
			t.Tokens.CacheWrite1h = meterbridge.Reported(w1h)
		}
		return t
	}
	got := JoinExplain(rows, []SourceTrace{
		{Harness: "claude-code", Path: "/srv/logs/a.jsonl", Traces: []meterbridge.Trace{
			record("r1", "aaaa-1", 2, 10, 1, meterbridge.Merged, "earlier-snapshot"),
			full(record("r1", "aaaa-1", 3, 10, 120, meterbridge.Counted, "last-snapshot"), 30, 9000, 500, 200),
			record("", "aaaa-1", 5, 0, 0, meterbridge.Dropped, "synthetic"),
			full(record("r2", "aaaa-1", 9, 20, 80, meterbridge.Counted, "single-record"), 0, 9500, 0, 0),
			record("x1", "zzzz-9", 10, 5, 5, meterbridge.Counted, "single-record"),
			record("r9", "aaaa-1", 12, 1, 1, meterbridge.Counted, "single-record"),
		}},
		{Harness: "claude-code", Path: "/srv/logs/a/agent-a9f.jsonl", Traces: []meterbridge.Trace{
			full(record("r3", "aaaa-1/a9f", 2, 5, 40, meterbridge.Counted, "single-record"), 0, 100, 60, 0),
			record("r1", "aaaa-1/a9f", 4, 10, 120, meterbridge.Dropped, "replay"),
		}},
		{Harness: "claude-code", Path: "/srv/logs/fork.jsonl", Traces: []meterbridge.Trace{
			full(record("r1", "aaaa-2", 2, 10, 120, meterbridge.Counted, "last-snapshot"), 30, 9000, 500, 200),
			full(record("r4", "aaaa-2", 6, 12, 60, meterbridge.Counted, "single-record"), 0, 9700, 300, 0),
			full(record("r4", "aaaa-1", 7, 12, 60, meterbridge.Counted, "single-record"), 0, 9700, 300, 0),
		}},
	})
	want := []string{
		"merged earlier-snapshot /srv/logs/a.jsonl:2 ",
		"counted last-snapshot /srv/logs/a.jsonl:3 ",
		"dropped synthetic /srv/logs/a.jsonl:5 ",
		"counted single-record /srv/logs/a.jsonl:9 ",
		"pending not-scanned-yet /srv/logs/a.jsonl:12 ",
		"counted single-record /srv/logs/a/agent-a9f.jsonl:2 ",
		"dropped replay /srv/logs/a/agent-a9f.jsonl:4 ",
		"merged copy-in-another-source /srv/logs/fork.jsonl:2 ",
		"merged counted-elsewhere /srv/logs/fork.jsonl:7 counted in session aaaa-2",
	}
	if d := cmp.Diff(want, verdicts(got)); d != "" {
		t.Errorf("records (-want +got):\n%s", d)
	}
	if !got.AddsUp || got.Explained.totals() != (Totals{3, 35, 240, 30, 18600, 760}) || *got.Reported.CostMicroUSD != 4 {
		t.Errorf("adds up %v: explained %+v, reported %s", got.AddsUp, got.Explained, pretty(got.Reported))
	}
	if first := got.Records[1]; first.CostUSD == nil || *first.CostUSD != "0.000001234567" || first.CostBasis != "list" || *first.PriceKey != "anthropic/opus" {
		t.Errorf("the cost of r1 = %s", pretty(first))
	}
}

// The 5th of October in Los Angeles begins at 07:00Z: r1, r3, r2, r4 lie in it;
// the traces of r5 (the 6th) are no part of it.
func TestExplain_Day(t *testing.T) {
	w := shop(t)
	zone, err := time.LoadLocation("America/Los_Angeles")
	if err != nil {
		t.Fatal(err)
	}
	rows, err := w.l.ExplainRows(t.Context(), "2026-10-05", zone)
	if err != nil {
		t.Fatal(err)
	}
	if !rows.Since.Equal(instant("2026-10-05T07:00:00Z")) || !rows.Until.Equal(instant("2026-10-06T07:00:00Z")) || len(rows.Rows) != 4 {
		t.Fatalf("%s to %s, %d rows; want 07:00Z to 07:00Z, 4", rows.Since, rows.Until, len(rows.Rows))
	}
	late := record("r5", "bbbb-1", 4, 100, 10, meterbridge.Counted, "usage-record")
	late.At = instant("2026-10-06T09:00:10Z")
	got := JoinExplain(rows, []SourceTrace{{Harness: "codex-cli", Path: "/srv/logs/rollout.jsonl", Traces: []meterbridge.Trace{late}}})
	if len(got.Records) != 0 || len(got.Kept) != 4 {
		t.Errorf("%d records, %d kept; want none and 4", len(got.Records), len(got.Kept))
	}
}

// The log of r6 was deleted: the row is kept, and the sum is still right.
func TestExplain_KeepsWhatIsGone(t *testing.T) {
	w := shop(t)
	rows, err := w.l.ExplainRows(t.Context(), "cccc", time.UTC)
	if err != nil {
		t.Fatal(err)
	}
	tests := []struct {
		why   string
		trace SourceTrace
		want  []string
	}{
		{"gone", SourceTrace{Harness: "claude-code", Path: "/srv/logs/old.jsonl", Err: fs.ErrNotExist}, []string{"kept: its source is gone /srv/logs/old.jsonl:1"}},
		{"unreadable", SourceTrace{Harness: "claude-code", Path: "/srv/logs/old.jsonl", Err: errors.New("permission denied")}, []string{"kept: its source could not be read /srv/logs/old.jsonl:1"}},
		{
			"a copy elsewhere proves it",
			SourceTrace{Harness: "claude-code", Path: "/srv/logs/copy.jsonl", Traces: []meterbridge.Trace{record("r6", "cccc-1", 7, 1, 2, meterbridge.Counted, "single-record")}},
			[]string{"counted single-record /srv/logs/copy.jsonl:7 "},
		},
	}
	for _, tt := range tests {
		got := JoinExplain(rows, []SourceTrace{tt.trace})
		if d := cmp.Diff(tt.want, verdicts(got)); d != "" {
			t.Errorf("%s (-want +got):\n%s", tt.why, d)
		}
		if !got.AddsUp {
			t.Errorf("%s: does not add up: %+v", tt.why, got.Difference)
		}
	}
}

// A record that now has other numbers than the row that was made of it is shown
// with the difference.
func TestExplain_SaysWhatDiffers(t *testing.T) {
	w := shop(t)
	rows, err := w.l.ExplainRows(t.Context(), "bbbb-1", time.UTC)
	if err != nil {
		t.Fatal(err)
	}
	changed := record("r5", "bbbb-1", 4, 100, 11, meterbridge.Counted, "usage-record")
	changed.Tokens.Reasoning, changed.Tokens.CacheRead = meterbridge.Reported(4), meterbridge.Reported(50)
	got := JoinExplain(rows, []SourceTrace{{Harness: "codex-cli", Path: "/srv/logs/rollout.jsonl", Traces: []meterbridge.Trace{changed}}})
	if got.AddsUp || got.Difference == nil || *got.Difference != (Totals{OutputTokens: 1}) {
		t.Errorf("adds up %v, difference %+v; want one output token", got.AddsUp, got.Difference)
	}
}

func TestExplain_Unknown(t *testing.T) {
	w := shop(t)
	if _, err := w.l.ExplainRows(t.Context(), "2026-13-45", time.UTC); !errors.Is(err, ErrUnknown) {
		t.Errorf("a day that is none: %v, want ErrUnknown", err)
	}
}

// A day begins at its first instant, also where clocks change at midnight or a
// day is left out: what is explained is what the report by day has.
func TestExplain_DaysOfEveryZone(t *testing.T) {
	requests := []meterbridge.Request{}
	for hour := range 24 * 5 {
		r := spentAt("2026-01-01T00:00:00Z", 1)
		r.NativeID, r.EndedAt = strconv.Itoa(hour), time.Date(2011, 12, 28, hour, 30, 0, 0, time.UTC)
		again := r
		again.NativeID, again.EndedAt = "s"+r.NativeID, time.Date(2026, 9, 4, hour, 30, 0, 0, time.UTC)
		more := r
		more.NativeID, more.EndedAt = "b"+r.NativeID, time.Date(2026, 3, 27, hour, 30, 0, 0, time.UTC)
		requests = append(requests, r, again, more)
	}
	l := open(t, Options{ReportZone: time.UTC})
	scanned(t, l, logOf("/logs/a.jsonl", requests...))
	for _, c := range []struct {
		zone, day string
		want      int64
	}{
		// The 30th was left out; the 6th and the 29th of clocks that went forward have 23 hours.
		{"Pacific/Apia", "2011-12-29", 24},
		{"Pacific/Apia", "2011-12-30", 0},
		{"Pacific/Apia", "2011-12-31", 24},
		{"America/Santiago", "2026-09-05", 24},
		{"America/Santiago", "2026-09-06", 23},
		{"America/Santiago", "2026-09-07", 24},
		{"Asia/Beirut", "2026-03-28", 24},
		{"Asia/Beirut", "2026-03-29", 23},
		{"Asia/Beirut", "2026-03-30", 24},
	} {
		zone, err := time.LoadLocation(c.zone)
		if err != nil {
			t.Fatal(err)
		}
		e, err := l.ExplainRows(t.Context(), c.day, zone)
		if err != nil {
			t.Fatal(err)
		}
		listed := int64(0)
		for _, row := range usageOf(t, l, UsageQuery{By: "day", Zone: zone}).Rows {
			if row.Key == c.day {
				listed = row.Requests
			}
		}
		if got := int64(len(e.Rows)); got != c.want || listed != c.want {
			t.Errorf("%s in %s: explained %d, by day %d, want %d", c.day, c.zone, got, listed, c.want)
		}
	}
}

// A second record of a request in the source that counts is no copy elsewhere;
// and what nothing reports is null.
func TestExplain_RecordAgain(t *testing.T) {
	w := shop(t)
	rows, err := w.l.ExplainRows(t.Context(), "cccc", time.UTC)
	if err != nil {
		t.Fatal(err)
	}
	got := JoinExplain(rows, []SourceTrace{
		{Harness: "claude-code", Path: "/srv/logs/old.jsonl", Traces: []meterbridge.Trace{
			record("r6", "cccc-1", 1, 1, 2, meterbridge.Counted, "single-record"), record("r6", "cccc-1", 7, 1, 2, meterbridge.Counted, "single-record"),
		}},
		{Harness: "claude-code", Path: "/srv/logs/z.jsonl", Traces: []meterbridge.Trace{record("r6", "cccc-1", 4, 1, 2, meterbridge.Counted, "single-record")}},
	})
	want := []string{
		"counted single-record /srv/logs/old.jsonl:1 ", "merged repeat-in-the-same-source /srv/logs/old.jsonl:7 ", "merged copy-in-another-source /srv/logs/z.jsonl:4 ",
	}
	if d := cmp.Diff(want, verdicts(got)); d != "" || !got.AddsUp {
		t.Errorf("adds up %v (-want +got):\n%s", got.AddsUp, d)
	}
	if got.Explained.ReasoningTokens != nil || got.Explained.CacheReadTokens != nil || *got.Explained.InputTokens != 1 {
		t.Errorf("explained %s, want reasoning and cache reads null, 1 in", pretty(got.Explained))
	}
}
