package analytics

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"meterbridge"
)

// tokens sets the tokenRows of a record: input, output, cache read, cache write.
func tokens(r meterbridge.Request, in, out, read, write int64) meterbridge.Request {
	r.Tokens = meterbridge.Tokens{
		Input: meterbridge.Reported(in), Output: meterbridge.Reported(out),
		CacheRead: meterbridge.Reported(read), CacheWrite5m: meterbridge.Reported(write),
	}
	return r
}

const tokenRows = `SELECT session, input_tokens, output_tokens, cache_read_tokens, cache_write_5m_tokens FROM requests ORDER BY session, ended_at, output_tokens`

func in(r meterbridge.Request, project string) meterbridge.Request {
	r.Project = project
	return r
}

// modified is the unit of a log that was last written at a minute past nine.
func modified(u meterbridge.Unit, minute int) meterbridge.Unit {
	u.Checkpoint.ModTime = time.Date(2026, 10, 5, 9, minute, 0, 0, time.UTC)
	return u
}

// Each case is a list of scans, a scan a list of units, and the rows after it.
func TestCommit_MergesRecordsOfOneRequest(t *testing.T) {
	side := tokens(said("S1/agent", "a", 0, 2), 10, 159, 99999, 1000)
	side.Side = true
	child := logOf("/logs/child.jsonl", tokens(said("S2", "a", 0, 1), 1, 100, 3, 4), tokens(said("S2", "b", 0, 5), 2, 7, 0, 0))
	child.Batch.Sessions = []meterbridge.Session{{Harness: "claude-code", ID: "S2", Parent: "S1", Relation: meterbridge.Fork}}
	cases := []struct {
		name  string
		scans [][]meterbridge.Unit
		want  []string
	}{
		{
			"C-03 the finished snapshot counts as a whole",
			[][]meterbridge.Unit{{logOf("/logs/a.jsonl",
				tokens(said("S1", "a", 0, 1), 12, 4, 50000, 0), tokens(said("S1", "a", 0, 2), 10, 210, 48000, 2000))}},
			[]string{"S1 10 210 48000 2000"},
		},
		{
			"C-04 a side copy never replaces the parent's record",
			[][]meterbridge.Unit{{
				logOf("/logs/a.jsonl", tokens(said("S1", "a", 0, 1), 10, 159, 5000, 1000)),
				logOf("/logs/a/subagents/x.jsonl", side, tokens(said("S1/agent", "b", 0, 9), 20, 30, 50, 40)),
			}},
			[]string{"S1 10 159 5000 1000", "S1/agent 20 30 50 40"},
		},
		{
			"C-04 nor when it is read first",
			[][]meterbridge.Unit{{
				logOf("/logs/a/subagents/x.jsonl", side, tokens(said("S1/agent", "b", 0, 9), 20, 30, 50, 40)),
				logOf("/logs/a.jsonl", tokens(said("S1", "a", 0, 1), 10, 159, 5000, 1000)),
			}},
			[]string{"S1 10 159 5000 1000", "S1/agent 20 30 50 40"},
		},
		{
			"a fork read before its origin owns only its own",
			[][]meterbridge.Unit{{
				modified(child, 1), modified(logOf("/logs/origin.jsonl", tokens(said("S1", "a", 0, 1), 1, 100, 3, 4)), 2),
			}},
			[]string{"S1 1 100 3 4", "S2 2 7 0 0"},
		},
		{
			"without a named origin the older source owns",
			[][]meterbridge.Unit{{
				modified(logOf("/logs/2.jsonl", tokens(said("S2", "a", 0, 1), 1, 100, 3, 4)), 5),
				modified(logOf("/logs/1.jsonl", tokens(said("S1", "a", 0, 1), 1, 100, 3, 4)), 3),
			}},
			[]string{"S1 1 100 3 4"},
		},
		{
			"of copies in one session the older one owns, wherever it is read",
			[][]meterbridge.Unit{{
				modified(logOf("/logs/c.jsonl", in(tokens(said("S1", "a", 0, 1), 1, 100, 3, 4), "/srv/copy")), 7),
				modified(logOf("/logs/b.jsonl", in(tokens(said("S1", "a", 0, 1), 1, 100, 3, 4), "/srv/first")), 3),
				modified(logOf("/logs/a.jsonl", in(tokens(said("S1", "a", 0, 1), 1, 100, 3, 4), "/srv/copy")), 5),
			}},
			[]string{"S1 1 100 3 4"},
		},
		{
			"what an earlier scan saw keeps its owner",
			[][]meterbridge.Unit{
				{modified(logOf("/logs/2.jsonl", tokens(said("S2", "a", 0, 1), 1, 100, 3, 4)), 5)},
				{modified(logOf("/logs/1.jsonl", tokens(said("S1", "a", 0, 1), 1, 100, 3, 4)), 3)},
			},
			[]string{"S2 1 100 3 4"},
		},
		{
			"F-08 of copies the finished record counts",
			[][]meterbridge.Unit{{
				logOf("/logs/copy1.jsonl", tokens(said("S1", "a", 0, 1), 1, 1, 3, 4)),
				logOf("/logs/a.jsonl", tokens(said("S1", "a", 0, 2), 1, 25, 3, 4)),
				logOf("/logs/copy2.jsonl", tokens(said("S1", "a", 0, 1), 1, 1, 3, 4)),
			}},
			[]string{"S1 1 25 3 4"},
		},
		{
			"N-01 a copy finishes what the first log only began",
			[][]meterbridge.Unit{
				{logOf("/logs/1.jsonl", tokens(said("S1", "a", 0, 1), 20, 318, 10000, 2000), tokens(said("S1", "b", 0, 3), 24, 1, 12000, 600))},
				{logOf("/logs/2.jsonl", tokens(said("S2", "a", 0, 1), 20, 318, 10000, 2000), tokens(said("S2", "b", 0, 4), 24, 160, 12000, 600),
					tokens(said("S2", "c", 0, 9), 28, 122, 12600, 1000))},
			},
			[]string{"S1 20 318 10000 2000", "S1 24 160 12000 600", "S2 28 122 12600 1000"},
		},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			l := open(t, Options{ReportZone: time.UTC})
			for _, units := range c.scans {
				scanned(t, l, units...)
			}
			if diff := cmp.Diff(c.want, dump(t, l, tokenRows)); diff != "" {
				t.Errorf("rows (-want +got):\n%s", diff)
			}
			if got := dump(t, l, "SELECT DISTINCT project FROM requests WHERE project <> '/srv/shop'"); len(got) > 0 && got[0] != "/srv/first" {
				t.Errorf("project %s, want that of the older log", got)
			}
		})
	}
}

