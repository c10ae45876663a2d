package analytics

import (
	"encoding/json"
	"errors"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"meterbridge"
)

// exampleStart is the beginning of the window of the worked example, epoch ms.
const exampleStart = 1_790_000_000_000

// example is the agent of the worked example: its numbers, like those of the tests
// below, are those of the contract.
func example(t *testing.T, now int64) *world {
	t.Helper()
	w := &world{
		t: t, words: map[string]int{"": 0}, zero: map[string]row{},
		l: open(t, Options{Now: func() time.Time { return time.UnixMilli(now) }}),
	}
	w.insert("scan", row{"id": 1, "started_at": exampleStart + 899_500})
	w.together(func() {
		w.source(1, "claude-code", "/srv/logs/s-1.jsonl", "", false)
		w.session(sessionRow{id: 1, harness: "claude-code", native: "s-1", first: exampleStart + 66_000, last: exampleStart + 409_000})
		w.session(sessionRow{
			id: 2, harness: "claude-code", native: "s-1/a1b2", parent: 1, relation: "subagent", root: 1, agentType: "Explore",
			first: exampleStart + 171_000, last: exampleStart + 171_000,
		})
		w.exampleRequests()
	})
	w.exampleAgent()
	return w
}

func (w *world) exampleRequests() {
	for i, r := range []struct {
		session          int
		start, end       int64
		in, out, reason  int64
		read, write      int64
		tools, nativeTag string
	}{
		{1, 60_000, 66_000, 12, 180, 100, 0, 15_000, "Read", "a"},
		{1, 68_000, 72_500, 8, 95, 20, 15_000, 900, "Bash", "b"},
		{1, 150_000, 158_000, 10, 410, 60, 15_900, 1200, "Agent", "c"},
		{2, 160_000, 171_000, 2100, 320, 80, 0, 4000, "Grep\nRead", "d"},
		{1, 401_000, 409_000, 14, 260, 40, 17_101, 700, "", "e"},
	} {
		// List price per million: 3, 15, 0.30 and 3.75 dollars, so pico-USD per token as below.
		list := r.in*3_000_000 + r.out*15_000_000 + r.read*300_000 + r.write*3_750_000
		w.request(requestRow{
			native: r.nativeTag, harness: "claude-code", session: r.session, model: "claude-sonnet-4-5", provider: "anthropic",
			start: exampleStart + r.start, end: exampleStart + r.end, in: r.in, out: r.out, reason: r.reason, read: r.read, w5m: r.write,
			list: list, tools: r.tools, source: 1, line: int64(i + 1),
		})
	}
}

func (w *world) exampleAgent() {
	w.t.Helper()
	created := time.UnixMilli(exampleStart)
	a := meterbridge.Agent{
		ID: "ag-7", Name: "seven", Harness: "claude-code", Kind: meterbridge.AIAgent, Origin: meterbridge.Started,
		Workspace: "default", Generation: 1, CreatedAt: created, StartedAt: created,
	}
	w.keep(w.l.SaveAgent(w.t.Context(), a, []meterbridge.Binding{{Agent: "ag-7", Harness: "claude-code", Session: "s-1", Source: meterbridge.BoundGiven, Generation: 1}}))
	for _, s := range []struct {
		status meterbridge.Status
		from   int64
	}{
		{meterbridge.Idle, 0},
		{meterbridge.Working, 60_000},
		{meterbridge.NeedsInput, 100_000},
		{meterbridge.Working, 130_000},
		{meterbridge.Finished, 220_000},
		{meterbridge.Working, 400_000},
		{meterbridge.Finished, 460_000},
		{meterbridge.Working, 500_000},
		{meterbridge.Finished, 501_000},
	} {
		w.status("ag-7", s.status, exampleStart+s.from)
	}
	for _, turn := range [][2]int64{{60_000, 220_000}, {400_000, 460_000}, {500_000, 501_000}} {
		w.turnOf("ag-7", exampleStart+turn[0], exampleStart+turn[1], meterbridge.TurnFinished)
	}
}

func (w *world) keep(err error) {
	w.t.Helper()
	if err != nil {
		w.t.Fatal(err)
	}
}

