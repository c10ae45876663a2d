package analytics

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"meterbridge"
	"meterbridge/pricing"
)

// everything is the whole ledger as text, numbers of rows apart.
var everything = []string{
	`SELECT r.id, s.native, m.text, r.ended_at, r.input, r.output, tw.text, f.path, r.line, fc.vanished, o.path, r.list_pusd
	 FROM request r JOIN facet fc ON fc.id = r.facet JOIN session s ON s.id = r.session JOIN source f ON f.id = r.source JOIN source o ON o.id = r.owner LEFT JOIN word m ON m.id = r.model LEFT JOIN word tw ON tw.id = r.tools ORDER BY r.id`,
	`SELECT s.native, p.native, s.relation, x.native, s.title, s.title_rank, s.first_at, s.last_at
	 FROM session s LEFT JOIN session p ON p.id = s.parent JOIN session x ON x.id = s.root ORDER BY 1`,
	`SELECT g.id, f.path, g.line FROM sighting g JOIN source f ON f.id = g.source ORDER BY 1, 2`,
	`SELECT p.id, s.native, p.happened_at, f.path FROM prompt p JOIN session s ON s.id = p.session JOIN source f ON f.id = p.source ORDER BY 1`,
	`SELECT c.id, s.native, c.started_at, c.ended_at, c.ok FROM tool_call c JOIN session s ON s.id = c.session ORDER BY 1`,
	`SELECT s.native, e.happened_at, e.kind, f.path FROM event e JOIN session s ON s.id = e.session JOIN source f ON f.id = e.source ORDER BY ALL`,
	`SELECT s.native, m.happened_at, m.used_percent, m.resets_at FROM rate_limit m JOIN session s ON s.id = m.session ORDER BY ALL`,
	`SELECT path, size, gone FROM source ORDER BY 1`,
	`SELECT day, h.text, p.text, m.text, requests, output, list_pusd FROM rollup_day LEFT JOIN word h ON h.id = harness LEFT JOIN word p ON p.id = project LEFT JOIN word m ON m.id = model ORDER BY ALL`,
}

func whatItHolds(t *testing.T, l *Ledger) []string {
	t.Helper()
	var all []string
	for _, q := range everything {
		all = append(all, dump(t, l, q)...)
	}
	return all
}

// history draws units of a few logs that hold copies of each other's records.
func history(r *rapid.T) []meterbridge.Unit {
	sessions := []string{"S1", "S2", "S1/agent"}
	var units []meterbridge.Unit
	for n := rapid.IntRange(1, 6).Draw(r, "units"); n > 0; n-- {
		log := rapid.IntRange(0, 2).Draw(r, "log")
		u := modified(logOf(fmt.Sprintf("/logs/%d.jsonl", log)), log)
		u.Checkpoint.Size = int64(rapid.IntRange(1, 99).Draw(r, "size"))
		u.Checkpoint.Gone = rapid.IntRange(0, 9).Draw(r, "gone") == 0
		if u.Checkpoint.Gone {
			units = append(units, u)
			continue
		}
		u.Whole = rapid.IntRange(0, 5).Draw(r, "whole") == 0
		for k := rapid.IntRange(0, 4).Draw(r, "requests"); k > 0; k-- {
			native := rapid.SampledFrom([]string{"a", "b", "c", "d"}).Draw(r, "native")
			q := said(sessions[log], native, int64(rapid.IntRange(0, 3).Draw(r, "out")), rapid.IntRange(1, 50).Draw(r, "second"))
			q.Side = log == 2
			q.Tools = rapid.SampledFrom([][]string{nil, {"Bash"}, {"Read", "Bash"}}).Draw(r, "tools")
			u.Batch.Requests = append(u.Batch.Requests, q)
		}
		at := time.Date(2026, 10, 5, 8, rapid.IntRange(0, 9).Draw(r, "minute"), 0, 0, time.UTC)
		ok, used := rapid.Bool().Draw(r, "ok"), float64(rapid.IntRange(0, 2).Draw(r, "used"))
		call := fmt.Sprint(rapid.IntRange(0, 2).Draw(r, "call"))
		u.Batch.Prompts = []meterbridge.Prompt{{Harness: "claude-code", NativeID: call, Session: sessions[log], At: at}}
		u.Batch.ToolCalls = []meterbridge.ToolCall{{Harness: "claude-code", NativeID: call, Session: sessions[log], Name: "Bash", EndedAt: at, OK: &ok}}
		u.Batch.Events = []meterbridge.Event{{Harness: "claude-code", Session: sessions[log], At: at, Kind: "error", Detail: "429"}}
		u.Batch.Limits = []meterbridge.Limit{{Harness: "claude-code", Session: sessions[log], At: at, Name: "primary", UsedPercent: &used, ResetsAt: at.Truncate(time.Hour)}}
		if rapid.Bool().Draw(r, "facts") {
			s := meterbridge.Session{Harness: "claude-code", ID: sessions[log], Title: call, TitleRank: meterbridge.TitleRank(rapid.IntRange(1, 3).Draw(r, "rank"))}
			switch log {
			case 1:
				s.Parent, s.Relation = "S1", meterbridge.Fork
			case 2:
				s.Parent, s.Relation = "S1", meterbridge.SubAgent
			}
			u.Batch.Sessions = []meterbridge.Session{s}
		}
		units = append(units, u)
	}
	return units
}

