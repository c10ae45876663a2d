//go:build clients

package host

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"meterbridge/bridge"
)

// These tests run the examples of sdk/examples with Node, inside the fence.

// example is a host with one of the examples, installed as the daemon would.
func example(t *testing.T, name string, dialect bridge.Dialect, change func(*Options, *bridge.Installed)) *world {
	t.Helper()
	if _, err := exec.LookPath("node"); err != nil {
		t.Fatalf("node is needed: %v", err)
	}
	dir := t.TempDir()
	sdk := filepath.Join(dir, "node_modules", "@meterbridge", "sdk")
	copyTree(t, "../../sdk/js", sdk)
	return newWorld(t, "", func(o *Options, x *bridge.Installed) {
		x.Folder, x.Data = filepath.Join(dir, name, "1.0.0"), filepath.Join(dir, name, "data")
		copyTree(t, filepath.Join("../../sdk/examples", name), x.Folder)
		x.Command, x.Tools, x.Dialect = nil, nil, dialect
		o.Sandbox, o.Shared = os.Args[0], []string{filepath.Join(dir, "node_modules")}
		o.Runner = []string{"node", filepath.Join(sdk, "src", "switchboard.js")}
		o.Times.Stop, o.Times.Suspend = 3*time.Second, time.Second
		change(o, x)
	})
}

func copyTree(t *testing.T, from, to string) {
	t.Helper()
	if err := os.CopyFS(to, os.DirFS(from)); err != nil {
		t.Fatal(err)
	}
}

func declare(x *bridge.Installed, tools ...string) {
	for _, tool := range tools {
		x.Tools = append(x.Tools, bridge.ExtensionTool{LocalID: tool})
	}
}

// The plain process keeps its tickets over a suspension and hides what makes no
// sense.
func TestExample_TicketDesk(t *testing.T) {
	w := example(t, "ticket-desk", bridge.DialectProcess, func(o *Options, x *bridge.Installed) {
		x.Command = []string{"node", "./main.mjs"}
		declare(x, "open_ticket", "list_tickets", "close_ticket")
		o.Times.Idle = 300 * time.Millisecond
	})
	var steps []string
	ctx := bridge.WithProgress(t.Context(), func(text string) { steps = append(steps, text) })
	if r, err := w.call(ctx, "open_ticket", `{"title":"Login fails"}`); err != nil || r.Content[0].Text != "DESK-1" {
		t.Fatalf("%v %+v\n%s", err, r, must(w.host.Log(name)))
	}
	if len(steps) != 1 || steps[0] != "opening the ticket" {
		t.Errorf("progress %q", steps)
	}
	w.until(bridge.StateSuspended)
	if got := w.say("list_tickets", `{}`); got != "DESK-1 Login fails (Lead)" {
		t.Errorf("got %q", got)
	}
	if r, err := w.call(t.Context(), "close_ticket", `{"key":"DESK-9"}`); err != nil || !r.IsError || r.Content[0].Text != "There is no open ticket DESK-9." {
		t.Errorf("got %v %+v", err, r)
	}
	if got := w.say("close_ticket", `{"key":"DESK-1"}`); got != "DESK-1 is closed." {
		t.Errorf("got %q", got)
	}
	if h := w.host.Report(name).Hidden; len(h) != 1 || h[0] != "close_ticket" {
		t.Errorf("hidden %v", h)
	}
	if r := w.host.Report(name); !strings.Contains(r.Confinement, "Landlock") && r.State != bridge.StateSuspended {
		t.Logf("not fenced in here: %s", r.Confinement)
	}
}

// A Switchboard extension answers with any value, and its thrown errors are shown.
func TestExample_OpenTicket(t *testing.T) {
	w := example(t, "open-ticket", bridge.DialectSwitchboard, func(_ *Options, x *bridge.Installed) {
		x.Main = "index.js"
		x.Tools = []bridge.ExtensionTool{{LocalID: "open-ticket", Output: json.RawMessage(`{"type":"object"}`)}}
	})
	r, err := w.call(t.Context(), "open-ticket", `{"title":"Login fails"}`)
	if text, _ := r.Structured.(json.RawMessage); err != nil || string(text) != `{"key":"DESK-12","title":"Login fails","by":"Lead"}` {
		t.Errorf("got %v %s\n%s", err, text, must(w.host.Log(name)))
	}
	r, err = w.call(t.Context(), "open-ticket", `{"title":"  "}`)
	if err != nil || !r.IsError || r.Content[0].Text != "A ticket needs a title that is more than blanks." {
		t.Errorf("got %v %+v", err, r)
	}
}

