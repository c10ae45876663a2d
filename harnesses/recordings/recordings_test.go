package recordings

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/google/go-cmp/cmp"

	"meterbridge"
	"meterbridge/harnesses"
	"meterbridge/harnesses/walk"
)

func TestClaim(t *testing.T) {
	for rel, want := range map[string]string{
		"tmp/p/chats/session-1.jsonl": kindLines, "tmp/p/chats/session-1.json": kindDocument, "tmp/p/chats/s/a.jsonl": kindAgent,
		"tmp/p/chats/a.jsonl": "", "tmp/p/chats/s/a.json": "", "tmp/p/chats/s/t/a.jsonl": "", "tmp/p/session-1.jsonl": "", "projects.json": "",
		"tmp/p/chats/.session-1.jsonl": "", "tmp/p/chats/session-1.jsonl.tmp-5": "", "tmp/p/chats/session-1.unreadable-5.jsonl": "",
		"history/p/chats/session-1.jsonl": "", "tmp/p/logs.json": "", "tmp/p/chats/": "", "": "", "tmp/p/chats/session-1.txt": "",
	} {
		got, ok := Claim(rel)
		if got.Name != want || ok != (want != "") {
			t.Errorf("Claim(%q): got %q %v, want %q", rel, got.Name, ok, want)
		}
	}
	for dir, want := range map[string]bool{"": false, ".": false, "tmp": false, "tmp/p": false, "tmp/p/chats": false, "tmp/p/chats/s": false, "tmp/p/chats/s/t": true, "tmp/p/checkpoints": true, "history": true, "tmp/bin": false} {
		if got := Skip(dir); got != want {
			t.Errorf("Skip(%q): got %v, want %v", dir, got, want)
		}
	}
}

func TestProjectOf(t *testing.T) {
	const hash = "5a2e6c4b2c6ae3b0a3d8e6a0c57c8e2f0b8d7f3b5a5a5a5a5a5a5a5a5a5a5a5a"
	rel := "tmp/shop/chats/session-1.jsonl"
	for name, c := range map[string]struct {
		files map[string]string
		rel   string
		want  string
	}{
		"the file in the folder":      {map[string]string{"tmp/shop/.project_root": " /srv/shop\n", "projects.json": `{"projects":{"/other":"shop"}}`}, rel, "/srv/shop"},
		"the list":                    {map[string]string{"projects.json": `{"version":1,"projects":{"/a":"b","/srv/shop":"shop","/c":5}}`}, rel, "/srv/shop"},
		"an empty file, no list":      {map[string]string{"tmp/shop/.project_root": "\n"}, rel, ""},
		"a torn list":                 {map[string]string{"projects.json": `{"projects":{"/srv/shop":"shop"`}, rel, ""},
		"a hash that nobody can tell": {map[string]string{"projects.json": `{"projects":{"/srv/shop":"shop"}}`}, "tmp/" + hash + "/chats/session-1.json", ""},
		"no list of paths":            {map[string]string{"projects.json": `{"projects":[1]}`}, rel, ""},
	} {
		fsys := fstest.MapFS{}
		for path, text := range c.files {
			fsys[path] = &fstest.MapFile{Data: []byte(text)}
		}
		if got := projectOf(fsys, c.rel); got != c.want {
			t.Errorf("%s: got %q, want %q", name, got, c.want)
		}
	}
	if got := projectOf(nil, rel); got != "" {
		t.Errorf("without a file system: got %q", got)
	}
}

// A record is counted or dropped; of those of one request, explain finds the one
// that counts.
func TestTraces_SayWhatBecameOfEachRecord(t *testing.T) {
	type verdict struct {
		Line    int64
		Native  string
		Verdict meterbridge.Verdict
		Rule    string
	}
	p := Lines("toy", harnesses.Options{Rel: "tmp/p/chats/session-1.jsonl", Trace: true})
	var out meterbridge.Batch
	for i, line := range []string{
		`{"sessionId":"s","startTime":"2026-10-06T09:00:00.000Z","kind":"main"}`,
		`{"id":"a","type":"gemini","tokens":{"input":10,"output":1,"total":11}}`,
		`{"id":"a","type":"gemini","tokens":{"input":10,"output":5,"total":15}}`,
		`{"id":"b","type":"gemini","tokens":{"input":0,"output":0,"total":0}}`,
		`{"id":"c","type":"gemini","tokens":{"input":"x"}}`,
	} {
		p.Line([]byte(line), meterbridge.Place{Line: int64(i + 1)}, &out)
	}
	p.Flush(&out)
	var got []verdict
	for _, tr := range out.Traces {
		got = append(got, verdict{tr.Place.Line, tr.NativeID, tr.Verdict, tr.Rule})
	}
	want := []verdict{
		{2, "s/a", meterbridge.Counted, ruleBeside},
		{3, "s/a", meterbridge.Counted, ruleBeside},
		{4, "", meterbridge.Dropped, "zero-usage"},
		{5, "", meterbridge.Dropped, "wrong-type"},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("-want +got\n%s", diff)
	}
}

// A rewind takes back what was said after it, all when the message is not known.
func TestTalk_ARewindTakesBack(t *testing.T) {
	for _, c := range []struct{ to, want string }{{"m2", "one"}, {"m3", "two"}, {"m9", ""}} {
		var k talk
		for _, s := range [][2]string{{"m1", "one"}, {"m2", "zwei"}, {"m2", "two"}, {"m3", "three"}} {
			k.add(&message{id: s[0], kind: "gemini", text: s[1]}, time.Time{})
		}
		k.cut(c.to)
		if got := k.reply(); got != c.want {
			t.Errorf("rewound to %s: the last reply is %q, want %q", c.to, got, c.want)
		}
	}
}

func TestTalk_IsBounded(t *testing.T) {
	var k talk
	for i := range 500 {
		k.add(&message{id: fmt.Sprint(i), kind: "gemini", text: strings.Repeat("ä", 5000)}, time.Time{})
	}
	b, err := json.Marshal(k)
	if err != nil || len(b) > talkReplies*longestReply*2+talkMessages*20 {
		t.Errorf("%d messages take %d bytes, %v", len(k), len(b), err)
	}
	if r := []rune(k.reply()); len(r) != longestReply {
		t.Errorf("a reply of %d characters", len(r))
	}
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
		if u.read(&c); u.Wrong {
			return
		}
		if tokens, _ := u.tokens(); tokens.Reasoning.N > tokens.Output.N {
			t.Errorf("%s: reasoning %d is more than output %d", raw, tokens.Reasoning.N, tokens.Output.N)
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
