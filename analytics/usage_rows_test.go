package analytics

import (
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"meterbridge"
)

// family is a ledger with a session, its sub-agents, a fork of it, and another
// harness that logs no prompts.
func familyLedger(t *testing.T) *Ledger {
	l := open(t, Options{ReportZone: time.UTC})
	in := func(r meterbridge.Request, model, project string) meterbridge.Request {
		r.Model, r.Project = model, project
		return r
	}
	s1 := logOf("/logs/1.jsonl", in(said("S1", "a", 1, 1), "m1", "/srv/first"), in(said("S1", "b", 2, 20), "m2", "/srv/second"))
	s1.Batch.Sessions = []meterbridge.Session{{Harness: "claude-code", ID: "S1", Title: "Checkout", TitleRank: meterbridge.TitleFromModel, Project: "/srv/second"}}
	at := func(second int) time.Time { return time.Date(2026, 10, 5, 8, 0, second, 0, time.UTC) }
	s1.Batch.Prompts = []meterbridge.Prompt{
		{Harness: "claude-code", NativeID: "p1", Session: "S1", At: at(0)},
		{Harness: "claude-code", NativeID: "p2", Session: "S1", At: at(10)},
		// Nothing answers the third one.
		{Harness: "claude-code", NativeID: "p3", Session: "S1", At: at(50)},
	}
	agent := logOf("/logs/1/agent.jsonl", in(said("S1/x", "c", 4, 5), "m1", "/srv/first"))
	agent.Batch.Sessions = []meterbridge.Session{{Harness: "claude-code", ID: "S1/x", Parent: "S1", Relation: meterbridge.SubAgent, AgentType: "explore"}}
	nested := logOf("/logs/1/nested.jsonl", in(said("S1/y", "d", 8, 6), "m1", "/srv/first"))
	nested.Batch.Sessions = []meterbridge.Session{{Harness: "claude-code", ID: "S1/y", Parent: "S1/x", Relation: meterbridge.SubAgent}}
	fork := logOf("/logs/2.jsonl", in(said("S2", "e", 16, 30), "m2", ""))
	fork.Batch.Sessions = []meterbridge.Session{{Harness: "claude-code", ID: "S2", Parent: "S1", Relation: meterbridge.Fork}}
	other := logOf("/logs/3.jsonl", in(said("T1", "f", 32, 40), "", "/srv/first"))
	other.Batch.Requests[0].Harness = "codex-cli"
	scanned(t, l, s1, agent, nested, fork, other)
	return l
}

// brief is a row in one line: key, harness, requests, output, prompts, models.
func brief(r UsageRow) string {
	harness, prompts := "–", "–"
	if r.Harness != nil {
		harness = *r.Harness
	}
	if r.Prompts != nil {
		prompts = fmt.Sprint(*r.Prompts)
	}
	return fmt.Sprintf("%s|%s|%d|%d|%s|%v", r.Key, harness, r.Requests, *r.OutputTokens, prompts, r.Models)
}

func TestUsage_RowsOfEveryKey(t *testing.T) {
	l := familyLedger(t)
	for _, c := range []struct {
		q    UsageQuery
		want []string
	}{
		{UsageQuery{By: "session"}, []string{"S2|claude-code|1|16|0|[m2]", "T1|codex-cli|1|32|–|[]", "S1|claude-code|4|15|3|[m1 m2]"}},
		{UsageQuery{By: "agent"}, []string{"explore|–|1|4|0|[m1]", "main|–|4|51|3|[m1 m2]", "unknown|–|1|8|0|[m1]"}},
		{UsageQuery{By: "project"}, []string{"|–|1|16|0|[m2]", "/srv/first|–|4|45|0|[m1]", "/srv/second|–|1|2|3|[m2]"}},
		{UsageQuery{By: "model"}, []string{"|–|1|32|1|[]", "m1|–|3|13|1|[m1]", "m2|–|2|18|1|[m2]"}},
		{UsageQuery{By: "harness"}, []string{"claude-code|claude-code|5|31|3|[m1 m2]", "codex-cli|codex-cli|1|32|–|[]"}},
		{UsageQuery{By: "day"}, []string{"2026-10-05|–|6|63|3|[m1 m2]"}},
		{UsageQuery{By: "day", Filter: Filter{Harness: "codex-cli"}}, []string{"2026-10-05|–|1|32|–|[]"}},
		{UsageQuery{By: "day", Filter: Filter{Project: "/srv/second"}}, []string{"2026-10-05|–|1|2|3|[m2]"}},
		{UsageQuery{By: "day", Filter: Filter{Model: "m2"}}, []string{"2026-10-05|–|2|18|1|[m2]"}},
		{UsageQuery{By: "day", Filter: Filter{Model: "none"}}, []string{}},
		{UsageQuery{By: "session", Filter: Filter{Session: "S1"}}, []string{"S1|claude-code|4|15|3|[m1 m2]"}},
		{UsageQuery{By: "session", Filter: Filter{Session: "S1/x"}}, []string{"S1|claude-code|2|12|0|[m1]"}},
		{UsageQuery{By: "session", Filter: Filter{Session: "S1/y"}}, []string{"S1|claude-code|1|8|0|[m1]"}},
		{UsageQuery{By: "model", Filter: Filter{Session: "codex-cli:T"}}, []string{"|–|1|32|–|[]"}},
		{UsageQuery{By: "session", Last: 2}, []string{"T1|codex-cli|1|32|–|[]", "S1|claude-code|4|15|3|[m1 m2]"}},
		{UsageQuery{By: "model", Last: 1}, []string{"|–|1|32|1|[]"}},
	} {
		t.Run(fmt.Sprintf("%s %+v last %d", c.q.By, c.q.Filter, c.q.Last), func(t *testing.T) {
			got := []string{}
			r := usageOf(t, l, c.q)
			output, prompts := int64(0), int64(0)
			for _, row := range r.Rows {
				got = append(got, brief(row))
				output += *row.OutputTokens
				prompts += or0(row.Prompts)
			}
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Errorf("rows (-want +got):\n%s", diff)
			}
			if r.Totals.OutputTokens != nil && *r.Totals.OutputTokens != output {
				t.Errorf("totals %d, the rows sum to %d", *r.Totals.OutputTokens, output)
			}
			if or0(r.Totals.Prompts) != prompts {
				t.Errorf("%d prompts in all, the rows sum to %d", or0(r.Totals.Prompts), prompts)
			}
		})
	}
	if _, err := l.Usage(t.Context(), UsageQuery{By: "session", Filter: Filter{Session: "S9"}}); err == nil {
		t.Error("an unknown session gave no error")
	}
	if _, err := l.Usage(t.Context(), UsageQuery{By: "colour"}); err == nil {
		t.Error("an unknown key gave no error")
	}
}