func (w *world) status(agent string, status meterbridge.Status, from int64) {
	w.t.Helper()
	w.keep(w.l.SaveSpan(w.t.Context(), meterbridge.StatusSpan{
		Agent: agent, Generation: 1, Span: meterbridge.Span{Status: status, From: time.UnixMilli(from)}, Source: "hook", Confidence: "exact",
	}))
}

// turnOf keeps a turn; one that ends at 0 is open.
func (w *world) turnOf(agent string, from, to int64, as meterbridge.TurnEnd) {
	w.t.Helper()
	t := meterbridge.AgentTurn{Agent: agent, Generation: 1, StartedAt: time.UnixMilli(from), EndedAs: as}
	if to != 0 {
		t.EndedAt = time.UnixMilli(to)
	}
	w.keep(w.l.SaveTurn(w.t.Context(), t))
}

// asJSON is an answer as a client reads it.
func asJSON(t *testing.T, v any) map[string]any {
	t.Helper()
	text, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return parsed(t, string(text))
}

func parsed(t *testing.T, text string) map[string]any {
	t.Helper()
	var m map[string]any
	if err := json.Unmarshal([]byte(text), &m); err != nil {
		t.Fatal(err)
	}
	return m
}

const exampleUsage = `{"schemaVersion":1,"agentId":"ag-7","harness":"claude-code","since":1790000000000,"until":1790000900000,
 "status":"finished","usageReadable":true,"prompts":2,"requests":5,
 "inputTokens":2144,"outputTokens":1265,"cacheReadTokens":48001,"cacheWriteTokens":21800,
 "reasoningTokens":300,"totalTokens":73210,"costMicroUsd":121558,"costPartial":false,
 "model":"claude-sonnet-4-5","provider":"anthropic","elapsedMs":400000,"workingMs":190000,
 "firstPromptAt":1790000060000,"lastFinishedAt":1790000460000,"timingComplete":true,"scannedAt":1790000899500,
 "subagents":{"count":1,"requests":1,"inputTokens":2100,"outputTokens":320,"reasoningTokens":80,
   "cacheReadTokens":0,"cacheWriteTokens":4000,"totalTokens":6420,"costMicroUsd":26100},
 "mainOnly":{"requests":4,"inputTokens":44,"outputTokens":945,"reasoningTokens":220,
   "cacheReadTokens":48001,"cacheWriteTokens":17800,"totalTokens":66790,"costMicroUsd":95458}}`

func TestAgentUsage_IsThatOfTheWorkedExample(t *testing.T) {
	w := example(t, exampleStart+899_600)
	u, err := w.l.AgentUsage(t.Context(), "ag-7", time.UnixMilli(exampleStart), time.UnixMilli(exampleStart+900_000))
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(parsed(t, exampleUsage), asJSON(t, u)); d != "" {
		t.Errorf("usage (-want +got):\n%s", d)
	}
}

const exampleTimeline = `{"schemaVersion":1,"agentId":"ag-7","harness":"claude-code","since":1790000000000,"until":1790000900000,
 "usageReadable":true,"requestTimes":"start-end","truncated":false,"scannedAt":1790000899500,
 "requests":[
 {"startedAt":1790000060000,"endedAt":1790000066000,"model":"claude-sonnet-4-5","inputTokens":12,"outputTokens":180,"cacheReadTokens":0,"cacheWriteTokens":15000,"tools":["Read"]},
 {"startedAt":1790000068000,"endedAt":1790000072500,"model":"claude-sonnet-4-5","inputTokens":8,"outputTokens":95,"cacheReadTokens":15000,"cacheWriteTokens":900,"tools":["Bash"]},
 {"startedAt":1790000150000,"endedAt":1790000158000,"model":"claude-sonnet-4-5","inputTokens":10,"outputTokens":410,"cacheReadTokens":15900,"cacheWriteTokens":1200,"tools":["Agent"]},
 {"startedAt":1790000160000,"endedAt":1790000171000,"model":"claude-sonnet-4-5","inputTokens":2100,"outputTokens":320,"cacheReadTokens":0,"cacheWriteTokens":4000,"tools":["Grep","Read"],"subagent":{"id":"a1b2","name":"Explore"}},
 {"startedAt":1790000401000,"endedAt":1790000409000,"model":"claude-sonnet-4-5","inputTokens":14,"outputTokens":260,"cacheReadTokens":17101,"cacheWriteTokens":700}],
 "statuses":[
 {"status":"idle","from":1790000000000,"to":1790000060000},{"status":"working","from":1790000060000,"to":1790000100000},
 {"status":"needs-input","from":1790000100000,"to":1790000130000},{"status":"working","from":1790000130000,"to":1790000220000},
 {"status":"finished","from":1790000220000,"to":1790000400000},{"status":"working","from":1790000400000,"to":1790000460000},
 {"status":"finished","from":1790000460000,"to":1790000500000},{"status":"working","from":1790000500000,"to":1790000501000},
 {"status":"finished","from":1790000501000,"to":1790000900000}],
 "turns":[
 {"start":1790000060000,"end":1790000220000,"endedAs":"finished","counted":true},
 {"start":1790000400000,"end":1790000460000,"endedAs":"finished","counted":true},
 {"start":1790000500000,"end":1790000501000,"endedAs":"finished","counted":false}]}`

