package pipeline

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/google/go-cmp/cmp"

	"meterbridge/bridge"
	"meterbridge/bridge/registry"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// line is a pipeline with one tool, and the traces of its calls.
type line struct {
	*Pipeline
	tool   *registry.Entry
	traces []bridge.CallRecord
}

func newLine(t *testing.T, o Options, tool bridge.Tool) *line {
	t.Helper()
	tool.Name, tool.Description = "echo", "says it again"
	if tool.Input == nil {
		tool.Input = json.RawMessage(`{"type":"object"}`)
	}
	r, err := registry.New(tool)
	if err != nil {
		t.Fatal(err)
	}
	l := &line{tool: r.Snapshot().Find("echo")}
	o.Done = func(c bridge.CallRecord) { l.traces = append(l.traces, c) }
	l.Pipeline = New(o)
	return l
}

func (l *line) call(ctx context.Context, who, args string) Answer {
	return l.Do(ctx, Call{Who: bridge.Identity{Agent: who}, Tool: l.tool, Args: json.RawMessage(args)})
}

type tells func() (bridge.Result, error)

func (f tells) call(context.Context, bridge.Identity, json.RawMessage) (bridge.Result, error) {
	return f()
}

const pixel = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="

// What a tool gives becomes what an agent gets.
func TestAnswer(t *testing.T) {
	text := bridge.TextContent
	for _, c := range []struct {
		name   string
		output string
		result bridge.Result
		err    error
		want   Answer
	}{
		{"nothing", "", bridge.Result{}, nil, Answer{Content: []bridge.Content{text("OK")}}},
		{"text", "", bridge.Result{Text: "said"}, nil, Answer{Content: []bridge.Content{text("said")}}},
		{"empty text", "", bridge.Result{Content: []bridge.Content{text("")}}, nil, Answer{Content: []bridge.Content{text("")}}},
		{
			"image", "",
			bridge.Result{Content: []bridge.Content{text("a dot"), {Type: "image", Data: pixel, MimeType: "image/png"}}},
			nil,
			Answer{Content: []bridge.Content{text("a dot"), {Type: "image", Data: pixel, MimeType: "image/png"}}},
		},
		{"tool error", "", bridge.Result{Content: []bridge.Content{text("no desk")}, IsError: true}, nil, Answer{Content: []bridge.Content{text("no desk")}, Code: "tool_error"}},
		{"any value", `{"type":"array"}`, bridge.Result{Structured: json.RawMessage(`[ 1 ]`)}, nil, Answer{Content: []bridge.Content{text("[1]")}, Structured: json.RawMessage("[1]")}},
		{"another value", `{"type":"array"}`, bridge.Result{Structured: json.RawMessage(`{}`)}, nil, Answer{Content: []bridge.Content{text("INVALID_RESULT: echo answered what it does not declare: is an object, must be an array")}, Code: "INVALID_RESULT"}},
		{"no value", `{"type":"array"}`, bridge.Result{}, nil, Answer{Content: []bridge.Content{text("INVALID_RESULT: echo does not answer in the form that it declares")}, Code: "INVALID_RESULT"}},
		{"error", "", bridge.Result{}, errors.New("the desk is closed"), Answer{Content: []bridge.Content{text("the desk is closed")}, Code: "tool_error"}},
		{"coded", "", bridge.Result{}, &bridge.ToolError{Code: "BUSY", Message: "later"}, Answer{Content: []bridge.Content{text("BUSY: later")}, Code: "BUSY"}},
	} {
		tool := bridge.Tool{Call: tells(func() (bridge.Result, error) { return c.result, c.err }).call}
		if c.output != "" {
			tool.Output = json.RawMessage(c.output)
		}
		l := newLine(t, Options{}, tool)
		got := l.call(t.Context(), "a", "{}")
		got.size = 0
		if d := cmp.Diff(c.want, got, cmp.AllowUnexported(Answer{})); d != "" {
			t.Errorf("%s (-want +got)\n%s", c.name, d)
		}
	}
}

// TestResults_Cleaned: what hides or turns text around is taken out and counted;
// joiners, which scripts and emoji need, stay.
func TestResults_Cleaned(t *testing.T) {
	for _, c := range []struct {
		in, want string
		removed  int
	}{
		{"plain\ttext\r\n", "plain\ttext\r\n", 0},
		{"\x1b[31mred\x1b[0m", "red", 9},
		{"\x1b]0;title\x07after", "after", 10},
		{"a\u202eb\u2066c\u200fd", "abcd", 3},
		{"tag\U000e0041\U000e007f", "tag", 2},
		{"\ufefffoo\u2060bar", "foobar", 2},
		{"family \U0001f468\u200d\U0001f469 and \u200c", "family \U0001f468\u200d\U0001f469 and \u200c", 0},
		{"nul\x00bell\x07del\x7fc1\u0085", "nulbelldelc1", 4},
	} {
		l := newLine(t, Options{}, bridge.Tool{Call: tells(func() (bridge.Result, error) { return bridge.Result{Text: c.in}, nil }).call})
		got := l.call(t.Context(), "a", "{}")
		if got.Content[0].Text != c.want || got.removed != c.removed || l.traces[0].Removed != c.removed {
			t.Errorf("%q\n got %q, %d removed, %d traced\nwant %q, %d", c.in, got.Content[0].Text, got.removed, l.traces[0].Removed, c.want, c.removed)
		}
	}
}

