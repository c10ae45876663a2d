package codexcli

import (
	"errors"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"meterbridge/harnesses"
)

func TestMillis(t *testing.T) {
	for _, in := range []string{
		"2026-11-30T11:19:24.649Z", "2024-02-29T23:59:59.999Z", "2026-03-31T00:00:00.000Z", "2026-03-02T09:00:00Z",
		"2026-03-02T10:00:20+01:00", "2026-03-02T09:00:30.123456Z",
	} {
		want, err := time.Parse(time.RFC3339Nano, in)
		if err != nil {
			t.Fatal(err)
		}
		if got := millis([]byte(in)); got != want.UnixMilli() {
			t.Errorf("millis(%q) = %d, want %d", in, got, want.UnixMilli())
		}
	}
	for _, in := range []string{"", "soon", "1969-12-31T23:59:59.000Z", "0001-01-01T00:00:00Z", "0001-01-01T00:00:00.000Z", "1970-01-01T01:00:00+01:00"} {
		if got := millis([]byte(in)); got != 0 {
			t.Errorf("millis(%q) = %d, want none", in, got)
		}
	}
	for _, in := range []string{"", "now", "2026-13-02T09:00:00.000Z", "2026-02-30T09:00:00.000Z", "2026-03-02T24:00:00.000Z", "2026-03-02 09:00:00.000Z"} {
		if got := millis([]byte(in)); got != 0 {
			t.Errorf("millis(%q) = %d, want 0", in, got)
		}
	}
}

func TestIDMillis(t *testing.T) {
	for in, want := range map[string]int64{
		"01a22c2e-588a-7bb0-95d4-560359f7ae06": 0x01a22c2e588a,
		"505e11cc-6236-461d-ad7d-767c2b5850a4": 0, // version 4
		"01a22c2e-588a-7bb0-95d4":              0,
		"01a22c2e-58xa-7bb0-95d4-560359f7ae06": 0,
		"":                                     0,
	} {
		if got := idMillis(in); got != want {
			t.Errorf("idMillis(%q) = %#x, want %#x", in, got, want)
		}
	}
}

func TestClaim(t *testing.T) {
	for rel, want := range map[string]string{
		"sessions/2026/11/30/rollout-2026-11-30T11-19-24-x.jsonl":     kindRollout,
		"sessions/2026/11/30/rollout-2026-11-30T11-19-24-x.jsonl.zst": kindCompressed,
		"archived_sessions/rollout-2026-11-30T11-19-24-x.jsonl":       kindRollout,
		"archived_sessions/rollout-2026-11-30T11-19-24-x.jsonl.zst":   kindCompressed,
		"sessions/rollout-2025-05-07-x.json":                          kindOld,
		"session_index.jsonl":                                         kindIndex,
		"state_5.sqlite":                                              kindState,
		"state_12.sqlite":                                             kindState,
		"state_5.sqlite-wal":                                          "",
		"state_x.sqlite":                                              "",
		"thread_history_1.sqlite":                                     "",
		"logs_2.sqlite":                                               "",
		"history.jsonl":                                               "",
		"sessions/2026/11/30/notes.jsonl":                             "",
		"rollout-2026-11-30T11-19-24-x.jsonl":                         "",
		"log/rollout-2026-11-30T11-19-24-x.jsonl":                     "",
		"sessions/2026/11/30/rollout-2026-11-30T11-19-24-x.jsonl.tmp": "",
		"auth.json": "",
	} {
		kind, ok := claim(rel)
		if kind.Name != want || ok != (want != "") {
			t.Errorf("claim(%q) = %q %v, want %q", rel, kind.Name, ok, want)
		}
	}
	for dir, want := range map[string]bool{
		"": false, ".": false, "sessions": false, "sessions/2026/11": false, "archived_sessions": false,
		"log": true, "thread-writer-locks": true, "sessions_old": true, "tmp/sessions": true,
	} {
		if got := skip(dir); got != want {
			t.Errorf("skip(%q) = %v, want %v", dir, got, want)
		}
	}
}

func TestRoots(t *testing.T) {
	there := t.TempDir()
	for _, c := range []struct {
		name string
		vars map[string]string
		want []harnesses.Root
	}{
		{"nothing set", nil, []harnesses.Root{{Path: "/home/dev/.codex", Variable: "CODEX_HOME"}}},
		{"one folder", map[string]string{"CODEX_HOME": "/alt"}, []harnesses.Root{{Path: "/alt", Variable: "CODEX_HOME", Set: true}}},
		{"a list", map[string]string{"CODEX_HOME": "/a, /b,,/a"}, []harnesses.Root{
			{Path: "/a", Variable: "CODEX_HOME", Set: true}, {Path: "/b", Variable: "CODEX_HOME", Set: true},
		}},
		{"databases elsewhere", map[string]string{"CODEX_SQLITE_HOME": there}, []harnesses.Root{
			{Path: "/home/dev/.codex", Variable: "CODEX_HOME"}, {Path: there, Variable: "CODEX_SQLITE_HOME", Set: true},
		}},
	} {
		env := harnesses.Env{Home: "/home/dev", OS: "linux", Getenv: func(k string) string { return c.vars[k] }}
		got := roots(env)
		for i := range got {
			got[i].Path = filepath.ToSlash(got[i].Path)
		}
		if diff := cmp.Diff(c.want, got); diff != "" {
			t.Errorf("%s: want - got +\n%s", c.name, diff)
		}
	}
}

