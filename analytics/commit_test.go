package analytics

import (
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"meterbridge"
)

// said is one record of a request: 10 in, out out, at a second of a fixed day.
func said(session, native string, out int64, second int) meterbridge.Request {
	return meterbridge.Request{
		Harness: "claude-code", Store: "messages", NativeID: native, Session: session, Model: "m1", Project: "/srv/shop",
		EndedAt: time.Date(2026, 10, 5, 8, 0, second, 0, time.UTC),
		Tokens:  meterbridge.Tokens{Input: meterbridge.Reported(10), Output: meterbridge.Reported(out)},
		Rule:    "single-record", Place: meterbridge.Place{Line: int64(second), Offset: int64(second) * 100, Hash: uint64(second)},
	}
}

// logOf is a unit of a log file with these requests.
func logOf(path string, requests ...meterbridge.Request) meterbridge.Unit {
	return meterbridge.Unit{
		Checkpoint: meterbridge.Checkpoint{
			Harness: "claude-code", Kind: "transcript", Path: path, Parser: 1, Size: 100,
			ModTime: time.Date(2026, 10, 5, 9, 0, 0, 0, time.UTC),
		},
		Batch: meterbridge.Batch{Requests: requests},
	}
}

// scanned commits the units in one scan.
func scanned(t *testing.T, l *Ledger, units ...meterbridge.Unit) {
	t.Helper()
	if err := l.BeginScan(t.Context()); err != nil {
		t.Fatal(err)
	}
	for i := range units {
		units[i].Checkpoint.Source = numberOf(t, l, units[i].Checkpoint.Path)
		if err := l.Commit(t.Context(), units[i:i+1]); err != nil {
			t.Fatal(err)
		}
	}
	if err := l.EndScan(t.Context()); err != nil {
		t.Fatal(err)
	}
}

func numberOf(t *testing.T, l *Ledger, path string) int64 {
	t.Helper()
	list, err := l.Checkpoints(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range list {
		if c.Path == path {
			return c.Source
		}
	}
	return 0
}

// dump is every row of a query, each as one line.
func dump(t *testing.T, l *Ledger, query string) []string {
	t.Helper()
	return dumpArgs(t, l, query)
}

func dumpArgs(t *testing.T, l *Ledger, query string, args ...any) []string {
	t.Helper()
	rows, err := l.db.QueryContext(t.Context(), query, args...)
	if err != nil {
		t.Fatal(err)
	}
	defer rows.Close()
	columns, _ := rows.Columns()
	out := []string{}
	for rows.Next() {
		values, targets := make([]any, len(columns)), make([]any, len(columns))
		for i := range values {
			targets[i] = &values[i]
		}
		if err := rows.Scan(targets...); err != nil {
			t.Fatal(err)
		}
		line := ""
		for i, v := range values {
			if i > 0 {
				line += " "
			}
			line += fmt.Sprint(v)
		}
		out = append(out, line)
	}
	if err := rows.Err(); err != nil {
		t.Fatal(err)
	}
	return out
}

const bySession = `SELECT session, count(*), sum(input_tokens), sum(output_tokens) FROM requests GROUP BY 1 ORDER BY 1`

func TestCommit_OneRequestOneRow(t *testing.T) {
	l := open(t, Options{})
	snapshot, final := said("S1", "a", 1, 1), said("S1", "a", 159, 2)
	scanned(t, l, logOf("/logs/a.jsonl", snapshot))
	scanned(t, l, logOf("/logs/a.jsonl", final, said("S1", "b", 5, 3)))
	want := []string{"S1 2 20 164"}
	if diff := cmp.Diff(want, dump(t, l, bySession)); diff != "" {
		t.Errorf("sessions (-want +got):\n%s", diff)
	}
}

// The second transcript starts with a copy of the first one's lines (C-06).
func TestCommit_ResumedCopyOwnsOnlyItsOwn(t *testing.T) {
	l := open(t, Options{})
	scanned(t, l, logOf("/logs/1.jsonl", said("S1", "a", 100, 1), said("S1", "b", 50, 2)))
	scanned(t, l, logOf("/logs/2.jsonl", said("S2", "a", 100, 1), said("S2", "b", 50, 2), said("S2", "c", 7, 3)))
	want := []string{"S1 2 20 150", "S2 1 10 7"}
	if diff := cmp.Diff(want, dump(t, l, bySession)); diff != "" {
		t.Errorf("sessions (-want +got):\n%s", diff)
	}
	if got := dump(t, l, "SELECT count(*) FROM sighting"); got[0] != "2" {
		t.Errorf("sightings = %s, want 2", got)
	}
}
