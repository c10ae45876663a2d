package analytics

import (
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"meterbridge"
)

// A session's windows that meet add up, and each is what `usage` and the list of
// sessions say of it; the lists of a session are of the window, what it is is not.
// Prompts at 0 and 10 (answered after the second window's begin) and 40.
func TestWindows_EveryAnswerAgrees(t *testing.T) {
	l := open(t, Options{ReportZone: time.UTC})
	u := story("p0 r5 p10 r21 i30 p40 r45")
	ok := true
	for i, at := range []int{4, 20, 44} {
		u.Batch.ToolCalls = append(u.Batch.ToolCalls, meterbridge.ToolCall{
			Harness: "claude-code", NativeID: fmt.Sprint("call", i), Session: "S1", Name: "Bash", StartedAt: second(at - 2), EndedAt: second(at), OK: &ok,
		})
	}
	agent := logOf("/logs/agent.jsonl", said("S1/x", "x", 1, 22))
	agent.Batch.Sessions = []meterbridge.Session{{Harness: "claude-code", ID: "S1/x", Parent: "S1", Relation: meterbridge.SubAgent}}
	scanned(t, l, u, agent)
	type numbers struct{ Prompts, Requests, Models, Agents, Tools, Events, Asked int64 }
	for _, c := range []struct {
		from, to int
		want     numbers
	}{
		{-1, -1, numbers{3, 4, 1, 1, 3, 1, 3}},
		{0, 10, numbers{1, 1, 1, 0, 1, 0, 1}},
		{10, 20, numbers{1, 0, 0, 0, 0, 0, 1}},
		{20, 30, numbers{0, 2, 1, 1, 1, 0, 0}},
		{30, 41, numbers{1, 0, 0, 0, 0, 1, 1}},
		{41, 60, numbers{0, 1, 1, 0, 1, 0, 0}},
	} {
		var since, until time.Time
		if c.to > 0 {
			since, until = second(c.from), second(c.to)
		}
		a, err := l.Session(t.Context(), "S1", since, until)
		if err != nil {
			t.Fatal(err)
		}
		got := numbers{*a.Usage.Prompts, *a.Usage.Requests, 0, int64(len(a.Subagents)), 0, int64(len(a.Events)), int64(len(a.Prompts))}
		requests := int64(0)
		for _, m := range a.Models {
			got.Models++
			requests += m.Requests
		}
		for _, n := range a.Tools {
			got.Tools += n.Calls
		}
		if diff := cmp.Diff(c.want, got); diff != "" || requests != got.Requests {
			t.Errorf("sessions S1 in [%d, %d): models have %d requests (-want +got):\n%s", c.from, c.to, requests, diff)
		}
		if !a.FirstAt.Equal(second(5)) || !a.LastAt.Equal(second(45)) || len(a.Sources) != 2 {
			t.Errorf("what S1 is depends on the window: %v to %v, %d sources", a.FirstAt, a.LastAt, len(a.Sources))
		}
		rows := usageOf(t, l, UsageQuery{By: "session", Filter: Filter{Since: since, Until: until}})
		if len(rows.Rows) != 1 || *rows.Totals.Prompts != c.want.Prompts || rows.Rows[0].Requests != c.want.Requests {
			t.Errorf("usage in [%d, %d): %+v, want %+v", c.from, c.to, rows.Totals, c.want)
		}
		list, err := l.Sessions(t.Context(), SessionFilter{Since: since, Until: until})
		if err != nil {
			t.Fatal(err)
		}
		if len(list.Sessions) != 1 || *list.Sessions[0].Prompts != c.want.Prompts || list.Sessions[0].Requests != c.want.Requests {
			t.Errorf("sessions in [%d, %d): %+v, want %+v", c.from, c.to, list.Sessions, c.want)
		}
		line, err := l.Timeline(t.Context(), "S1", since, until)
		if err != nil {
			t.Fatal(err)
		}
		if int64(len(line.Requests)) != c.want.Requests || int64(len(line.ToolCalls)) != c.want.Tools {
			t.Errorf("timeline in [%d, %d): %d requests, %d calls, want %+v", c.from, c.to, len(line.Requests), len(line.ToolCalls), c.want)
		}
	}
}

