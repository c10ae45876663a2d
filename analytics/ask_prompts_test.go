package analytics

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"meterbridge"
)

// second is that second of a fixed morning.
func second(n int) time.Time { return time.Date(2026, 10, 5, 8, 0, n, 0, time.UTC) }

// story is a log of session S1 in short: "p10" is a prompt at second 10, "r12"
// the end of an answer, "i13" an interruption, "t10-20" a turn that the log
// marks as finished, "t10-" one that it does not end, "t-20" one without a start.
func story(text string) meterbridge.Unit {
	u := logOf("/logs/s.jsonl")
	u.Batch.Sessions = []meterbridge.Session{{Harness: "claude-code", ID: "S1", Project: "/srv/last"}}
	for _, word := range strings.Fields(text) {
		var from, to int
		switch kind := word[0]; kind {
		case 'p':
			fmt.Sscanf(word[1:], "%d", &from)
			u.Batch.Prompts = append(u.Batch.Prompts, meterbridge.Prompt{Harness: "claude-code", NativeID: word, Session: "S1", At: second(from)})
		case 'r':
			fmt.Sscanf(word[1:], "%d", &from)
			u.Batch.Requests = append(u.Batch.Requests, said("S1", word, 1, from))
		case 'i':
			fmt.Sscanf(word[1:], "%d", &from)
			u.Batch.Events = append(u.Batch.Events, meterbridge.Event{Harness: "claude-code", Session: "S1", At: second(from), Kind: "interrupted"})
		case 't':
			t := meterbridge.Turn{Harness: "claude-code", NativeID: word, Session: "S1"}
			start, end, _ := strings.Cut(word[1:], "-")
			if _, err := fmt.Sscanf(start, "%d", &from); err == nil {
				t.StartedAt = second(from)
			}
			if _, err := fmt.Sscanf(end, "%d", &to); err == nil {
				t.EndedAt, t.Outcome = second(to), "finished"
			}
			u.Batch.Turns = append(u.Batch.Turns, t)
		}
	}
	return u
}

// turnWords are turns as "10-20 finished", those that are not counted in brackets.
func turnWords(turns []Turn) []string {
	out := []string{}
	base := second(0).UnixMilli()
	for _, t := range turns {
		word := fmt.Sprintf("%d-", (t.Start-base)/1000)
		if t.End != nil {
			word += fmt.Sprintf("%d %s", (*t.End-base)/1000, t.EndedAs)
		}
		if !t.Counted {
			word = "(" + word + ")"
		}
		out = append(out, word)
	}
	return out
}