func TestUsage_SessionRowIsTheContract(t *testing.T) {
	r := usageOf(t, familyLedger(t), UsageQuery{By: "session", Breakdown: true})
	want := `{"session":"S1","harness":"claude-code","title":"Checkout","project":"/srv/first","parentSession":null,` +
		`"firstAt":"2026-10-05T08:00:01.000Z","lastAt":"2026-10-05T08:00:20.000Z","subagents":2,` +
		`"requests":4,"prompts":3,"inputTokens":40,"outputTokens":15,"reasoningTokens":null,"cacheReadTokens":null,"cacheWriteTokens":null,` +
		`"totalTokens":55,"costMicroUsd":null,"costPartial":false,"costBasis":"none","unpricedModels":["m1","m2"],"models":["m1","m2"],"breakdown":[` +
		`{"model":"m1","harness":"claude-code","requests":3,"prompts":null,"inputTokens":30,"outputTokens":13,"reasoningTokens":null,"cacheReadTokens":null,` +
		`"cacheWriteTokens":null,"totalTokens":43,"costMicroUsd":null,"costPartial":false,"costBasis":"none","unpricedModels":["m1"],"models":["m1"]},` +
		`{"model":"m2","harness":"claude-code","requests":1,"prompts":null,"inputTokens":10,"outputTokens":2,"reasoningTokens":null,"cacheReadTokens":null,` +
		`"cacheWriteTokens":null,"totalTokens":12,"costMicroUsd":null,"costPartial":false,"costBasis":"none","unpricedModels":["m2"],"models":["m2"]}]}`
	if got := jsonOf(t, r.Rows[2]); got != want {
		t.Errorf("row\n got %s\nwant %s", got, want)
	}
	if got := r.Rows[0].Session.ParentSession; got == nil || *got != "S1" {
		t.Errorf("parent of the fork = %v, want S1", got)
	}
	empty := usageOf(t, open(t, Options{}), UsageQuery{By: "day"})
	want = `{"schemaVersion":1,"by":"day","timezone":"UTC","since":null,"until":null,"rows":[],"totals":{"requests":0,"prompts":0,"inputTokens":null,` +
		`"outputTokens":null,"reasoningTokens":null,"cacheReadTokens":null,"cacheWriteTokens":null,"totalTokens":null,"costMicroUsd":null,` +
		`"costPartial":false,"costBasis":"none","unpricedModels":[]}}`
	if got := jsonOf(t, empty); got != want {
		t.Errorf("empty\n got %s\nwant %s", got, want)
	}
}

