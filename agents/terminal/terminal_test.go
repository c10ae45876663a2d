package terminal

import (
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"meterbridge/agents/terminal/process"
	"meterbridge/agents/terminal/screen"
)

func TestTerminal_ShowsAProgramAndItsExit(t *testing.T) {
	term := started(t, sh(`printf 'size '; stty size; read line; echo "got $line"; exit 7`))
	shows(t, term, "size 24 80")
	if err := term.Write(within(t), []byte("hi\r")); err != nil {
		t.Fatal(err)
	}
	state, err := term.Wait(within(t))
	if err != nil {
		t.Fatal(err)
	}
	want := State{Phase: Exited, Generation: 1, PID: state.PID, Code: 7, Cols: 80, Rows: 24}
	if diff := cmp.Diff(want, state); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if got := term.screen.Text(9); got != "size 24 80\nhi\ngot hi" {
		t.Errorf("screen: %q", got)
	}
	if _, err := term.Text(within(t), 9); !errors.Is(err, ErrExited) {
		t.Errorf("Text after the exit: %v", err)
	}
	if err := term.Write(within(t), []byte("x")); !errors.Is(err, ErrExited) {
		t.Errorf("Write after the exit: %v", err)
	}
}

func TestTerminal_NamesTheSignal(t *testing.T) {
	term := started(t, sh(`kill -KILL $$`))
	state, err := term.Wait(within(t))
	if err != nil || state.Code != -1 || state.Signal != "SIGKILL" {
		t.Errorf("%+v, %v", state, err)
	}
}

func TestTerminal_OutputOfAProgramThatEndsAtOnceIsWhole(t *testing.T) {
	for range 20 {
		term := started(t, sh(`seq 1 200`))
		if _, err := term.Wait(within(t)); err != nil {
			t.Fatal(err)
		}
		if got := term.screen.Text(1); got != "200" {
			t.Fatalf("last line %q", got)
		}
	}
}