// A declared tool without a handler fails the load.
func TestExample_SwitchboardHandlerMissing(t *testing.T) {
	w := example(t, "open-ticket", bridge.DialectSwitchboard, func(o *Options, x *bridge.Installed) {
		x.Main = "index.js"
		declare(x, "open-ticket", "close-ticket")
		o.Times.Ready = 3 * time.Second
	})
	if _, err := w.call(t.Context(), "open-ticket", `{"title":"x"}`); code(err) != bridge.CodeUnavailable {
		t.Errorf("got %v", err)
	}
	if r := w.until(bridge.StateFailed); r.Reason != "HANDLER_MISSING: no handler for close-ticket" {
		t.Errorf("reason %q", r.Reason)
	}
}

// shells are a terminal that is linked and what is done in it.
type shells struct {
	bridge.Agents
	commands, keys chan string
	result         bridge.RunResult
	hold           chan struct{}
}

func (s *shells) List(context.Context, string) ([]bridge.AgentInfo, error) {
	return []bridge.AgentInfo{{ID: "t1", Name: "Tests", Kind: bridge.KindShell, Harness: "shell-bash"}}, nil
}

func (s *shells) Get(_ context.Context, id string) (bridge.AgentInfo, error) {
	list, err := s.List(context.Background(), "")
	if id != "t1" {
		return bridge.AgentInfo{}, bridge.ErrUnknownAgent
	}
	return list[0], err
}

func (s *shells) Run(ctx context.Context, r bridge.Run) (bridge.RunResult, error) {
	s.commands <- r.Command
	if s.hold != nil {
		select {
		case <-s.hold:
		case <-ctx.Done():
			return bridge.RunResult{}, ctx.Err()
		}
	}
	return s.result, nil
}

func (s *shells) Write(_ context.Context, k bridge.Keys) error {
	s.keys <- k.Text
	return nil
}

// The card of the seed example: a tool that runs a command in a linked terminal
// and returns the failing output, with progress, and Ctrl-C when it is cancelled.
func TestExample_RunTests(t *testing.T) {
	s := &shells{commands: make(chan string, 10), keys: make(chan string, 10)}
	linked := true
	w := example(t, "run-tests", bridge.DialectCard, func(o *Options, x *bridge.Installed) {
		declare(x, "run_tests")
		x.Settings = []bridge.Setting{{Key: "command", Type: "string", Default: json.RawMessage(`"go test ./..."`)}}
		x.Granted = []bridge.Permission{{ID: "agents.read"}, {ID: "terminals.write"}}
		o.Ports = Ports{Agents: s, Terminals: s, Linked: func(string, string) bool { return linked }}
	})
	failed := 1
	s.result = bridge.RunResult{ExitCode: &failed, Output: "--- FAIL: TestLogin\nFAIL"}
	r, err := w.call(t.Context(), "run_tests", `{"filter":"Login; rm -rf ~"}`)
	if err != nil || !r.IsError || r.Content[0].Text != "The tests failed with exit code 1:\n--- FAIL: TestLogin\nFAIL" {
		t.Fatalf("got %v %+v\n%s", err, r, must(w.host.Log(name)))
	}
	if got := <-s.commands; got != "go test ./... -run 'Login; rm -rf ~'" {
		t.Errorf("ran %q", got)
	}
	s.hold = make(chan struct{})
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() {
		_, err := w.call(ctx, "run_tests", `{}`)
		done <- err
	}()
	<-s.commands
	cancel()
	if err := <-done; !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
	if got := <-s.keys; got != "\x03" {
		t.Errorf("typed %q", got)
	}
	close(s.hold)
	linked = false
	if r, err := w.call(t.Context(), "run_tests", `{}`); err != nil || !strings.HasPrefix(r.Content[0].Text, "No terminal is linked") {
		t.Errorf("got %v %+v", err, r)
	}
}

// The example in Go is built and called.
func TestExample_WordCount(t *testing.T) {
	w := example(t, "word-count", bridge.DialectProcess, func(_ *Options, x *bridge.Installed) {
		x.Command = []string{"./word-count"}
		declare(x, "count_words")
		out, err := exec.Command("go", "build", "-o", filepath.Join(x.Folder, "word-count"), "../../sdk/examples/word-count").CombinedOutput()
		if err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
	})
	if got := w.say("count_words", `{"text":"one two\nthree"}`); got != "{\n  \"words\": 3,\n  \"lines\": 2,\n  \"characters\": 13\n}" {
		t.Errorf("got %s", got)
	}
}