func TestUsage_Blocks(t *testing.T) {
	now := time.Date(2026, 10, 5, 20, 30, 0, 0, time.UTC)
	l := open(t, Options{ReportZone: time.UTC, Now: func() time.Time { return now }})
	claude := logOf("/logs/a.jsonl",
		// Inferred: 08:00 to 13:00, then the first request outside begins 13:00 to 18:00.
		spentAt("2026-10-05T08:40:00Z", 1), spentAt("2026-10-05T12:59:59Z", 2), spentAt("2026-10-05T13:10:00Z", 4),
		spentAt("2026-10-05T20:00:00Z", 8))
	codex := logOf("/logs/b.jsonl", spentAt("2026-10-05T08:41:00Z", 100), spentAt("2026-10-05T09:00:00Z", 200), spentAt("2026-10-05T13:30:00Z", 400), spentAt("2026-10-05T14:00:00Z", 800))
	for i := range codex.Batch.Requests {
		codex.Batch.Requests[i].Harness = "codex-cli"
	}
	limit := func(at, resets string, window time.Duration) meterbridge.Limit {
		return meterbridge.Limit{Harness: "codex-cli", Session: "S1", Name: "primary", Window: window, At: instant(at), ResetsAt: instant(resets)}
	}
	codex.Batch.Limits = []meterbridge.Limit{
		// A recorded reset at 13:47:10 makes the block 08:47:10 to 13:47:10; it jitters by a second.
		limit("2026-10-05T09:00:00Z", "2026-10-05T13:47:09Z", 5*time.Hour), limit("2026-10-05T13:30:00Z", "2026-10-05T13:47:10Z", 5*time.Hour),
		// A week is no block, and a reset in the past is nonsense.
		limit("2026-10-05T09:00:00Z", "2026-10-09T00:00:00Z", 7*24*time.Hour), limit("2026-10-05T14:00:00Z", "2026-10-04T00:00:00Z", 5*time.Hour),
	}
	scanned(t, l, claude, codex)
	show := func(q UsageQuery) []string {
		got := []string{}
		for _, r := range usageOf(t, l, q).Rows {
			got = append(got, fmt.Sprintf("%s %s to %s %s active=%t %d", *r.Harness, r.Key, r.Block.EndAt.Format(time.RFC3339), r.Block.ResetSource, r.Block.Active, *r.InputTokens))
		}
		return got
	}
	want := []string{
		"claude-code 2026-10-05T08:00:00Z to 2026-10-05T13:00:00Z inferred active=false 3",
		"codex-cli 2026-10-05T08:00:00Z to 2026-10-05T13:00:00Z inferred active=false 100",
		"codex-cli 2026-10-05T08:47:09Z to 2026-10-05T13:47:10Z recorded active=false 600",
		"claude-code 2026-10-05T13:00:00Z to 2026-10-05T18:00:00Z inferred active=false 4",
		"codex-cli 2026-10-05T14:00:00Z to 2026-10-05T19:00:00Z inferred active=false 800",
		"claude-code 2026-10-05T20:00:00Z to 2026-10-06T01:00:00Z inferred active=true 8",
	}
	if diff := cmp.Diff(want, show(UsageQuery{By: "block"})); diff != "" {
		t.Errorf("blocks (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(want[4:], show(UsageQuery{By: "block", Last: 2})); diff != "" {
		t.Errorf("the last two (-want +got):\n%s", diff)
	}
	// A filter narrows what is counted; it does not move the blocks.
	since := UsageQuery{By: "block", Filter: Filter{Harness: "claude-code", Since: instant("2026-10-05T12:00:00Z"), Until: instant("2026-10-05T13:00:00Z")}}
	if diff := cmp.Diff([]string{"claude-code 2026-10-05T08:00:00Z to 2026-10-05T13:00:00Z inferred active=false 2"}, show(since)); diff != "" {
		t.Errorf("filtered (-want +got):\n%s", diff)
	}
}

// --session finds what `sessions ID` finds, and has the same numbers; an id of
// two harnesses is refused, not added up.
func TestUsage_OfOneSessionIsThatOfSessions(t *testing.T) {
	w := shop(t)
	w.session(sessionRow{id: 6, harness: "codex-cli", native: "aaaa-1", first: at("2026-10-06T10:00:00Z"), last: at("2026-10-06T10:00:00Z")})
	w.request(requestRow{native: "other", harness: "codex-cli", session: 6, model: "gpt", end: at("2026-10-06T10:00:00Z"), in: 1000, source: 4, line: 20})
	w.summed()
	var several *AmbiguousError
	for _, id := range []string{"aaaa-1", "aa"} {
		if _, err := w.l.Usage(t.Context(), UsageQuery{By: "session", Filter: Filter{Session: id}}); !errors.As(err, &several) {
			t.Errorf("--session %s: %v, want it ambiguous", id, err)
		}
	}
	if _, err := w.l.Usage(t.Context(), UsageQuery{By: "session", Filter: Filter{Session: "nope"}}); !errors.Is(err, ErrUnknown) {
		t.Errorf("--session nope: %v, want ErrUnknown", err)
	}
	for _, id := range []string{"claude-code:aaaa-1", "codex-cli:aaaa-1", "aaaa-1/a9f", "aaaa-2", "bb"} {
		r := usageOf(t, w.l, UsageQuery{By: "session", Filter: Filter{Session: id}})
		one, err := w.l.Session(t.Context(), id, time.Time{}, time.Time{})
		if err != nil || len(r.Rows) != 1 {
			t.Fatalf("%s: %d rows, %v", id, len(r.Rows), err)
		}
		n, u := r.Rows[0].Numbers, one.Usage
		got := Part{&n.Requests, n.InputTokens, n.OutputTokens, n.ReasoningTokens, n.CacheReadTokens, n.CacheWriteTokens, n.TotalTokens, n.CostMicroUSD}
		if diff := cmp.Diff(u.Part, got); diff != "" || *r.Rows[0].Harness != one.Harness {
			t.Errorf("%s (-sessions +usage):\n%s", id, diff)
		}
	}
}
