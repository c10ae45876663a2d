package analytics

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"meterbridge"
)

// work is what the ledger did in fn.
func work(t *testing.T, l *Ledger, fn func()) Stats {
	t.Helper()
	before := l.Stats()
	fn()
	now := l.Stats()
	return Stats{
		Staged: now.Staged - before.Staged, Written: now.Written - before.Written, Requests: now.Requests - before.Requests,
		Commits: now.Commits - before.Commits, Days: now.Days - before.Days, Repriced: now.Repriced - before.Repriced,
		Compactions: now.Compactions - before.Compactions,
	}
}

// The work follows what is new, never what is there (performance, section 9).
func TestCommit_DoesNoMoreThanIsNew(t *testing.T) {
	l := open(t, Options{ReportZone: time.UTC})
	var old []meterbridge.Request
	for i := range 300 {
		r := said("S1", fmt.Sprint("old", i), 5, 1)
		r.EndedAt = r.EndedAt.AddDate(0, 0, -i)
		old = append(old, r)
	}
	scanned(t, l, logOf("/logs/old.jsonl", old...))

	if got := work(t, l, func() { scanned(t, l) }); got != (Stats{}) {
		t.Errorf("an unchanged tree: %+v, want nothing", got)
	}
	got := work(t, l, func() { scanned(t, l, logOf("/logs/new.jsonl", said("S2", "a", 1, 1))) })
	if got.Commits != 1 || got.Days != 1 || got.Requests != 1 {
		t.Errorf("one line: %+v, want 1 commit, 1 day, 1 request", got)
	}
	streamed := logOf("/logs/new.jsonl", said("S2", "a", 2, 2), said("S2", "a", 3, 3), said("S2", "a", 9, 4))
	if got := work(t, l, func() { scanned(t, l, streamed) }); got.Requests != 1 || got.Days != 1 {
		t.Errorf("three lines of one request: %+v, want 1 request row", got)
	}
	whole := logOf("/logs/old.jsonl", old...)
	whole.Whole = true
	if got := work(t, l, func() { scanned(t, l, whole) }); got.Requests != 0 || got.Days != 0 {
		t.Errorf("a log written again with the same requests: %+v, want 0 requests, 0 days", got)
	}
	copied := logOf("/logs/copy.jsonl", old...)
	if got := work(t, l, func() { scanned(t, l, copied) }); got.Requests != 0 || got.Days != 0 {
		t.Errorf("a copy of a log: %+v, want 0 requests, 0 days", got)
	}
}

// A report over a closed period does not read other periods.
func TestUsage_ReadsOnlyItsPeriod(t *testing.T) {
	l := open(t, Options{ReportZone: time.UTC})
	list := generated(400_000, 0)
	scanned(t, l, logOf("/logs/a.jsonl", list...))
	since := list[len(list)-100].EndedAt
	u := &usage{q: UsageQuery{By: "hour", Zone: time.UTC, Cost: CostAuto, Filter: Filter{Since: since}}, l: l, by: groupings()["hour"], ctx: t.Context(), c: l.w}
	if err := u.resolveZone(); err != nil {
		t.Fatal(err)
	}
	query, args := u.requestStatement()
	plan := strings.Join(dumpArgs(t, l, "EXPLAIN (ANALYZE, FORMAT json) "+query, args...), "")
	// What the scan of the table looked at: less than two row groups of the four.
	for _, m := range regexp.MustCompile(`"operator_rows_scanned": (\d+)`).FindAllStringSubmatch(plan, -1) {
		if n, _ := strconv.Atoi(m[1]); n > 2*122_880 {
			t.Errorf("an operator scanned %d rows of 400,000 for a report over 100, in\n%s", n, plan)
		}
	}
	if !strings.Contains(plan, `"operator_rows_scanned"`) {
		t.Errorf("the plan does not say what was scanned:\n%s", plan)
	}
}
