package claudecode

import (
	"encoding/json"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"meterbridge"
	"meterbridge/harnesses"
)

func TestRoots(t *testing.T) {
	home := t.TempDir()
	dir := func(parts ...string) string { return filepath.Join(append([]string{home}, parts...)...) }
	for name, c := range map[string]struct {
		env  map[string]string
		want []harnesses.Root
	}{
		"the usual places": {nil, []harnesses.Root{{Path: dir(".claude"), Variable: rootVariable}, {Path: dir(".config", "claude"), Variable: "XDG_CONFIG_HOME"}}},
		"a moved XDG folder": {
			map[string]string{"XDG_CONFIG_HOME": dir("xdg")},
			[]harnesses.Root{{Path: dir(".claude"), Variable: rootVariable}, {Path: dir("xdg", "claude"), Variable: "XDG_CONFIG_HOME", Set: true}},
		},
		"a variable": {map[string]string{rootVariable: dir("c")}, []harnesses.Root{{Path: dir("c"), Variable: rootVariable, Set: true}}},
		"a list with a repetition": {
			map[string]string{rootVariable: dir("c") + ", " + dir("d") + ",," + dir("c")},
			[]harnesses.Root{{Path: dir("c"), Variable: rootVariable, Set: true}, {Path: dir("d"), Variable: rootVariable, Set: true}},
		},
	} {
		got := roots(harnesses.Env{Home: home, OS: "linux", Getenv: func(k string) string { return c.env[k] }})
		if diff := cmp.Diff(c.want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}

func TestClaim(t *testing.T) {
	for rel, want := range map[string]string{
		"projects/-srv/s.jsonl": kindTranscript, "projects/-srv/agent-1.jsonl": kindAgent, "projects/-srv/s/subagents/agent-1.jsonl": kindAgent,
		"projects/-srv/s/subagents/x/y/agent-1.jsonl": kindAgent, "projects/-srv/s/subagents/agent-1.meta.json": kindAgentMeta, "projects/s.jsonl": kindTranscript,
		"history.jsonl": "", "projects/history.jsonl": "", "projects/-srv/resume-head.jsonl": "", "projects/-srv/sessions-index.json": "", "todos/s.jsonl": "", "projects/-srv/s.jsonl.bak": "", "projects/-srv/s.meta.json": "",
	} {
		got, ok := claim(rel)
		if got.Name != want || ok != (want != "") {
			t.Errorf("claim(%q): got %q %v, want %q", rel, got.Name, ok, want)
		}
	}
	for dir, want := range map[string]bool{"": false, ".": false, "projects": false, "projects/-srv": false, "projects/-srv/s/subagents/x": false, "projects/-srv/s/tool-results": true, "todos": true, "file-history": true, "projectsx": true} {
		if got := skip(dir); got != want {
			t.Errorf("skip(%q): got %v, want %v", dir, got, want)
		}
	}
}

func TestPathNames(t *testing.T) {
	for rel, want := range map[string][2]string{
		"projects/-srv/s1.jsonl": {"s1", ""}, "projects/-srv/agent-1.jsonl": {"", "1"}, "projects/-srv/s1/subagents/agent-1.jsonl": {"s1", "1"},
		"projects/-srv/s1/subagents/a/b/agent-1.meta.json": {"s1", "1"}, "agent-1.jsonl": {"", "1"}, "": {"", ""},
	} {
		session, agent := pathNames(rel)
		if got := [2]string{session, agent}; got != want {
			t.Errorf("pathNames(%q): got %q, want %q", rel, got, want)
		}
	}
}

// traces reads a case in trace mode.
func traces(t *testing.T, name string) (out meterbridge.Batch) {
	t.Helper()
	root := filepath.Join(fixtureDir, name, "home", ".claude")
	for _, rel := range sources(t, Harness(), root) {
		p := newParser(harnesses.Options{Trace: true, Rel: rel})
		for i, line := range strings.Split(readFile(t, filepath.Join(root, rel)), "\n") {
			p.Line([]byte(line), meterbridge.Place{Line: int64(i + 1)}, &out)
		}
		p.Flush(&out)
	}
	return out
}

func TestTraces_SayWhatBecameOfEachRecord(t *testing.T) {
	type verdict struct {
		Line    int64
		Native  string
		Verdict meterbridge.Verdict
		Rule    string
		Output  int64
	}
	for name, want := range map[string][]verdict{
		"streaming-snapshots":   {{1, "msg_S1", meterbridge.Merged, ruleSnapshot, 1}, {2, "msg_S1", meterbridge.Merged, ruleSnapshot, 4}, {3, "msg_S1", meterbridge.Counted, ruleMessage, 159}},
		"finished-record-whole": {{1, "msg_W1", meterbridge.Merged, ruleSnapshot, 4}, {2, "msg_W1", meterbridge.Counted, ruleMessage, 210}, {3, "msg_W1", meterbridge.Merged, ruleSnapshot, 7}},
		"no-message-id":         {{1, "req_Q1", meterbridge.Merged, ruleSnapshot, 2}, {2, "req_Q1", meterbridge.Counted, ruleRequest, 20}, {3, "11111111-0000-4000-8000-000000000001#3", meterbridge.Counted, rulePlace, 4}},
		"synthetic-and-zero": {
			{2, "0f0f-1", meterbridge.Dropped, ruleSynthetic, 0},
			{3, "0f0f-2", meterbridge.Dropped, ruleSynthetic, 0},
			{4, "0f0f-3", meterbridge.Dropped, ruleSynthetic, 0},
			{5, "msg_02", meterbridge.Dropped, ruleEmpty, 0},
			{6, "0f0f-4", meterbridge.Dropped, ruleSynthetic, 5},
			{1, "msg_01", meterbridge.Counted, ruleMessage, 11},
		},
		"decoys": {{2, "", meterbridge.Dropped, ruleNested, 999999}, {3, "", meterbridge.Dropped, ruleResult, 999999}, {1, "msg_01", meterbridge.Counted, ruleMessage, 2}},
	} {
		var got []verdict
		for _, tr := range traces(t, name).Traces {
			got = append(got, verdict{tr.Place.Line, tr.NativeID, tr.Verdict, tr.Rule, tr.Tokens.Output.N})
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}

func TestReread_TakesWhatEncodingJSONTakes(t *testing.T) {
	line := []byte(` { "type" : "assistant", "message" : {"id":"msg_1","usage":{"input_tokens":5,"output_tokens":9007199254740991}} } `)
	var r row
	if !r.reread(line) {
		t.Fatalf("%s is refused", line)
	}
	if string(r.kind) != "assistant" || string(r.message.id) != "msg_1" || r.message.usage.output.N != 9007199254740991 {
		t.Errorf("got type %s, id %s, output %d", r.kind, r.message.id, r.message.usage.output.N)
	}
	for _, in := range []string{``, `{`, `[1]`, `null`, `"x"`} {
		if r.reread([]byte(in)) {
			t.Errorf("%q is taken for a row", in)
		}
	}
}

func TestState_IsSmallWhateverTheLog(t *testing.T) {
	p := newParser(harnesses.Options{Rel: bothKinds[0]})
	var out meterbridge.Batch
	line := int64(0)
	read := func(r object) {
		line++
		b, _ := json.Marshal(r)
		p.Line(b, meterbridge.Place{Line: line}, &out)
	}
	for i := range 2000 {
		n := string(rune('a'+i%26)) + strings.Repeat("x", i%40)
		at := "2026-10-05T08:00:01.000Z"
		read(object{"type": "api-request", "id": "ar" + n + at, "timestamp": at})
		read(object{"type": "user", "sessionId": n, "uuid": n, "timestamp": at, "message": object{"content": n}})
		read(object{"type": "assistant", "sessionId": n, "timestamp": at, "requestId": n, "message": object{
			"id": n, "usage": object{"output_tokens": i},
			"content": []any{object{"type": "tool_use", "id": n, "name": n}},
		}})
	}
	p.Flush(&out)
	if n := len(p.State()); n > 12<<10 {
		t.Errorf("the state has %d bytes", n)
	}
}

func TestState_ThatIsDamagedIsNoState(t *testing.T) {
	for _, b := range []string{"", "x", "null", "[]", `{"m":[["?"]]}`, `{"m":[["1","Bash"]]}`, `{"m":[[]]}`, `{"l":"x"}`, `{"c":null,"t":null}`} {
		p := newParser(harnesses.Options{Rel: bothKinds[0], State: []byte(b)})
		var out meterbridge.Batch
		p.Line([]byte(`{"type":"assistant","timestamp":"2026-10-05T08:00:01.000Z","message":{"id":"msg_1","usage":{"output_tokens":1}}}`), meterbridge.Place{Line: 1}, &out)
		p.Flush(&out)
		if len(out.Requests) != 1 {
			t.Errorf("state %q: got %d requests, want 1", b, len(out.Requests))
		}
	}
}

func TestMeta(t *testing.T) {
	rel := "projects/-srv/s1/subagents/agent-a1.meta.json"
	for _, c := range []struct {
		rel, content string
		want         meterbridge.Batch
	}{
		{rel, `{"agentType":"Explore","description":"Search","other":{"agentType":"x"}}`, meterbridge.Batch{Sessions: []meterbridge.Session{{Harness: ID, ID: "s1/a1", Parent: "s1", Relation: meterbridge.SubAgent, AgentType: "Explore", Title: "Search", TitleRank: meterbridge.TitleFromModel}}}},
		{rel, `{"agentType":"Explore"}`, meterbridge.Batch{Sessions: []meterbridge.Session{{Harness: ID, ID: "s1/a1", Parent: "s1", Relation: meterbridge.SubAgent, AgentType: "Explore"}}}},
		{rel, `{"agentType":`, meterbridge.Batch{Problems: []meterbridge.Problem{{Reason: "malformed-json", Detail: "the description of a sub-agent is not valid JSON"}}}},
		{"projects/-srv/agent-a1.meta.json", `{"agentType":"Explore"}`, meterbridge.Batch{}},
	} {
		var got meterbridge.Batch
		metaParser{rel: c.rel}.Document([]byte(c.content), &got)
		if diff := cmp.Diff(c.want, got); diff != "" {
			t.Errorf("%s %s (-want +got):\n%s", c.rel, c.content, diff)
		}
	}
}

func TestBulky_LinesAreTheOnesThatHoldNoFacts(t *testing.T) {
	for line, want := range map[string]bool{
		`{"type":"api-request-shape","sessionId":"s","shape":{}}`: true, `{"type":"api-request-blob","message":{"role":"user"}}`: true,
		`{"type":"file-history-snapshot","messageId":"u1"}`: true, `{"type":"file-history-delta","messageId":"u1"}`: true,
		`{"type":"api-request","sessionId":"s","id":"ar-1"}`: false, `{"type":"assistant","message":{"usage":{}}}`: false, `{ "type":"api-request-shape","sessionId":"s"}`: false,
		`{"sessionId":"s","type":"api-request-shape","x":1}`: false, `{"type":"fork-context-ref","sessionId":"s","x":1}`: false, `{"type":"api-request-shape"}`: false,
	} {
		if got := bulky([]byte(line)); got != want {
			t.Errorf("bulky(%s): got %v, want %v", line, got, want)
		}
	}
}
