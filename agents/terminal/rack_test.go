package terminal

import (
	"errors"
	"fmt"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

// uses collects what a rack records.
type uses struct {
	mu  sync.Mutex
	all []Use
}

func (u *uses) record(one Use) {
	u.mu.Lock()
	defer u.mu.Unlock()
	u.all = append(u.all, one)
}

// racked is a rack that is closed with the test, and then nothing of it may be left.
func racked(t testing.TB, o RackOptions) *Rack {
	t.Helper()
	o.Terminal = placed(t, o.Terminal)
	r, err := NewRack(o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := r.Close(within(t)); err != nil {
			t.Error(err)
		}
		for _, l := range r.List() {
			if left := marked(t, l.ID); len(left) > 0 {
				t.Errorf("processes of %s are left: %+v", l.ID, left)
			}
		}
	})
	return r
}

// spec is a program in an environment of its own.
func spec(t testing.TB, s Spec) Spec {
	t.Helper()
	s.Dir = t.TempDir()
	s.Base = []string{"PATH=" + os.Getenv("PATH"), "HOME=" + t.TempDir(), "LANG=C.UTF-8"}
	return s
}

func TestRack_KeepsTerminalsByIDAndGeneration(t *testing.T) {
	ended := make(chan State, 9)
	r := racked(t, RackOptions{Watch: Watch{Ended: func(id string, s State) {
		if id == "one-"+"of-two" {
			ended <- s
		}
	}}})
	id := "one-of-two"
	for i, s := range []Spec{sh("exit 4"), {Argv: sh("exit 5").Argv, Generation: 7}, {Argv: sh("exit 6").Argv, Generation: 7}, sh("exit 7")} {
		if _, err := r.Start(within(t), id, spec(t, s)); err != nil {
			t.Fatal(err)
		}
		got := <-ended
		want := State{Phase: Exited, Generation: []int{1, 7, 7, 8}[i], PID: got.PID, Code: 4 + i, Cols: 80, Rows: 24}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("start %d (-want +got):\n%s", i, diff)
		}
	}
	if _, err := r.Start(within(t), id, Spec{Argv: []string{"true"}, Generation: 3}); !errors.Is(err, ErrInvalid) {
		t.Errorf("an older generation: %v", err)
	}
	if _, err := r.Start(within(t), "the-other", spec(t, sh("sleep 1000"))); err != nil {
		t.Fatal(err)
	}
	var ids []string
	for _, l := range r.List() {
		ids = append(ids, fmt.Sprint(l.ID, " ", l.Phase))
	}
	if diff := cmp.Diff([]string{"one-of-two exited", "the-other running"}, ids); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if err := r.Remove("the-other"); !errors.Is(err, ErrRunning) {
		t.Errorf("remove a running one: %v", err)
	}
	if err := r.Remove(id); err != nil {
		t.Error(err)
	}
	if _, err := r.Screen(within(t), id, 0); !errors.Is(err, ErrUnknown) {
		t.Errorf("a removed one: %v", err)
	}
}

func TestRack_CloseEndsAllInParallel(t *testing.T) {
	r := racked(t, RackOptions{Terminal: Options{Hangup: 300 * time.Millisecond, Terminate: 300 * time.Millisecond}})
	for i := range 8 {
		id := fmt.Sprint("stubborn-", i)
		if _, err := r.Start(within(t), id, spec(t, sh(`trap '' HUP TERM; sleep 1000 & echo ready; while :; do wait; done`))); err != nil {
			t.Fatal(err)
		}
		term, err := r.Terminal(id)
		if err != nil {
			t.Fatal(err)
		}
		shows(t, term, "ready")
	}
	if err := r.Close(within(t)); err != nil {
		t.Error(err)
	}
	if _, err := r.Start(within(t), "late", sh("true")); !errors.Is(err, ErrClosed) {
		t.Errorf("a start behind the end: %v", err)
	}
}

