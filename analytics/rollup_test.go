package analytics

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"runtime"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"meterbridge"
)

// oldDays are the 30 days before the fixed one, two requests on each.
func oldDays() meterbridge.Unit {
	u := logOf("/logs/old.jsonl")
	for i := range 60 {
		r := said(fmt.Sprint("old", i%7), fmt.Sprint("old", i), 5, 1)
		r.EndedAt = r.EndedAt.AddDate(0, 0, -i/2-1)
		u.Batch.Requests = append(u.Batch.Requests, r)
	}
	return u
}

// asked is a prompt at a second of the fixed day.
func asked(session, native string, second int) meterbridge.Prompt {
	return meterbridge.Prompt{
		Harness: "claude-code", NativeID: native, Session: session, At: time.Date(2026, 10, 5, 8, 0, second, 0, time.UTC), Place: meterbridge.Place{Line: int64(second)},
	}
}

const (
	summedDays = "SELECT day, sum(requests)::BIGINT, sum(output)::BIGINT FROM rollup_day GROUP BY day ORDER BY day"
	daysOfRows = "SELECT ended_at // 86400000, count(*), sum(output)::BIGINT FROM request GROUP BY 1 ORDER BY 1"
)

// The rollup that is made while others commit misses nothing: neither what was
// committed while it was made, nor after commits that failed and had the writer
// forget what it knew, nor what a rollup that was cut short had begun with.
func TestSettle_BesideCommits(t *testing.T) {
	l := open(t, Options{ReportZone: time.UTC})
	scanned(t, l, oldDays())
	var settling sync.WaitGroup
	ended := make(chan struct{})
	for range 2 {
		settling.Go(func() {
			for {
				select {
				case <-ended:
					return
				default:
					if err := l.Settle(t.Context()); err != nil {
						t.Error(err)
						return
					}
				}
			}
		})
	}
	for i := range 50 {
		if err := l.BeginPass(t.Context()); err != nil {
			t.Fatal(err)
		}
		r := said("S1", fmt.Sprint("new", i), int64(i), i)
		r.EndedAt = r.EndedAt.AddDate(0, 0, -i%3)
		u := logOf("/logs/new.jsonl", r)
		u.Batch.Prompts = []meterbridge.Prompt{asked("S1", fmt.Sprint("p", i), i)}
		u.Checkpoint.Source = 2
		if err := l.Commit(t.Context(), []meterbridge.Unit{u}); err != nil {
			t.Fatal(err)
		}
		if i%5 == 4 {
			l.write.Lock()
			l.forget() // as after a commit that failed
			l.write.Unlock()
		}
		if err := l.EndPass(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	close(ended)
	settling.Wait()
	if err := l.Settle(t.Context()); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(dump(t, l, daysOfRows), dump(t, l, summedDays)); diff != "" {
		t.Errorf("days: -rows +rollup\n%s", diff)
	}
	if left := dump(t, l, "SELECT day FROM rollup_dirty"); len(left) > 0 {
		t.Errorf("days that are still to be summed: %v", left)
	}
	promptsAgree(t, l)
	got := dump(t, l, "SELECT id FROM unanswered ORDER BY 1")
	again(t, l)
	promptsAgree(t, l)
	if diff := cmp.Diff(dump(t, l, "SELECT id FROM unanswered ORDER BY 1"), got); diff != "" {
		t.Errorf("unanswered prompts: -summed whole +rollup\n%s", diff)
	}
}

// promptsAgree holds the prompts that the rollup counts against those that are counted
// one by one: a zone of another name is none of the rollup's.
func promptsAgree(t *testing.T, l *Ledger) {
	t.Helper()
	for _, by := range promptKeys() {
		if diff := promptsDiffer(t, l, by); diff != "" {
			t.Errorf("by %s: -one by one +rollup\n%s", by, diff)
		}
	}
}

func promptKeys() []string { return []string{"day", "week", "month", "model", "harness"} }

func promptsDiffer(t *testing.T, l *Ledger, by string) string {
	t.Helper()
	other, err := time.LoadLocation("Etc/UTC")
	if err != nil {
		t.Fatal(err)
	}
	var texts [2]string
	for i, zone := range []*time.Location{other, time.UTC} {
		r, err := l.Usage(t.Context(), UsageQuery{By: by, Zone: zone, WeekStart: time.Monday})
		r.Timezone = ""
		text, textErr := json.MarshalIndent(r, "", " ")
		if err = errors.Join(err, textErr); err != nil {
			t.Fatal(err)
		}
		texts[i] = string(text)
	}
	return cmp.Diff(texts[0], texts[1])
}

// again has everything summed anew.
func again(t *testing.T, l *Ledger) {
	t.Helper()
	err := l.transact(t.Context(), func() error {
		l.forget()
		return l.execAll(t.Context(), "DELETE FROM unanswered", "INSERT INTO rollup_dirty SELECT DISTINCT ended_at // 86400000 FROM request")
	})
	if err = errors.Join(err, l.Settle(t.Context())); err != nil {
		t.Fatal(err)
	}
}

// Days are summed to their end once somebody has asked, also when that one gives up
// meanwhile: a large ledger would else never be summed by questions that may not wait.
func TestUsage_SumsOutliveTheirAsker(t *testing.T) {
	l := open(t, Options{ReportZone: time.UTC})
	scanned(t, l, oldDays())
	want := dump(t, l, summedDays)
	err := l.transact(t.Context(), func() error {
		l.forget()
		return l.execAll(t.Context(), "DELETE FROM rollup_day", "INSERT INTO rollup_dirty SELECT DISTINCT ended_at // 86400000 FROM request")
	})
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	l.write.Lock() // the sums are planned within this lock
	ended := make(chan error, 1)
	go func() { _, err := l.Usage(ctx, UsageQuery{By: "day"}); ended <- err }()
	for l.rolling.TryLock() {
		l.rolling.Unlock()
		runtime.Gosched()
	}
	cancel()
	l.write.Unlock()
	if err := <-ended; !errors.Is(err, context.Canceled) {
		t.Errorf("who gave up: %v", err)
	}
	if diff := cmp.Diff(want, dump(t, l, summedDays)); diff != "" {
		t.Errorf("days: -before +after\n%s", diff)
	}
}

// A rollup that fails is made later, with all that it was to be made of.
func TestSettle_FailsAndIsMadeLater(t *testing.T) {
	l := open(t, Options{ReportZone: time.UTC})
	scanned(t, l, oldDays())
	if err := l.BeginPass(t.Context()); err != nil {
		t.Fatal(err)
	}
	u := logOf("/logs/new.jsonl", said("S1", "new", 7, 3))
	if err := l.Commit(t.Context(), []meterbridge.Unit{u}); err != nil {
		t.Fatal(err)
	}
	for _, q := range []string{"ALTER TABLE unanswered RENAME TO elsewhere", "ALTER TABLE elsewhere RENAME TO unanswered"} {
		if err := l.execAll(t.Context(), q); err != nil {
			t.Fatal(err)
		}
		err := l.Settle(t.Context())
		if missing := q[len(q)-len("elsewhere"):] == "elsewhere"; (err != nil) != missing {
			t.Fatalf("after %s: %v", q, err)
		}
	}
	if diff := cmp.Diff(dump(t, l, daysOfRows), dump(t, l, summedDays)); diff != "" {
		t.Errorf("days: -rows +rollup\n%s", diff)
	}
}

// Nothing is waited for when nothing is to be summed: a report does not stand
// behind a commit for it.
func TestSettle_TakesNoLockWhenAllIsSummed(t *testing.T) {
	l := open(t, Options{ReportZone: time.UTC})
	scanned(t, l, oldDays())
	l.write.Lock()
	defer l.write.Unlock()
	if err := l.Settle(t.Context()); err != nil {
		t.Error(err)
	}
}

// A prompt that was unanswered in one session is counted when an older log has it,
// in which it is answered, also where that happens along with a change of roots, and
// the first session has nothing left.
func TestSettle_PromptIsTakenOver(t *testing.T) {
	for _, restart := range []bool{false, true} {
		l := open(t, Options{ReportZone: time.UTC})
		late := modified(logOf("/logs/late.jsonl"), 2)
		late.Batch.Prompts = []meterbridge.Prompt{asked("S2", "p", 1)}
		late.Batch.Events = []meterbridge.Event{{Harness: "claude-code", Session: "S2", At: late.Batch.Prompts[0].At.Add(time.Minute), Kind: "interrupted"}}
		main := modified(logOf("/logs/main.jsonl", said("S1", "r0", 1, 40)), 0)
		early := modified(logOf("/logs/early.jsonl", said("S1/agent", "r1", 1, 50)), 1)
		now := modified(logOf("/logs/early.jsonl", said("S1/agent", "r2", 1, 3)), 1)
		now.Batch.Sessions = []meterbridge.Session{{Harness: "claude-code", ID: "S1/agent", Parent: "S1", Relation: meterbridge.SubAgent}}
		now.Batch.Prompts = []meterbridge.Prompt{asked("S1/agent", "p", 2)}
		if err := l.BeginPass(t.Context()); err != nil {
			t.Fatal(err)
		}
		for i, u := range []meterbridge.Unit{late, main, early, now} {
			u.Checkpoint.Source = []int64{1, 2, 3, 3}[i]
			if err := l.Commit(t.Context(), []meterbridge.Unit{u}); err != nil {
				t.Fatal(err)
			}
			if restart {
				l.write.Lock()
				l.forget() // what was touched is not known then
				l.write.Unlock()
			}
			if err := l.Settle(t.Context()); err != nil {
				t.Fatal(err)
			}
			got := dump(t, l, "SELECT count(*) FROM unanswered")
			if want := []string{[]string{"1", "1", "1", "0"}[i]}; !cmp.Equal(got, want) {
				t.Errorf("restart %v, after commit %d: %v prompts are unanswered, want %v", restart, i+1, got, want)
			}
		}
	}
}

// A log that is written again without the interrupt that had ended its last prompt
// has that prompt counted again.
func TestSettle_InterruptIsGone(t *testing.T) {
	l := open(t, Options{ReportZone: time.UTC})
	u := logOf("/logs/a.jsonl")
	u.Batch.Prompts = []meterbridge.Prompt{asked("S1", "p", 1)}
	u.Batch.Events = []meterbridge.Event{{Harness: "claude-code", Session: "S1", At: u.Batch.Prompts[0].At.Add(time.Minute), Kind: "interrupted"}}
	scanned(t, l, u)
	again := logOf("/logs/a.jsonl")
	again.Batch.Prompts, again.Whole = u.Batch.Prompts, true
	before := dump(t, l, "SELECT count(*) FROM unanswered")
	scanned(t, l, again)
	if got := append(before, dump(t, l, "SELECT count(*) FROM unanswered")...); !cmp.Equal(got, []string{"1", "0"}) {
		t.Errorf("unanswered before and after: %v, want 1 and 0", got)
	}
}
