package terminal

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// A command form, and what it must give in every shell that understands it.
type form struct {
	name, command string
	want          Result
}

func code(n int) *int { return &n }

// forms are written in what bash and zsh share.
func forms() []form {
	ok := func(output string) Result { return Result{Code: code(0), Output: output} }
	return []form{
		{"echo", "echo hi", ok("hi\n")},
		{"nothing", "true", ok("")},
		{"false", "false", Result{Code: code(1)}},
		{"a status in a subshell", "(exit 42)", Result{Code: code(42)}},
		{"pipeline", "printf 'a\\nb\\n' | sed s/a/x/", ok("x\nb\n")},
		{"nested shell", `sh -c 'echo out; echo err >&2; exit 3'`, Result{Code: code(3), Output: "out\nerr\n"}},
		{"function", "f() { echo in f; return 5; }; f", Result{Code: code(5), Output: "in f\n"}},
		{"loop over three lines", "for i in 1 2\ndo echo $i\ndone", ok("1\n2\n")},
		{"two commands on two lines", "echo one\necho two", ok("one\ntwo\n")},
		{"here-document", "cat <<'E'\na  $x\n\tb\nE", ok("a  $x\n\tb\n")},
		{"no newline at the end", "printf abc", ok("abc")},
		{"a tab in the command", "echo 'a\tb'", ok("a\tb\n")},
		{"exclamation mark", "echo 'hi!' \"!x\"", ok("hi! !x\n")},
		{"Unicode", "echo 'é日本👩\u200d👧'", ok("é日本👩\u200d👧\n")},
		{"colours", `printf '\033[31mred\033[0m\n'`, ok("red\n")},
		{"progress", `printf '10%%\r50%%\r100%%\nabc\rx\n'`, ok("100%\nxbc\n")},
		{"erased progress", `printf 'loading...\r\033[Kdone\n'`, ok("done\n")},
		{"backspace", `printf 'ab\bc\n'`, ok("ac\n")},
		{"a mark that is not ours", `printf 'a\033]133;D;0\007b\n'`, ok("ab\n")},
		{"alternate screen", `printf 'a\n\033[?1049hhidden\033[?1049lb\n'`, ok("a\nb\n")},
		{"environment is kept", "export KEPT=1", ok("")},
		{"so it is there", "echo $KEPT", ok("1\n")},
		{"a folder", "cd / && pwd", ok("/\n")},
		{"is kept", "pwd", ok("/\n")},
		{"a long line", "echo " + strings.Repeat("x", 6000), ok(strings.Repeat("x", 6000) + "\n")},
		{"output without end", "seq 1 30000", Result{Code: code(0), Truncated: true, Output: tailOf(seq(30000))}},
		{"many lines", "seq 1 5000", ok(seq(5000))},
		{"the user's file was read", "echo $FROM_USER", ok("yes\n")},
	}
}

func seq(n int) string {
	var b strings.Builder
	for i := 1; i <= n; i++ {
		fmt.Fprintln(&b, i)
	}
	return b.String()
}

func tailOf(s string) string { return s[len(s)-MaxOutput:] }

