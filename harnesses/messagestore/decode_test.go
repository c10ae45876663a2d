package messagestore

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"

	"meterbridge"
	"meterbridge/harnesses"
)

func TestTokensOf(t *testing.T) {
	n := meterbridge.Reported
	null := meterbridge.Count{}
	tests := []struct {
		name              string
		give              usage
		output, reasoning meterbridge.Count
		rule              string
	}{
		{"apart, proved by the total", usage{total: n(1122), input: n(418), output: n(60), reasoning: n(42), read: n(602), write: n(0)}, n(102), n(42), ruleMessage},
		{"inside, proved by the total", usage{total: n(1080), input: n(418), output: n(60), reasoning: n(42), read: n(602), write: n(0)}, n(60), n(42), ruleInside},
		{"no total", usage{total: null, input: n(418), output: n(60), reasoning: n(42), read: n(602), write: n(0)}, n(102), n(42), ruleUnproved},
		{"a total that proves nothing", usage{total: n(7), input: n(418), output: n(60), reasoning: n(42), read: n(602), write: n(0)}, n(102), n(42), ruleMessage},
		{"the total of more reasoning than output", usage{total: n(30), input: n(10), output: n(20), reasoning: n(25), read: n(0), write: n(0)}, n(45), n(25), ruleMessage},
		{"no reasoning", usage{total: null, input: n(1), output: n(2), reasoning: n(0), read: n(0), write: n(0)}, n(2), n(0), ruleMessage},
		{"reasoning not reported", usage{total: null, input: n(1), output: n(2), reasoning: null, read: null, write: null}, n(2), null, ruleMessage},
	}
	for _, tt := range tests {
		got, rule := tokensOf(tt.give)
		if got.Output != tt.output || got.Reasoning != tt.reasoning || rule != tt.rule {
			t.Errorf("%s: got %+v by %s, want output %v, reasoning %v by %s", tt.name, got, rule, tt.output, tt.reasoning, tt.rule)
		}
	}
}

func TestPrice(t *testing.T) {
	tests := map[string]struct{ amount, reason string }{
		"": {}, "0": {}, "0.0": {}, "0e5": {}, "null": {}, "1e-13": {},
		"0.0121926": {amount: "0.0121926"}, "1e-05": {amount: "0.00001"}, "2": {amount: "2.00"}, "1000000": {amount: "1000000.00"},
		"-1": {reason: "refused-cost"}, "-0.5": {reason: "refused-cost"}, "1e99": {reason: "refused-cost"}, "1e400": {reason: "refused-cost"}, "1000000.01": {reason: "refused-cost"},
		`"0.5"`: {reason: "wrong-type"}, "{}": {reason: "wrong-type"}, "true": {reason: "wrong-type"}, "[1]": {reason: "wrong-type"},
	}
	for raw, want := range tests {
		got, reason := price([]byte(raw))
		if got.OK != (want.amount != "") || got.OK && got.Amount.String() != want.amount || reason != want.reason {
			t.Errorf("price(%s) = %v, %q, want %q, %q", raw, got, reason, want.amount, want.reason)
		}
	}
}

func TestSession_Fact(t *testing.T) {
	tests := []struct {
		name string
		give session
		want meterbridge.Session
	}{
		{"named", session{title: "Fix lint", conversation: conversation{id: "s", directory: "/d", agent: "build"}}, meterbridge.Session{ID: "s", Title: "Fix lint", TitleRank: meterbridge.TitleFromModel, Project: "/d"}},
		{"unnamed", session{title: "New session - 2026-10-05T08:00:00.000Z"}, meterbridge.Session{}},
		{"sub-agent of the column", session{title: "Look", conversation: conversation{parent: "p", agent: "docs"}}, meterbridge.Session{Title: "Look", TitleRank: meterbridge.TitleFromModel, Parent: "p", Relation: meterbridge.SubAgent, AgentType: "docs"}},
		{"sub-agent of the title", session{title: "Look (@explore subagent)", conversation: conversation{parent: "p"}}, meterbridge.Session{Title: "Look (@explore subagent)", TitleRank: meterbridge.TitleFromModel, Parent: "p", Relation: meterbridge.SubAgent, AgentType: "explore"}},
	}
	for _, tt := range tests {
		if diff := cmp.Diff(tt.want, tt.give.fact("")); diff != "" {
			t.Errorf("%s (-want +got)\n%s", tt.name, diff)
		}
	}
}

func TestParts_OutOfOrder(t *testing.T) {
	var p parts
	for _, id := range []string{"prt_3", "prt_1", "prt_2"} {
		if err := p.add([]byte(id), []byte(`{"type":"tool","tool":"`+id+`","callID":"c"}`), nil); err != nil {
			t.Fatal(err)
		}
	}
	p.sort()
	if diff := cmp.Diff([]string{"prt_1", "prt_2", "prt_3"}, p.names()); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}