// Whatever has a prompt has a row, in every report: the rows add up to the totals,
// whatever is kept of them, and --last counts rows with prompts as well.
func TestUsage_RowsOfPromptsAddUp(t *testing.T) {
	l := open(t, Options{ReportZone: time.UTC})
	day := func(d, hour int) time.Time { return time.Date(2026, 10, d, hour, 30, 0, 0, time.UTC) }
	asked := func(native, session, project string, at time.Time) meterbridge.Prompt {
		return meterbridge.Prompt{Harness: "claude-code", NativeID: native, Session: session, Project: project, At: at}
	}
	answered := said("S1", "a", 5, 1)
	answered.EndedAt = day(6, 0)
	u := logOf("/logs/a.jsonl", answered)
	// asked on the 5th and answered after midnight; S2's prompt on the 9th waits.
	u.Batch.Prompts = []meterbridge.Prompt{asked("p1", "S1", "/srv/asked", day(5, 23)), asked("p2", "S2", "/srv/new", day(9, 4))}
	scanned(t, l, u)
	want := map[string][]string{
		"day": {"2026-10-05 0 1", "2026-10-06 1 0", "2026-10-09 0 1"}, "hour": {"2026-10-05T23:00:00Z 0 1", "2026-10-06T00:00:00Z 1 0", "2026-10-09T04:00:00Z 0 1"},
		"week": {"2026-10-05 1 2"}, "month": {"2026-10 1 2"},
		"session": {"S1 1 1", "S2 0 1"}, "project": {"/srv/asked 0 1", "/srv/new 0 1", "/srv/shop 1 0"},
		"model": {" 0 1", "m1 1 1"}, "harness": {"claude-code 1 2"}, "agent": {"main 1 2"},
		"block": {"2026-10-06T00:00:00Z 1 1", "2026-10-09T04:00:00Z 0 1"},
	}
	for _, by := range reports() {
		for last := range 4 {
			r := usageOf(t, l, UsageQuery{By: by, Last: last, Breakdown: true})
			got, sum := []string{}, int64(0)
			for _, row := range r.Rows {
				got = append(got, fmt.Sprint(row.Key, " ", row.Requests, " ", *row.Prompts))
				sum += *row.Prompts
			}
			kept := want[by]
			if last > 0 && by != "project" && by != "model" {
				kept = kept[max(0, len(kept)-last):]
			}
			if (last == 0 || len(kept) < len(want[by])) && by != "project" && by != "model" || last == 0 {
				if diff := cmp.Diff(kept, got); diff != "" {
					t.Errorf("by %s, the newest %d (-want +got):\n%s", by, last, diff)
				}
			}
			if sum != *r.Totals.Prompts || last > 0 && len(got) > last {
				t.Errorf("by %s, the newest %d: %v add up to %d, the totals say %d", by, last, got, sum, *r.Totals.Prompts)
			}
			for _, row := range r.Rows {
				if by == "session" && (row.Session == nil || row.Harness == nil) {
					t.Errorf("session %s is not described", row.Key)
				}
			}
		}
	}
	// What is kept of projects and models is by use, and shown by name.
	for by, keys := range map[string][]string{"project": {"/srv/new", "/srv/shop"}, "model": {"", "m1"}} {
		r := usageOf(t, l, UsageQuery{By: by, Last: 2})
		if len(r.Rows) != 2 || r.Rows[0].Key != keys[0] || r.Rows[1].Key != keys[1] {
			t.Errorf("the newest two by %s = %+v, want %q", by, r.Rows, keys)
		}
	}
	r, err := l.Reconcile(t.Context(), ReconcileOptions{Zone: time.UTC})
	if err != nil || !r.OK || r.Totals.Prompts != 2 {
		t.Errorf("reconcile: %v, %d prompts, %+v", err, r.Totals.Prompts, r.Checks)
	}
}
