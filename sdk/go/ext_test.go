package ext_test

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"go.uber.org/goleak"

	ext "meterbridge/sdk/go"
	"meterbridge/sdk/go/exttest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

type ticket struct {
	Title string `json:"title"`
}

// desk is a host whose extension runs until the test ends.
func desk(t *testing.T, prepare func(x *ext.Extension)) *exttest.Host {
	t.Helper()
	h := exttest.New()
	prepare(h.Extension)
	ended := make(chan error, 1)
	go func() { ended <- h.Extension.Run(context.Background()) }()
	t.Cleanup(func() {
		h.Close()
		if err := <-ended; err != nil {
			t.Errorf("it ended with %v", err)
		}
	})
	return h
}

var lead = ext.Agent{ID: "ag-7", Name: "Lead"}

// The table is that of the JavaScript SDK.
func TestResults(t *testing.T) {
	text, err := os.ReadFile("../testdata/results.json")
	if err != nil {
		t.Fatal(err)
	}
	var cases []struct {
		Name      string
		Value     any
		Absent    bool
		ToolError *string
		Throws    *string
		Want      any
	}
	if err := json.Unmarshal(text, &cases); err != nil || len(cases) == 0 {
		t.Fatal(err)
	}
	for _, c := range cases {
		value := c.Value
		if value == nil && !c.Absent {
			value = json.RawMessage("null")
		}
		h := desk(t, func(x *ext.Extension) {
			_, _ = ext.Handle(x, "open_ticket", func(context.Context, ticket, *ext.Call) (any, error) {
				switch {
				case c.ToolError != nil:
					return nil, ext.Errorf("%s", *c.ToolError)
				case c.Throws != nil:
					return nil, errors.New(*c.Throws)
				}
				return value, nil
			})
		})
		got, err := h.Call(t.Context(), "open_ticket", ticket{"x"}, lead)
		if err != nil {
			t.Fatal(err)
		}
		want, _ := json.Marshal(c.Want)
		if d := cmp.Diff(string(want), normal(t, got)); d != "" {
			t.Errorf("%s (-want +got)\n%s", c.Name, d)
		}
	}
}

// normal is an answer as the table has it.
func normal(t *testing.T, a exttest.Answer) string {
	t.Helper()
	m := map[string]any{}
	if a.Error != nil {
		m["error"] = *a.Error
	} else {
		var v any
		if err := json.Unmarshal(a.Result, &v); err != nil {
			t.Fatal(err)
		}
		m["result"] = v
	}
	text, err := json.Marshal(m)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func TestCall_PanicIsAnError(t *testing.T) {
	h := desk(t, func(x *ext.Extension) {
		_, _ = ext.Handle(x, "open_ticket", func(context.Context, ticket, *ext.Call) (any, error) { panic("no desk") })
	})
	got, err := h.Call(t.Context(), "open_ticket", ticket{}, lead)
	if err != nil || got.Error == nil || *got.Error != "it broke: no desk" {
		t.Errorf("got %+v, %v", got, err)
	}
}

// A call before its handler waits for it, a second handler is an error, and after
// the removal calls wait again.
func TestHandle_LateAndRemoved(t *testing.T) {
	h := desk(t, func(*ext.Extension) {})
	answer := make(chan exttest.Answer, 1)
	go func() {
		a, _ := h.Call(t.Context(), "open_ticket", ticket{"a"}, lead)
		answer <- a
	}()
	say := func(_ context.Context, in ticket, c *ext.Call) (any, error) {
		return in.Title + " by " + c.Agent.Name, nil
	}
	remove, err := ext.Handle(h.Extension, "open_ticket", say)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := ext.Handle(h.Extension, "open_ticket", say); err == nil {
		t.Error("a second handler was taken")
	}
	if got := normal(t, <-answer); !strings.Contains(got, "a by Lead") {
		t.Errorf("got %s", got)
	}
	remove()
	if err := h.Extension.Ask(t.Context(), "permissions.list", struct{}{}, nil); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	if _, err := h.Call(ctx, "open_ticket", ticket{"b"}, lead); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("after the removal: %v", err)
	}
}