func TestRack_RecordsWhatCallersDo(t *testing.T) {
	var log uses
	r := racked(t, RackOptions{Record: log.record})
	if _, err := r.Start(within(t), "shell", spec(t, Spec{Shell: Bash})); err != nil {
		t.Fatal(err)
	}
	card := Caller{ID: "card-1", Link: "link-1"}
	long := "echo " + strings.Repeat("ä", 300)
	for _, c := range []struct {
		caller  Caller
		command string
	}{{card, "(echo hi; exit 3)"}, {Caller{}, "echo a person's"}, {card, long}, {card, "echo 'open"}} {
		if _, err := r.Run(within(t), c.caller, "shell", c.command, 0); err != nil && !errors.Is(err, ErrIncomplete) {
			t.Fatal(err)
		}
	}
	if err := r.Write(within(t), card, "shell", "# typed", true); err != nil {
		t.Fatal(err)
	}
	want := []Use{
		{Verb: VerbRun, Text: "(echo hi; exit 3)", Code: code(3), Bytes: 3},
		{Verb: VerbRun, Text: long[:5+2*195], Code: code(0), Bytes: 601},
		{Verb: VerbRun, Text: "echo 'open", Fault: ErrIncomplete.Error()},
		{Verb: VerbWrite, Text: "# typed", Bytes: 7},
	}
	for i := range want {
		want[i].Terminal, want[i].Generation, want[i].Caller = "shell", 1, card
	}
	if diff := cmp.Diff(want, log.all, cmpopts.IgnoreFields(Use{}, "At", "Took")); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	for _, u := range log.all {
		if u.At.IsZero() || u.Took <= 0 {
			t.Errorf("%s: at %v for %v", u.Text, u.At, u.Took)
		}
	}
}

func TestRack_RefusesWhatIsOutsideItsBounds(t *testing.T) {
	var log uses
	r := racked(t, RackOptions{Record: log.record})
	if _, err := r.Start(within(t), "x", spec(t, sh("sleep 1000"))); err != nil {
		t.Fatal(err)
	}
	c := Caller{ID: "c"}
	for name, got := range map[string]error{
		"no command":    second(r.Run(within(t), c, "x", "", 0)),
		"long command":  second(r.Run(within(t), c, "x", strings.Repeat("ä", MaxText+1), 0)),
		"short timeout": second(r.Run(within(t), c, "x", "true", time.Millisecond)),
		"long timeout":  second(r.Run(within(t), c, "x", "true", 121*time.Second)),
		"no text":       r.Write(within(t), c, "x", "", true),
		"lines":         second(r.Screen(within(t), "x", 501)),
	} {
		if !errors.Is(got, ErrInvalid) {
			t.Errorf("%s: %v", name, got)
		}
	}
	if err := second(r.Run(within(t), c, "other", "true", 0)); !errors.Is(err, ErrUnknown) {
		t.Errorf("a terminal that is not there: %v", err)
	}
	if len(log.all) > 0 {
		t.Errorf("recorded: %+v", log.all)
	}
}

func second[T any](_ T, err error) error { return err }

func TestRates_ArePerCallerAndVerb(t *testing.T) {
	var r rates
	now := time.Unix(1_800_000_000, 0)
	for _, c := range []struct {
		verb Verb
		n    int
		wait time.Duration
	}{{VerbRun, 30, 2 * time.Second}, {VerbWrite, 60, time.Second}} {
		for range c.n {
			if err := r.take(Caller{ID: "a"}, c.verb, now); err != nil {
				t.Fatal(err)
			}
		}
		var refused *RateError
		if err := r.take(Caller{ID: "a"}, c.verb, now); !errors.As(err, &refused) || refused.Wait != c.wait || refused.PerMinute != c.n {
			t.Errorf("one %s too many: %+v", c.verb, refused)
		}
		if err := r.take(Caller{ID: "a"}, c.verb, now.Add(c.wait)); err != nil {
			t.Errorf("after the wait: %v", err)
		}
		if err := r.take(Caller{ID: "b"}, c.verb, now); err != nil {
			t.Errorf("another caller: %v", err)
		}
		for range 100 {
			if err := r.take(Caller{}, c.verb, now); err != nil {
				t.Fatalf("a person: %v", err)
			}
		}
	}
	for i := range 3 * mostCallers {
		_ = r.take(Caller{ID: fmt.Sprint(i)}, VerbRun, now.Add(time.Duration(i)))
	}
	if len(r.of) != mostCallers {
		t.Errorf("%d rates are remembered", len(r.of))
	}
}

