package qwencode

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"meterbridge"
	"meterbridge/harnesses"
	"meterbridge/harnesses/parsertest"
)

func FuzzLines(f *testing.F) { parsertest.Lines(f, Harness()) }

func FuzzDocuments(f *testing.F) { parsertest.Documents(f, Harness()) }

func TestClaim(t *testing.T) {
	for rel, want := range map[string]string{
		"projects/-srv/chats/s.jsonl": kindChat, "projects/-srv/chats/": "", "projects/-srv/chats/s.runtime.json": "", "projects/-srv/chats/.s.jsonl": "",
		"projects/-srv/subagents/s.jsonl": "", "projects/-srv/chats/x/s.jsonl": "", "usage_record.jsonl": "", "tmp/h/logs.json": "", "": "",
		"tmp/h/chats/session-1.json": "recording-document",
	} {
		got, ok := claim(rel)
		if got.Name != want || ok != (want != "") {
			t.Errorf("claim(%q): got %q %v, want %q", rel, got.Name, ok, want)
		}
	}
	for dir, want := range map[string]bool{"": false, "projects": false, "projects/p": false, "projects/p/chats": false, "projects/p/memory": true, "projects/p/chats/x": true, "tmp": false, "tmp/h/chats": false, "debug": true} {
		if got := skip(dir); got != want {
			t.Errorf("skip(%q): got %v, want %v", dir, got, want)
		}
	}
}

func TestPlaces(t *testing.T) {
	home := t.TempDir()
	dir := func(parts ...string) string { return filepath.Join(append([]string{home}, parts...)...) }
	settings := func(folder, text string) {
		if err := os.MkdirAll(folder, 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(folder, "settings.json"), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	settings(dir("set"), `{"advanced":{"runtimeOutputDir":"~/elsewhere"},"env":{}}`)
	settings(dir("torn"), `{"advanced":{"runtimeOutputDir":"~/elsewhere"`)
	for name, c := range map[string]struct {
		env  map[string]string
		want []string
	}{
		"the usual place":                  {nil, []string{dir(".qwen")}},
		"a moved home":                     {map[string]string{"QWEN_HOME": dir("q")}, []string{dir("q")}},
		"a moved runtime":                  {map[string]string{"QWEN_RUNTIME_DIR": dir("r")}, []string{dir("r"), dir(".qwen")}},
		"a setting":                        {map[string]string{"QWEN_HOME": dir("set")}, []string{dir("elsewhere"), dir("set")}},
		"a variable goes before a setting": {map[string]string{"QWEN_HOME": dir("set"), "QWEN_RUNTIME_DIR": dir("r")}, []string{dir("r"), dir("set")}},
		"torn settings":                    {map[string]string{"QWEN_HOME": dir("torn")}, []string{dir("torn")}},
		"another tool's variable":          {map[string]string{"QWEN_DATA_DIR": dir("d")}, []string{dir(".qwen"), dir("d")}},
	} {
		var got []string
		for _, r := range places(harnesses.Env{Home: home, OS: "linux", Getenv: func(k string) string { return c.env[k] }}) {
			got = append(got, r.Path)
		}
		if diff := cmp.Diff(c.want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}

func TestIsCommand(t *testing.T) {
	for text, want := range map[string]bool{"/compress": true, " /model qwen": true, "/": false, "": false, "/srv/x is full": false, "/a.txt": false, "what /compress does": false} {
		if got := isCommand(text); got != want {
			t.Errorf("%q: got %v, want %v", text, got, want)
		}
	}
}

func TestTraces_SayWhatBecameOfEachRecord(t *testing.T) {
	const rel = "projects/-srv/chats/s.jsonl"
	text, err := os.ReadFile(filepath.Join("..", "..", "testdata", "harnesses", id, "conversation", "home", ".qwen", "projects", "-srv-demo-shop", "chats", "dddd0000-0000-4000-8000-000000000001.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	p := newParser(harnesses.Options{Rel: rel, Trace: true})
	var out meterbridge.Batch
	for i, line := range strings.Split(string(text), "\n") {
		p.Line([]byte(line), meterbridge.Place{Line: int64(i + 1)}, &out)
	}
	var got []string
	for _, tr := range out.Traces {
		_, id, _ := strings.Cut(tr.NativeID, "/")
		got = append(got, strings.Join([]string{string(tr.Verdict), tr.Rule, id}, " "))
	}
	want := []string{
		"counted api-response chatcmpl-1", "merged chat-row-of-response chatcmpl-1", "counted api-response chatcmpl-2",
		"counted api-response resp-3", "merged chat-row-of-response resp-3", "counted chat-row q12",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("-want +got\n%s", diff)
	}
}
