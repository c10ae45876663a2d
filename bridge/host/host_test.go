package host

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"meterbridge/bridge"
)

func code(err error) string {
	var coded *bridge.ToolError
	if errors.As(err, &coded) {
		return coded.Code
	}
	if err != nil {
		return err.Error()
	}
	return ""
}

// A call starts the extension, and several calls start it once.
func TestCall_StartsTheExtension(t *testing.T) {
	starts := make(chan string, 10)
	w := newWorld(t, "", func(o *Options, _ *bridge.Installed) { o.Started = func(_, reason string) { starts <- reason } })
	if s := w.host.Report(name).State; s != bridge.StateIdle {
		t.Errorf("before the first call it is %s", s)
	}
	answers := make(chan string, 3)
	for range cap(answers) {
		go func() { answers <- w.say("echo", `{"text":"hi"}`) }()
	}
	for range cap(answers) {
		if got := <-answers; got != "hi by Lead" {
			t.Errorf("got %q", got)
		}
	}
	if len(starts) != 1 || <-starts != "created" {
		t.Errorf("%d starts", len(starts))
	}
	w.until(bridge.StateReady)
}

// What an extension finds in its environment is what it was given and no more.
func TestEnvironment_IsClean(t *testing.T) {
	w := newWorld(t, "", func(o *Options, x *bridge.Installed) {
		x.Env = []string{"TICKET_REGION"}
		o.Getenv = func(name string) string {
			return map[string]string{"PATH": "/usr/bin", "TICKET_REGION": "eu", "SECRET_TOKEN": "no", "LD_PRELOAD": "no"}[name]
		}
	})
	var names []string
	for _, pair := range strings.Split(w.say("echo", `{"text":"env"}`), "\n") {
		key, _, _ := strings.Cut(pair, "=")
		names = append(names, key)
	}
	want := "HOME METERBRIDGE_EXTENSION METERBRIDGE_EXTENSION_RUN METERBRIDGE_PROTOCOL PATH TICKET_REGION TMPDIR"
	if got := strings.Join(names, " "); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

// A call of a tool without a handler waits for it until its deadline.
func TestCall_WaitsForItsHandler(t *testing.T) {
	w := newWorld(t, "", nil)
	w.say("echo", `{"text":"up"}`)
	ctx, cancel := context.WithTimeout(t.Context(), 200*time.Millisecond)
	defer cancel()
	if _, err := w.call(ctx, "other", `{}`); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("without a handler: %v", err)
	}
	answer := make(chan string)
	go func() { answer <- w.say("other", `{}`) }()
	w.say("echo", `{"method":"tools.register","params":{"tool":"other"}}`)
	if got := <-answer; got != "other answered" {
		t.Errorf("got %q", got)
	}
}

func (w *world) file(name string) string {
	w.t.Helper()
	limit := time.After(10 * time.Second)
	for {
		text, err := os.ReadFile(filepath.Join(w.x.Data, name))
		if err == nil && len(text) > 0 {
			return string(text)
		}
		select {
		case <-limit:
			w.t.Fatalf("%s was not written", name)
		case <-time.After(5 * time.Millisecond):
		}
	}
}

// A cancelled call is told to the extension with the reason, and what it answers
// then is dropped and counted.
func TestCall_CancelReachesTheHandler(t *testing.T) {
	for _, c := range []struct {
		reason string
		cause  error
	}{
		{"cancelled", context.Canceled}, {"unlinked", bridge.ErrUnlinked}, {"disabled", bridge.ErrDisabled}, {"timeout", context.DeadlineExceeded},
	} {
		w := newWorld(t, "late", nil)
		w.say("echo", `{"text":"up"}`)
		ctx, cancel := context.WithCancelCause(t.Context())
		done := make(chan error, 1)
		go func() {
			_, err := w.call(ctx, "slow", `{}`)
			done <- err
		}()
		w.working(1)
		cancel(c.cause)
		if err := <-done; err == nil {
			t.Errorf("%s: the call went well", c.reason)
		}
		if got := w.file("cancelled"); got != c.reason {
			t.Errorf("the extension was told %q, not %q", got, c.reason)
		}
		<-w.late
		if n := w.host.Late(); n != 1 {
			t.Errorf("%d late answers", n)
		}
	}
}

// working waits until the extension works on so many calls.
func (w *world) working(n int) {
	w.t.Helper()
	k := w.host.find(name)
	for limit := time.Now().Add(10 * time.Second); time.Now().Before(limit); <-time.After(time.Millisecond) {
		k.mu.Lock()
		sent := 0
		for _, p := range k.calls {
			if p.sent {
				sent++
			}
		}
		k.mu.Unlock()
		if sent >= n {
			return
		}
	}
	w.t.Fatal("the call was not sent")
}

