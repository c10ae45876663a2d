package analytics

import (
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"

	"meterbridge"
)

// clock draws moments of a day; no two are the same, for of what happens in one
// millisecond nobody knows the order. A request ends when it ends, in every record.
type clock struct {
	r    *rapid.T
	used map[int]bool
	ends map[string]time.Time
}

func (c clock) end(native string) time.Time {
	if c.ends[native].IsZero() {
		c.ends[native] = c.at("ended")
	}
	return c.ends[native]
}

func (c clock) at(label string) time.Time {
	second := rapid.IntRange(1, 9000).Filter(func(n int) bool { return !c.used[n] }).Draw(c.r, label)
	c.used[second] = true
	return time.Date(2026, 10, 5, 8, 0, second, 0, time.UTC)
}

// lives draws units of a session, its sub-agent and another session: what is
// asked, spent, marked and interrupted in them, in any order.
func lives(r *rapid.T, c clock) []meterbridge.Unit {
	const h = "claude-code"
	var units []meterbridge.Unit
	for n := rapid.IntRange(1, 6).Draw(r, "units"); n > 0; n-- {
		log := rapid.IntRange(0, 2).Draw(r, "log")
		session := []string{"S1", "S1/agent", "S2"}[log]
		u := modified(logOf(fmt.Sprintf("/logs/%d.jsonl", log)), log)
		if rapid.IntRange(0, 3).Draw(r, "facts") == 0 && log == 1 {
			u.Batch.Sessions = []meterbridge.Session{{Harness: h, ID: session, Parent: "S1", Relation: meterbridge.SubAgent, AgentType: "explore"}}
		}
		for k := rapid.IntRange(0, 4).Draw(r, "requests"); k > 0; k-- {
			q := said(session, fmt.Sprint("r", rapid.IntRange(0, 30).Draw(r, "native")), int64(rapid.IntRange(0, 3).Draw(r, "out")), 1)
			q.EndedAt = c.end(q.NativeID)
			if rapid.Bool().Draw(r, "started") {
				q.StartedAt = q.EndedAt.Add(-time.Duration(rapid.IntRange(0, 400).Draw(r, "took")) * time.Second)
			}
			q.Tools = rapid.SampledFrom([][]string{nil, {"Bash"}, {"Read", "Bash"}}).Draw(r, "tools")
			q.Model = rapid.SampledFrom([]string{"", "m1", "m2"}).Draw(r, "model")
			q.Aborted = rapid.IntRange(0, 5).Draw(r, "aborted") == 0
			q.Precision = rapid.SampledFrom([]meterbridge.Precision{"", "", "turn"}).Draw(r, "precision")
			if rapid.Bool().Draw(r, "recorded") {
				q.Recorded = meterbridge.SomePico(meterbridge.Pico(rapid.Int64Range(0, 5_000_000).Draw(r, "cost")))
			}
			if rapid.Bool().Draw(r, "cached") {
				q.Tokens.CacheRead, q.Tokens.CacheWrite1h, q.Tokens.Reasoning = meterbridge.Reported(7), meterbridge.Reported(5), meterbridge.Reported(0)
			}
			u.Batch.Requests = append(u.Batch.Requests, q)
		}
		for k := rapid.IntRange(0, 2).Draw(r, "prompts"); k > 0; k-- {
			native := fmt.Sprint("p", rapid.IntRange(0, 9).Draw(r, "prompt"))
			u.Batch.Prompts = append(u.Batch.Prompts, meterbridge.Prompt{Harness: h, NativeID: native, Session: session, At: c.at("asked")})
		}
		if rapid.IntRange(0, 2).Draw(r, "turn") == 0 {
			t := meterbridge.Turn{Harness: h, Session: session, NativeID: fmt.Sprint("t", rapid.IntRange(0, 5).Draw(r, "turn id"))}
			if rapid.Bool().Draw(r, "begins") {
				t.StartedAt = c.at("turn begins")
			}
			if rapid.Bool().Draw(r, "ends") {
				t.EndedAt, t.Outcome = c.at("turn ends"), rapid.SampledFrom([]string{"", "finished", "interrupted"}).Draw(r, "outcome")
			}
			u.Batch.Turns = []meterbridge.Turn{t}
		}
		if rapid.IntRange(0, 3).Draw(r, "event") == 0 {
			u.Batch.Events = []meterbridge.Event{{Harness: h, Session: session, At: c.at("interrupted"), Kind: "interrupted"}}
		}
		u.Whole = rapid.IntRange(0, 9).Draw(r, "whole") == 0
		units = append(units, u)
	}
	return units
}

// What is summed at hand, and kept from one question to the next while commits
// go on, is what DuckDB sums.
func TestWindow_IsWhatDuckDBSums(t *testing.T) {
	l := open(t, Options{ReportZone: time.UTC, Prices: flat{"1", map[string]int64{"m1": 7}}})
	rapid.Check(t, func(r *rapid.T) {
		emptied(t, l)
		if err := l.BeginScan(t.Context()); err != nil {
			r.Fatal(err)
		}
		c := clock{r: r, used: map[int]bool{}, ends: map[string]time.Time{}}
		since, until := c.at("since"), c.at("until")
		for rest := lives(r, c); len(rest) > 0; {
			n := rapid.IntRange(1, len(rest)).Draw(r, "portion")
			if err := l.Commit(t.Context(), rest[:n]); err != nil {
				r.Fatal(err)
			}
			rest = rest[n:]
			for _, id := range []string{"S1", "S1/agent"} {
				sameAnswers(t, r, l, id, time.Time{}, time.Time{})
			}
			sameAnswers(t, r, l, "S1", since, until)
			by := rapid.SampledFrom(promptKeys()).Draw(r, "by")
			if diff := promptsDiffer(t, l, by); diff != "" {
				r.Fatalf("usage by %s: -one by one +rollup\n%s", by, diff)
			}
		}
	})
}

