package control

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// toy is a daemon whose command is a function.
type toy struct {
	command func(context.Context, Call, Streams) int
	stopped chan struct{}
}

func (d toy) Command(ctx context.Context, c Call, s Streams) int { return d.command(ctx, c, s) }
func (d toy) Status(context.Context) Status                      { return Status{Process: 7, Version: "1.2"} }

func (d toy) Link() string { return "http://127.0.0.1:1/once" }
func (d toy) Stop()        { close(d.stopped) }

// listening serves d on a socket until the test ends.
func listening(t *testing.T, d Daemon) *Client {
	t.Helper()
	path := filepath.Join(t.TempDir(), "run", "daemon.sock")
	l, err := Listen(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	server := &http.Server{Handler: Handler(d, "/data")}
	done := make(chan struct{})
	go func() {
		defer close(done)
		_ = server.Serve(l)
	}()
	c := Dial(path)
	t.Cleanup(func() {
		c.Close()
		_ = server.Close()
		<-done
	})
	return c
}

func TestCommand_CarriesStreamsAndExitCode(t *testing.T) {
	big := strings.Repeat("0123456789", 300_000) // more than a frame
	c := listening(t, toy{command: func(_ context.Context, call Call, s Streams) int {
		in, err := io.ReadAll(s.In)
		if err != nil {
			return 99
		}
		fmt.Fprintf(s.Out, "%v %d %q %s", call.Args, call.Width, call.Env["TZ"], in)
		fmt.Fprint(s.Err, "a warning")
		fmt.Fprint(s.Out, big)
		return 4
	}})
	var out, errOut bytes.Buffer
	call := Call{Args: []string{"usage", "--json"}, Width: 80, Env: map[string]string{"TZ": "UTC"}, Data: "/data"}
	code, err := c.Command(t.Context(), call, strings.NewReader("from the caller"), &out, &errOut)
	if err != nil || code != 4 {
		t.Fatalf("exit code %d, %v; want 4", code, err)
	}
	if diff := cmp.Diff(`[usage --json] 80 "UTC" from the caller`+big, out.String()); diff != "" {
		t.Errorf("output (-want +got):\n%.400s", diff)
	}
	if errOut.String() != "a warning" {
		t.Errorf("standard error %q", errOut.String())
	}
}

// untouched fails the test when it is read.
type untouched struct{ t *testing.T }

func (u untouched) Read([]byte) (int, error) {
	u.t.Error("standard input was read for a command that reads none")
	return 0, io.EOF
}

func TestCommand_LeavesInputThatNobodyReads(t *testing.T) {
	c := listening(t, toy{command: func(context.Context, Call, Streams) int { return 0 }})
	if code, err := c.Command(t.Context(), Call{Data: "/data"}, untouched{t}, io.Discard, io.Discard); code != 0 || err != nil {
		t.Errorf("exit code %d, %v", code, err)
	}
}

func TestCommand_AnInterruptedCallerEndsIt(t *testing.T) {
	running, ended := make(chan struct{}), make(chan struct{})
	c := listening(t, toy{command: func(ctx context.Context, _ Call, _ Streams) int {
		close(running)
		<-ctx.Done()
		close(ended)
		return 1
	}})
	ctx, cancel := context.WithCancel(t.Context())
	go func() {
		<-running
		cancel()
	}()
	if _, err := c.Command(ctx, Call{Data: "/data"}, strings.NewReader(""), io.Discard, io.Discard); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v, want that of the caller's context", err)
	}
	<-ended
}

func TestCommand_RunsNothingForOtherData(t *testing.T) {
	c := listening(t, toy{command: func(context.Context, Call, Streams) int {
		t.Error("a command for another installation was run")
		return 0
	}})
	if _, err := c.Command(t.Context(), Call{Data: "/elsewhere"}, nil, io.Discard, io.Discard); !errors.Is(err, ErrOtherData) {
		t.Errorf("error %v, want ErrOtherData", err)
	}
}

func TestClient_WithoutADaemon(t *testing.T) {
	gone := filepath.Join(t.TempDir(), "daemon.sock")
	for _, path := range []string{gone, filepath.Join(t.TempDir(), "no", "folder", "daemon.sock")} {
		if _, err := Dial(path).Status(t.Context()); !errors.Is(err, ErrNoDaemon) {
			t.Errorf("%s: %v, want ErrNoDaemon", path, err)
		}
	}
	// A socket that a killed daemon left behind.
	l, err := Listen(t.Context(), gone)
	if err != nil {
		t.Fatal(err)
	}
	l.(interface{ SetUnlinkOnClose(bool) }).SetUnlinkOnClose(false)
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := Dial(gone).Status(t.Context()); !errors.Is(err, ErrNoDaemon) {
		t.Errorf("a socket that nobody answers at: %v, want ErrNoDaemon", err)
	}
	again, err := Listen(t.Context(), gone)
	if err != nil {
		t.Fatalf("the socket of a daemon that is gone was not replaced: %v", err)
	}
	defer again.Close()
}

func TestClient_AsksStatusLinkAndStop(t *testing.T) {
	d := toy{stopped: make(chan struct{})}
	c := listening(t, d)
	if s, err := c.Status(t.Context()); err != nil || s.Process != 7 || s.Version != "1.2" {
		t.Errorf("status %+v, %v", s, err)
	}
	if url, err := c.Link(t.Context()); err != nil || url != "http://127.0.0.1:1/once" {
		t.Errorf("link %q, %v", url, err)
	}
	if err := c.Stop(t.Context()); err != nil {
		t.Error(err)
	}
	<-d.stopped
}

func TestListen_ClosesTheSocketToOthers(t *testing.T) {
	path := filepath.Join(t.TempDir(), "run", "daemon.sock")
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	l, err := Listen(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	for name, want := range map[string]os.FileMode{path: 0o600, filepath.Dir(path): 0o700} {
		if info, err := os.Stat(name); err != nil || info.Mode().Perm() != want {
			t.Errorf("%s has mode %v, %v; want %v", name, info.Mode().Perm(), err, want)
		}
	}
	if _, err := Listen(t.Context(), path); err == nil {
		t.Error("a second daemon took the socket of a running one")
	}
}

// Whatever bytes the caller sends, the command ends and nothing panics.
func FuzzReceive(f *testing.F) {
	f.Add([]byte{byte(input), 0, 0, 0, 1, 'x'})
	f.Add([]byte{byte(exit), 0xff, 0xff, 0xff, 0xff})
	f.Fuzz(func(t *testing.T, data []byte) {
		r := bytes.NewReader(data)
		for {
			k, content, err := receive(r)
			if err != nil {
				return
			}
			if k < wantInput || k > resize || len(content) > maxFrame {
				t.Fatalf("frame %d of %d bytes", k, len(content))
			}
		}
	})
}
