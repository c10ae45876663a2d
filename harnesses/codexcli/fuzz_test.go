package codexcli

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"meterbridge"
	"meterbridge/harnesses/walk"
)

// FuzzRollout: no input panics, a checkpoint anywhere changes nothing, and no
// request comes from a line that holds no valid JSON.
func FuzzRollout(f *testing.F) {
	seeds, err := filepath.Glob(filepath.Join(cases, "*", "home", ".codex", "sessions", "*", "*", "*", "*.jsonl"))
	if err != nil {
		f.Fatal(err)
	}
	for _, p := range seeds {
		b, err := os.ReadFile(p)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(b, uint8(3))
	}
	f.Fuzz(func(t *testing.T, content []byte, k uint8) {
		s := source{rel: "sessions/2026/03/02/rollout-2026-03-02T09-00-00-a.jsonl", kind: kindRollout, content: content}
		whole := parseAll([]source{s}, nil)
		parts := parseAll([]source{s}, every(int(k)+1))
		if diff := cmp.Diff(whole, parts, exact); diff != "" {
			t.Errorf("whole - resumed +\n%s", diff)
		}
		for _, q := range whole.Requests {
			if q.EndedAt.IsZero() || q.Session == "" || q.NativeID == "" {
				t.Errorf("a request without time, session or id: %+v", q)
			}
			if !bytes.Contains(content, []byte("usage")) && !bytes.Contains(content, []byte(`\u`)) {
				t.Errorf("a request without usage in the log: %+v", q)
			}
		}
	})
}

// FuzzUsage: what the cursor reads of a usage object is what encoding/json reads.
func FuzzUsage(f *testing.F) {
	f.Add([]byte(`{"input_tokens":1,"cached_input_tokens":0,"output_tokens":2e1,"reasoning_output_tokens":null}`))
	f.Add([]byte(`{"input\u005ftokens":1.0,"output_tokens":-1,"x":{"input_tokens":5}}`))
	f.Add([]byte(`{"input_tokens":1,"input_tokens":"2"}`))
	f.Fuzz(func(t *testing.T, raw []byte) {
		c := walk.Over(raw)
		u, fine := scanUsage(&c)
		if !fine && u != (usage{}) {
			t.Errorf("%q holds what is no count, and is read as %+v", raw, u)
		}
		if !fine || !c.End() || !json.Valid(raw) {
			return
		}
		var want map[string]json.RawMessage
		if json.Unmarshal(raw, &want) != nil {
			want = nil
		}
		for name, got := range map[string]meterbridge.Count{
			"input_tokens": {N: u.In, OK: u.Has&hasIn != 0}, "output_tokens": {N: u.Out, OK: u.Has&hasOut != 0},
		} {
			var f float64
			ok := json.Unmarshal(want[name], &f) == nil && !null(want[name]) && f >= 0 && f <= meterbridge.MaxCount && f == float64(int64(f))
			if ok != got.OK || (ok && int64(f) != got.N) {
				t.Errorf("%s of %q: got %+v, want %v %v", name, raw, got, f, ok)
			}
		}
	})
}
