package analytics

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// Logs are read in any order; a ledger that is much out of time order is
// written again, and holds the same.
func TestEndScan_PutsRequestsInTimeOrder(t *testing.T) {
	l := open(t, Options{ReportZone: time.UTC})
	l.compactFrom = 100
	list := generated(300, 0)
	late, early := logOf("/logs/late.jsonl", list[200:]...), logOf("/logs/early.jsonl", list[:200]...)
	if got := work(t, l, func() { scanned(t, l, late) }); got.Compactions != 0 {
		t.Errorf("in order: %d compactions, want none", got.Compactions)
	}
	if got := work(t, l, func() { scanned(t, l, early) }); got.Compactions != 1 {
		t.Errorf("200 of 300 out of order: %d compactions, want 1", got.Compactions)
	}
	unordered := `SELECT count(*) FROM (SELECT ended_at, lag(ended_at) OVER (ORDER BY rowid) AS before FROM request) WHERE ended_at < before`
	if got := dump(t, l, unordered); got[0] != "0" {
		t.Errorf("%s requests lie behind a later one", got[0])
	}
	if diff := cmp.Diff([]string{"300 44850"}, dump(t, l, "SELECT count(*), sum(output_tokens) FROM requests")); diff != "" {
		t.Errorf("requests (-want +got):\n%s", diff)
	}
	// The rewritten table is the same table: merging goes on.
	changed := list[5]
	changed.Tokens.Output.N = 5000
	again := logOf("/logs/early.jsonl", changed)
	if got := work(t, l, func() { scanned(t, l, again) }); got.Requests != 1 || got.Compactions != 0 {
		t.Errorf("one changed request: %+v", got)
	}
	if got := dump(t, l, "SELECT count(*), max(output_tokens) FROM requests"); got[0] != "300 5000" {
		t.Errorf("requests and greatest output: %s, want 300 5000", got[0])
	}
}