func TestTurns_OfMarksAndPrompts(t *testing.T) {
	tests := []struct {
		why, story string
		want       []string
		prompts    int64
		// elapsed is from the first prompt to the last finish; finished is when that was.
		elapsed, finished int64
	}{
		{"prompts only", "p0 r5 p10 r15", []string{"0-5 finished", "10-15 finished"}, 2, 15, 15},
		{"one turn of three is marked", "p0 r5 p10 r15 t10-16 p20 r25", []string{"0-5 finished", "10-16 finished", "20-25 finished"}, 3, 25, 25},
		{"the first is marked", "p0 r5 t0-6 p10 r15 p20 r25", []string{"0-6 finished", "10-15 finished", "20-25 finished"}, 3, 25, 25},
		{"the last is marked", "p0 r5 p10 r15 t10-16", []string{"0-5 finished", "10-16 finished"}, 2, 16, 16},
		{"one is interrupted by a row", "p0 r5 p10 r15 i16 p20 r25", []string{"0-5 finished", "10-15 interrupted", "20-25 finished"}, 3, 25, 25},
		{"a prompt while the agent works", "p0 r5 p7 r9 t0-10", []string{"0-10 finished"}, 2, 10, 10},
		{"a turn begins before its prompt", "t0-10 p1 r5 p20 r25", []string{"0-10 finished", "20-25 finished"}, 2, 25, 25},
		{"a turn without an end lasts to the next mark", "t0- p1 r5 p7 r9 t20-30 p21 r25", []string{"0-9 exited", "20-30 finished"}, 3, 30, 30},
		{"a turn without a start began at its prompt", "p0 r5 p10 r15 t-16", []string{"0-5 finished", "10-16 finished"}, 2, 16, 16},
		{"a prompt that nothing answers", "p0 p10 r15", []string{"(0-0 finished)", "10-15 finished"}, 1, 5, 15},
		{"the newest prompt is under way", "p0 r5 p10", []string{"0-5 finished", "10-"}, 2, 10, 5},
		{"the newest prompt is interrupted at once", "p0 r5 p10 i11", []string{"0-5 finished", "(10-10 interrupted)"}, 1, 5, 5},
		{"the newest turn ends without a request", "p0 r5 p10 t10-11", []string{"0-5 finished", "(10-11 finished)"}, 1, 5, 5},
		{"a marked turn without a prompt", "p0 r5 t10-16 r15", []string{"0-5 finished", "10-16 finished"}, 1, 16, 16},
	}
	for _, tt := range tests {
		t.Run(tt.why, func(t *testing.T) {
			l := open(t, Options{ReportZone: time.UTC})
			scanned(t, l, story(tt.story))
			line, err := l.Timeline(t.Context(), "S1", time.Time{}, time.Time{})
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tt.want, turnWords(line.Turns)); diff != "" {
				t.Errorf("turns of %q (-want +got):\n%s", tt.story, diff)
			}
			u, err := l.Window(t.Context(), "S1", time.Time{}, time.Time{})
			if err != nil {
				t.Fatal(err)
			}
			base := second(0).UnixMilli()
			got := [3]int64{*u.Prompts, *u.ElapsedMs / 1000, (*u.LastFinishedAt - base) / 1000}
			if want := [3]int64{tt.prompts, tt.elapsed, tt.finished}; got != want {
				t.Errorf("prompts, elapsed, finished of %q = %v, want %v", tt.story, got, want)
			}
			if got := promptNumbers(t, l, "S1"); !cmp.Equal(got, []int64{tt.prompts, tt.prompts, tt.prompts}) {
				t.Errorf("prompts of %q by `usage session`, `sessions`, `sessions ID` = %v, want %d", tt.story, got, tt.prompts)
			}
		})
	}
}

// promptNumbers are the prompts of a session as every answer has them; -1 is null.
func promptNumbers(t *testing.T, l *Ledger, session string) []int64 {
	t.Helper()
	out := []int64{-1, -1, -1}
	note := func(i int, n *int64) {
		if n != nil {
			out[i] = *n
		}
	}
	for _, row := range usageOf(t, l, UsageQuery{By: "session"}).Rows {
		if row.Key == session {
			note(0, row.Prompts)
		}
	}
	list, err := l.Sessions(t.Context(), SessionFilter{})
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range list.Sessions {
		if s.Session == session {
			note(1, s.Prompts)
		}
	}
	a, err := l.Session(t.Context(), session, time.Time{}, time.Time{})
	if err != nil {
		t.Fatal(err)
	}
	note(2, a.Usage.Prompts)
	return out
}

// A harness that logs no prompt has no number of them, in every answer; in one
// that does, a session without one has 0.
func TestPrompts_NullOrZero(t *testing.T) {
	l := open(t, Options{ReportZone: time.UTC})
	other := logOf("/logs/t.jsonl", said("T1", "t", 1, 5))
	other.Batch.Requests[0].Harness = "codex-cli"
	scanned(t, l, story("p0 r5"), logOf("/logs/q.jsonl", said("S2", "q", 1, 5)), other)
	got := map[string][]int64{"S1": promptNumbers(t, l, "S1"), "S2": promptNumbers(t, l, "S2"), "T1": promptNumbers(t, l, "T1")}
	if diff := cmp.Diff(map[string][]int64{"S1": {1, 1, 1}, "S2": {0, 0, 0}, "T1": {-1, -1, -1}}, got); diff != "" {
		t.Errorf("prompts (-want +got):\n%s", diff)
	}
}

// What was under way at one scan is over at the next: the numbers follow, also
// where the next part has no request of its own.
func TestPrompts_FollowTheLog(t *testing.T) {
	l := open(t, Options{ReportZone: time.UTC})
	for _, step := range []struct {
		story string
		want  int64
	}{{"p0", 1}, {"p10", 1}, {"r12", 1}, {"p20", 2}, {"i21", 1}, {"p30", 2}, {"r25", 3}} {
		scanned(t, l, story(step.story))
		if u, err := l.Window(t.Context(), "S1", time.Time{}, time.Time{}); err != nil || *u.Prompts != step.want {
			t.Errorf("after %s: %d prompts, %v, want %d", step.story, *u.Prompts, err, step.want)
		}
	}
}