// FuzzDecode holds the walk to encoding/json: what is JSON there is read here,
// with the same values, and what is cut or torn there is refused here.
func FuzzDecode(f *testing.F) {
	seeds(f)
	f.Fuzz(func(t *testing.T, data []byte) {
		m, err := decode(data, words{})
		object := bytes.HasPrefix(bytes.TrimLeft(bytes.TrimPrefix(data, []byte("\xef\xbb\xbf")), " \t\r\n"), []byte("{"))
		valid := json.Valid(bytes.TrimPrefix(data, []byte("\xef\xbb\xbf")))
		if valid && object && err != nil {
			t.Fatalf("refused valid JSON %q", data)
		}
		if err != nil {
			if m.id != "" || !m.usage.zero() {
				t.Fatalf("values beside an error: %+v", m)
			}
			return
		}
		var want map[string]any
		if !valid || json.Unmarshal(bytes.TrimPrefix(data, []byte("\xef\xbb\xbf")), &want) != nil || want["metadata"] != nil {
			return
		}
		if role, ok := want["role"].(string); m.role != role && ok || m.role != "" && !ok {
			t.Errorf("role %q, want %v in %q", m.role, want["role"], data)
		}
		if model, ok := want["modelID"].(string); m.model != model && ok || m.model != "" && !ok {
			t.Errorf("model %q, want %v in %q", m.model, want["modelID"], data)
		}
		checkTokens(t, data, m, want["tokens"])
	})
}

func checkTokens(t *testing.T, data []byte, m message, tokens any) {
	o, _ := tokens.(map[string]any)
	for name, got := range map[string]meterbridge.Count{"input": m.usage.input, "output": m.usage.output, "reasoning": m.usage.reasoning} {
		f, ok := o[name].(float64)
		if whole := ok && f >= 0 && f < 1<<53 && f == float64(int64(f)); whole && (!got.OK || got.N != int64(f)) || !ok && got.OK && tokens != nil && o != nil {
			t.Errorf("%s %v, want %v in %q", name, got, o[name], data)
		}
	}
}

// FuzzDocument: whatever a file holds, it is read or named, and only what is JSON
// makes a row.
func FuzzDocument(f *testing.F) {
	seeds(f)
	f.Fuzz(func(t *testing.T, data []byte) {
		for _, rel := range []string{"storage/message/s/m.json", "storage/session/p/s.json", "project/x/storage/session/message/s/m.json"} {
			var b meterbridge.Batch
			newDocument(product, newKnown(), harnesses.Options{Rel: rel, Trace: true, Siblings: fstest.MapFS{"storage/part/m/p.json": {Data: data}}}).Document(data, &b)
			broken := !json.Valid(bytes.ReplaceAll(bytes.TrimPrefix(data, []byte("\xef\xbb\xbf")), []byte("\\"), nil))
			torn := func(p meterbridge.Problem) bool { return p.Reason == "malformed-json" }
			if slices.ContainsFunc(b.Problems, torn) && (len(b.Problems) > 1 || b.Len() > 0) {
				t.Fatalf("%d facts beside a problem in %q", b.Len(), data)
			}
			if broken && !bytes.HasSuffix(bytes.TrimSpace(data), []byte("}")) && len(b.Requests) > 0 {
				t.Fatalf("a request of what is cut off: %q", data)
			}
		}
	})
}

func FuzzPart(f *testing.F) {
	seeds(f)
	f.Fuzz(func(t *testing.T, data []byte) {
		var p parts
		err := p.add(nil, data, nil)
		if json.Valid(data) && bytes.HasPrefix(bytes.TrimLeft(data, " \t\r\n"), []byte("{")) && err != nil {
			t.Fatalf("refused valid JSON %q", data)
		}
		if err != nil && (len(p.tools) > 0 || len(p.steps) > 0 || p.typed) {
			t.Fatalf("values beside an error in %q", data)
		}
	})
}

// seeds are the files of the fixtures, and lines of their SQL.
func seeds(f *testing.F) {
	f.Helper()
	err := filepath.WalkDir("../../testdata/harnesses/opencode", func(path string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		if filepath.Ext(path) != ".sql" {
			f.Add(text)
			return nil
		}
		for _, line := range strings.Split(string(text), "\n") {
			if _, rest, ok := strings.Cut(line, "'{"); ok {
				f.Add([]byte("{" + strings.TrimSuffix(strings.ReplaceAll(rest, "''", "'"), "');")))
			}
		}
		return nil
	})
	if err != nil {
		f.Fatal(err)
	}
	f.Add([]byte(`{"role":"assistant","role":"user","tokens":{"input":1e3,"output":-5,"cache":null},"time":5,"tokens":[]}`))
}
