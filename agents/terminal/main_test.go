package terminal

import (
	"context"
	"os"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

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
	term := New("test-"+nonce(), Options{Folder: t.TempDir()})
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
	if err := term.Start(spec); err != nil {
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