// The end of the extension in mid-call is the call's end at once; the next call
// starts it again.
func TestCall_KilledInMidCall(t *testing.T) {
	w := newWorld(t, "", func(o *Options, _ *bridge.Installed) { o.Times.Backoff = time.Millisecond })
	_, err := w.call(t.Context(), "die", `{}`)
	if code(err) != bridge.CodeUnavailable || !strings.Contains(err.Error(), "killed") {
		t.Errorf("got %v", err)
	}
	if r := w.until(bridge.StateCrashed); r.Reason == "" {
		t.Error("no reason")
	}
	if got := w.say("echo", `{"text":"again"}`); got != "again by Lead" {
		t.Errorf("got %q", got)
	}
}

// 1 MiB is an answer, a byte more is not.
func TestResult_Size(t *testing.T) {
	w := newWorld(t, "", nil)
	if got := w.say("echo", `{"size":1048576}`); len(got) != 1<<20-2 {
		t.Errorf("%d bytes", len(got))
	}
	if got := w.file("respond"); got != "null" {
		t.Errorf("told %s", got)
	}
	os.Remove(filepath.Join(w.x.Data, "respond"))
	_, err := w.call(t.Context(), "echo", `{"size":1048577}`)
	if code(err) != bridge.CodeTooLarge {
		t.Errorf("got %v", err)
	}
	if got := w.file("respond"); !strings.Contains(got, bridge.CodeTooLarge) {
		t.Errorf("told %s", got)
	}
}

// Progress lines arrive, and those too close are refused with the wait.
func TestProgress_IsPassedOnAndBounded(t *testing.T) {
	var now time.Time
	w := newWorld(t, "", func(o *Options, _ *bridge.Installed) {
		start := time.Unix(1_790_000_000, 0)
		now = start
		o.Now = func() time.Time { return now }
	})
	lines := make(chan string, 10)
	ctx := bridge.WithProgress(t.Context(), func(text string) { lines <- text })
	r, err := w.call(ctx, "echo", `{"steps":2}`)
	if err != nil {
		t.Fatal(err)
	}
	if text := r.Content[0].Text; !strings.Contains(text, `retryAfterMs\":251`) || !strings.HasPrefix(text, "[\n  \"null\"") {
		t.Errorf("got %s", text)
	}
	if len(lines) != 1 || <-lines != "step 1" {
		t.Errorf("%d lines", len(lines))
	}
}

// An idle extension is suspended and woken by a call.
func TestIdle_SuspendsAndWakes(t *testing.T) {
	starts := make(chan string, 10)
	w := newWorld(t, "", func(o *Options, _ *bridge.Installed) {
		o.Times.Idle = 30 * time.Millisecond
		o.Started = func(_, reason string) { starts <- reason }
	})
	pid := w.say("echo", `{"text":"pid"}`)
	w.until(bridge.StateSuspended)
	if got := w.file("ended"); got != "lifecycle.suspend" {
		t.Errorf("told %s", got)
	}
	if again := w.say("echo", `{"text":"pid"}`); again == pid {
		t.Errorf("the same process %s", pid)
	}
	if <-starts != "created" || <-starts != "woken" {
		t.Error("the starts have other reasons")
	}
}

func TestIdle_BackgroundIsNotSuspended(t *testing.T) {
	w := newWorld(t, "", func(o *Options, x *bridge.Installed) {
		o.Times.Idle = 5 * time.Millisecond
		x.Granted = []bridge.Permission{{ID: "background"}}
	})
	pid := w.say("echo", `{"text":"pid"}`)
	<-time.After(100 * time.Millisecond)
	if again := w.say("echo", `{"text":"pid"}`); again != pid {
		t.Error("it was started again")
	}
}

// What crashes again and again is left alone, until its user says otherwise.
func TestCrash_BackoffAndBreaker(t *testing.T) {
	starts := 0
	w := newWorld(t, "crash", func(o *Options, _ *bridge.Installed) {
		o.Times.Backoff, o.Times.MostBackoff = time.Millisecond, 2*time.Millisecond
		o.Started = func(string, string) { starts++ }
	})
	for range mostCrashes {
		if _, err := w.call(t.Context(), "echo", `{}`); code(err) != bridge.CodeUnavailable {
			t.Fatalf("got %v", err)
		}
	}
	if r := w.until(bridge.StateFailed); !strings.Contains(r.Reason, "crashed 5 times") || !strings.Contains(r.Reason, "exit status 3") {
		t.Errorf("reason %q", r.Reason)
	}
	if _, err := w.call(t.Context(), "echo", `{}`); code(err) != bridge.CodeUnavailable || starts != mostCrashes {
		t.Errorf("after the breaker: %v, %d starts", err, starts)
	}
	w.x.Enabled++ // as `ext enable` does
	w.host.Sync([]bridge.Installed{w.x})
	if _, err := w.call(t.Context(), "echo", `{}`); code(err) != bridge.CodeUnavailable || starts != mostCrashes+1 {
		t.Errorf("after a retry: %v, %d starts", err, starts)
	}
}

