package analytics

import (
	"encoding/json"
	"errors"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

var seenTurns = cmpopts.IgnoreUnexported(Turn{}, WindowUsage{})

func TestSession_ID(t *testing.T) {
	w := shop(t)
	w.session(sessionRow{id: 6, harness: "codex-cli", native: "aaaa-1"})
	w.session(sessionRow{id: 7, harness: "codex-cli", native: "dddd-1"})
	w.session(sessionRow{id: 8, harness: "codex-cli", native: "dddd-1/b7", parent: 7, relation: "subagent", root: 7})
	tests := []struct {
		why, id, want string
		candidates    int
		unknown       bool
	}{
		{"the whole id", "aaaa-2", "claude-code:aaaa-2", 0, false},
		{"a unique beginning", "bb", "codex-cli:bbbb-1", 0, false},
		{"a sub-agent gives way to its parent", "dd", "codex-cli:dddd-1", 0, false},
		{"a sub-agent by its whole id", "aaaa-1/a9f", "claude-code:aaaa-1/a9f", 0, false},
		{"the same id in two harnesses", "aaaa-1", "", 2, false},
		{"one of them", "codex-cli:aaaa-1", "codex-cli:aaaa-1", 0, false},
		{"a beginning of three", "aa", "", 3, false},
		{"no such id", "zz", "", 0, true},
		{"no id", "", "", 0, true},
	}
	for _, tt := range tests {
		a, err := w.l.Session(t.Context(), tt.id, time.Time{}, time.Time{})
		var several *AmbiguousError
		switch {
		case tt.unknown:
			if !errors.Is(err, ErrUnknown) {
				t.Errorf("%s: Session(%q) = %v, want ErrUnknown", tt.why, tt.id, err)
			}
		case tt.candidates > 0:
			if !errors.As(err, &several) || several.Count != tt.candidates || len(several.Candidates) != tt.candidates {
				t.Errorf("%s: Session(%q) = %v, want %d candidates", tt.why, tt.id, err, tt.candidates)
			}
		default:
			if got := a.Harness + ":" + a.Session; err != nil || got != tt.want {
				t.Errorf("%s: Session(%q) = %s, %v, want %s", tt.why, tt.id, got, err, tt.want)
			}
		}
	}
}

// Turns of aaaa-1 come from its prompts at 08:00:00 (r1 and the sub-agent's r3,
// so it ended at 08:00:12) and 08:00:15 (r2, 08:00:20). Tokens: in 10+20+5, out
// 120+80+40, reasoning 30, read 9000+9500+100, written 700+0+60; cost 1234567 +
// 2000001 = 3234568 pUSD, up to 4 micro-USD, partial for the sub-agent's model.
func TestSession_Usage(t *testing.T) {
	w := shop(t)
	got, err := w.l.Session(t.Context(), "aaaa-1", time.Time{}, time.Time{})
	if err != nil {
		t.Fatal(err)
	}
	want := WindowUsage{
		SchemaVersion: 1, Session: "aaaa-1", Harness: "claude-code", UsageReadable: true, Prompts: ptr[int64](2),
		Part: Part{
			Requests: ptr[int64](3), InputTokens: ptr[int64](35), OutputTokens: ptr[int64](240), ReasoningTokens: ptr[int64](30),
			CacheReadTokens: ptr[int64](18600), CacheWriteTokens: ptr[int64](760), TotalTokens: ptr[int64](19635), CostMicroUSD: ptr[int64](4),
		},
		CostPartial: true, Model: ptr("opus"),
		ElapsedMs: ptr[int64](20_000), FirstPromptAt: ptr(at("2026-10-05T08:00:00Z")), LastFinishedAt: ptr(at("2026-10-05T08:00:20Z")),
		ScannedAt: ptr(at("2026-10-07T00:00:00Z")),
		MainOnly: &Part{
			Requests: ptr[int64](2), InputTokens: ptr[int64](30), OutputTokens: ptr[int64](200), ReasoningTokens: ptr[int64](30),
			CacheReadTokens: ptr[int64](18500), CacheWriteTokens: ptr[int64](700), TotalTokens: ptr[int64](19430), CostMicroUSD: ptr[int64](4),
		},
		Subagents: &SubagentsPart{Count: 1, Part: Part{
			Requests: ptr[int64](1), InputTokens: ptr[int64](5), OutputTokens: ptr[int64](40),
			CacheReadTokens: ptr[int64](100), CacheWriteTokens: ptr[int64](60), TotalTokens: ptr[int64](205),
		}},
	}
	if d := cmp.Diff(want, got.Usage, seenTurns); d != "" {
		t.Errorf("usage of aaaa-1 (-want +got):\n%s", d)
	}
}

func TestSession_Lists(t *testing.T) {
	w := shop(t)
	got, err := w.l.Session(t.Context(), "aaaa-1", time.Time{}, time.Time{})
	if err != nil {
		t.Fatal(err)
	}
	got.Usage, got.Models = WindowUsage{}, nil
	first, last := instant("2026-10-05T08:00:05Z"), instant("2026-10-05T08:00:20Z")
	sub := instant("2026-10-05T08:00:12Z")
	fork := instant("2026-10-05T08:00:42Z")
	want := SessionAnswer{
		SchemaVersion: 1, Session: "aaaa-1", Harness: "claude-code", Title: ptr("Checkout work"), Project: ptr("/srv/demo-shop"), Branch: ptr("main"),
		Version: ptr("2.1"), FirstAt: &first, LastAt: &last, LastReply: ptr("All done."),
		Subagents: []SubagentSpend{{Session: "aaaa-1/a9f", ParentSession: ptr("aaaa-1"), AgentType: ptr("Explore"), FirstAt: &sub, LastAt: &sub, Part: Part{
			Requests: ptr[int64](1), InputTokens: ptr[int64](5), OutputTokens: ptr[int64](40),
			CacheReadTokens: ptr[int64](100), CacheWriteTokens: ptr[int64](60), TotalTokens: ptr[int64](205),
		}}},
		Forks: []SessionRef{{Session: "aaaa-2", Relation: "fork", Title: ptr("Another way"), FirstAt: &fork, LastAt: &fork}},
		Tools: []ToolCount{
			{Name: "Grep", Calls: 2, OK: 1, Failed: 1, Timed: 2, TotalMs: ptr[int64](1500)},
			{Name: "Bash", Calls: 1, OK: 1, Timed: 1, TotalMs: ptr[int64](3000)},
			{Name: "Read", Calls: 1},
		},
		Limits: []LimitSeen{},
		Events: []EventSeen{{At: ptr(instant("2026-10-05T08:00:30Z")), Session: "aaaa-1", Kind: "error", Detail: ptr("429")}},
		Prompts: []PromptSeen{
			{At: ptr(instant("2026-10-05T08:00:00Z")), Preview: ptr("Fix the checkout test")},
			{At: ptr(instant("2026-10-05T08:00:15Z")), Preview: ptr("And the tax")},
		},
		Sources: []SourceSeen{
			{Path: "/srv/logs/a.jsonl", Kind: "transcript"}, {Path: "/srv/logs/a/agent-a9f.jsonl", Kind: "transcript"}, {Path: "/srv/logs/fork.jsonl", Kind: "transcript"},
		},
	}
	if d := cmp.Diff(want, got, seenTurns); d != "" {
		t.Errorf("session aaaa-1 (-want +got):\n%s", d)
	}
}

// Session bbbb-1 has turns of its log: one of 12 s with a request, and one
// without, which is not counted. Codex has no sub-agent here, so no parts, and no
// prompt, so their number is not reported.
func TestSession_TurnsOfTheLog(t *testing.T) {
	w := shop(t)
	got, err := w.l.Session(t.Context(), "bbbb", time.Time{}, time.Time{})
	if err != nil {
		t.Fatal(err)
	}
	u := got.Usage
	if u.Prompts != nil || *u.ElapsedMs != 12_000 || *u.LastFinishedAt != at("2026-10-06T09:00:12Z") || u.WorkingMs != nil || u.TimingComplete {
		t.Errorf("usage = %s, want no prompts, 12000 ms", pretty(u))
	}
	if u.CacheWriteTokens != nil || *u.TotalTokens != 160 || *u.CostMicroUSD != 7 || u.MainOnly != nil || *u.Provider != "openai" {
		t.Errorf("usage = %s, want cache writes null, 160 tokens, 7 micro-USD, no parts", pretty(u))
	}
	limit := []LimitSeen{{
		Name: "primary", At: ptr(instant("2026-10-06T09:00:10Z")), WindowMs: ptr[int64](18_000_000), UsedPercent: ptr(12.5),
		ResetsAt: ptr(instant("2026-10-06T12:00:00Z")), Plan: ptr("plus"),
	}}
	if d := cmp.Diff(limit, got.Limits); d != "" {
		t.Errorf("limits (-want +got):\n%s", d)
	}
}

func TestWindow_WithoutActivity(t *testing.T) {
	w := shop(t)
	u, err := w.l.Window(t.Context(), "aaaa-1", instant("2026-11-01T00:00:00Z"), instant("2026-11-02T00:00:00Z"))
	if err != nil {
		t.Fatal(err)
	}
	if *u.Requests != 0 || *u.TotalTokens != 0 || u.CostMicroUSD != nil || *u.Prompts != 0 || *u.WorkingMs != 0 || u.ElapsedMs != nil || u.FirstPromptAt != nil {
		t.Errorf("an empty window = %s", pretty(u))
	}
}

// The window ends before r2 (its end is the bound): r1 and the sub-agent's r3. The
// first prompt was typed before it, the second within.
func TestWindow_IsHalfOpen(t *testing.T) {
	w := shop(t)
	u, err := w.l.Window(t.Context(), "aaaa-1", instant("2026-10-05T08:00:05Z"), instant("2026-10-05T08:00:20Z"))
	if err != nil {
		t.Fatal(err)
	}
	if *u.Requests != 2 || *u.InputTokens != 15 || *u.LastFinishedAt != at("2026-10-05T08:00:12Z") || *u.Prompts != 1 {
		t.Errorf("window = %s, want 2 requests, 15 in, finished at 08:00:12", pretty(u))
	}
}

func TestWindow_OfCoarseRows(t *testing.T) {
	w := shop(t)
	w.session(sessionRow{id: 9, harness: "hermes", native: "hhhh", first: at("2026-10-05T08:00:00Z"), last: at("2026-10-05T08:00:00Z")})
	w.request(requestRow{native: "run", harness: "hermes", session: 9, end: at("2026-10-05T08:00:00Z"), in: 100, out: 7, precision: "session", source: 1, line: 1})
	u, err := w.l.Window(t.Context(), "hhhh", time.Time{}, time.Time{})
	if err != nil {
		t.Fatal(err)
	}
	if u.Requests != nil || *u.TotalTokens != 107 || u.CostMicroUSD != nil || u.CostPartial {
		t.Errorf("running totals = %s, want requests null", pretty(u))
	}
}

func TestSessions_Lists(t *testing.T) {
	w := shop(t)
	tests := []struct {
		why    string
		filter SessionFilter
		want   []string
	}{
		{"all, newest first", SessionFilter{}, []string{"bbbb-1", "aaaa-2", "aaaa-1", "cccc-1"}},
		{"the newest two", SessionFilter{Last: 2}, []string{"bbbb-1", "aaaa-2"}},
		{"one harness", SessionFilter{Harness: "codex-cli"}, []string{"bbbb-1"}},
		{"one project", SessionFilter{Project: "/srv/demo-shop"}, []string{"aaaa-2", "aaaa-1"}},
		{"one day", SessionFilter{Since: instant("2026-10-05T00:00:00Z"), Until: instant("2026-10-06T00:00:00Z")}, []string{"aaaa-2", "aaaa-1"}},
		{"a title", SessionFilter{Search: "PARSER"}, []string{"bbbb-1"}},
		{"a prompt", SessionFilter{Search: "the tax"}, []string{"aaaa-1"}},
		{"nothing", SessionFilter{Search: "no such text"}, nil},
	}
	for _, tt := range tests {
		list, err := w.l.Sessions(t.Context(), tt.filter)
		if err != nil {
			t.Fatalf("%s: %v", tt.why, err)
		}
		var got []string
		for _, s := range list.Sessions {
			got = append(got, s.Session)
		}
		if d := cmp.Diff(tt.want, got); d != "" {
			t.Errorf("%s (-want +got):\n%s", tt.why, d)
		}
	}
}

func TestSessions_Numbers(t *testing.T) {
	w := shop(t)
	list, err := w.l.Sessions(t.Context(), SessionFilter{Search: "checkout work"})
	if err != nil {
		t.Fatal(err)
	}
	first, last := instant("2026-10-05T08:00:05Z"), instant("2026-10-05T08:00:20Z")
	want := []SessionSummary{{
		Session: "aaaa-1", Harness: "claude-code", Title: ptr("Checkout work"), Project: ptr("/srv/demo-shop"), Branch: ptr("main"),
		FirstAt: &first, LastAt: &last, Subagents: 1, Models: []string{"newcomer", "opus"},
		Numbers: Numbers{
			Requests: 3, Prompts: ptr[int64](2), InputTokens: ptr[int64](35), OutputTokens: ptr[int64](240), ReasoningTokens: ptr[int64](30),
			CacheReadTokens: ptr[int64](18600), CacheWriteTokens: ptr[int64](760), TotalTokens: ptr[int64](19635),
			CostMicroUSD: ptr[int64](4), CostPartial: true, CostBasis: "list", UnpricedModels: []string{"newcomer"},
		},
	}}
	if d := cmp.Diff(want, list.Sessions); d != "" {
		t.Errorf("sessions (-want +got):\n%s", d)
	}
}

func pretty(v any) string {
	b, err := json.MarshalIndent(v, "", " ")
	if err != nil {
		return err.Error()
	}
	return string(b)
}
