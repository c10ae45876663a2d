package analytics

import (
	"path/filepath"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"meterbridge"
)

// call is a request of a harness with the provider's id of the response.
func call(harness, session, native, response string, in int64) meterbridge.Request {
	return meterbridge.Request{
		Harness: harness, Store: "calls", NativeID: native, Session: session, ResponseID: response,
		EndedAt: time.Date(2026, 11, 10, 9, 1, 4, 0, time.UTC), Tokens: meterbridge.Tokens{Input: meterbridge.Reported(in), Output: meterbridge.Reported(in)},
	}
}

func unitOf(harness, path string, requests ...meterbridge.Request) meterbridge.Unit {
	for i := range requests {
		requests[i].Place.Line = int64(i + 1)
	}
	return meterbridge.Unit{
		Checkpoint: meterbridge.Checkpoint{Harness: harness, Kind: "log", Path: path, Size: 1, Offset: 1},
		Batch:      meterbridge.Batch{Requests: requests},
	}
}

// TestMirrors_CountOnce: "outer" drives "inner". Call A lies in both logs, with
// other numbers; B is the outer harness's own, C the inner one's. Whatever is
// read first, in one commit, in two or in two scans, over a restart and when both
// are read again, A is the inner one's row alone.
func TestMirrors_CountOnce(t *testing.T) {
	outer := func() meterbridge.Unit {
		return unitOf("outer", "/outer.jsonl", call("outer", "O", "o1", "A", 5), call("outer", "O", "o2", "B", 10), call("outer", "O", "o3", "", 20))
	}
	inner := func() meterbridge.Unit {
		return unitOf("inner", "/inner.jsonl", call("inner", "I", "i1", "A", 1), call("inner", "I", "i2", "C", 40))
	}
	whole := func(u meterbridge.Unit) meterbridge.Unit {
		u.Whole = true
		return u
	}
	want := []string{"inner I 1", "inner I 40", "outer O 10", "outer O 20"}
	for name, scans := range map[string][][][]meterbridge.Unit{
		"one commit, inner first":  {{{inner(), outer()}}},
		"one commit, outer first":  {{{outer(), inner()}}},
		"two commits, outer first": {{{outer()}, {inner()}}},
		"two commits, inner first": {{{inner()}, {outer()}}},
		"two scans, outer first":   {{{outer()}}, {{inner()}}},
		"two scans, inner first":   {{{inner()}}, {{outer()}}},
		"read again":               {{{outer(), inner()}}, {{whole(outer())}, {whole(inner())}}, {{whole(inner()), whole(outer())}}},
	} {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "ledger.duckdb")
			for i, commits := range scans {
				l := openMirrors(t, path)
				if err := l.BeginScan(t.Context()); err != nil {
					t.Fatal(err)
				}
				for _, units := range commits {
					if err := l.Commit(t.Context(), numbered(t, l, units)); err != nil {
						t.Fatal(err)
					}
				}
				if err := l.EndScan(t.Context()); err != nil {
					t.Fatal(err)
				}
				checkMirrors(t, l, want, i == len(scans)-1)
				if err := l.Close(); err != nil {
					t.Fatal(err)
				}
			}
		})
	}
}

func openMirrors(t *testing.T, path string) *Ledger {
	t.Helper()
	l, err := Open(t.Context(), path, Options{ReportZone: time.UTC, Drivers: []string{"outer"}})
	if err != nil {
		t.Fatal(err)
	}
	return l
}

// numbered gives the units the numbers of sources that the ledger has already.
func numbered(t *testing.T, l *Ledger, units []meterbridge.Unit) []meterbridge.Unit {
	t.Helper()
	for i := range units {
		units[i].Checkpoint.Source = numberOf(t, l, units[i].Checkpoint.Path)
	}
	return units
}

// checkMirrors compares the rows when all was read, and holds the ledger to its own laws.
func checkMirrors(t *testing.T, l *Ledger, want []string, all bool) {
	t.Helper()
	got := dump(t, l, "SELECT harness, session, input_tokens FROM requests ORDER BY ALL")
	if d := cmp.Diff(want, got); all && d != "" {
		t.Errorf("rows (-want +got):\n%s", d)
	}
	report, err := l.Reconcile(t.Context(), ReconcileOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if !report.OK {
		t.Errorf("the reports disagree: %+v", report)
	}
}

// TestExplain_Mirror: the outer harness's record of call A is shown, and where it counts.
func TestExplain_Mirror(t *testing.T) {
	l := openMirrors(t, filepath.Join(t.TempDir(), "ledger.duckdb"))
	defer l.Close()
	scanned(t, l, unitOf("outer", "/outer.jsonl", call("outer", "O", "o1", "A", 5), call("outer", "O", "o2", "B", 10)),
		unitOf("inner", "/inner.jsonl", call("inner", "I", "i1", "A", 1)))
	rows, err := l.ExplainRows(t.Context(), "O", time.UTC)
	if err != nil {
		t.Fatal(err)
	}
	trace := func(native string, line, n int64) meterbridge.Trace {
		return meterbridge.Trace{
			Place: meterbridge.Place{Line: line}, Store: "calls", NativeID: native, Session: "O", Verdict: meterbridge.Counted, Rule: "r",
			Tokens: meterbridge.Tokens{Input: meterbridge.Reported(n), Output: meterbridge.Reported(n)},
		}
	}
	got := JoinExplain(rows, []SourceTrace{{Harness: "outer", Path: "/outer.jsonl", Traces: []meterbridge.Trace{trace("o1", 1, 5), trace("o2", 2, 10)}}})
	want := []string{
		"merged mirror-of-another-harness /outer.jsonl:1 counted in session I of inner",
		"counted r /outer.jsonl:2 ",
	}
	if d := cmp.Diff(want, verdicts(got)); d != "" || !got.AddsUp {
		t.Errorf("adds up: %v; (-want +got):\n%s", got.AddsUp, d)
	}
}