// The handler hears of a cancelled call by its context, and nothing is sent.
func TestCall_Cancelled(t *testing.T) {
	begun, ended := make(chan struct{}), make(chan error, 1)
	h := desk(t, func(x *ext.Extension) {
		_, _ = ext.Handle(x, "open_ticket", func(ctx context.Context, _ ticket, c *ext.Call) (any, error) {
			close(begun)
			<-ctx.Done()
			ended <- context.Cause(ctx)
			c.Progress("too late")
			return "too late", nil
		})
	})
	ctx, cancel := context.WithCancel(t.Context())
	go func() {
		<-begun
		cancel()
	}()
	if _, err := h.Call(ctx, "open_ticket", ticket{}, lead); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
	if err := <-ended; !errors.Is(err, ext.ErrCancelled) {
		t.Errorf("the handler heard %v", err)
	}
	if n := len(h.Requests("tools.respond")); n != 0 {
		t.Errorf("%d answers were sent", n)
	}
}

func TestProgress_NewestWins(t *testing.T) {
	h := desk(t, func(x *ext.Extension) {
		_, _ = ext.Handle(x, "open_ticket", func(_ context.Context, _ ticket, c *ext.Call) (any, error) {
			for i := range 50 {
				c.Progress("step " + string(rune('A'+i%26)))
			}
			<-time.After(700 * time.Millisecond)
			return nil, nil
		})
	})
	if _, err := h.Call(t.Context(), "open_ticket", ticket{}, lead); err != nil {
		t.Fatal(err)
	}
	lines := h.Requests("tools.progress")
	if n := len(lines); n == 0 || n > 2 || !strings.Contains(string(lines[n-1].Params), "step X") {
		t.Errorf("got %s", lines)
	}
}

func TestAgents_ErrorsHaveCodes(t *testing.T) {
	h := desk(t, func(*ext.Extension) {})
	h.Agents = []ext.AgentRecord{{ID: "t1", Name: "Tests", Kind: "shell"}, {ID: "t2", Name: "Build", Kind: "shell", Connected: true}}
	x := h.Extension
	<-x.Started()
	for id, want := range map[string]string{"t1": "NOT_CONNECTED", "t3": "NOT_FOUND"} {
		if _, err := x.RunCommand(t.Context(), id, "ls", time.Second); !ext.IsError(err, want) || ext.IsError(err, "BUSY") {
			t.Errorf("%s: %v", id, err)
		}
	}
	if r, err := x.RunCommand(t.Context(), "t2", "ls", time.Second); err != nil || r.ExitCode == nil || *r.ExitCode != 0 {
		t.Errorf("got %+v, %v", r, err)
	}
	if !x.Supports("terminals.run") || x.Supports("ui.toast") {
		t.Error("wrong capabilities")
	}
}

func TestEvents_ListenersMayAsk(t *testing.T) {
	h := desk(t, func(*ext.Extension) {})
	heard := make(chan string, 10)
	remove, err := h.Extension.OnStatus(t.Context(), "ag-7", func(e ext.StatusEvent) {
		if _, err := h.Extension.Agents(t.Context()); err != nil {
			heard <- err.Error()
		}
		heard <- e.Status
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, id := range []string{"ag-1", "ag-7"} {
		h.Emit("agents.status", ext.StatusEvent{AgentID: id, Status: id + " works"})
	}
	if got := <-heard; got != "ag-7 works" {
		t.Errorf("heard %q", got)
	}
	remove()
	if err := h.Extension.Ask(t.Context(), "permissions.list", struct{}{}, nil); err != nil {
		t.Fatal(err)
	}
	if len(h.Requests("events.unsubscribe")) != 1 {
		t.Error("the subscription goes on")
	}
}

// FuzzQuote feeds lines to a real shell: every argument stays one.
func FuzzQuote(f *testing.F) {
	for _, s := range []string{"", "a b", "$(touch x)", "it's", "`id`", "\\", "\\'", "new\nline", "~", "*", "$HOME", "!!", "ü", "#", `"`, "-n", "A|B", "=x", "\xff"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, arg string) {
		line, err := ext.Quote("printf", `%s\0`, "first", arg, "last")
		if strings.ContainsRune(arg, 0) {
			if !errors.Is(err, ext.ErrNUL) {
				t.Fatalf("a NUL was taken: %q", line)
			}
			return
		}
		out, err := exec.Command("sh", "-c", line).Output()
		if want := "first\x00" + arg + "\x00last\x00"; err != nil || string(out) != want {
			t.Errorf("%q\n got %q, %v\nwant %q", line, out, err, want)
		}
	})
}
