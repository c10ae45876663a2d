package messagestore

import (
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"meterbridge/harnesses"
)

func TestProduct_Roots(t *testing.T) {
	home := filepath.FromSlash("/home/dev")
	in := func(elements ...string) string { return filepath.Join(append([]string{home}, elements...)...) }
	standard := in(".local", "share", "demo")
	moved := filepath.FromSlash("/data/demo")
	tests := []struct {
		name, os string
		env      map[string]string
		want     []harnesses.Root
	}{
		{"nothing set", "linux", nil, []harnesses.Root{{Path: standard, Variable: "XDG_DATA_HOME"}}},
		{"moved", "darwin", map[string]string{"XDG_DATA_HOME": "/data"}, []harnesses.Root{{Path: moved, Variable: "XDG_DATA_HOME", Set: true}}},
		{"relative is ignored", "linux", map[string]string{"XDG_DATA_HOME": "data"}, []harnesses.Root{{Path: standard, Variable: "XDG_DATA_HOME"}}},
		{"moved on Windows", "windows", map[string]string{"XDG_DATA_HOME": "/data"}, []harnesses.Root{{Path: moved, Variable: "XDG_DATA_HOME", Set: true}, {Path: standard}}},
		{"in memory", "linux", map[string]string{"DEMO_DB": ":memory:"}, []harnesses.Root{{Path: standard, Variable: "XDG_DATA_HOME"}}},
		{"a name in the folder", "linux", map[string]string{"DEMO_DB": "sub/work.db"}, []harnesses.Root{
			{Path: standard, Variable: "XDG_DATA_HOME"}, {Path: filepath.Join(standard, "sub", "work.db"), Variable: "DEMO_DB", Set: true},
		}},
		{"elsewhere", "linux", map[string]string{"DEMO_DB": "/x/../y/work.sqlite", "DEMO_DATA_DIR": "/copy"}, []harnesses.Root{
			{Path: standard, Variable: "XDG_DATA_HOME"},
			{Path: filepath.FromSlash("/y/work.sqlite"), Variable: "DEMO_DB", Set: true},
			{Path: filepath.FromSlash("/copy"), Variable: "DEMO_DATA_DIR", Set: true},
		}},
		{"twice the same", "linux", map[string]string{"DEMO_DATA_DIR": standard + "/"}, []harnesses.Root{{Path: standard, Variable: "XDG_DATA_HOME"}}},
	}
	for _, tt := range tests {
		got := product.roots(harnesses.Env{Home: home, OS: tt.os, Getenv: func(v string) string { return tt.env[v] }})
		if diff := cmp.Diff(tt.want, got); diff != "" {
			t.Errorf("%s (-want +got)\n%s", tt.name, diff)
		}
	}
}

func TestProduct_Claim(t *testing.T) {
	tests := map[string]string{
		"demo.db":                                      kindDatabase,
		"demo-dev.db":                                  kindDatabase,
		"work.sqlite":                                  kindDatabase,
		"demo.db-wal":                                  "",
		"demo.db-shm":                                  "",
		"auth.json":                                    "",
		"sub/demo.db":                                  "",
		"storage/session/p/ses_1.json":                 kindSession,
		"storage/message/ses_1/msg_1.json":             kindMessage,
		"storage/message/ses_1/.msg_1.json":            "",
		"storage/message/ses_1/msg_1.json.tmp":         "",
		"storage/message/ses_1/x/msg_1.json":           "",
		"storage/part/msg_1/prt_1.json":                "",
		"storage/session_diff/ses_1.json":              "",
		"storage/project/p.json":                       "",
		"project/slug/storage/session/info/ses_1.json": kindSession,
		"project/slug/storage/session/message/ses_1/msg_1.json":  kindMessage,
		"project/slug/storage/session/part/ses_1/msg_1/prt.json": "",
		"project/slug/app.json":                                  "",
	}
	for rel, want := range tests {
		kind, ok := product.claim(rel)
		if kind.Name != want || ok != (want != "") {
			t.Errorf("%s: got %q, want %q", rel, kind.Name, want)
		}
		for dir := filepath.ToSlash(filepath.Dir(rel)); dir != "."; dir = filepath.ToSlash(filepath.Dir(dir)) {
			if want != "" && skip(dir) {
				t.Errorf("%s is a source, but the walk never enters %s", rel, dir)
			}
		}
	}
	for _, dir := range []string{"log", "snapshot", "storage/part", "storage/session_diff", "project/slug/storage/session/part", "storage/message/ses_1/x", "storage/session/p/x"} {
		if !skip(dir) {
			t.Errorf("the walk enters %s", dir)
		}
	}
	if skip("demo.db") {
		t.Error("a folder in a database's place is passed over")
	}
}

func TestMadeAt(t *testing.T) {
	tests := []struct {
		id   string
		ms   int64
		want vicinity
	}{
		// Ids that the program made, with the times beside them.
		{"msg_22c2fe88e001B9unzwbdSLSz9V", 1796037666958, here},
		{"msg_22c33c5f8001T4o5jP5rm24zYy", 1796037920248, here},
		{"msg_22c33c5f8001T4o5jP5rm24zYy", 1796037666958, elsewhere},
		{"msg_22c33c5f8001T4o5jP5rm24zYy", 1796037920248 + wrap, here},
		{"msg_01a1540f35f0gnpVzd2eoA9C4Z", 1792411645424, here},
		{"msg_a1", 1, untold},
		{"msg_zzzzzzzzzzzz", 1, untold},
		{"nothing", 1, untold},
		{made("msg", wrap*26-1, 1), wrap*26 + 1, here},
	}
	for _, tt := range tests {
		if got := madeAt(tt.id, tt.ms); got != tt.want {
			t.Errorf("madeAt(%s, %d) = %d, want %d", tt.id, tt.ms, got, tt.want)
		}
	}
	// A session that began at 1796037914639, as its row says.
	if got, ok := sessionTime("ses_dd3cc4ff1ffeXdY0wjAW8TSY8C", 1796037920248); !ok || got != 1796037914638 && got != 1796037914639 {
		t.Errorf("sessionTime = %d, %v", got, ok)
	}
}
