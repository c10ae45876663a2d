package analytics

import (
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"meterbridge"
)

// logged is a record of a log: request req_<name>, ended at second, 10 in, out out.
func logged(name string, out int64, second int) meterbridge.Request {
	r := said("S1", "msg_"+name, out, second)
	r.RequestID, r.ResponseID = "req_"+name, "msg_"+name
	return r
}

// toldOf is what telemetry tells of that request: it took 2 s, 700 in, out out, and was fast.
func toldOf(name string, out int64, second int) meterbridge.Request {
	r := said("S1", meterbridge.TelemetryID("req_"+name), out, second)
	r.RequestID, r.Rule, r.Place = "req_"+name, meterbridge.RuleTelemetry, meterbridge.Place{}
	r.StartedAt, r.Speed, r.Project = r.EndedAt.Add(-2*time.Second), "fast", ""
	r.Tokens.Input = meterbridge.Reported(700)
	return r
}

// telling is a unit of telemetry.
func telling(requests ...meterbridge.Request) meterbridge.Unit {
	return meterbridge.Unit{
		Checkpoint: meterbridge.Checkpoint{Harness: "otlp", Kind: KindTelemetry, Path: "otlp:claude-code"},
		Batch:      meterbridge.Batch{Requests: requests},
	}
}

const toldRows = `SELECT s.native || ' ' || r.request_id || ' ' || r.input || '/' || r.output || ' '
  || coalesce((r.ended_at - r.started_at)::VARCHAR, 'no start') || ' ' || coalesce(q.speed, 'no speed') || ' ' || q.rule
  FROM request r JOIN session s ON s.id = r.session JOIN requests q ON q.id = r.id ORDER BY r.request_id`

// received commits telemetry between scans.
func received(t *testing.T, l *Ledger, units ...meterbridge.Unit) {
	t.Helper()
	// A source is known by its number after its first commit, as its sender remembers it.
	for i := range units {
		list, err := l.Checkpoints(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		for _, cp := range list {
			if cp.Kind == KindTelemetry && cp.Path == units[i].Checkpoint.Path {
				units[i].Checkpoint.Source = cp.Source
			}
		}
		if err := l.Receive(t.Context(), units[i:i+1]); err != nil {
			t.Fatal(err)
		}
	}
}

// Whichever comes first, a request counts once, by its log; telemetry says when
// it was sent and how fast it was, where the log does not.
func TestReceive_TheLogWins(t *testing.T) {
	knowsStart := logged("a", 5, 10)
	knowsStart.StartedAt = knowsStart.EndedAt.Add(-3 * time.Second)
	knowsStart.Speed = "standard"
	lateClock := toldOf("a", 9, 14) // sent at second 12, after the log's end
	other := toldOf("b", 9, 20)
	filled := []string{"S1 req_a 10/5 2000 fast single-record"}
	cases := []struct {
		name string
		do   func(t *testing.T, l *Ledger)
		want []string
	}{
		{
			"telemetry alone", func(t *testing.T, l *Ledger) { received(t, l, telling(toldOf("a", 9, 10))) },
			[]string{"S1 req_a 700/9 2000 fast telemetry"},
		},
		{"telemetry, then the log", func(t *testing.T, l *Ledger) {
			received(t, l, telling(toldOf("a", 9, 10)))
			scanned(t, l, logOf("/logs/a.jsonl", logged("a", 5, 10)))
		}, filled},
		{"the log, then telemetry", func(t *testing.T, l *Ledger) {
			scanned(t, l, logOf("/logs/a.jsonl", logged("a", 5, 10)))
			received(t, l, telling(toldOf("a", 9, 10)))
		}, filled},
		{"all of it again", func(t *testing.T, l *Ledger) {
			for range 2 {
				received(t, l, telling(toldOf("a", 9, 10)), telling(toldOf("a", 9, 10)))
				scanned(t, l, logOf("/logs/a.jsonl", logged("a", 5, 10)))
				received(t, l, telling(toldOf("a", 9, 10)))
			}
		}, filled},
		{"the log read again from its start", func(t *testing.T, l *Ledger) {
			received(t, l, telling(toldOf("a", 9, 10)))
			scanned(t, l, logOf("/logs/a.jsonl", logged("a", 5, 10)))
			u := logOf("/logs/a.jsonl", logged("a", 5, 10))
			u.Whole, u.Checkpoint.Source = true, 2
			scanned(t, l, u)
		}, filled},
		{"a streamed answer", func(t *testing.T, l *Ledger) {
			scanned(t, l, logOf("/logs/a.jsonl", logged("a", 1, 9)))
			received(t, l, telling(toldOf("a", 9, 10)))
			scanned(t, l, logOf("/logs/b.jsonl", logged("a", 5, 10)))
		}, []string{"S1 req_a 10/5 2000 fast single-record"}},
		{"what the log says stays", func(t *testing.T, l *Ledger) {
			scanned(t, l, logOf("/logs/a.jsonl", knowsStart))
			received(t, l, telling(toldOf("a", 9, 10)))
		}, []string{"S1 req_a 10/5 3000 standard single-record"}},
		{"a start after the end is none", func(t *testing.T, l *Ledger) {
			scanned(t, l, logOf("/logs/a.jsonl", logged("a", 5, 10)))
			received(t, l, telling(lateClock))
		}, []string{"S1 req_a 10/5 no start fast single-record"}},
		{"one that the log does not have", func(t *testing.T, l *Ledger) {
			scanned(t, l, logOf("/logs/a.jsonl", logged("a", 5, 10)))
			received(t, l, telling(toldOf("a", 9, 10), other))
		}, []string{filled[0], "S1 req_b 700/9 2000 fast telemetry"}},
		{"both in one commit", func(t *testing.T, l *Ledger) {
			scanned(t, l, telling(toldOf("a", 9, 10)), logOf("/logs/a.jsonl", logged("a", 5, 10)), telling(toldOf("a", 9, 10), other))
		}, []string{filled[0], "S1 req_b 700/9 2000 fast telemetry"}},
		{"a log of days ago", func(t *testing.T, l *Ledger) {
			old := logged("a", 5, 10)
			old.EndedAt = old.EndedAt.AddDate(0, 0, -9)
			scanned(t, l, logOf("/logs/a.jsonl", old))
			received(t, l, telling(toldOf("a", 9, 10)))
		}, []string{"S1 req_a 10/5 no start fast single-record"}},
		{"two records of telemetry", func(t *testing.T, l *Ledger) {
			longer := toldOf("a", 9, 11) // of a span, say
			received(t, l, telling(longer), telling(toldOf("a", 9, 10)), telling(longer))
		}, []string{"S1 req_a 700/9 2000 fast telemetry"}},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			l := open(t, Options{ReportZone: time.UTC})
			c.do(t, l)
			if diff := cmp.Diff(c.want, dump(t, l, toldRows)); diff != "" {
				t.Errorf("rows (-want +got):\n%s", diff)
			}
			reconciled(t, l)
		})
	}
}

