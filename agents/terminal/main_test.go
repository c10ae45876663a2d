package terminal

import (
	"context"
	"flag"
	"os"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"

	"meterbridge/agents/terminal/hold"
)

// inHolders runs the tests on terminals in holders.
var inHolders = flag.Bool("held", false, "hold the terminals of the tests in processes of their own")

func TestMain(m *testing.M) {
	if len(os.Args) == 2 && os.Args[1] == "hold" {
		os.Exit(hold.Main(os.Stdin, os.Stdout))
	}
	if len(os.Args) == 4 && os.Args[1] == "daemon" {
		os.Exit(daemonMain(os.Args[2], os.Args[3] == "true"))
	}
	goleak.VerifyTestMain(m)
}

// placed are options of a terminal of a test.
func placed(t testing.TB, o Options) Options {
	t.Helper()
	if o.Folder == "" {
		o.Folder = t.TempDir()
	}
	if *inHolders {
		o.Holder, o.Sockets = []string{os.Args[0], "hold"}, sockets(t)
	}
	return o
}

// sockets is a folder whose path is short enough for sockets.
func sockets(t testing.TB) string {
	t.Helper()
	dir, err := os.MkdirTemp("", "mb")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	return dir
}

// limit is for waits that end when their condition holds; it only bounds a failure.
const limit = 60 * time.Second

func within(t testing.TB) context.Context {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), limit)
	t.Cleanup(cancel)
	return ctx
}

// started is a terminal with a running program; it is stopped with the test, and
// then nothing of it may be left.
func started(t testing.TB, spec Spec) *Terminal {
	t.Helper()
	term := New("test-"+nonce(), placed(t, Options{}))
	begin(t, term, spec)
	return term
}

func begin(t testing.TB, term *Terminal, spec Spec) {
	t.Helper()
	if spec.Dir == "" {
		spec.Dir = t.TempDir()
	}
	if spec.Base == nil {
		spec.Base = []string{"PATH=" + os.Getenv("PATH"), "HOME=" + t.TempDir(), "LANG=C.UTF-8"}
	}
	if err := term.Start(within(t), spec); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { stop(t, term) })
}

func stop(t testing.TB, term *Terminal) {
	t.Helper()
	if err := term.Stop(within(t)); err != nil {
		t.Error(err)
	}
	if left := marked(t, term.ID()); len(left) > 0 {
		t.Errorf("processes are left: %+v", left)
	}
}

// marked are the living processes that were started in a terminal.
func marked(t testing.TB, id string) []Left {
	t.Helper()
	all, err := LeftBehind()
	if err != nil {
		t.Fatal(err)
	}
	var ours []Left
	for _, l := range all {
		if l.Terminal == id {
			ours = append(ours, l)
		}
	}
	return ours
}

// shows waits until the screen has a text.
func shows(t testing.TB, term *Terminal, want string) {
	t.Helper()
	err := term.await(within(t), limit, func() bool { return strings.Contains(term.screen.Text(500), want) })
	if err != nil {
		text, _ := term.Text(context.Background(), 500)
		t.Fatalf("the screen never showed %q: %v\n%s", want, err, text)
	}
}

func sh(script string) Spec { return Spec{Argv: []string{"sh", "-c", script}} }