// One caller may call one tool so often; another caller is not concerned.
func TestRate_PerCallerAndTool(t *testing.T) {
	now := time.Unix(1_790_000_000, 0)
	l := newLine(t, Options{Now: func() time.Time { return now }}, bridge.Tool{Call: tells(func() (bridge.Result, error) { return bridge.Result{}, nil }).call})
	for i := range 20 {
		if a := l.call(t.Context(), "a", "{}"); a.Failed() {
			t.Fatalf("call %d: %v", i, a.Texts())
		}
	}
	a := l.call(t.Context(), "a", "{}")
	if want := "RATE_LIMITED: echo may be called 60 times a minute; wait 1001 ms"; a.Texts()[0] != want {
		t.Errorf("got %v, want %s", a.Texts(), want)
	}
	if a := l.call(t.Context(), "b", "{}"); a.Failed() {
		t.Errorf("another caller: %v", a.Texts())
	}
	now = now.Add(time.Second)
	if a := l.call(t.Context(), "a", "{}"); a.Failed() {
		t.Errorf("a second later: %v", a.Texts())
	}
}

// An extension works on four calls at once, whoever calls; the deadline runs
// while a call waits.
func TestPlaces_PerExtension(t *testing.T) {
	entered, release := make(chan struct{}, 10), make(chan struct{})
	l := newLine(t, Options{}, bridge.Tool{
		From: &bridge.Source{By: "link", Package: "desk", Tool: "echo"}, Timeout: time.Minute,
		Call: func(ctx context.Context, _ bridge.Identity, _ json.RawMessage) (bridge.Result, error) {
			entered <- struct{}{}
			select {
			case <-release:
			case <-ctx.Done():
			}
			return bridge.Result{}, ctx.Err()
		},
	})
	l.done = nil
	answers := make(chan Answer, 5)
	for i := range 4 {
		go func() { answers <- l.call(t.Context(), fmt.Sprint(i), "{}") }()
	}
	for range 4 {
		<-entered
	}
	ctx, cancel := context.WithCancel(t.Context())
	go func() { answers <- l.call(ctx, "late", "{}") }()
	for limit := time.Now().Add(10 * time.Second); time.Now().Before(limit) && l.places.queued("desk") == 0; <-time.After(time.Millisecond) {
	}
	if n := l.places.queued("desk"); n != 1 || len(entered) != 0 {
		t.Errorf("%d wait, %d more entered", n, len(entered))
	}
	cancel()
	if a := <-answers; !a.Failed() {
		t.Errorf("the one that waited: %v", a)
	}
	close(release)
	for range 4 {
		if a := <-answers; a.Failed() {
			t.Errorf("got %v", a.Texts())
		}
	}
}

func (t *turns) queued(who string) int {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.of[who] == nil {
		return 0
	}
	return len(t.of[who].queue)
}

// A trace holds who, what, how long and how much, and no value of an argument.
func TestTrace_HoldsNoValue(t *testing.T) {
	var now time.Time
	l := newLine(t, Options{Now: func() time.Time { now = now.Add(time.Millisecond); return now }}, bridge.Tool{
		From: &bridge.Source{By: "link", Package: "desk", Version: "1.2.0", Tool: "say", ToolDigest: bridge.Digest{1}},
		Call: func(ctx context.Context, _ bridge.Identity, _ json.RawMessage) (bridge.Result, error) {
			trace := bridge.TraceOf(ctx)
			trace.Woke, trace.Handled, trace.Progress, trace.Instance = time.Second, 2*time.Second, 3, "desk-1"
			return bridge.Result{Text: "said"}, nil
		},
	})
	l.Do(t.Context(), Call{
		Who: bridge.Identity{Agent: "ag-7"}, Tool: l.tool, Era: "2026-07-28", TraceID: "t1",
		Args: json.RawMessage(`{"title":"canary","tags":["canary"],"n":7,"deep":{"ok":true,"none":null}}`),
	})
	got := l.traces[0]
	shape := `{"deep":{"none":"null","ok":"boolean"},"n":"number","tags":["string"],"title":"string"}`
	if string(got.ArgumentShape) != shape {
		t.Errorf("shape %s, want %s", got.ArgumentShape, shape)
	}
	text, err := json.Marshal(got)
	if err != nil || strings.Contains(string(text), "canary") {
		t.Errorf("%v: %s", err, text)
	}
	got.ID, got.Started, got.Ended, got.Queued, got.ArgumentShape = "", time.Time{}, time.Time{}, 0, nil
	want := bridge.CallRecord{
		Agent: "ag-7", By: "link", Package: "desk", Version: "1.2.0", Tool: "say", Exposed: "echo", ToolDigest: bridge.Digest{1}, Instance: "desk-1",
		Woke: time.Second, Handled: 2 * time.Second, ArgumentBytes: 73, ResultBytes: 6, Items: 1, Progress: 3, Outcome: "ok", Era: "2026-07-28", TraceID: "t1",
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("(-want +got)\n%s", d)
	}
}

// A tool that changes something is held until a person allows it.
func TestAsk_HoldsWhatIsNotReadOnly(t *testing.T) {
	declined := &bridge.ToolError{Code: "USER_CANCELLED", Message: "the user declined"}
	ask := func(context.Context, Call) error { return declined }
	said := tells(func() (bridge.Result, error) { return bridge.Result{Text: "said"}, nil }).call
	if a := newLine(t, Options{Ask: ask}, bridge.Tool{Call: said}).call(t.Context(), "a", "{}"); a.Code != "USER_CANCELLED" {
		t.Errorf("got %v", a)
	}
	if a := newLine(t, Options{Ask: ask}, bridge.Tool{Call: said, Annotations: bridge.ReadOnly()}).call(t.Context(), "a", "{}"); a.Failed() {
		t.Errorf("read only: %v", a)
	}
}
