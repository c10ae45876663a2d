package claudecode

import (
	"bytes"
	"encoding/json"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"meterbridge"
	"meterbridge/harnesses"
	"meterbridge/harnesses/walk"
)

const fixtureDir = "../../testdata/harnesses/claude-code"

// seeds adds every transcript of the fixtures to the corpus of a fuzz target.
func seeds(f *testing.F, add func(content []byte)) {
	f.Helper()
	err := filepath.WalkDir(fixtureDir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || !strings.HasSuffix(path, ".jsonl") {
			return err
		}
		content, err := os.ReadFile(path)
		if err == nil && len(content) < 4<<10 {
			add(content)
		}
		return err
	})
	if err != nil {
		f.Fatal(err)
	}
}

// merged is what a transcript says, merged as a ledger does.
type merged struct {
	Requests  map[string]meterbridge.Request
	Prompts   map[string]meterbridge.Prompt
	Sessions  map[string]meterbridge.Session
	ToolCalls []meterbridge.ToolCall
	Turns     []meterbridge.Turn
	Limits    []meterbridge.Limit
	Events    []meterbridge.Event
	Problems  []meterbridge.Problem
}

// parse reads a transcript; after each line for which stop says so the parser is
// thrown away and another goes on from its state.
func parse(content []byte, rel string, stop cut) merged {
	tr := &tree{requests: map[string]held{}, prompts: map[string]meterbridge.Prompt{}}
	h := Harness()
	kind, _ := h.Claim(rel)
	tr.read(h, kind, harnesses.Options{Rel: rel}, content, stop)
	m := merged{Requests: map[string]meterbridge.Request{}, Prompts: tr.prompts, Sessions: map[string]meterbridge.Session{}, ToolCalls: tr.batch.ToolCalls, Turns: tr.batch.Turns, Limits: tr.batch.Limits, Events: tr.batch.Events, Problems: tr.batch.Problems}
	for id, q := range tr.requests {
		m.Requests[id] = q.Request
	}
	for _, s := range tr.batch.Sessions {
		m.Sessions[s.ID] = mergeSession(m.Sessions[s.ID], s)
	}
	return m
}

func mergeSession(old, s meterbridge.Session) meterbridge.Session {
	old.ID, old.Harness = s.ID, s.Harness
	if s.Title != "" && s.TitleRank >= old.TitleRank {
		old.Title, old.TitleRank = s.Title, s.TitleRank
	}
	if s.LastReply != "" {
		old.LastReply, old.LastReplyAt = s.LastReply, s.LastReplyAt
	}
	for _, f := range []struct {
		to   *string
		from string
	}{{&old.Parent, s.Parent}, {&old.AgentType, s.AgentType}, {&old.Project, s.Project}, {&old.Branch, s.Branch}, {&old.Version, s.Version}, {(*string)(&old.Relation), string(s.Relation)}} {
		if f.from != "" {
			*f.to = f.from
		}
	}
	return old
}

var bothKinds = []string{"projects/-srv/s.jsonl", "projects/-srv/s/subagents/agent-a1.jsonl"}

// FuzzTranscript reads anything: the parser never panics, and wherever the
// reading is broken off and taken up again the facts are the same.
func FuzzTranscript(f *testing.F) {
	seeds(f, func(content []byte) { f.Add(content, uint64(0xaaaaaaaaaaaaaaaa)) })
	f.Fuzz(func(t *testing.T, content []byte, stops uint64) {
		if bytes.Count(content, []byte{'\n'}) > 200 {
			t.Skip("too long")
		}
		for _, rel := range bothKinds {
			want := parse(content, rel, whole)
			for _, stop := range []cut{every(1), func(line int) bool { return stops>>(line%64)&1 == 1 }} {
				if diff := cmp.Diff(want, parse(content, rel, stop), cmp.AllowUnexported(meterbridge.PicoUSD{})); diff != "" {
					t.Fatalf("%s read in pieces (-whole +pieces):\n%s", rel, diff)
				}
			}
		}
	})
}

// FuzzRow compares what is taken from one line with encoding/json's reading.
func FuzzRow(f *testing.F) {
	seeds(f, func(content []byte) {
		for line := range bytes.Lines(content) {
			f.Add(bytes.TrimRight(line, "\r\n"))
		}
	})
	f.Fuzz(func(t *testing.T, line []byte) {
		var r row
		err := r.read(line)
		var want map[string]any
		d := json.NewDecoder(bytes.NewReader(line))
		d.UseNumber()
		if !json.Valid(line) || d.Decode(&want) != nil || want == nil {
			return
		}
		if err != nil {
			t.Fatalf("the walker rejects what encoding/json accepts: %q", line)
		}
		for name, got := range map[string][]byte{"type": r.kind, "uuid": r.uuid, "sessionId": r.session, "timestamp": r.timestamp, "cwd": r.cwd, "requestId": r.requestID, "requestRef": r.requestRef, "promptId": r.promptID, "agentId": r.agent, "version": r.version} {
			checkText(t, name, want[name], got)
		}
		message, _ := want["message"].(map[string]any)
		checkText(t, "message.id", message["id"], r.message.id)
		checkText(t, "message.model", message["model"], r.message.model)
		checkUsage(t, message["usage"], &r.message.usage)
	})
}

func checkText(t *testing.T, name string, want any, got []byte) {
	t.Helper()
	text, _ := want.(string)
	if g := walk.Unquote(got, 0); g != text {
		t.Fatalf("%s: got %q, want %q", name, g, text)
	}
}

func checkUsage(t *testing.T, want any, got *usage) {
	t.Helper()
	object, ok := want.(map[string]any)
	if ok != got.present {
		t.Fatalf("usage is there: got %v, want %v", got.present, ok)
	}
	if got.wrong {
		return
	}
	split, _ := object["cache_creation"].(map[string]any)
	for name, c := range map[string]struct {
		want any
		got  meterbridge.Count
	}{
		"input_tokens": {object["input_tokens"], got.input}, "output_tokens": {object["output_tokens"], got.output},
		"cache_read_input_tokens":     {object["cache_read_input_tokens"], got.cacheRead},
		"cache_creation_input_tokens": {object["cache_creation_input_tokens"], got.cacheWrite},
		"ephemeral_5m_input_tokens":   {split["ephemeral_5m_input_tokens"], got.write5m},
		"ephemeral_1h_input_tokens":   {split["ephemeral_1h_input_tokens"], got.write1h},
	} {
		if c.want == nil && !c.got.OK {
			continue
		}
		n, ok := c.want.(json.Number)
		whole, err := n.Float64()
		if !ok || err != nil || !c.got.OK || float64(c.got.N) != whole {
			t.Fatalf("%s: got %v, want %v", name, c.got, c.want)
		}
	}
}