// A sub-agent's request answers the prompt of its session.
func TestPrompts_AnsweredBySubagents(t *testing.T) {
	l := open(t, Options{ReportZone: time.UTC})
	agent := logOf("/logs/agent.jsonl", said("S1/x", "x", 1, 5))
	agent.Batch.Sessions = []meterbridge.Session{{Harness: "claude-code", ID: "S1/x", Parent: "S1", Relation: meterbridge.SubAgent}}
	scanned(t, l, story("p0 p10 r15"), agent)
	if diff := cmp.Diff([]int64{2, 2, 2}, promptNumbers(t, l, "S1")); diff != "" {
		t.Errorf("prompts (-want +got):\n%s", diff)
	}
}

// roaming is a session that goes from /srv/a to /srv/b; the prompt in /srv/c has
// no request there. Its last row says /srv/last.
func roaming() meterbridge.Unit {
	u := story("p0 r5 p10 r15 p20")
	for i, dir := range []string{"/srv/a", "/srv/b", "/srv/c"} {
		u.Batch.Prompts[i].Project = dir
		if i < 2 {
			u.Batch.Requests[i].Project = dir
		}
	}
	return u
}

func TestPrompts_BelongToTheirFolder(t *testing.T) {
	for _, zone := range []*time.Location{time.UTC, time.FixedZone("other", 3*3600)} {
		l := open(t, Options{ReportZone: time.UTC})
		scanned(t, l, roaming())
		show := func(q UsageQuery) []string {
			q.Zone = zone
			r := usageOf(t, l, q)
			out := []string{}
			for _, row := range r.Rows {
				out = append(out, fmt.Sprintf("%s %d", row.Key, *row.Prompts))
			}
			return append(out, fmt.Sprintf("totals %d", *r.Totals.Prompts))
		}
		for _, c := range []struct {
			q    UsageQuery
			want []string
		}{
			{UsageQuery{By: "project"}, []string{"/srv/a 1", "/srv/b 1", "/srv/c 1", "totals 3"}},
			{UsageQuery{By: "day"}, []string{"2026-10-05 3", "totals 3"}},
			{UsageQuery{By: "day", Filter: Filter{Project: "/srv/a"}}, []string{"2026-10-05 1", "totals 1"}},
			{UsageQuery{By: "session", Filter: Filter{Project: "/srv/b"}}, []string{"S1 1", "totals 1"}},
			{UsageQuery{By: "day", Filter: Filter{Project: "/srv/c"}}, []string{"2026-10-05 1", "totals 1"}},
		} {
			if diff := cmp.Diff(c.want, show(c.q)); diff != "" {
				t.Errorf("by %s of %q (-want +got):\n%s", c.q.By, c.q.Project, diff)
			}
		}
	}
}

// Every answer names the folder of the session's first request.
func TestSessions_AgreeOnTheProject(t *testing.T) {
	l := open(t, Options{ReportZone: time.UTC})
	other := logOf("/logs/q.jsonl", said("S2", "q", 1, 30))
	scanned(t, l, roaming(), other)
	row := usageOf(t, l, UsageQuery{By: "session"}).Rows[0]
	one, err := l.Session(t.Context(), "S1", time.Time{}, time.Time{})
	if err != nil {
		t.Fatal(err)
	}
	got := []string{*row.Session.Project, *one.Project}
	for _, f := range []SessionFilter{{}, {Project: "/srv/a"}, {Project: "/srv/a", Last: 1}, {Search: "srv/a", Last: 1}, {Last: 2}} {
		list, err := l.Sessions(t.Context(), f)
		if err != nil {
			t.Fatal(err)
		}
		for _, s := range list.Sessions {
			if s.Session == "S1" {
				got = append(got, *s.Project)
			}
		}
	}
	want := []string{"/srv/a", "/srv/a", "/srv/a", "/srv/a", "/srv/a", "/srv/a", "/srv/a"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("projects (-want +got):\n%s", diff)
	}
}
