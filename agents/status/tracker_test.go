package status

import (
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"meterbridge"
)

// title is a harness's: its first word is the kind of fact.
func titleOf(text string) (meterbridge.StatusFact, bool) {
	f := meterbridge.StatusFact{Kind: meterbridge.FactKind(text), Source: meterbridge.FromTitle, Confidence: meterbridge.Inferred}
	if f.Kind == meterbridge.FactNeedsInput {
		f.Question.Kind = meterbridge.Notice
	}
	return f, true
}

// tracked runs fn on a tracker and returns the statuses that it told.
func tracked(t *testing.T, s Source, fn func(tr *Tracker)) (told []string) {
	t.Helper()
	synctest.Test(t, func(*testing.T) {
		tr := New(Options{Agent: "a", Source: s, Tell: func(e Event) {
			if e.Kind == StatusChanged {
				told = append(told, strings.TrimSpace(fmt.Sprintf("%s %s %s", e.Change.Status, e.Change.Source, e.Change.Detail)))
			}
		}})
		defer tr.Close()
		tr.Spawn(1, "s")
		fn(tr)
		synctest.Wait()
	})
	return told
}

func hook(kind meterbridge.FactKind, turn string) meterbridge.StatusFact {
	return meterbridge.StatusFact{Kind: kind, Source: meterbridge.FromHook, Confidence: meterbridge.Exact, Session: "s", Turn: turn}
}

// A spinner in the title that has not come to the question yet answers none: the
// hook is faster than the title.
func TestTitle_ThatIsBehindAnswersNoQuestion(t *testing.T) {
	told := tracked(t, Source{Title: titleOf}, func(tr *Tracker) {
		tr.Fact(1, hook(meterbridge.FactTurn, "t1"))
		ask := hook(meterbridge.FactNeedsInput, "t1")
		ask.Detail, ask.Question.Kind = "Bash — ls", meterbridge.Permission
		tr.Fact(1, ask)
		tr.Title(string(meterbridge.FactResumed))
		tr.Title(string(meterbridge.FactNeedsInput))
		tr.Title(string(meterbridge.FactNeedsInput))
		tr.Title(string(meterbridge.FactResumed))
		tr.Fact(1, hook(meterbridge.FactFinished, "t1"))
	})
	want := []string{"idle process", "working hook", "needs-input hook Bash — ls", "working title", "finished hook"}
	if diff := cmp.Diff(want, told); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}

func TestOutput_OfACommand(t *testing.T) {
	told := tracked(t, Source{Output: AnyOutput}, func(tr *Tracker) {
		tr.Output()
		<-time.After(2 * time.Second)
		tr.Output()
		<-time.After(3 * time.Second)
		tr.Output()
	})
	if diff := cmp.Diff([]string{"idle process", "working output", "finished output", "working output"}, told); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}

// A harness that tells nothing: a single change is a cursor that blinks, several at
// once are work.
func TestOutput_OfAHarnessThatTellsNothing(t *testing.T) {
	told := tracked(t, Source{Output: MuchOutput}, func(tr *Tracker) {
		for range 5 {
			tr.Output()
			<-time.After(time.Second)
		}
		for range 4 {
			tr.Output()
		}
		<-time.After(4 * time.Second)
	})
	if diff := cmp.Diff([]string{"idle process", "working output", "finished output"}, told); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}

func TestGuess_IsSettledBySilenceOfTheTerminal(t *testing.T) {
	told := tracked(t, Source{}, func(tr *Tracker) {
		tr.Fact(1, hook(meterbridge.FactTurn, "t1"))
		tr.Typed([]byte("\x1b"))
		<-time.After(2 * time.Second)
		tr.Output() // it still draws
		<-time.After(2500 * time.Millisecond)
		if got := tr.Info().Status; got != meterbridge.Working {
			t.Errorf("settled as %s too early", got)
		}
		<-time.After(time.Second)
	})
	if diff := cmp.Diff([]string{"idle process", "working hook", "idle key"}, told); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}

func TestDraft_IsWhatAPersonLeavesInTheInput(t *testing.T) {
	for _, c := range []struct {
		typed []string
		want  bool
	}{
		{nil, false},
		{[]string{"a"}, true},
		{[]string{"a", "\r"}, false},
		{[]string{"\x1b[A"}, false},
		{[]string{"\x1b[I"}, false},
		{[]string{"\x1b[200~text\x1b[201~"}, true},
		{[]string{"\x7f"}, true},
		{[]string{"\x1b"}, true},
		{[]string{"\x1b[200~a\rb\x1b[201~"}, true},
		{[]string{"text\r"}, false},
	} {
		tracked(t, Source{}, func(tr *Tracker) {
			for _, chunk := range c.typed {
				tr.Typed([]byte(chunk))
			}
			if got := tr.Info().Draft; got != c.want {
				t.Errorf("after %q a draft: %v, want %v", c.typed, got, c.want)
			}
		})
	}
}