func sameAnswers(t *testing.T, r *rapid.T, l *Ledger, id string, since, until time.Time) {
	got, err := l.Window(t.Context(), id, since, until)
	want, wantErr := l.largeWindow(t.Context(), id, since, until)
	if (err == nil) != (wantErr == nil) {
		r.Fatalf("window of %s: %v, want %v", id, err, wantErr)
	}
	if diff := cmp.Diff(want, got, cmpopts.IgnoreUnexported(WindowUsage{})); diff != "" {
		r.Fatalf("window of %s from %v to %v (-DuckDB +at hand):\n%s", id, since, until, diff)
	}
	line, err := l.Timeline(t.Context(), id, since, until)
	from, to := bounds(since, until)
	wantLine, wantErr := l.largeTimeline(t.Context(), id, newTimeline(since, until), from, to)
	if (err == nil) != (wantErr == nil) {
		r.Fatalf("timeline of %s: %v, want %v", id, err, wantErr)
	}
	if diff := cmp.Diff(wantLine, line, cmpopts.IgnoreUnexported(Turn{}), cmpopts.EquateEmpty()); diff != "" && err == nil {
		r.Fatalf("timeline of %s from %v to %v (-DuckDB +at hand):\n%s", id, since, until, diff)
	}
}

// A turn that another session's log ends has ended: the prompt before it, that
// nothing answered, is in no number.
func TestWindow_TurnEndedInTheLogOfAnotherSession(t *testing.T) {
	l := open(t, Options{ReportZone: time.UTC})
	at := time.Date(2026, 10, 5, 8, 0, 4, 0, time.UTC)
	begun, ended := logOf("/logs/1.jsonl"), logOf("/logs/2.jsonl")
	begun.Batch.Prompts = []meterbridge.Prompt{{Harness: "claude-code", NativeID: "p1", Session: "S1", At: at}}
	begun.Batch.Turns = []meterbridge.Turn{{Harness: "claude-code", Session: "S1", NativeID: "t1"}}
	ended.Batch.Turns = []meterbridge.Turn{{Harness: "claude-code", Session: "S2", NativeID: "t1", EndedAt: at.Add(19 * time.Second)}}
	for i, u := range []meterbridge.Unit{begun, ended} {
		scanned(t, l, u)
		for name, ask := range map[string]func() (WindowUsage, error){
			"at hand": func() (WindowUsage, error) { return l.Window(t.Context(), "S1", time.Time{}, time.Time{}) },
			"DuckDB":  func() (WindowUsage, error) { return l.largeWindow(t.Context(), "S1", time.Time{}, time.Time{}) },
		} {
			u, err := ask()
			if err != nil {
				t.Fatal(err)
			}
			if want := int64(1 - i); u.Prompts == nil || *u.Prompts != want {
				t.Errorf("%s, after log %d: prompts %v, want %d", name, i+1, u.Prompts, want)
			}
		}
	}
}

// Of turns that began at one moment the last one goes on: what is spent and
// asked is that one's, in every way of asking.
func TestTimeline_TurnsThatBeganTogether(t *testing.T) {
	l := open(t, Options{ReportZone: time.UTC})
	at := func(second int) time.Time { return time.Date(2026, 10, 5, 8, 0, second, 0, time.UTC) }
	u := logOf("/logs/1.jsonl", said("S1", "r1", 1, 1))
	u.Batch.Requests[0].EndedAt = at(12)
	u.Batch.Prompts = []meterbridge.Prompt{{Harness: "claude-code", NativeID: "p1", Session: "S1", At: at(10)}}
	for n, end := range []int{30, 20, 40} {
		u.Batch.Turns = append(u.Batch.Turns, meterbridge.Turn{Harness: "claude-code", Session: "S1", NativeID: fmt.Sprint("t", n), EndedAt: at(end)})
	}
	scanned(t, l, u)
	base := at(0).UnixMilli()
	from, to := bounds(time.Time{}, time.Time{})
	for name, ask := range map[string]func() (Timeline, error){
		"at hand": func() (Timeline, error) { return l.Timeline(t.Context(), "S1", time.Time{}, time.Time{}) },
		"DuckDB": func() (Timeline, error) {
			return l.largeTimeline(t.Context(), "S1", newTimeline(time.Time{}, time.Time{}), from, to)
		},
	} {
		line, err := ask()
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, turn := range line.Turns {
			got = append(got, fmt.Sprintf("%d-%d %v", (turn.Start-base)/1000, (*turn.End-base)/1000, turn.Counted))
		}
		if diff := cmp.Diff([]string{"10-20 false", "10-30 false", "10-40 true"}, got); diff != "" {
			t.Errorf("%s: turns (-want +got):\n%s", name, diff)
		}
	}
}
