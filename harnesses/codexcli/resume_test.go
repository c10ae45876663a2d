package codexcli

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"meterbridge"
	"meterbridge/harnesses"
)

const cases = "../../testdata/harnesses/codex-cli"

func forEachCase(t *testing.T, f func(t *testing.T, all []source)) {
	t.Helper()
	dirs, err := os.ReadDir(cases)
	if err != nil {
		t.Fatal(err)
	}
	for _, d := range dirs {
		dir := filepath.Join(cases, d.Name(), "home")
		all := sources(t, filepath.Join(dir, ".codex"))
		t.Run(d.Name(), func(t *testing.T) { f(t, all) })
	}
}

var exact = cmp.Options{cmp.AllowUnexported(meterbridge.PicoUSD{}), cmpopts.EquateEmpty()}

func TestRollout_ResumedAfterAnyLine(t *testing.T) {
	forEachCase(t, func(t *testing.T, all []source) {
		want := parseAll(all, nil)
		for _, k := range []int{1, 2, 3, 7} {
			if diff := cmp.Diff(want, parseAll(all, every(k)), exact); diff != "" {
				t.Errorf("a checkpoint each %d lines: whole - resumed +\n%s", k, diff)
			}
		}
		for n := range 40 {
			once := func(i int) bool { return i == n }
			if diff := cmp.Diff(want, parseAll(all, once), exact); diff != "" {
				t.Fatalf("a checkpoint before line %d: whole - resumed +\n%s", n+1, diff)
			}
		}
	})
}

// The short way and the long way through a line must lead to the same facts.
func TestRollout_ShortAndLongWay(t *testing.T) {
	forEachCase(t, func(t *testing.T, all []source) {
		loose := slices.Clone(all)
		for i := range loose {
			loose[i].content = loosen(loose[i].content)
		}
		diff := cmp.Diff(parseAll(all, nil), parseAll(loose, nil), exact, cmpopts.IgnoreTypes(meterbridge.Place{}))
		if diff != "" {
			t.Errorf("as written - with white space +\n%s", diff)
		}
	})
}

// loosen puts white space at the front of each line's members, which the short
// way does not know.
func loosen(content []byte) []byte {
	var out []byte
	for _, line := range bytes.SplitAfter(content, []byte("\n")) {
		if json.Valid(line) {
			line = bytes.Replace(line, []byte(`{"timestamp":`), []byte(`{ "timestamp" : `), 1)
		}
		out = append(out, line...)
	}
	return out
}

func TestRollout_StateStaysSmall(t *testing.T) {
	p := newRollout(harnesses.Options{Path: "/x/rollout-2026-03-02T09-00-00-a.jsonl"})
	var out meterbridge.Batch
	for n := range 5000 {
		line := []byte(`{"timestamp":"2026-03-02T09:00:00.000Z","type":"response_item","payload":{"type":"function_call","name":"shell","call_id":"` + native("c", int64(n)) + `"}}`)
		p.Line(line, meterbridge.Place{Line: int64(n)}, &out)
	}
	p.Flush(&out)
	if n := len(p.State()); n > 32<<10 {
		t.Errorf("state after 5000 calls without usage: %d bytes, want at most 32 KiB", n)
	}
	if len(out.ToolCalls) < 5000 {
		t.Errorf("tool calls: %d, want each of 5000", len(out.ToolCalls))
	}
}

func TestRollout_ForeignStateIsIgnored(t *testing.T) {
	for _, state := range []string{"", "null", "[]", "{", `{"thread":7}`, "\x00"} {
		p := newRollout(harnesses.Options{Path: "/x/rollout-2026-03-02T09-00-00-abc.jsonl", State: []byte(state)})
		if p.m.Thread != "abc" {
			t.Errorf("state %q: thread %q, want that of the file's name", state, p.m.Thread)
		}
	}
}