// Whatever keeps an extension from coming up ends it with a reason.
func TestStart_Fails(t *testing.T) {
	for _, c := range []struct {
		behaviour string
		state     bridge.RunState
		reason    string
		change    func(*bridge.Installed)
	}{
		{"mute", bridge.StateCrashed, "host.ready", nil},
		{"newer", bridge.StateFailed, "PROTOCOL_MISMATCH", nil},
		{"garbage", bridge.StateCrashed, "neither JSON-RPC", nil},
		{"missing", bridge.StateFailed, "HANDLER_MISSING: no handler for slow, late, die, other", func(x *bridge.Installed) { x.Dialect = bridge.DialectSwitchboard }},
		{"", bridge.StateCrashed, "no-such-program", func(x *bridge.Installed) { x.Command = []string{"no-such-program"} }},
	} {
		w := newWorld(t, c.behaviour, func(o *Options, x *bridge.Installed) {
			if c.behaviour != "newer" && c.behaviour != "garbage" {
				o.Times.Ready = 500 * time.Millisecond
			}
			if c.change != nil {
				c.change(x)
			}
		})
		if _, err := w.call(t.Context(), "echo", `{}`); code(err) != bridge.CodeUnavailable {
			t.Errorf("%s: %v", c.behaviour, err)
		}
		if r := w.until(c.state); !strings.Contains(r.Reason, c.reason) {
			t.Errorf("%s: reason %q, want %q", c.behaviour, r.Reason, c.reason)
		}
	}
}

// An extension that does not answer pings is taken for dead.
func TestSilent_IsKilled(t *testing.T) {
	w := newWorld(t, "silent", func(o *Options, _ *bridge.Installed) {
		o.Times.Ping, o.Times.Silent = 10*time.Millisecond, 50*time.Millisecond
	})
	if _, err := w.call(t.Context(), "slow", `{}`); code(err) != bridge.CodeUnavailable || !strings.Contains(err.Error(), "silent") {
		t.Errorf("got %v", err)
	}
}

// TestHost_TreeKilled: whatever an extension started ends with it, though it left
// the process group.
func TestHost_TreeKilled(t *testing.T) {
	for _, end := range []string{"closed", "killed"} {
		w := newWorld(t, "family", nil)
		pid := w.say("echo", `{"text":"pid"}`)
		family := append(strings.Fields(w.file("family")), pid)
		if len(family) != 3 {
			t.Fatalf("the family is %v", family)
		}
		if end == "closed" {
			w.host.Close()
		} else {
			_, _ = w.call(t.Context(), "die", `{}`)
			w.until(bridge.StateCrashed)
		}
		for _, member := range family {
			id, _ := strconv.Atoi(member)
			if err := alive(id); err != nil {
				t.Errorf("%s: process %s: %v", end, member, err)
			}
		}
	}
}

// alive is an error when a process lives; one that nobody waited for yet does not.
func alive(pid int) error {
	for range 400 {
		text, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
		if err != nil || strings.Contains(string(text), ") Z ") {
			return nil
		}
		<-time.After(5 * time.Millisecond)
	}
	return syscall.EEXIST
}

// Setting an extension's tool aside is told, and it comes back.
func TestSetEnabled_HidesTools(t *testing.T) {
	w := newWorld(t, "", nil)
	w.say("echo", `{"method":"tools.setEnabled","params":{"tool":"other","enabled":false}}`)
	if h := w.host.Report(name).Hidden; len(h) != 1 || h[0] != "other" {
		t.Errorf("hidden %v", h)
	}
	w.say("echo", `{"method":"tools.setEnabled","params":{"tool":"other","enabled":true}}`)
	if h := w.host.Report(name).Hidden; len(h) != 0 {
		t.Errorf("hidden %v", h)
	}
	if got := w.say("echo", `{"method":"tools.setEnabled","params":{"tool":"nothing","enabled":true}}`); !strings.Contains(got, "NOT_FOUND") {
		t.Errorf("got %s", got)
	}
}

// An extension that may not run any more is told so, and its calls end.
func TestSync_EndsWhatMayNotRun(t *testing.T) {
	w := newWorld(t, "", nil)
	w.say("echo", `{"text":"up"}`)
	done := make(chan error, 1)
	go func() {
		_, err := w.call(t.Context(), "slow", `{}`)
		done <- err
	}()
	w.working(1)
	w.host.Sync(nil)
	if err := <-done; code(err) != bridge.CodeUnavailable {
		t.Errorf("got %v", err)
	}
	if got := w.file("ended"); got != "lifecycle.shutdown" {
		t.Errorf("told %s", got)
	}
	if _, err := w.call(t.Context(), "echo", `{}`); code(err) != bridge.CodeUnavailable {
		t.Errorf("got %v", err)
	}
}
