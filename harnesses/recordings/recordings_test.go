package recordings

import (
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"

	"meterbridge"
	"meterbridge/harnesses"
	"meterbridge/harnesses/record"
)

func TestClaim(t *testing.T) {
	for rel, want := range map[string]string{
		"tmp/p/chats/session-1.jsonl": kindLines, "tmp/p/chats/session-1.json": kindDocument, "tmp/p/chats/s/a.jsonl": kindAgent,
		"tmp/p/chats/a.jsonl": "", "tmp/p/chats/s/a.json": "", "tmp/p/chats/s/t/a.jsonl": "", "tmp/p/session-1.jsonl": "", "projects.json": "",
		"tmp/p/chats/.session-1.jsonl": "", "tmp/p/chats/session-1.jsonl.tmp-5": "", "tmp/p/chats/session-1.unreadable-5.jsonl": "",
		"history/p/chats/session-1.jsonl": "", "tmp/p/logs.json": "", "tmp/p/chats/session-1.txt": "",
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

// The record with the last numbers counts, the earlier ones are merged into it,
// and what spent nothing is dropped.
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
		`{"$set":{"messages":[{"id":"a","type":"gemini","tokens":{"input":10,"output":5,"total":15}}]}}`,
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
		{2, "s/a", meterbridge.Merged, "earlier-record"},
		{3, "s/a", meterbridge.Merged, "earlier-record"},
		{4, "", meterbridge.Dropped, ruleZero},
		{5, "s/a", meterbridge.Counted, ruleBeside},
		{6, "", meterbridge.Dropped, ruleWrong},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("-want +got\n%s", diff)
	}
}

// A rewind takes back what was said after it, also when the message is not known.
func TestTalk_ARewindTakesBack(t *testing.T) {
	for _, c := range []struct{ to, want string }{{"m2", "one"}, {"m3", "two"}, {"m9", ""}} {
		var k talk
		k.add(&message{id: "m1", kind: "gemini", text: "one"}, record.Millis(1))
		k.add(&message{id: "m2", kind: "gemini", text: "zwei"}, record.Millis(2))
		k.add(&message{id: "m2", kind: "gemini", text: "two"}, record.Millis(2))
		k.add(&message{id: "m3", kind: "gemini", text: "three"}, record.Millis(3))
		k.cut(c.to)
		if got, _ := k.reply(); got != c.want {
			t.Errorf("rewound to %s: the last reply is %q, want %q", c.to, got, c.want)
		}
	}
}