func TestCommit_KeepsWhatVanishes(t *testing.T) {
	l := open(t, Options{ReportZone: time.UTC})
	scanned(t, l, logOf("/logs/a.jsonl", said("S1", "a", 1, 1), said("S1", "b", 2, 2), said("S1", "c", 4, 3)))
	shorter := logOf("/logs/a.jsonl", said("S1", "a", 1, 1))
	shorter.Whole = true
	scanned(t, l, shorter)
	const q = "SELECT output_tokens, vanished FROM requests ORDER BY 1"
	if diff := cmp.Diff([]string{"1 false", "2 true", "4 true"}, dump(t, l, q)); diff != "" {
		t.Errorf("after the rewrite (-want +got):\n%s", diff)
	}
	// One of them comes back, in another log; it is not lost there.
	scanned(t, l, logOf("/logs/b.jsonl", said("S1", "b", 2, 7)))
	if diff := cmp.Diff([]string{"1 false /logs/a.jsonl", "2 false /logs/b.jsonl", "4 true /logs/a.jsonl"},
		dump(t, l, "SELECT output_tokens, vanished, source FROM requests ORDER BY 1")); diff != "" {
		t.Errorf("after the copy (-want +got):\n%s", diff)
	}
	// The whole log again: nothing is flagged any more.
	whole := logOf("/logs/a.jsonl", said("S1", "a", 1, 1), said("S1", "b", 2, 2), said("S1", "c", 4, 3))
	whole.Whole = true
	scanned(t, l, whole)
	if diff := cmp.Diff([]string{"1 false", "2 false", "4 false"}, dump(t, l, q)); diff != "" {
		t.Errorf("after the second rewrite (-want +got):\n%s", diff)
	}
}

