package analytics

import (
	"path/filepath"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"meterbridge"
)

// Ids come out of logs, which may hold anything: a session of any name, called
// and answered under any ids, is one session with one request, read again and
// again over restarts, also where a mirror and telemetry tell of it.
func TestCommit_TakesIDsOfAnyBytes(t *testing.T) {
	for _, id := range []string{"plain", "a\x00b", "\x00", "it's", "'; DROP TABLE request; --", "\xff\xfe", "a\xc3", "\\", "$1", "?", "🙂", "{member}", " "} {
		path := filepath.Join(t.TempDir(), "ledger.duckdb")
		for round := range 3 {
			l, err := Open(t.Context(), path, Options{ReportZone: time.UTC, Drivers: []string{"outer"}})
			if err != nil {
				t.Fatal(err)
			}
			inner, outer := call("inner", id, "n"+id, id, 5), call("outer", "o"+id, "m"+id, id, 5)
			inner.RequestID = id
			told := inner
			// Telemetry is of valid text only.
			told.RequestID, told.ResponseID, told.Rule = valid(id), "", meterbridge.RuleTelemetry
			told.NativeID = meterbridge.TelemetryID(told.RequestID)
			scanned(t, l, unitOf("inner", "/a.jsonl", inner), unitOf("outer", "/b.jsonl", outer), unitOf("inner", "/c.jsonl", inner))
			receipt := []meterbridge.Unit{{
				Checkpoint: meterbridge.Checkpoint{Source: numberOf(t, l, "otlp:inner"), Harness: "otlp", Kind: KindTelemetry, Path: "otlp:inner"},
				Batch:      meterbridge.Batch{Requests: []meterbridge.Request{told}},
			}}
			if err := l.Receive(t.Context(), receipt); err != nil {
				t.Fatalf("id %q, round %d: %v", id, round, err)
			}
			if err := l.freshen(t.Context()); err != nil {
				t.Fatal(err)
			}
			for query, want := range map[string][]string{
				"SELECT count(*), sum(input_tokens)::BIGINT FROM requests":          {"1 5"},
				"SELECT count(*) FROM sessions WHERE harness = 'inner'":             {"1"},
				"SELECT count(*) FROM requests WHERE response_id = request_id":      {"1"},
				"SELECT count(*) FROM session s JOIN request r ON r.session = s.id": {"1"},
			} {
				if d := cmp.Diff(want, dump(t, l, query)); d != "" {
					t.Errorf("id %q, round %d: %s (-want +got):\n%s", id, round, query, d)
				}
			}
			if err := l.Close(); err != nil {
				t.Fatal(err)
			}
		}
	}
}