// The same units give the same ledger, however they are split into commits.
func TestCommit_AnySplitGivesTheSameLedger(t *testing.T) {
	o := Options{ReportZone: time.UTC, Prices: flat{"1", map[string]int64{"m1": 7}}}
	together, apart := open(t, o), open(t, o)
	rapid.Check(t, func(r *rapid.T) {
		units := history(r)
		emptied(t, together)
		emptied(t, apart)
		if err := together.BeginScan(t.Context()); err != nil {
			r.Fatal(err)
		}
		if err := apart.BeginScan(t.Context()); err != nil {
			r.Fatal(err)
		}
		if err := together.Commit(t.Context(), units); err != nil {
			r.Fatal(err)
		}
		for rest := units; len(rest) > 0; {
			n := rapid.IntRange(1, len(rest)).Draw(r, "portion")
			if err := apart.Commit(t.Context(), rest[:n]); err != nil {
				r.Fatal(err)
			}
			if rapid.IntRange(0, 3).Draw(r, "forget") == 0 {
				apart.forget()
			}
			rest = rest[n:]
		}
		for _, l := range []*Ledger{together, apart} {
			if err := l.EndScan(t.Context()); err != nil {
				r.Fatal(err)
			}
		}
		if diff := cmp.Diff(whatItHolds(t, together), whatItHolds(t, apart)); diff != "" {
			r.Fatalf("in one commit (-) and in several (+):\n%s", diff)
		}
	})
}

// emptied takes everything out of a ledger, which is faster than a new one.
func emptied(t *testing.T, l *Ledger) {
	t.Helper()
	for _, table := range dump(t, l, "SELECT table_name FROM duckdb_tables() WHERE table_name <> 'meta' AND NOT temporary") {
		if _, err := l.w.ExecContext(t.Context(), "DELETE FROM "+table); err != nil {
			t.Fatal(err)
		}
	}
	l.forget()
}

// tripping is a price table that cuts the commit short in the middle.
type tripping struct {
	flat
	after  *int
	cancel context.CancelFunc
}

func (p tripping) Price(r *meterbridge.Request, provider string) pricing.Price {
	if *p.after--; *p.after == 0 {
		p.cancel()
	}
	return p.flat.Price(r, provider)
}

func TestCommit_IsAllOrNothing(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	after := 3
	l := open(t, Options{ReportZone: time.UTC, Prices: tripping{flat{"1", nil}, &after, cancel}})
	scanned(t, l, logOf("/logs/a.jsonl", said("S1", "a", 1, 1)))
	before := whatItHolds(t, l)
	u := logOf("/logs/b.jsonl", said("S2", "b", 1, 1), said("S2", "c", 1, 2), said("S2", "d", 1, 3))
	err := l.Commit(ctx, []meterbridge.Unit{u})
	if !errors.Is(err, context.Canceled) {
		t.Fatalf("commit = %v, want %v", err, context.Canceled)
	}
	if diff := cmp.Diff(before, whatItHolds(t, l)); diff != "" {
		t.Fatalf("the failed commit left (-before +after):\n%s", diff)
	}
	scanned(t, l, u)
	if got := dump(t, l, "SELECT count(*) FROM requests"); got[0] != "4" {
		t.Errorf("after the retry %s requests, want 4", got[0])
	}
}

func TestOpen_AgainHoldsTheSame(t *testing.T) {
	path := filepath.Join(t.TempDir(), "ledger.duckdb")
	o := Options{ReportZone: time.UTC, Prices: flat{"1", map[string]int64{"m1": 7}}}
	l, err := Open(t.Context(), path, o)
	if err != nil {
		t.Fatal(err)
	}
	u := logOf("/logs/a.jsonl", said("S1", "a", 1, 1), said("S1", "b", 2, 2))
	u.Checkpoint.State, u.Checkpoint.Device, u.Checkpoint.Inode = []byte("memory"), 1<<63+1, 7
	scanned(t, l, u)
	held := whatItHolds(t, l)
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	if l, err = Open(t.Context(), path, o); err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	if diff := cmp.Diff(held, whatItHolds(t, l)); diff != "" {
		t.Errorf("after reopening (-before +after):\n%s", diff)
	}
	list, err := l.Checkpoints(t.Context())
	if err != nil || len(list) != 1 {
		t.Fatalf("checkpoints %v, %v", list, err)
	}
	want := u.Checkpoint
	want.Source, want.State = 1, nil
	if diff := cmp.Diff(want, list[0]); diff != "" {
		t.Errorf("checkpoint (-want +got):\n%s", diff)
	}
	state, err := l.State(t.Context(), 1)
	if err != nil || string(state) != "memory" {
		t.Errorf("state %q, %v, want %q", state, err, "memory")
	}
	if none, err := l.State(t.Context(), 99); none != nil || err != nil {
		t.Errorf("state of no source = %q, %v", none, err)
	}
}