func TestCommit_FollowsALogThatMoved(t *testing.T) {
	gone := func(u meterbridge.Unit) meterbridge.Unit {
		u.Checkpoint.Gone = true
		u.Batch = meterbridge.Batch{}
		return u
	}
	old, moved := logOf("/logs/a.jsonl", said("S1", "a", 1, 1)), logOf("/logs/b.jsonl", said("S1", "a", 1, 4))
	for name, units := range map[string][]meterbridge.Unit{
		"the old place first": {gone(old), moved},
		"the new place first": {moved, gone(old)},
	} {
		t.Run(name, func(t *testing.T) {
			l := open(t, Options{ReportZone: time.UTC})
			scanned(t, l, old)
			scanned(t, l, units...)
			want := []string{"1 /logs/b.jsonl 4"}
			if diff := cmp.Diff(want, dump(t, l, "SELECT output_tokens, source, line FROM requests")); diff != "" {
				t.Errorf("rows (-want +got):\n%s", diff)
			}
			if got := dump(t, l, "SELECT f.path FROM sighting s JOIN source f ON f.id = s.source"); len(got) != 1 || got[0] != "/logs/a.jsonl" {
				t.Errorf("sightings %q, want the old place", got)
			}
		})
	}
}

func TestCommit_FoldsSubAgentsThatComeFirst(t *testing.T) {
	agent := func(id, parent string) meterbridge.Unit {
		u := logOf("/logs/"+id+".jsonl", said(id, id, 1, 1))
		u.Batch.Sessions = []meterbridge.Session{{Harness: "claude-code", ID: id, Parent: parent, Relation: meterbridge.SubAgent, AgentType: "explore"}}
		return u
	}
	l := open(t, Options{ReportZone: time.UTC})
	scanned(t, l, agent("S1/a/b", "S1/a"), agent("S1/a", "S1"), logOf("/logs/S1.jsonl", said("S1", "main", 1, 5)))
	want := []string{"S1 S1", "S1/a S1", "S1/a/b S1"}
	if diff := cmp.Diff(want, dump(t, l, "SELECT session, root_session FROM sessions ORDER BY 1")); diff != "" {
		t.Errorf("roots (-want +got):\n%s", diff)
	}
}

func TestCommit_SurvivesWhatIsNoText(t *testing.T) {
	l := open(t, Options{ReportZone: time.UTC})
	bad := said("S\xff1", "a", 1, 1)
	bad.Project, bad.ResponseID, bad.Model = "/srv/\xc3\x28", "\xff\x00", "m\x80"
	u := logOf("/logs/\xff.jsonl", bad)
	u.Batch.Sessions = []meterbridge.Session{{Harness: "claude-code", ID: "S\xff1", Title: "t\xff", TitleRank: meterbridge.TitleFromUser}}
	u.Batch.Problems = []meterbridge.Problem{{Reason: "malformed-json", Detail: "\xff"}}
	scanned(t, l, u)
	if diff := cmp.Diff([]string{"S\uFFFD1 10 1"}, dump(t, l, "SELECT session, input_tokens, output_tokens FROM requests")); diff != "" {
		t.Errorf("rows (-want +got):\n%s", diff)
	}
}