func TestAgentTimeline_IsThatOfTheWorkedExample(t *testing.T) {
	w := example(t, exampleStart+899_600)
	got, err := w.l.AgentTimeline(t.Context(), "ag-7", time.UnixMilli(exampleStart), time.UnixMilli(exampleStart+900_000))
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(parsed(t, exampleTimeline), asJSON(t, got)); d != "" {
		t.Errorf("timeline (-want +got):\n%s", d)
	}
}

// timing are the numbers that follow from statuses and turns.
type timing struct {
	Status                          string
	Prompts, Working                int64
	Elapsed, First, Finished, Spent *int64
	Complete                        bool
}

func timingOf(u AgentUsage) timing {
	return timing{u.Status, u.Prompts, u.WorkingMs, u.ElapsedMs, u.FirstPromptAt, u.LastFinishedAt, u.Requests, u.TimingComplete}
}

func TestAgentUsage_OfPartsOfTheExample(t *testing.T) {
	w := example(t, exampleStart+899_600)
	s := func(n int64) *int64 { return ptr(exampleStart + n) }
	for _, c := range []struct {
		name         string
		since, until int64
		want         timing
	}{
		{"before anything", 0, 50_000, timing{"finished", 0, 0, nil, nil, nil, ptr(int64(0)), true}},
		// 60 to 100 and 130 to 200 s; at its end the turn is open.
		{"cut in a turn", 0, 200_000, timing{"finished", 1, 110_000, ptr(int64(140_000)), s(60_000), nil, ptr(int64(4)), true}},
		// A turn that began before the window is one of it.
		{"begun in a turn", 150_000, 300_000, timing{"finished", 1, 70_000, ptr(int64(160_000)), s(60_000), s(220_000), ptr(int64(2)), true}},
		{"only the blip", 490_000, 600_000, timing{"finished", 0, 0, nil, nil, nil, ptr(int64(0)), true}},
		{"before the history", -1, 900_000, timing{"finished", 2, 190_000, ptr(int64(400_000)), s(60_000), s(460_000), ptr(int64(5)), false}},
	} {
		u, err := w.l.AgentUsage(t.Context(), "ag-7", time.UnixMilli(exampleStart+c.since), time.UnixMilli(exampleStart+c.until))
		if err != nil {
			t.Fatal(err)
		}
		if d := cmp.Diff(c.want, timingOf(u)); d != "" {
			t.Errorf("%s (-want +got):\n%s", c.name, d)
		}
	}
}

func TestAgentUsage_OfATurnUnderWay(t *testing.T) {
	w := example(t, exampleStart+610_000)
	w.status("ag-7", meterbridge.Working, exampleStart+600_000)
	w.turnOf("ag-7", exampleStart+600_000, 0, "")
	u, err := w.l.AgentUsage(t.Context(), "ag-7", time.UnixMilli(exampleStart), time.Time{})
	if err != nil {
		t.Fatal(err)
	}
	// 190 s as before and 10 s by now; from the first prompt at 60 s until now.
	want := timing{"working", 3, 200_000, ptr(int64(550_000)), ptr(int64(exampleStart + 60_000)), ptr(int64(exampleStart + 460_000)), ptr(int64(5)), true}
	if d := cmp.Diff(want, timingOf(u)); d != "" {
		t.Errorf("usage (-want +got):\n%s", d)
	}
	line, err := w.l.AgentTimeline(t.Context(), "ag-7", time.UnixMilli(exampleStart), time.Time{})
	if err != nil {
		t.Fatal(err)
	}
	turn := asJSON(t, line)["turns"].([]any)[3]
	if d := cmp.Diff(map[string]any{"start": float64(exampleStart + 600_000), "end": nil, "counted": true}, turn); d != "" {
		t.Errorf("the open turn (-want +got):\n%s", d)
	}
	last := line.Statuses[len(line.Statuses)-1]
	if want := (TimedStatus{"working", exampleStart + 600_000, ptr(int64(exampleStart + 610_000))}); cmp.Diff(want, last) != "" {
		t.Errorf("the last span: %+v, want %+v", last, want)
	}
}

