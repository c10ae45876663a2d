package status

import (
	"testing"
	"time"

	"meterbridge"
)

// A title that blinks goes on for a moment after its question was answered.
func TestTracker_ATitleLagsBehindAnAnswer(t *testing.T) {
	now := time.UnixMilli(1_790_000_000_000)
	tracker := New(Options{
		Agent: "a", Now: func() time.Time { return now },
		Source: Source{Title: func(title string) (meterbridge.StatusFact, bool) {
			f := meterbridge.StatusFact{Kind: meterbridge.FactKind(title), Source: meterbridge.FromTitle, Confidence: meterbridge.Exact}
			f.Question.Kind = meterbridge.Asked
			return f, true
		}},
	})
	defer tracker.Close()
	tracker.Spawn(1, "s")
	tracker.Fact(1, meterbridge.StatusFact{Kind: meterbridge.FactTurn, Source: meterbridge.FromHook, Session: "s", Turn: "t"})
	for _, step := range []struct {
		after time.Duration
		act   func()
		want  meterbridge.Status
	}{
		{time.Second, func() { tracker.Title("needs-input") }, meterbridge.NeedsInput},
		{time.Second, func() { tracker.Typed([]byte("\r")) }, meterbridge.Working},
		{100 * time.Millisecond, func() { tracker.Title("needs-input") }, meterbridge.Working},
		{899 * time.Millisecond, func() { tracker.Title("needs-input") }, meterbridge.Working},
		{2 * time.Millisecond, func() { tracker.Title("needs-input") }, meterbridge.NeedsInput},
	} {
		now = now.Add(step.after)
		step.act()
		if got := tracker.Info().Status; got != step.want {
			t.Errorf("at %v: %s, want %s", now, got, step.want)
		}
	}
}

// A harness that is ready for its first prompt has finished none.
func TestTracker_ATitleFinishesOnlyWhatRuns(t *testing.T) {
	tracker := New(Options{Agent: "a", Source: Source{Title: func(title string) (meterbridge.StatusFact, bool) {
		return meterbridge.StatusFact{Kind: meterbridge.FactKind(title), Source: meterbridge.FromTitle, Confidence: meterbridge.Exact}, true
	}}})
	defer tracker.Close()
	tracker.Spawn(1, "s")
	for _, step := range []struct {
		title string
		want  meterbridge.Status
	}{{"finished", meterbridge.Idle}, {"turn", meterbridge.Working}, {"finished", meterbridge.Finished}, {"finished", meterbridge.Finished}} {
		if tracker.Title(step.title); tracker.Info().Status != step.want {
			t.Errorf("title %s: %s, want %s", step.title, tracker.Info().Status, step.want)
		}
	}
}
