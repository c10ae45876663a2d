package analytics

import (
	"path/filepath"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"meterbridge"
)

// TestCalls_CountRequests: a row that completes finer rows counts as no request,
// a total as many as it says, in every report alike, over a restart too.
func TestCalls_CountRequests(t *testing.T) {
	rest := call("h", "S", "rest", "", 0)
	rest.Calls, rest.Tokens.Reasoning = meterbridge.Reported(0), meterbridge.Reported(40)
	rest.Rule = meterbridge.RuleRemainder
	total := call("h", "S", "total", "", 700)
	total.Calls = meterbridge.Reported(7)
	path := filepath.Join(t.TempDir(), "ledger.duckdb")
	open := func() *Ledger {
		l, err := Open(t.Context(), path, Options{ReportZone: time.UTC})
		if err != nil {
			t.Fatal(err)
		}
		return l
	}
	l := open()
	scanned(t, l, unitOf("h", "/a.jsonl", call("h", "S", "one", "", 10), rest, total))
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	l = open()
	defer l.Close()
	scanned(t, l, unitOf("h", "/a.jsonl", call("h", "S", "one", "", 10), rest, total)) // merged with what is stored
	for name, query := range map[string]string{
		"rows":   "SELECT sum(calls)::BIGINT FROM requests",
		"rollup": "SELECT sum(requests)::BIGINT FROM rollup_day",
	} {
		if d := cmp.Diff([]string{"8"}, dump(t, l, query)); d != "" {
			t.Errorf("%s (-want +got):\n%s", name, d)
		}
	}
	report, err := l.Reconcile(t.Context(), ReconcileOptions{})
	if err != nil || !report.OK {
		t.Errorf("reconcile: %v, %+v", err, report)
	}
}
