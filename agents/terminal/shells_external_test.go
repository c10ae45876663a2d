//go:build external

package terminal

import (
	"errors"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"meterbridge/internal/testkit"
)

func zsh(t testing.TB) *Terminal {
	testkit.Program(t, "zsh", "zsh")
	return shell(t, Zsh, ".zshrc", "PS1='%# '\nexport FROM_USER=yes\nalias hello='echo hello'\n")
}

func fish(t testing.TB) *Terminal {
	testkit.Program(t, "fish", "fish")
	return shell(t, Fish, "unused", "")
}

func TestRun_Zsh(t *testing.T) {
	term := zsh(t)
	check(t, term, forms())
	check(t, term, []form{
		{"alias", "hello", Result{Code: code(0), Output: "hello\n"}},
		{"the user's folder is back", "echo \"<$ZDOTDIR>\"", Result{Code: code(0), Output: "<>\n"}},
	})
}

func TestRun_ZshIncompleteCommand(t *testing.T) {
	term := zsh(t)
	for _, command := range []string{"echo 'open", "cat <<E\nx", "if true"} {
		if _, err := term.Run(within(t), command, limit); !errors.Is(err, ErrIncomplete) {
			t.Errorf("%q: %v", command, err)
		}
		check(t, term, []form{{"behind it", "echo fine", Result{Code: code(0), Output: "fine\n"}}})
	}
}

func TestRun_ZshThatEnds(t *testing.T) {
	term := zsh(t)
	check(t, term, []form{{"exit", "exit 3", Result{Code: code(3), Exited: true}}})
}

func TestRun_ZshTimesOut(t *testing.T) { timesOut(t, zsh(t), "cat") }

func TestRun_FishTimesOut(t *testing.T) { timesOut(t, fish(t), "cat") }

func timesOut(t *testing.T, term *Terminal, command string) {
	t.Helper()
	run(t, term, "true")
	if r, err := term.Run(within(t), command, 300*time.Millisecond); err != nil || !r.TimedOut {
		t.Fatalf("%+v, %v", r, err)
	}
	if err := term.Interrupt(within(t)); err != nil {
		t.Fatal(err)
	}
	check(t, term, []form{{"behind it", "echo next", Result{Code: code(0), Output: "next\n"}}})
}

// fishForms are written in what fish understands.
func fishForms() []form {
	ok := func(output string) Result { return Result{Code: code(0), Output: output} }
	return []form{
		{"echo", "echo hi", ok("hi\n")},
		{"false", "false", Result{Code: code(1)}},
		{"nested shell", `sh -c 'echo out; echo err >&2; exit 3'`, Result{Code: code(3), Output: "out\nerr\n"}},
		{"pipeline", `printf 'a\nb\n' | sed s/a/x/`, ok("x\nb\n")},
		{"function", "function f; echo in f; return 5; end; f", Result{Code: code(5), Output: "in f\n"}},
		{"loop over three lines", "for i in 1 2\necho $i\nend", ok("1\n2\n")},
		{"two commands on two lines", "echo one\necho two", ok("one\ntwo\n")},
		{"no newline at the end", "printf abc", ok("abc")},
		{"Unicode", "echo 'é日本👩\u200d👧'", ok("é日本👩\u200d👧\n")},
		{"progress", `printf '10%%\r50%%\r100%%\nabc\rx\n'`, ok("100%\nxbc\n")},
		{"alternate screen", `printf 'a\n\033[?1049hhidden\033[?1049lb\n'`, ok("a\nb\n")},
		{"environment is kept", "set -x KEPT 1", ok("")},
		{"so it is there", "echo $KEPT", ok("1\n")},
		{"output without end", "seq 1 30000", Result{Code: code(0), Truncated: true, Output: tailOf(seq(30000))}},
	}
}

func TestRun_Fish(t *testing.T) { check(t, fish(t), fishForms()) }

func TestRun_FishRefusesWhatIsIncomplete(t *testing.T) {
	term := fish(t)
	check(t, term, []form{
		{"syntax error", "echo )", Result{Code: code(127), Output: "fish: Unexpected ')' for unopened parenthesis\necho )\n     ^\n"}},
		{"behind it", "echo fine", Result{Code: code(0), Output: "fine\n"}},
	})
	for _, command := range []string{"if true", "echo 'open", "for i in 1\necho $i"} {
		if r, err := term.Run(within(t), command, limit); !errors.Is(err, ErrIncomplete) {
			t.Errorf("%q: %+v, %v", command, r, err)
		}
		check(t, term, []form{{"behind it", "echo fine", Result{Code: code(0), Output: "fine\n"}}})
	}
}

func TestRun_FishThatEnds(t *testing.T) {
	// fish tells the status of exit before it goes.
	term := fish(t)
	check(t, term, []form{{"exit", "exit 3", Result{Code: code(3)}}})
	if state, err := term.Wait(within(t)); err != nil || state.Code != 3 {
		t.Errorf("%+v, %v", state, err)
	}
}

// Any sequence of commands of every form leaves the shell usable, and none sees
// another's output.
func TestRun_RandomSequences(t *testing.T) {
	for name, c := range map[string]struct {
		start func(testing.TB) *Terminal
		forms []form
	}{"bash": {bash, forms()}, "zsh": {zsh, forms()}, "fish": {fish, fishForms()}} {
		t.Run(name, func(t *testing.T) {
			term, all := c.start(t), c.forms
			r := rand.New(rand.NewPCG(7, 9))
			for i := range 200 {
				switch k := r.IntN(10); k {
				case 0:
					if _, err := term.Run(within(t), "echo 'open", limit); !errors.Is(err, ErrIncomplete) {
						t.Fatal(i, err)
					}
				case 1:
					if r, err := term.Run(within(t), "cat", 50*time.Millisecond); err != nil && !errors.Is(err, ErrBusy) {
						t.Fatal(i, r, err)
					}
					if err := term.Interrupt(within(t)); err != nil {
						t.Fatal(i, err)
					}
				default:
					f := all[r.IntN(len(all))]
					if strings.Contains(f.name, "is kept") || f.name == "so it is there" {
						continue // depends on the one before it
					}
					check(t, term, []form{f})
				}
			}
		})
	}
}
