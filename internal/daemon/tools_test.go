package daemon

import (
	"context"
	"encoding/json"
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"meterbridge/bridge"
	"meterbridge/bridge/pipeline"
	"meterbridge/bridge/registry"
	"meterbridge/bridge/schema"
)

// toolWorld asks the tools about the bundled example, as the pipeline does.
type toolWorld struct {
	t     *testing.T
	tools *registry.Registry
	pipe  *pipeline.Pipeline
	meter *Meter
}

func newToolWorld(t *testing.T) *toolWorld {
	t.Helper()
	now := func() time.Time { return time.Date(2026, 11, 30, 12, 30, 0, 0, time.UTC) }
	env := func(name string) string { return map[string]string{"TZ": "UTC"}[name] }
	m, err := OpenDemo(t.Context(), Options{Getenv: env, OS: "linux", Now: now, Version: "test"})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { m.Close() })
	list, err := newTools(kept{m})
	if err != nil {
		t.Fatal(err)
	}
	r, err := registry.New(list...)
	if err != nil {
		t.Fatal(err)
	}
	return &toolWorld{t: t, tools: r, pipe: pipeline.New(pipeline.Options{Limits: pipeline.Limits{CallBurst: 1000}}), meter: m}
}

func (w *toolWorld) ask(tool, args string) pipeline.Answer {
	w.t.Helper()
	return w.pipe.Do(w.t.Context(), pipeline.Call{Who: bridge.Identity{Agent: bridge.Local}, Tool: w.tools.Snapshot().Find(tool), Args: json.RawMessage(args)})
}

