package analytics

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	duckdb "github.com/duckdb/duckdb-go/v2"

	"meterbridge"
)

// copiesWorld are the logs of a session S, of F that forked it with ids of its own, and
// of G that forked F: each holds S's request and prompt, and spent one of its own.
func copiesWorld() map[string]meterbridge.Unit {
	forked := map[string]time.Time{
		"F": time.Date(2026, 10, 5, 9, 0, 0, 0, time.UTC), "G": time.Date(2026, 10, 5, 10, 0, 0, 0, time.UTC),
	}
	out := map[string]meterbridge.Unit{}
	for i, session := range []string{"S", "F", "G"} {
		r := tokens(said(session, "shared-"+session, 0, 1), 1, 100, 3, 4)
		r.StartedAt, r.CopiedAt = r.EndedAt.Add(-time.Second), forked[session]
		own := said(session, "own-"+session, int64(i+1), 30+i)
		own.EndedAt = own.EndedAt.Add(time.Duration(3*i) * time.Hour)
		u := modified(logOf("/logs/"+session+".jsonl", r, own), i)
		asked := func(native string, at time.Time, copied time.Time) meterbridge.Prompt {
			return meterbridge.Prompt{Harness: "claude-code", NativeID: native, Session: session, Project: "/srv/shop", At: at, Preview: "Go", CopiedAt: copied}
		}
		u.Batch.Prompts = []meterbridge.Prompt{
			asked("prompt-"+session, r.StartedAt, forked[session]), asked("asked-"+session, own.EndedAt.Add(-time.Second), time.Time{}),
		}
		for _, request := range []meterbridge.Request{r, own} {
			u.Batch.ToolCalls = append(u.Batch.ToolCalls, meterbridge.ToolCall{
				Harness: "claude-code", NativeID: request.NativeID + "/call", Session: session, Request: request.NativeID, Name: "Bash", EndedAt: request.EndedAt,
			})
		}
		u.Batch.Events = []meterbridge.Event{{Harness: "claude-code", Session: session, At: r.EndedAt, Kind: "error", Detail: "429", Place: r.Place}}
		out[session] = u
	}
	return out
}

// In whatever order logs are read that hold a request under several ids, it
// counts once, for the original's session, and nothing changes when a log goes,
// or is read again.
func TestCommit_CopiesUnderOtherIDsAreOne(t *testing.T) {
	queries := []string{
		`SELECT r.id, s.native, r.output, r.ended_at FROM request r JOIN session s ON s.id = r.session ORDER BY 4`,
		`SELECT p.id, s.native, p.happened_at FROM prompt p JOIN session s ON s.id = p.session ORDER BY 3`,
		`SELECT c.id, s.native, c.request FROM tool_call c JOIN session s ON s.id = c.session ORDER BY ALL`,
		`SELECT s.native, s.relation, s.first_at, s.last_at FROM session s ORDER BY 1`,
		`SELECT s.native, e.kind FROM event e JOIN session s ON s.id = e.session ORDER BY ALL`,
		`SELECT day, requests, output FROM rollup_day ORDER BY ALL`,
	}
	state := func(l *Ledger) (all []string) {
		for _, q := range queries {
			all = append(all, dump(t, l, q)...)
		}
		return all
	}
	orders := [][]string{{"S", "F", "G"}, {"S", "G", "F"}, {"F", "S", "G"}, {"F", "G", "S"}, {"G", "S", "F"}, {"G", "F", "S"}}
	ways := map[string]func(l *Ledger, units []meterbridge.Unit){
		"each in a scan of its own": func(l *Ledger, units []meterbridge.Unit) {
			for _, u := range units {
				scanned(t, l, u)
				l.forget()
			}
		},
		"in one scan": func(l *Ledger, units []meterbridge.Unit) { scanned(t, l, units...) },
		"in one commit": func(l *Ledger, units []meterbridge.Unit) {
			for _, err := range []error{l.BeginScan(t.Context()), l.Commit(t.Context(), units), l.EndScan(t.Context())} {
				if err != nil {
					t.Fatal(err)
				}
			}
		},
	}
	id := func(kind, native string) string {
		return func() string { u := duckdb.UUID(meterbridge.NewID("claude-code", kind, native)); return u.String() }()
	}
	want := []string{id("messages", "shared-S"), id("messages", "own-S"), id("messages", "own-F"), id("messages", "own-G")}
	var first []string
	l := open(t, Options{ReportZone: time.UTC})
	for _, order := range orders {
		for way, read := range ways {
			name := fmt.Sprintf("%v %s", order, way)
			emptied(t, l)
			var units []meterbridge.Unit
			for _, s := range order {
				units = append(units, copiesWorld()[s])
			}
			read(l, units)
			if diff := cmp.Diff(want, dump(t, l, "SELECT id::VARCHAR FROM request ORDER BY ended_at")); diff != "" {
				t.Fatalf("%s: ids (-want +got):\n%s", name, diff)
			}
			held := state(l)
			if first == nil {
				first = held
			}
			if diff := cmp.Diff(first, held); diff != "" {
				t.Fatalf("%s (-original first +now):\n%s", name, diff)
			}
			if way == "in one scan" {
				unmoved(t, l, name, state)
			}
		}
	}
}

// unmoved: the logs read again by a newer parser, gone one after another, and
// come back, change nothing.
func unmoved(t *testing.T, l *Ledger, name string, state func(*Ledger) []string) {
	t.Helper()
	held := state(l)
	same := func(what string) {
		t.Helper()
		if diff := cmp.Diff(held, state(l)); diff != "" {
			t.Fatalf("%s, %s (-before +after):\n%s", name, what, diff)
		}
	}
	for _, s := range []string{"G", "F", "S"} {
		u := copiesWorld()[s]
		u.Whole, u.Checkpoint.Parser = true, 2
		scanned(t, l, u)
		same("a newer parser read " + s)
	}
	for _, s := range []string{"S", "F", "G"} {
		u := copiesWorld()[s]
		u.Checkpoint.Gone, u.Batch = true, meterbridge.Batch{}
		scanned(t, l, u)
		same(s + " is gone")
	}
	for _, s := range []string{"F", "G", "S"} {
		u := copiesWorld()[s]
		u.Whole = true
		scanned(t, l, u)
		same(s + " is back")
	}
}

// What merely looks alike stays apart: a record is a copy only where its parser
// says so, and of the same project.
func TestCommit_AlikeIsNotTheSame(t *testing.T) {
	at := time.Date(2026, 10, 5, 9, 0, 0, 0, time.UTC)
	elsewhere := in(said("T", "elsewhere", 7, 1), "/srv/other")
	copied := said("F", "copied", 7, 1)
	copied.CopiedAt = at
	for name, units := range map[string][]meterbridge.Unit{
		"two originals":            {logOf("/logs/1", said("S", "a", 7, 1)), logOf("/logs/2", said("T", "b", 7, 1))},
		"a copy elsewhere":         {logOf("/logs/1", elsewhere), logOf("/logs/2", copied)},
		"a copy that came first":   {logOf("/logs/2", copied), logOf("/logs/1", elsewhere)},
		"a copy of something else": {logOf("/logs/2", copied), logOf("/logs/1", said("S", "a", 8, 1))},
	} {
		l := open(t, Options{ReportZone: time.UTC})
		scanned(t, l, units...)
		if got := dump(t, l, "SELECT count(*) FROM request"); !slices.Equal(got, []string{"2"}) {
			t.Errorf("%s: %v requests, want 2", name, got)
		}
	}
}