func TestTerminal_Environment(t *testing.T) {
	term := New("ag-1", placed(t, Options{}))
	begin(t, term, Spec{
		Argv: []string{"sh", "-c", "env | sort; tty >/dev/null && echo a tty; sleep 100"},
		Base: []string{
			"PATH=/usr/bin:/bin", "TERM=dumb", "CLAUDECODE=1", "claude_code_entrypoint=cli", "Claude_Pid=3", "CLAUDE_CODE_SSE_PORT=1",
			"CLAUDE_CONFIG_DIR=/c", "CLAUDE_CODE_USE_BEDROCK=1", "AI_AGENT=x", "COLUMNS=3", "METERBRIDGE_AGENT=outer",
		},
		Env: []string{"METERBRIDGE_HOOK_URL=http://127.0.0.1:1"},
	})
	shows(t, term, "a tty")
	text, err := term.Text(within(t), 500)
	if err != nil {
		t.Fatal(err)
	}
	lines := slices.DeleteFunc(strings.Split(text, "\n"), func(l string) bool {
		return strings.HasPrefix(l, "PWD=") || strings.HasPrefix(l, "OLDPWD=") || strings.HasPrefix(l, "_=") || strings.HasPrefix(l, "SHLVL=")
	})
	want := []string{
		"CLAUDE_CODE_USE_BEDROCK=1", "CLAUDE_CONFIG_DIR=/c", "COLORTERM=truecolor", "METERBRIDGE_AGENT=ag-1",
		"METERBRIDGE_GENERATION=1", "METERBRIDGE_HOOK_URL=http://127.0.0.1:1", "PATH=/usr/bin:/bin", "TERM=xterm-256color", "a tty",
	}
	if diff := cmp.Diff(want, lines); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestTerminal_AProgramThatIsMissing(t *testing.T) {
	term := New("x", placed(t, Options{}))
	if err := term.Start(within(t), Spec{Argv: []string{"no-such-program-here"}}); err == nil || !strings.Contains(err.Error(), "start no-such-program-here: ") {
		t.Errorf("%v", err)
	}
	if err := term.Start(within(t), Spec{}); err == nil {
		t.Error("a start of nothing succeeded")
	}
	if err := term.Stop(within(t)); err != nil {
		t.Error(err)
	}
}

func TestTerminal_ResizeReachesTheProgram(t *testing.T) {
	term := started(t, sh(`trap 'stty size' WINCH; echo ready; while :; do read x; done`))
	shows(t, term, "ready")
	if err := term.Resize(100, 30); err != nil {
		t.Fatal(err)
	}
	shows(t, term, "30 100")
	if s := term.State(); s.Cols != 100 || s.Rows != 30 {
		t.Errorf("%+v", s)
	}
}

func TestTerminal_ALateByteOfAnOlderGenerationIsDropped(t *testing.T) {
	term := started(t, sh(`echo first; sleep 100`))
	shows(t, term, "first")
	if err := term.Start(within(t), sh("true")); !errors.Is(err, ErrRunning) {
		t.Fatalf("a second program: %v", err)
	}
	old := term.program
	stop(t, term)
	begin(t, term, sh(`echo second; sleep 100`))
	shows(t, term, "second")
	term.deliver(old, []byte("late"), false)
	term.exited(old, nil)
	text, err := term.Text(within(t), 9)
	if err != nil || text != "second" {
		t.Errorf("%q, %v", text, err)
	}
	if s := term.State(); s.Phase != Running || s.Generation != 2 {
		t.Errorf("%+v", s)
	}
}

func TestTerminal_AnswersWhileNobodyIsAttached(t *testing.T) {
	ask := `stty raw -echo; printf '\033[c'; dd bs=1 count=9 2>/dev/null | od -An -c | tr -d ' \n'; sleep 100`
	term := started(t, sh(ask))
	shows(t, term, `033[?62;22`)
	attached := started(t, sh(`read x; `+ask))
	v, err := attached.Attach(80, 24)
	if err != nil {
		t.Fatal(err)
	}
	defer v.Close()
	if err := v.Write(within(t), []byte("\r")); err != nil {
		t.Fatal(err)
	}
	// The viewer sees the question; its own terminal answers it.
	var seen string
	for !strings.Contains(seen, "\x1b[c") {
		b, _, err := v.Next(within(t))
		if err != nil {
			t.Fatal(err)
		}
		seen += string(b)
	}
	if err := v.Write(within(t), []byte("\x1b[?1;2;3c")); err != nil {
		t.Fatal(err)
	}
	shows(t, attached, `033[?1;2;3`)
}

func TestTerminal_OutlivesItsViewersAndTakesTheSmallestSize(t *testing.T) {
	term := started(t, sh(`echo before; read x; echo after; sleep 100`))
	shows(t, term, "before")
	wide, err := term.Attach(120, 20)
	if err != nil {
		t.Fatal(err)
	}
	narrow, err := term.Attach(60, 40)
	if err != nil {
		t.Fatal(err)
	}
	if s := term.State(); s.Cols != 60 || s.Rows != 20 {
		t.Errorf("with both: %d×%d", s.Cols, s.Rows)
	}
	narrow.Close()
	if s := term.State(); s.Cols != 120 || s.Rows != 20 {
		t.Errorf("with one: %d×%d", s.Cols, s.Rows)
	}
	b, _, err := wide.Next(within(t))
	if err != nil {
		t.Fatal(err)
	}
	theirs := screen.New(120, 20, screen.Options{})
	theirs.Write(b)
	if got := theirs.Text(9); got != "before" {
		t.Errorf("a viewer is drawn %q", got)
	}
	wide.Close()
	if _, _, err := wide.Next(within(t)); !errors.Is(err, ErrExited) {
		t.Errorf("Next after Close: %v", err)
	}
	if err := term.Write(within(t), []byte("\r")); err != nil {
		t.Fatal(err)
	}
	shows(t, term, "after")
}

func TestSubscription_GetsEveryByteOrTheirNumber(t *testing.T) {
	term := New("flood", placed(t, Options{}))
	fast, slow := term.Subscribe(), term.Subscribe()
	defer fast.Close()
	defer slow.Close()
	begin(t, term, sh(`stty -opost; head -c 5000000 /dev/zero | tr '\0' x`))
	count := func(s *Subscription) (read, missed int64) {
		for {
			b, m, err := s.Next(within(t))
			if errors.Is(err, ErrExited) {
				return read, missed
			}
			if err != nil {
				t.Fatal(err)
			}
			read, missed = read+int64(len(b)), missed+m
		}
	}
	if read, missed := count(fast); read+missed != 5_000_000 {
		t.Errorf("read %d, missed %d", read, missed)
	}
	if _, err := term.Wait(within(t)); err != nil {
		t.Fatal(err)
	}
	if read, missed := count(slow); read > held || read+missed != 5_000_000 {
		t.Errorf("without reading meanwhile: read %d, missed %d", read, missed)
	}
}

func TestViewer_ThatLagsIsDrawnAnew(t *testing.T) {
	term := started(t, sh(`read x; stty -opost; head -c 3000000 /dev/zero | tr '\0' x; printf '\033[2J\033[Hend'; sleep 100`))
	v, err := term.Attach(80, 24)
	if err != nil {
		t.Fatal(err)
	}
	defer v.Close()
	if err := v.Write(within(t), []byte("\r")); err != nil {
		t.Fatal(err)
	}
	shows(t, term, "end")
	theirs := screen.New(80, 24, screen.Options{})
	missed := int64(0)
	for theirs.Snapshot().Lines[0] != "end" {
		b, m, err := v.Next(within(t))
		if err != nil {
			t.Fatal(err)
		}
		theirs.Write(b)
		missed += m
	}
	if missed == 0 {
		t.Error("nothing was missed")
	}
}

func TestSubscribeText_IsPlain(t *testing.T) {
	for _, c := range []struct{ in, want string }{
		{"a\x1b[31mb\x1b[0mc", "abc"},
		{"a\x1b[3Cb\x1b[5Gc\x1b[2;3Hd", "a b c d"},
		{"a\x1b[Kb\x1b]0;t\ac\x1bPx\x1b\\d\x1b[?25le", "abcde"},
		{"a\r\nb\rc\td\ae\b", "a\nb\rc\tde"},
		{"日本\xff", "日本\ufffd"},
	} {
		for split := range len(c.in) {
			s := &Subscription{text: &plain{}}
			s.push([]byte(c.in[:split]))
			s.push([]byte(c.in[split:]))
			if got := string(s.buf); got != c.want {
				t.Errorf("%q split at %d: got %q, want %q", c.in, split, got, c.want)
			}
		}
	}
}

func TestSubscribeText_ComesInPortionsOf64KiB(t *testing.T) {
	term := New("text", placed(t, Options{}))
	s := term.SubscribeText()
	defer s.Close()
	begin(t, term, sh(`stty -opost; i=0; while [ $i -lt 3 ]; do head -c 50000 /dev/zero | tr '\0' x; i=$((i+1)); done; printf 'é%.0s' $(seq 40000)`))
	total := 0
	for {
		b, missed, err := s.Next(within(t))
		if errors.Is(err, ErrExited) {
			break
		}
		if err != nil || missed > 0 || len(b) > flushBytes || strings.ContainsRune(string(b), '\ufffd') {
			t.Fatalf("%d bytes, %d missed, %v", len(b), missed, err)
		}
		total += len(b)
	}
	if total != 150_000+80_000 {
		t.Errorf("%d bytes of text", total)
	}
}

func TestStop_LeavesNothingRunning(t *testing.T) {
	for name, script := range map[string]string{
		"a plain program":              `echo ready; sleep 1000`,
		"background jobs":              `sleep 1000 & sleep 1001 & echo ready; wait`,
		"a child that ignores hangups": `trap '' HUP TERM; sleep 1000 & echo ready; while :; do wait; sleep 1; done`,
		"a grandchild in a session of its own": `setsid sh -c 'trap "" HUP TERM; while :; do sleep 1000; done' &
			while ! pgrep -s "$!" >/dev/null 2>&1 && [ ! -e "/proc/$!" ]; do :; done; echo ready; wait`,
		"a stopped job": `sleep 1000 & kill -STOP $!; echo ready; wait`,
		"pipelines":     `echo ready; yes | cat >/dev/null`,
	} {
		t.Run(name, func(t *testing.T) {
			term := New("stop-"+strings.ReplaceAll(name, " ", "-"), placed(t, Options{Hangup: 200 * time.Millisecond, Terminate: 200 * time.Millisecond}))
			begin(t, term, sh(script))
			shows(t, term, "ready")
			if len(marked(t, term.ID())) == 0 {
				t.Fatal("the count of processes does not work")
			}
			stop(t, term)
			if s := term.State(); s.Phase != Exited {
				t.Errorf("%+v", s)
			}
		})
	}
}

func TestStop_AfterTheExitEndsWhatWasLeft(t *testing.T) {
	term := New("left", placed(t, Options{Hangup: 100 * time.Millisecond}))
	begin(t, term, sh(`trap '' HUP; sleep 1000 & echo ready`))
	if _, err := term.Wait(within(t)); err != nil {
		t.Fatal(err)
	}
	if n := len(marked(t, "left")); n != 1 {
		t.Errorf("%d processes after the exit, want the one that ignores hangups", n)
	}
	stop(t, term)
}

// daemons are the processes of a terminal that left its session and lost their parent.
func daemons(t *testing.T, term *Terminal) (list []Left) {
	t.Helper()
	all, err := process.List()
	if err != nil {
		t.Fatal(err)
	}
	for _, l := range marked(t, term.ID()) {
		if slices.ContainsFunc(all, func(p process.Process) bool { return p.PID == l.PID && p.Session == p.PID && p.PID != term.state.PID }) {
			list = append(list, l)
		}
	}
	return list
}

func TestStop_EndsDaemonsButThoseThatServeOthers(t *testing.T) {
	term := New("daemons", placed(t, Options{Keeps: []string{"--managed-daemon"}}))
	begin(t, term, sh(`(setsid sleep 1000 &); (setsid sh -c 'sleep 1001; :' sh --managed-daemon &); echo ready; sleep 1000`))
	shows(t, term, "ready")
	var before []Left
	_ = term.await(within(t), 10*time.Millisecond, func() bool {
		before = daemons(t, term)
		return len(before) == 2 && len(marked(t, term.ID())) == 5
	})
	if err := term.Stop(within(t)); err != nil {
		t.Fatal(err)
	}
	kept := daemons(t, term)
	if len(kept) != 1 || kept[0].Program != "sh" {
		t.Errorf("of %+v there is left %+v, want the one with the argument", before, kept)
	}
	h := process.Hunt{Alive: []process.Process{}}
	for _, l := range marked(t, term.ID()) {
		h.Alive = append(h.Alive, l.process())
	}
	h.Signal(9)
	if !h.Over(within(t), limit) {
		t.Error("the daemon of the test is left")
	}
}

func TestStop_EndsADaemonAfterTheExitOfItsGenerationOnly(t *testing.T) {
	term := New("generations", placed(t, Options{}))
	begin(t, term, sh(`setsid -f sh -c 'echo ready; exec sleep 1000'; read x`))
	shows(t, term, "ready")
	if err := term.Write(within(t), []byte("\r")); err != nil {
		t.Fatal(err)
	}
	if _, err := term.Wait(within(t)); err != nil {
		t.Fatal(err)
	}
	begin(t, term, sh(`echo ready; sleep 1000`))
	if err := term.Stop(within(t)); err != nil {
		t.Fatal(err)
	}
	left := marked(t, term.ID())
	if len(left) != 1 || left[0].Generation != 1 {
		t.Errorf("left is %+v, want the daemon of the first generation", left)
	}
	h := process.Hunt{}
	for _, l := range left {
		h.Alive = append(h.Alive, l.process())
	}
	h.Signal(9)
	if !h.Over(within(t), limit) {
		t.Error("the daemon of the test is left")
	}
}

func TestText_WaitsForTheEndOfAnUpdate(t *testing.T) {
	term := started(t, sh(`printf '\033[?2026hhalf'; read x; printf ' whole\033[?2026l'; sleep 1000`))
	shows(t, term, "half")
	got := make(chan string)
	begun := make(chan bool)
	go func() {
		close(begun)
		text, _ := term.Text(within(t), 1)
		got <- text
	}()
	<-begun
	// It waits 150 ms at most: an update that does not end is shown as it is.
	if text := <-got; text != "half" {
		t.Errorf("an update without end: %q", text)
	}
	if err := term.Write(within(t), []byte("\r")); err != nil {
		t.Fatal(err)
	}
	shows(t, term, "whole")
	if text, _ := term.Text(within(t), 1); !strings.HasSuffix(text, "whole") {
		t.Errorf("behind the update: %q", text)
	}
}
