package recordings

import (
	"bytes"
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"meterbridge"
	"meterbridge/harnesses"
	"meterbridge/harnesses/record"
	"meterbridge/harnesses/walk"
	"meterbridge/internal/testkit"
)

const fixtureDir = "../../testdata/harnesses/gemini-cli"

func open(rel string) func(state []byte) harnesses.LineParser {
	return func(state []byte) harnesses.LineParser {
		return Lines("toy", harnesses.Options{Rel: rel, State: state})
	}
}

// FuzzRecording reads anything: the parser never panics, no request comes of a
// line that is no JSON, and wherever the reading is broken off and taken up again
// the facts are the same, but for a last reply that a rewind took back.
func FuzzRecording(f *testing.F) {
	testkit.Seeds(f, fixtureDir, ".jsonl", func(content []byte) { f.Add(content, uint64(0xaaaaaaaaaaaaaaaa)) })
	f.Fuzz(func(t *testing.T, content []byte, stops uint64) {
		if bytes.Count(content, []byte{'\n'}) > 200 {
			t.Skip("too long")
		}
		exact := cmp.Options{cmp.AllowUnexported(meterbridge.PicoUSD{}), cmpopts.IgnoreFields(meterbridge.Session{}, "LastReply", "LastReplyAt")}
		for _, rel := range []string{"tmp/p/chats/session-1.jsonl", "tmp/p/chats/parent/a.jsonl"} {
			want := testkit.ReadLines(t, open(rel), content, nil)
			got := testkit.ReadLines(t, open(rel), content, func(line int64) bool { return stops>>(line%64)&1 == 1 })
			if diff := cmp.Diff(want, got, exact); diff != "" {
				t.Fatalf("%s read in pieces (-whole +pieces):\n%s", rel, diff)
			}
			lines := bytes.Split(content, []byte("\n"))
			for _, r := range want.Requests {
				if line := record.Line(lines[r.Place.Line-1], r.Place.Line); !json.Valid(line) && !controls(line) {
					t.Fatalf("a request of %q", line)
				}
			}
		}
	})
}

// controls reports whether a line holds what the cursor lets pass and
// encoding/json does not: control characters, backslashes.
func controls(line []byte) bool {
	return bytes.ContainsFunc(line, func(r rune) bool { return r < ' ' || r == '\\' })
}

// FuzzDocument: whatever a file holds, it is read or named, never both a fault
// and a request.
func FuzzDocument(f *testing.F) {
	testkit.Seeds(f, fixtureDir, ".json", func(content []byte) { f.Add(content) })
	f.Fuzz(func(t *testing.T, content []byte) {
		var out meterbridge.Batch
		Document("toy", harnesses.Options{Rel: "tmp/p/chats/session-1.json"}).Document(content, &out)
		for _, p := range out.Problems {
			if p.Reason == "malformed-json" && out.Len() > 0 {
				t.Fatalf("%q is malformed and has %d facts", content, out.Len())
			}
		}
	})
}

// FuzzTokens holds what is read of a tokens object against encoding/json.
func FuzzTokens(f *testing.F) {
	f.Add([]byte(`{"input":2000,"output":100,"cached":500,"thoughts":50,"tool":30,"total":2180}`))
	f.Add([]byte(`{"input":1.0,"output":null,"x":{"input":5},"thoughts":-1}`))
	f.Fuzz(func(t *testing.T, raw []byte) {
		var want map[string]any
		d := json.NewDecoder(bytes.NewReader(raw))
		d.UseNumber()
		if !json.Valid(raw) || d.Decode(&want) != nil || want == nil {
			return
		}
		c := walk.Over(raw)
		var u usage
		u.read(&c)
		tokens, _ := u.tokens()
		if !u.Wrong && tokens.Reasoning.N > tokens.Output.N {
			t.Errorf("%s: reasoning %d is more than output %d", raw, tokens.Reasoning.N, tokens.Output.N)
		}
		if u.Wrong {
			return
		}
		for name, got := range map[string]meterbridge.Count{"input": u.input, "output": u.output, "cached": u.cached, "thoughts": u.thoughts, "tool": u.tool, "total": u.total} {
			n, ok := want[name].(json.Number)
			if !ok && !got.OK {
				continue
			}
			if whole, err := n.Float64(); err != nil || !got.OK || float64(got.N) != whole {
				t.Errorf("%s: %s: got %v", raw, name, got)
			}
		}
	})
}
