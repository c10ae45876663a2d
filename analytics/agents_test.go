package analytics

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"meterbridge"
)

func atMs(ms int64) time.Time { return time.UnixMilli(ms).UTC() }

func TestAgents_AreKeptWhole(t *testing.T) {
	l := open(t, Options{})
	ctx := t.Context()
	a := meterbridge.Agent{
		ID: "ag-1", Name: "one", Harness: "some-harness", Kind: meterbridge.AIAgent, Origin: meterbridge.Started, Workspace: "default",
		Dir: "/srv/it's", Model: "m", Dangerous: true, Generation: 2, PID: 7, CreatedAt: atMs(1000), StartedAt: atMs(2000), SeenAt: atMs(2500),
	}
	b := meterbridge.Agent{
		ID: "ag-0", Name: "two", Harness: meterbridge.ShellCommand, Kind: meterbridge.ShellAgent, Origin: meterbridge.Started, Workspace: "w",
		Argv: []string{"prog", "", "a b"}, CreatedAt: atMs(1001), StartedAt: atMs(1001), ExitedAt: atMs(1002), ExitCode: meterbridge.Reported(0),
	}
	bindings := []meterbridge.Binding{
		{Agent: "ag-1", Harness: "some-harness", Session: "s1", Source: meterbridge.BoundGiven, Generation: 1, To: atMs(2000)},
		{Agent: "ag-1", Harness: "some-harness", Session: "s2", Source: meterbridge.BoundInferred, Generation: 2, From: atMs(2000)},
	}
	link := meterbridge.Link{From: "ag-1", To: "ag-0", CreatedAt: atMs(3000)}
	for range 2 { // keeping it again changes nothing
		if err := l.SaveAgent(ctx, a, bindings); err != nil {
			t.Fatal(err)
		}
		if err := l.SaveAgent(ctx, b, nil); err != nil {
			t.Fatal(err)
		}
		if err := l.SaveLinks(ctx, "ag-1", []meterbridge.Link{link}); err != nil {
			t.Fatal(err)
		}
	}
	agents, kept, links, err := l.Agents(ctx)
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff([]meterbridge.Agent{a, b}, agents); d != "" {
		t.Errorf("agents (-want +got):\n%s", d)
	}
	if d := cmp.Diff(bindings, kept); d != "" {
		t.Errorf("bindings (-want +got):\n%s", d)
	}
	if d := cmp.Diff([]meterbridge.Link{link}, links); d != "" {
		t.Errorf("links (-want +got):\n%s", d)
	}
	if err := l.SaveLinks(ctx, "ag-1", nil); err != nil {
		t.Fatal(err)
	}
	if _, _, links, err = l.Agents(ctx); err != nil || len(links) != 0 {
		t.Errorf("links after removal: %v, %v", links, err)
	}
	if err := l.SaveLinks(ctx, "ag-1", []meterbridge.Link{link}); err != nil {
		t.Fatal(err)
	}
	// A link ends with either of its ends; bindings go with their agent.
	for _, id := range []string{"ag-0", "ag-1"} {
		if err := l.RemoveAgent(ctx, id); err != nil {
			t.Fatal(err)
		}
		agents, kept, links, err = l.Agents(ctx)
		if left := len(kept); err != nil || len(links) != 0 || (id == "ag-0") != (len(agents) == 1 && left == 2) {
			t.Errorf("without %s: %v %v %v, %v", id, agents, kept, links, err)
		}
	}
}

func TestHistory_SpansFollowEachOtherWithoutGaps(t *testing.T) {
	l := open(t, Options{})
	ctx := t.Context()
	span := func(status meterbridge.Status, from int64) meterbridge.StatusSpan {
		return meterbridge.StatusSpan{
			Agent: "ag-1", Generation: 1, Span: meterbridge.Span{Status: status, From: atMs(from)}, Source: "hook", Confidence: "exact",
		}
	}
	for _, s := range []meterbridge.StatusSpan{
		span(meterbridge.Idle, 100), span(meterbridge.Working, 200), span(meterbridge.Finished, 300), span(meterbridge.Idle, 250),
	} {
		if err := l.SaveSpan(ctx, s); err != nil {
			t.Fatal(err)
		}
	}
	got, err := l.Spans(ctx, "ag-1")
	if err != nil {
		t.Fatal(err)
	}
	idle, working, last := span(meterbridge.Idle, 100), span(meterbridge.Working, 200), span(meterbridge.Idle, 250)
	idle.To, working.To = atMs(200), atMs(250)
	if d := cmp.Diff([]meterbridge.StatusSpan{idle, working, last}, got); d != "" {
		t.Errorf("spans (-want +got):\n%s", d)
	}
	turn := meterbridge.AgentTurn{Agent: "ag-1", Generation: 1, PromptID: "p", StartedAt: atMs(200)}
	ended := turn
	ended.EndedAt, ended.EndedAs = atMs(250), meterbridge.TurnInterrupted
	for _, s := range []meterbridge.AgentTurn{turn, ended} {
		if err := l.SaveTurn(ctx, s); err != nil {
			t.Fatal(err)
		}
	}
	turns, err := l.Turns(ctx, "ag-1")
	if d := cmp.Diff([]meterbridge.AgentTurn{ended}, turns); d != "" || err != nil {
		t.Errorf("turns (-want +got):\n%s%v", d, err)
	}
}

func TestRuns_AreThoseOfATerminalTheNewestFirst(t *testing.T) {
	l := open(t, Options{})
	want := []meterbridge.RunRecord{
		{Caller: "ag-2", Agent: "ag-1", At: atMs(3000), Verb: "write", Bytes: 4, Took: 2 * time.Millisecond, Outcome: "ok"},
		{Caller: "desk", Agent: "ag-1", At: atMs(2000), Verb: "run", Command: "false", ExitCode: meterbridge.Reported(1), Took: time.Second, Outcome: "ok"},
		{Caller: "desk", Agent: "ag-1", At: atMs(1000), Verb: "run", Command: "sleep 9", Took: time.Second, Outcome: "timeout"},
	}
	for _, r := range []meterbridge.RunRecord{want[2], {Agent: "ag-3", At: atMs(5000), Verb: "run", Outcome: "ok"}, want[0], want[1]} {
		if err := l.SaveRun(t.Context(), r); err != nil {
			t.Fatal(err)
		}
	}
	for n := range 4 {
		got, err := l.Runs(t.Context(), "ag-1", n)
		if d := cmp.Diff(want[:n], got); d != "" || err != nil {
			t.Errorf("the newest %d: %v (-want +got):\n%s", n, err, d)
		}
	}
}