// reconciled proves that all reports agree, before and after everything is read anew.
func reconciled(t *testing.T, l *Ledger) {
	t.Helper()
	r, err := l.Reconcile(t.Context(), ReconcileOptions{})
	if err != nil || !r.OK {
		t.Errorf("reconcile: %+v, %v", r, err)
	}
}

// However logs and telemetry of the same requests arrive, and however they are
// cut into commits, each request counts once, by its log where that has it.
func TestReceive_AnyOrderGivesTheSameTokens(t *testing.T) {
	l := open(t, Options{ReportZone: time.UTC})
	names := []string{"a", "b", "c", "d"}
	rapid.Check(t, func(r *rapid.T) {
		emptied(t, l)
		inLog, told := map[string]bool{}, map[string]bool{}
		var units []meterbridge.Unit
		for range rapid.IntRange(1, 8).Draw(r, "units") {
			i := rapid.IntRange(0, len(names)-1).Draw(r, "request")
			if rapid.Bool().Draw(r, "log") {
				inLog[names[i]] = true
				units = append(units, logOf(fmt.Sprintf("/logs/%d.jsonl", rapid.IntRange(0, 1).Draw(r, "file")), logged(names[i], 5, 10+i)))
			} else {
				told[names[i]] = true
				units = append(units, telling(toldOf(names[i], 9, 10+i)))
			}
		}
		if err := l.BeginScan(t.Context()); err != nil {
			r.Fatal(err)
		}
		for rest := units; len(rest) > 0; {
			n := rapid.IntRange(1, len(rest)).Draw(r, "portion")
			if err := l.Commit(t.Context(), rest[:n]); err != nil {
				r.Fatal(err)
			}
			rest = rest[n:]
		}
		if err := l.EndScan(t.Context()); err != nil {
			r.Fatal(err)
		}
		var want []string
		for _, name := range names {
			start := "no start no speed"
			if told[name] {
				start = "2000 fast"
			}
			switch {
			case inLog[name]:
				want = append(want, "S1 req_"+name+" 10/5 "+start+" single-record")
			case told[name]:
				want = append(want, "S1 req_"+name+" 700/9 2000 fast telemetry")
			}
		}
		if diff := cmp.Diff(want, dump(t, l, toldRows)); diff != "" {
			r.Fatalf("rows (-want +got):\n%s", diff)
		}
	})
	reconciled(t, l)
}