// The settings of a home may name a folder for the databases.
func TestRoots_OfTheSettings(t *testing.T) {
	home := t.TempDir()
	file := filepath.Join(home, ".codex", "config.toml")
	if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ name, text, want string }{
		{"absolute", "model = \"x\"\nsqlite_home = \"/srv/db/\"\n[tui]\n", "/srv/db"},
		{"of the user", "sqlite_home = '~/db'", filepath.Join(home, "db")},
		{"below the home", "sqlite_home = 'db/here'", filepath.Join(home, ".codex", "db", "here")},
		{"the home itself", "sqlite_home = '.'", ""},
		{"empty", "sqlite_home = ' '", ""},
		{"of a table", "[profiles.x]\nsqlite_home = '/srv/db'", ""},
		{"no text", "sqlite_home = 1", ""},
		{"no TOML", "sqlite_home = ", ""},
	} {
		if err := os.WriteFile(file, []byte(c.text), 0o600); err != nil {
			t.Fatal(err)
		}
		want := []harnesses.Root{{Path: filepath.Dir(file), Variable: "CODEX_HOME"}}
		if c.want != "" {
			want = append(want, harnesses.Root{Path: c.want})
		}
		got := roots(harnesses.Env{Home: home, OS: "linux", Getenv: func(string) string { return "" }})
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s: want - got +\n%s", c.name, diff)
		}
	}
	if err := errors.Join(os.Remove(file), os.Mkdir(file, 0o700)); err != nil {
		t.Fatal(err)
	}
	if got := roots(harnesses.Env{Home: home, OS: "linux", Getenv: func(string) string { return "" }}); len(got) != 1 {
		t.Errorf("a folder in the file's place: %v", got)
	}
}

func TestThreadOfName(t *testing.T) {
	for in, want := range map[string]string{
		"/x/rollout-2026-11-30T11-19-24-01a22c2e-588a-7bb0-95d4-560359f7ae06.jsonl":     "01a22c2e-588a-7bb0-95d4-560359f7ae06",
		"/x/rollout-2026-11-30T11-19-24-01a22c2e-588a-7bb0-95d4-560359f7ae06.jsonl.zst": "01a22c2e-588a-7bb0-95d4-560359f7ae06",
		"rollout-2025-05-07-b22b7c1e.json":                                              "2025-05-07-b22b7c1e",
		"rollout-.jsonl":                                                                "",
	} {
		if got := threadOfName(in); got != want {
			t.Errorf("threadOfName(%q) = %q, want %q", in, got, want)
		}
	}
}

func TestWhole(t *testing.T) {
	for in, want := range map[string]bool{
		`{"timestamp":"t","type":"response_item","payload":{"a":{"b":"{\"timestamp\":1}"}}}`:  true,
		`{"timestamp":"t","type":"response_item","payload":{"text":"cut {"timestamp":"u"}}`:   false,
		`{"timestamp":"t","type":"response_item","payload":{"text":"cut off`:                  false,
		`{"timestamp":"t","type":"x","payload":{}}{"timestamp":"u","type":"y","payload":{}}}`: false,
	} {
		if got := whole([]byte(in)); got != want {
			t.Errorf("whole(%s) = %v, want %v", in, got, want)
		}
	}
}

func TestUsage_NeverBelowZero(t *testing.T) {
	u, ok := readUsage([]byte(`{"input_tokens":100,"cached_input_tokens":90,"cache_write_input_tokens":20,"output_tokens":1}`))
	got := u.tokens()
	if !ok || got.Input.N != 0 || !got.Input.OK || got.CacheRead.N != 90 || got.CacheWrite5m.N != 20 || got.Reasoning.OK || got.CacheWrite1h.OK {
		t.Errorf("got %+v %v, want input 0, cache read 90, cache write 20, no reasoning", got, ok)
	}
}

func TestDecode_EqualsOpen(t *testing.T) {
	for _, line := range []string{
		`{"timestamp":"2026-03-02T09:00:00.000Z","ordinal":3,"type":"event_msg","payload":{"type":"x"}}`,
		`{"id":"a","timestamp":"2026-03-02T09:00:00.000Z","git":{"branch":"main"}}`,
		`{ "payload" : 7 , "type" : "a" , "type" : "b" }`,
		`{}`,
	} {
		want, ok := open([]byte(line))
		got, ok2 := decode([]byte(line))
		if diff := cmp.Diff(want, got, cmp.AllowUnexported(envelope{})); diff != "" || !ok || !ok2 {
			t.Errorf("%s: %v %v, open - decode +\n%s", line, ok, ok2, diff)
		}
	}
	for _, line := range []string{`null`, `[]`, `"x"`, `7`} {
		if _, ok := decode([]byte(line)); ok {
			t.Errorf("decode(%s) took it for an object", line)
		}
	}
}