// closed is a schema that allows no field but those that it names.
func closed(t *testing.T, text json.RawMessage) *schema.Schema {
	t.Helper()
	var doc map[string]any
	if err := json.Unmarshal(text, &doc); err != nil {
		t.Fatal(err)
	}
	for _, def := range doc["$defs"].(map[string]any) {
		if d := def.(map[string]any); d["properties"] != nil {
			d["unevaluatedProperties"] = false
		}
	}
	// The note stands beside the fields of the root's own form.
	for _, def := range doc["$defs"].(map[string]any) {
		def.(map[string]any)["properties"].(map[string]any)["note"] = map[string]any{"type": "string"}
	}
	shut, err := json.Marshal(doc)
	if err != nil {
		t.Fatal(err)
	}
	s, err := schema.Compile(shut)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// Every answer fits the schema that its tool declares, and has no field besides.
func TestTools_AnswersFitTheirSchemas(t *testing.T) {
	w := newToolWorld(t)
	questions := map[string][]string{
		"meter_usage": {
			`{}`, `{"by":"block"}`, `{"by":"session","breakdown":true}`, `{"by":"agent"}`, `{"by":"hour","last":2}`, `{"by":"week","weekStart":"sunday"}`,
			`{"by":"project"}`, `{"by":"model","cost":"recorded"}`, `{"by":"harness","since":"2025-11-01","until":"2025-12-31","timezone":"Europe/Berlin"}`,
			`{"by":"month","since":"2031-01-01"}`,
		},
		"meter_sessions": {`{}`, `{"last":1}`, `{"harness":"codex-cli"}`, `{"search":"nothing like that"}`},
		"meter_budget": {
			`{}`, `{"window":"month","maxUsd":"0.01"}`, `{"window":"5h","maxTokens":1,"harness":"codex-cli"}`, `{"window":"day","maxTokens":100000000,"weekStart":"monday"}`,
		},
		"meter_pricing": {
			`{}`, `{"model":"claude-sonnet-4-5"}`, `{"model":"claude-sonnet-4-5","provider":"anthropic","at":"2026-01-01"}`, `{"model":"no-such-model"}`,
			`{"model":"claude-sonnet-4-5","provider":"anthropic","input":1000,"output":500,"cacheRead":7}`, `{"model":"no-such-model","input":1}`,
		},
	}
	list := w.ask("meter_sessions", `{"last":500}`)
	var sessions SessionList
	if err := json.Unmarshal(list.Structured, &sessions); err != nil || len(sessions.Sessions) == 0 {
		t.Fatalf("%v: %v", err, list.Texts())
	}
	for _, s := range sessions.Sessions {
		id := fmt.Sprintf(`"session":%q`, s.Session)
		questions["meter_sessions"] = append(questions["meter_sessions"], `{`+id+`}`, `{`+id+`,"since":"2026-11-30","last":1}`)
		questions["meter_timeline"] = append(questions["meter_timeline"], `{`+id+`}`, `{`+id+`,"last":1}`)
		questions["meter_explain"] = append(questions["meter_explain"], `{`+id+`}`, `{`+id+`,"last":1}`)
	}
	questions["meter_explain"] = append(questions["meter_explain"], `{"day":"2026-11-30"}`, `{"day":"1999-01-01","timezone":"Asia/Tokyo"}`)
	for tool, list := range questions {
		strict := closed(t, w.tools.Snapshot().Find(tool).Output)
		for _, args := range list {
			a := w.ask(tool, args)
			if a.Failed() {
				t.Errorf("%s %s: %v", tool, args, a.Texts())
				continue
			}
			if issues := strict.Check(a.Structured); len(issues) > 0 {
				t.Errorf("%s %s: %s\n%s", tool, args, schema.Lines(issues, 5), a.Structured)
			}
			if len(a.Texts()) != 2 || a.Texts()[1] != string(a.Structured) || len(a.Texts()[0]) < 10 || len(a.Texts()[0]) > 600 {
				t.Errorf("%s %s: texts %q", tool, args, a.Texts())
			}
		}
	}
}

// A tool answers what the command of the same question answers in --json.
func TestTools_AnswerAsTheCommands(t *testing.T) {
	w := newToolWorld(t)
	got := w.ask("meter_usage", `{"by":"month"}`)
	want, err := w.meter.Usage(t.Context(), UsageQuery{By: "month", Zone: time.UTC, WeekStart: time.Monday, Cost: "auto"})
	if err != nil || len(want.Rows) == 0 {
		t.Fatalf("%d rows, %v", len(want.Rows), err)
	}
	text, err := json.Marshal(want)
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(string(text), string(got.Structured)); d != "" {
		t.Errorf("(-command +tool)\n%s", d)
	}
}

// A cut list says so, and the totals are of all of it.
func TestTools_CutListsSaySo(t *testing.T) {
	w := newToolWorld(t)
	all := w.ask("meter_usage", `{"by":"hour"}`)
	var rows struct{ Rows []json.RawMessage }
	if err := json.Unmarshal(all.Structured, &rows); err != nil {
		t.Fatal(err)
	}
	for _, most := range []int{1, 2} {
		r := toolReply{most: most, text: "Some.", build: func(most int) (any, leftOut) {
			var left leftOut
			return map[string]any{"rows": newest(&left, "rows", rows.Rows, most)}, left
		}}
		got, err := r.result("")
		if err != nil {
			t.Fatal(err)
		}
		want := fmt.Sprintf("Some. Note: %d of %d rows are listed; ask with a larger last, or for a shorter time.", most, len(rows.Rows))
		if got.Text != want || !strings.Contains(string(got.Structured.(json.RawMessage)), `,"note":"`) {
			t.Errorf("got  %s\nwant %s", got.Text, want)
		}
	}
	if a := w.ask("meter_sessions", `{"last":1}`); !strings.Contains(a.Texts()[0], "there are more sessions than the newest 1") {
		t.Errorf("sessions: %s", a.Texts()[0])
	}
}

// An answer that is too large lists less instead of failing.
func TestTools_LargeAnswersAreCut(t *testing.T) {
	list := make([]string, 5000)
	for i := range list {
		list[i] = strings.Repeat("x", 1000)
	}
	r := toolReply{most: 5000, text: "Much.", build: func(most int) (any, leftOut) {
		var left leftOut
		return map[string]any{"rows": first(&left, "rows", list, most)}, left
	}}
	got, err := r.result("stale")
	if err != nil {
		t.Fatal(err)
	}
	if n := len(got.Structured.(json.RawMessage)); n > largestAnswer || n < largestAnswer/4 {
		t.Errorf("%d bytes", n)
	}
	if want := "Much. Note: stale. 312 of 5000 rows are listed; ask with a larger last, or for a shorter time."; got.Text != want {
		t.Errorf("got  %s\nwant %s", got.Text, want)
	}
}

// What is wrong is told with what to do.
func TestTools_ErrorsSayWhatToDo(t *testing.T) {
	w := newToolWorld(t)
	for _, c := range []struct{ tool, args, want string }{
		{"meter_usage", `{"by":"year"}`, "INVALID_PARAMS: `/by`: must be one of day, week, month"},
		{"meter_usage", `{"days":3}`, "INVALID_PARAMS: does not know `days`"},
		{"meter_usage", `{"since":"yesterday"}`, `INVALID_PARAMS: since: "yesterday" is neither a day nor an instant; use 2026-11-29`},
		{"meter_usage", `{"since":"2026-12-01","until":"2026-11-01"}`, "INVALID_PARAMS: since: since 2026-12-01 is after until 2026-11-01; the days"},
		{"meter_usage", `{"timezone":"Mars"}`, `INVALID_PARAMS: timezone: time zone "Mars" is not known; use an IANA name`},
		{"meter_usage", `{"harness":"vim"}`, "INVALID_PARAMS: `/harness`: the harnesses are "},
		{"meter_usage", `{"last":0}`, "INVALID_PARAMS: `/last`: less than 1"},
		{"meter_usage", `{"session":"nope"}`, "meter_sessions lists the sessions"},
		{"meter_sessions", `{"session":"nope"}`, "NOT_FOUND: "},
		{"meter_sessions", `{"session":"aaaa"}`, `INVALID_PARAMS: session "aaaa" is ambiguous: `},
		{"meter_sessions", `{"session":"nope","search":"x"}`, "INVALID_PARAMS: with session, only"},
		{"meter_timeline", `{}`, "INVALID_PARAMS: needs `session`"},
		{"meter_timeline", `{"session":"nope"}`, "meter_sessions lists the sessions"},
		{"meter_explain", `{}`, "INVALID_PARAMS: give either session or day"},
		{"meter_explain", `{"session":"a","day":"2026-11-29"}`, "INVALID_PARAMS: give either session or day"},
		{"meter_explain", `{"day":"2026-11-31"}`, "INVALID_PARAMS: `/day`: use a day such as 2026-11-29"},
		{"meter_budget", `{"budget":"nope"}`, `NOT_FOUND: no budget is called "nope"; config.toml has no [[budget]]`},
		{"meter_budget", `{"window":"day"}`, "INVALID_PARAMS: a stated budget needs window and maxUsd or maxTokens"},
		{"meter_budget", `{"window":"day","maxUsd":"much"}`, "INVALID_PARAMS: "},
		{"meter_budget", `{"window":"day","maxTokens":1,"harness":"codex-cli","model":"m"}`, "INVALID_PARAMS: a budget has one scope"},
		{"meter_pricing", `{"provider":"anthropic"}`, "INVALID_PARAMS: give model, or nothing"},
		{"meter_pricing", `{"model":"m","at":"then"}`, `INVALID_PARAMS: at: "then" is neither`},
		{"meter_pricing", `{"model":"m","input":1,"at":"then"}`, "INVALID_PARAMS: "},
	} {
		a := w.ask(c.tool, c.args)
		if !a.Failed() || !strings.Contains(a.Texts()[0], c.want) {
			t.Errorf("%s %s\n got %q\nwant %q", c.tool, c.args, a.Texts(), c.want)
		}
	}
}

// slowReader reads for ever.
type slowReader struct{ kept }

func (slowReader) refresh(ctx context.Context) error {
	<-ctx.Done()
	return ctx.Err()
}

// A first scan that takes long does not keep a question waiting: what is known
// is answered, and told to be incomplete.
func TestTools_AnswerWhileLogsAreRead(t *testing.T) {
	w := newToolWorld(t)
	w.ask("meter_usage", `{}`)
	tools := &meterTools{lender: slowReader{kept{w.meter}}, patience: time.Millisecond}
	stale, err := tools.freshen(t.Context())
	if err != nil || !strings.Contains(stale, "not complete") {
		t.Errorf("%q %v", stale, err)
	}
}

// Where there is no log at all, a question says where was looked.
func TestTools_WithoutAnyLog(t *testing.T) {
	home := t.TempDir()
	env := func(name string) string {
		return map[string]string{"METERBRIDGE_HOME": filepath.Join(home, "mb"), "TZ": "UTC"}[name]
	}
	m, err := Open(t.Context(), Options{Getenv: env, Home: home, OS: "linux", Now: time.Now, Version: "test"})
	if err != nil {
		t.Fatal(err)
	}
	defer m.Close()
	list, err := newTools(kept{m})
	if err != nil {
		t.Fatal(err)
	}
	r, err := registry.New(list...)
	if err != nil {
		t.Fatal(err)
	}
	p := pipeline.New(pipeline.Options{Limits: pipeline.Limits{CallBurst: 1000}})
	a := p.Do(t.Context(), pipeline.Call{Tool: r.Snapshot().Find("meter_usage")})
	if a.Code != bridge.CodeNotFound || !strings.HasPrefix(a.Texts()[0], "NOT_FOUND: no logs were found; looked in") {
		t.Errorf("%+v", a)
	}
	if a := p.Do(t.Context(), pipeline.Call{Tool: r.Snapshot().Find("meter_pricing"), Args: json.RawMessage(`{"model":"claude-sonnet-4-5"}`)}); a.Failed() {
		t.Errorf("prices need no log: %+v", a)
	}
}