func TestType_SendsTextAsItsProgramReadsIt(t *testing.T) {
	show := `stty raw -echo; printf ready; dd bs=1 count=%d 2>/dev/null | od -An -c | tr -d ' \n'; sleep 1000`
	for _, c := range []struct {
		name, before, text string
		enter              bool
		want               string
		bytes              int
	}{
		{"one line", `printf '\033[?2004h'; `, "ls\x03", false, `ls003`, 3},
		{"one line and Enter", "", "ls", true, `ls\r`, 3},
		{"several lines", "", "a\nb", true, `a\nb\r`, 4},
		{"several lines in brackets", `printf '\033[?2004h'; `, "a\nb\x1b[201~", true, `033[200~a\rb[201~033[201~\r`, 21},
	} {
		t.Run(c.name, func(t *testing.T) {
			term := started(t, sh(c.before+fmt.Sprintf(show, c.bytes)))
			shows(t, term, "ready")
			if err := term.Type(within(t), c.text, c.enter); err != nil {
				t.Fatal(err)
			}
			shows(t, term, "ready"+c.want)
		})
	}
}

func TestType_RefusesALineThatTheKernelWouldCut(t *testing.T) {
	term := started(t, sh(`echo ready; wc -c`))
	shows(t, term, "ready")
	if err := term.Type(within(t), "short\n"+strings.Repeat("x", longestLine()+1), true); !errors.Is(err, ErrLongLine) {
		t.Errorf("a line of %d bytes: %v", longestLine()+1, err)
	}
	if err := term.Type(within(t), "short\n"+strings.Repeat("x", longestLine()), true); err != nil {
		t.Error(err)
	}
	if err := term.Write(within(t), []byte{4}); err != nil {
		t.Fatal(err)
	}
	shows(t, term, fmt.Sprint(longestLine()+1+6))
}

func TestWriteTo_ReachesNoLaterGeneration(t *testing.T) {
	term := started(t, sh("cat"))
	if err := term.WriteTo(within(t), 1, []byte("for the first\r")); err != nil {
		t.Fatal(err)
	}
	shows(t, term, "for the first")
	stop(t, term)
	begin(t, term, sh("cat"))
	if err := term.WriteTo(within(t), 1, []byte("x")); !errors.Is(err, ErrGone) {
		t.Errorf("to the first: %v", err)
	}
}

func TestLook_TellsWhoListens(t *testing.T) {
	term := bash(t)
	run(t, term, "true")
	term.await(within(t), promptTick, func() bool { return term.screen.Modes().BracketedPaste && term.program.editing() })
	l, err := term.Look(within(t))
	if err != nil || !l.Leads || l.Lines || !l.KeyAt.IsZero() || l.Generation != 1 || !l.Modes.BracketedPaste {
		t.Errorf("at the prompt: %+v, %v", l, err)
	}
	if r, err := term.Run(within(t), "cat", 300*time.Millisecond); err != nil || !r.TimedOut {
		t.Fatal(r, err)
	}
	if l, err := term.Look(within(t)); err != nil || l.Leads || !l.Lines {
		t.Errorf("while cat runs: %+v, %v", l, err)
	}
	v, err := term.Attach(80, 24)
	if err != nil {
		t.Fatal(err)
	}
	defer v.Close()
	if err := v.Write(within(t), []byte{3}); err != nil {
		t.Fatal(err)
	}
	if l, err := term.Look(within(t)); err != nil || l.KeyAt.IsZero() || l.Viewers != 1 {
		t.Errorf("after a person's key: %+v, %v", l, err)
	}
}