// What a session spends belongs to the agent to which it was bound then, and to
// that one alone.
func TestAgentUsage_ASessionThatChangesHands(t *testing.T) {
	w := example(t, exampleStart+899_600)
	bind := func(agent, session string, from, to int64) {
		b := meterbridge.Binding{Agent: agent, Harness: "claude-code", Session: session, Source: meterbridge.BoundByHook, Generation: 1}
		if from != 0 {
			b.From = time.UnixMilli(exampleStart + from)
		}
		if to != 0 {
			b.To = time.UnixMilli(exampleStart + to)
		}
		created := time.UnixMilli(exampleStart)
		a := meterbridge.Agent{ID: agent, Name: agent, Harness: "claude-code", Kind: meterbridge.AIAgent, Origin: meterbridge.Hooked, Workspace: "default", CreatedAt: created}
		// The sub-agent's session is bound too: it is counted once all the same.
		sub := b
		sub.Session = "s-1/a1b2"
		w.keep(w.l.SaveAgent(t.Context(), a, []meterbridge.Binding{b, sub}))
	}
	bind("ag-7", "s-1", 0, 158_000)
	bind("ag-8", "s-1", 158_000, 0)
	sum := int64(0)
	for agent, want := range map[string]int64{"ag-7": 2, "ag-8": 3} {
		u, err := w.l.AgentUsage(t.Context(), agent, time.Time{}, time.Time{})
		if err != nil {
			t.Fatal(err)
		}
		if *u.Requests != want {
			t.Errorf("%s: %d requests, want %d", agent, *u.Requests, want)
		}
		sum += *u.TotalTokens
	}
	if sum != 73_210 {
		t.Errorf("the agents spent %d tokens together, want 73210", sum)
	}
}

func TestAgentUsage_Unreadable(t *testing.T) {
	w := example(t, exampleStart+899_600)
	u, err := w.l.AgentUsage(t.Context(), "ag-7", time.UnixMilli(exampleStart), time.UnixMilli(exampleStart+900_000))
	if err != nil {
		t.Fatal(err)
	}
	u.Unreadable()
	// The blip of 1 s is a prompt now, and the last end is its.
	want := timing{"finished", 3, 191_000, ptr(int64(441_000)), ptr(int64(exampleStart + 60_000)), ptr(int64(exampleStart + 501_000)), nil, true}
	if d := cmp.Diff(want, timingOf(u)); d != "" || u.InputTokens != nil || u.CostMicroUSD != nil || u.Subagents != nil {
		t.Errorf("usage (-want +got):\n%s%+v", d, u.Part)
	}
}

func TestAgentUsage_RefusesShellsAndStrangers(t *testing.T) {
	w := example(t, exampleStart+899_600)
	shell := meterbridge.Agent{ID: "ag-9", Name: "sh", Harness: "shell-bash", Kind: meterbridge.ShellAgent, Origin: meterbridge.Started, Workspace: "default"}
	w.keep(w.l.SaveAgent(t.Context(), shell, nil))
	for id, want := range map[string]error{"ag-9": ErrShell, "ag-1": ErrNoAgent} {
		if _, err := w.l.AgentUsage(t.Context(), id, time.Time{}, time.Time{}); !errors.Is(err, want) {
			t.Errorf("usage of %s: %v, want %v", id, err, want)
		}
		if _, err := w.l.AgentTimeline(t.Context(), id, time.Time{}, time.Time{}); !errors.Is(err, want) {
			t.Errorf("timeline of %s: %v, want %v", id, err, want)
		}
	}
}