// shell starts a shell whose user has a file of his own.
func shell(t testing.TB, kind Shell, file, text string) *Terminal {
	t.Helper()
	home := t.TempDir()
	if err := os.WriteFile(home+"/"+file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return started(t, Spec{Shell: kind, Base: []string{"PATH=" + os.Getenv("PATH"), "HOME=" + home, "LANG=C.UTF-8"}})
}

func bash(t testing.TB) *Terminal {
	return shell(t, Bash, ".bashrc", "PS1='$ '\nexport FROM_USER=yes\nalias hello='echo hello'\n")
}

func run(t testing.TB, term *Terminal, command string) Result {
	t.Helper()
	r, err := term.Run(within(t), command, limit)
	if err != nil {
		text, _ := term.Text(within(t), 30)
		t.Fatalf("%q: %v\nscreen:\n%s", command, err, text)
	}
	return r
}

func check(t *testing.T, term *Terminal, all []form) {
	t.Helper()
	for _, f := range all {
		if diff := cmp.Diff(f.want, run(t, term, f.command)); diff != "" {
			t.Errorf("%s: %q (-want +got):\n%s", f.name, f.command, diff)
		}
	}
}

func TestRun_Bash(t *testing.T) {
	term := bash(t)
	check(t, term, forms())
	check(t, term, []form{
		{"alias", "hello", Result{Code: code(0), Output: "hello\n"}},
		{"syntax error", "echo )", Result{Code: code(2), Output: "bash: syntax error near unexpected token `)'\n"}},
		{"comment", "# nothing", Result{Code: code(2)}}, // the status that was
		{"still there", "echo ok", Result{Code: code(0), Output: "ok\n"}},
		{"redirect of the shell", "exec 3>&1; echo three >&3", Result{Code: code(0), Output: "three\n"}},
	})
}

func TestRun_BackgroundJob(t *testing.T) {
	term := bash(t)
	r := run(t, term, "sleep 1000 &")
	if r.Code == nil || *r.Code != 0 || !strings.HasPrefix(r.Output, "[1] ") {
		t.Errorf("%+v", r)
	}
	check(t, term, []form{{"behind it", "echo next", Result{Code: code(0), Output: "next\n"}}})
}

func TestRun_IncompleteCommand(t *testing.T) {
	term := bash(t)
	for _, command := range []string{"echo 'open", "cat <<E\nx", "if true", "echo $(", "for i in 1; do"} {
		if _, err := term.Run(within(t), command, limit); !errors.Is(err, ErrIncomplete) {
			t.Errorf("%q: %v", command, err)
		}
		check(t, term, []form{{"behind it", "echo fine", Result{Code: code(0), Output: "fine\n"}}})
	}
}

func TestRun_TimesOutAndGoesOn(t *testing.T) {
	term := bash(t)
	run(t, term, "true")
	r, err := term.Run(within(t), "echo start; read line; echo got $line", 300*time.Millisecond)
	want := Result{Output: "start\n", TimedOut: true, Reason: "it still runs"}
	if diff := cmp.Diff(want, r); diff != "" || err != nil {
		t.Fatalf("%v (-want +got):\n%s", err, diff)
	}
	if _, err := term.Run(within(t), "echo x", 100*time.Millisecond); !errors.Is(err, ErrBusy) || !strings.Contains(err.Error(), "read line") {
		t.Errorf("behind it: %v", err)
	}
	if err := term.Write(within(t), []byte("hello\r")); err != nil {
		t.Fatal(err)
	}
	shows(t, term, "got hello")
	check(t, term, []form{{"behind it", "echo next", Result{Code: code(0), Output: "next\n"}}})
}

func TestInterrupt_EndsWhatRunsAndNotTheShell(t *testing.T) {
	for name, command := range map[string]string{
		"sleep":               "sleep 1000",
		"a program that asks": "cat",
		"what ignores SIGINT": `sh -c 'trap "" INT; while :; do sleep 1000; done'`,
		"a nested shell":      "bash --norc -i",
	} {
		t.Run(name, func(t *testing.T) {
			term := bash(t)
			run(t, term, "true")
			if r, err := term.Run(within(t), command, 500*time.Millisecond); err != nil || !r.TimedOut {
				t.Fatalf("%+v, %v", r, err)
			}
			if err := term.Interrupt(within(t)); err != nil {
				t.Fatal(err)
			}
			check(t, term, []form{{"behind it", "echo alive", Result{Code: code(0), Output: "alive\n"}}})
		})
	}
}

// Programs that take the whole screen are no output, and do not keep the terminal.
func TestRun_FullScreenPrograms(t *testing.T) {
	for _, command := range []string{"less /etc/passwd", "vi -u NONE /etc/passwd", "top"} {
		if _, err := exec.LookPath(strings.Fields(command)[0]); err != nil {
			t.Logf("%s is not on this machine", command)
			continue
		}
		term := bash(t)
		run(t, term, "true")
		r, err := term.Run(within(t), command, time.Second)
		if err != nil || !r.TimedOut {
			t.Errorf("%s: %+v, %v", command, r, err)
		}
		if err := term.Interrupt(within(t)); err != nil {
			t.Fatal(err)
		}
		check(t, term, []form{
			{"behind " + command, "echo alive; (exit 6)", Result{Code: code(6), Output: "alive\n"}},
			{"two lines", "read -r x <<E\nin a document\nE\necho $x", Result{Code: code(0), Output: "in a document\n"}},
		})
	}
}

func TestRun_ShellThatEnds(t *testing.T) {
	for _, c := range []struct {
		command, output string
		code            int
	}{
		{"exit 3", "exit\n", 3},
		{"exec sh -c 'echo other; exit 9'", "other\n", 9},
		{"set -e; false", "", 1},
	} {
		term := bash(t)
		r := run(t, term, c.command)
		want := Result{Code: &c.code, Output: c.output, Exited: true}
		if diff := cmp.Diff(want, r); diff != "" {
			t.Errorf("%q (-want +got):\n%s", c.command, diff)
		}
		if _, err := term.Run(within(t), "echo x", limit); !errors.Is(err, ErrExited) {
			t.Errorf("after %q: %v", c.command, err)
		}
	}
}

func TestRun_OneAtATimeInOrder(t *testing.T) {
	term := bash(t)
	run(t, term, "n=0")
	var wg sync.WaitGroup
	seen := make(chan string, MaxWaiting)
	for range MaxWaiting {
		wg.Go(func() {
			r, err := term.Run(within(t), "n=$((n+1)); echo $n", limit)
			if err != nil {
				t.Error(err)
			}
			seen <- r.Output
		})
	}
	wg.Wait()
	close(seen)
	got := map[string]bool{}
	for s := range seen {
		got[s] = true
	}
	for i := 1; i <= MaxWaiting; i++ {
		if !got[fmt.Sprintln(i)] {
			t.Errorf("no command saw %d: %v", i, got)
		}
	}
}

func TestRun_QueueIsBounded(t *testing.T) {
	term := bash(t)
	run(t, term, "true")
	var wg sync.WaitGroup
	defer wg.Wait()
	wg.Go(func() { term.Run(within(t), "read x", limit) })
	term.await(within(t), promptTick, func() bool { return term.marks.last == 'C' && term.turns.command == "read x" })
	for range MaxWaiting {
		wg.Go(func() { term.Run(within(t), "true", limit) })
	}
	term.await(within(t), promptTick, func() bool { return len(term.turns.waiting) == MaxWaiting })
	if _, err := term.Run(within(t), "true", limit); !errors.Is(err, ErrBusy) {
		t.Errorf("one more: %v", err)
	}
	if err := term.Write(within(t), []byte("\r")); err != nil {
		t.Fatal(err)
	}
}

func TestRun_MarksThatTheUserTookAwayComeBack(t *testing.T) {
	term := bash(t)
	r := run(t, term, "echo out; PROMPT_COMMAND=")
	want := Result{Output: "out\n", Reason: "the shell's prompt came without its mark"}
	if diff := cmp.Diff(want, r); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	check(t, term, []form{{"behind it", "(exit 4)", Result{Code: code(4)}}})
}

func TestRun_Refuses(t *testing.T) {
	term := bash(t)
	for _, command := range []string{"", "  \n ", "\x1b\x03"} {
		if _, err := term.Run(within(t), command, limit); !errors.Is(err, ErrEmpty) {
			t.Errorf("%q: %v", command, err)
		}
	}
	check(t, term, []form{{"keys in a command", "echo a\x1b[201~\x03b", Result{Code: code(0), Output: "a[201~b\n"}}})
	other := started(t, sh("echo ready; sleep 1000"))
	if _, err := other.Run(within(t), "echo x", limit); !errors.Is(err, ErrNoPrompt) {
		t.Errorf("a program without prompts: %v", err)
	}
}

func TestRun_PersonTypesMeanwhile(t *testing.T) {
	term := bash(t)
	v, err := term.Attach(80, 24)
	if err != nil {
		t.Fatal(err)
	}
	defer v.Close()
	done := make(chan Result)
	go func() {
		r, _ := term.Run(within(t), "echo ask; read x; echo \"<$x>\"", limit)
		done <- r
	}()
	shows(t, term, "\nask")
	if err := v.Write(within(t), []byte("me\r")); err != nil {
		t.Fatal(err)
	}
	want := Result{Code: code(0), Output: "ask\nme\n<me>\n", Typed: true}
	if diff := cmp.Diff(want, <-done); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestStart_NothingOfTheMarksIsLeftOrSeen(t *testing.T) {
	folder := t.TempDir()
	term := New("clean", placed(t, Options{Folder: folder}))
	begin(t, term, Spec{Shell: Bash})
	run(t, term, "true")
	files, err := os.ReadDir(folder)
	if err != nil || len(files) > 0 {
		t.Errorf("left in the folder: %v, %v", files, err)
	}
	if r := run(t, term, "env | grep -c "+term.marks.nonce); r.Output != "0\n" {
		t.Errorf("the nonce is in the environment: %q", r.Output)
	}
	text, err := term.Text(within(t), 500)
	if err != nil || strings.Contains(strings.ReplaceAll(text, "grep -c "+term.marks.nonce, ""), term.marks.nonce) {
		t.Errorf("the screen shows marks: %q, %v", text, err)
	}
}
