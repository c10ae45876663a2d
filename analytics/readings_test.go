package analytics

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"meterbridge"
)

// reading counts n tokens of a class between two seconds; readings of one key are one.
func reading(key byte, session, kind string, since, until int, n int64) meterbridge.Reading {
	at := func(second int) time.Time { return time.Date(2026, 10, 5, 8, 0, second, 0, time.UTC) }
	return meterbridge.Reading{
		Harness: "claude-code", Session: session, Model: "m1", Kind: kind, Since: at(since), Until: at(until), N: n, Key: meterbridge.ID{key},
	}
}

// What telemetry told is held against the sessions and the time that it covers:
// of S1 seconds 5 to 40, give or take 5. Requests have 10 in each.
func TestDoctor_HoldsTelemetryAgainstTheLedger(t *testing.T) {
	now := time.Date(2026, 10, 6, 0, 0, 0, 0, time.UTC)
	l := open(t, Options{ReportZone: time.UTC, Now: func() time.Time { return now }})
	child := said("S1/agent", "c", 7, 30)
	u := logOf("/logs/a.jsonl", said("S1", "a", 5, 10), said("S1", "b", 6, 45), child, said("S1", "late", 100, 46), said("S2", "other", 100, 20))
	u.Batch.Sessions = []meterbridge.Session{{Harness: "claude-code", ID: "S1/agent", Parent: "S1", Relation: meterbridge.SubAgent}}
	scanned(t, l, u)
	before, err := l.Doctor(t.Context(), nil)
	if err != nil || before.Telemetry != nil {
		t.Fatalf("without telemetry: %+v, %v", before.Telemetry, err)
	}
	old := reading(9, "S1", "input", 5, 20, 1000)
	old.Since, old.Until = old.Since.AddDate(0, -3, 0), old.Until.AddDate(0, -3, 0)
	for _, batch := range [][]meterbridge.Reading{
		{reading(1, "S1", "input", 5, 20, 11), reading(2, "S1", "output", 5, 20, 5)},
		{reading(1, "S1", "input", 5, 20, 11), reading(3, "S1", "input", 20, 40, 20), reading(3, "S1", "input", 20, 40, 20)}, // retried
		{reading(4, "S1", "cacheRead", 5, 40, 300), reading(4, "S1", "cacheRead", 5, 20, 100)},                               // a total that grows, out of order
		{reading(4, "S1", "cacheRead", 5, 30, 200)},
		{old}, // longer ago than logs are kept
	} {
		if err := l.KeepReadings(t.Context(), batch); err != nil {
			t.Fatal(err)
		}
	}
	got, err := l.Doctor(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	m1 := "m1"
	want := &TelemetryCheck{
		Since: time.Date(2026, 10, 5, 8, 0, 5, 0, time.UTC), Until: time.Date(2026, 10, 5, 8, 0, 40, 0, time.UTC), Sessions: 1,
		Rows: []TelemetryCell{
			{"claude-code", &m1, "cacheRead", 300, 0, 300},
			{"claude-code", &m1, "input", 31, 30, 1},
			{"claude-code", &m1, "output", 5, 18, -13},
		},
	}
	if diff := cmp.Diff(want, got.Telemetry); diff != "" {
		t.Errorf("telemetry (-want +got):\n%s", diff)
	}
	reconciled(t, l)
}
