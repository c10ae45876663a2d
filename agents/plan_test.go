package agents

import (
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"

	"meterbridge"
)

func wiring() Wiring {
	return Wiring{
		Folder: "/run/l", Getenv: func(string) string { return "" },
		Server: &MCPServer{Name: "mbridge", Argv: []string{"/bin/mb", "mcp", "--agent", "ag-1"}, Env: map[string]string{"B": `x"y`, "A": "1"}},
		Layer:  meterbridge.LaunchLayer{Args: []string{"--hooks"}, Env: []string{"TOKEN=t"}},
	}
}

func TestPlan_GivesTheServerByArguments(t *testing.T) {
	p := &meterbridge.LaunchProfile{
		Program: []string{"prog"}, Resume: []string{"resume", "{session}"}, Dangerous: []string{"--yes"}, Trust: []string{"-c", "trust={{dir-json}=1}"},
		MCPArgs: []string{"-c", "m.{server}.command={command}", "-c", "m.{server}.args={args}", "-c", "m.{server}.env={env-toml}"},
	}
	a := &meterbridge.Agent{Dir: `/srv/a "b"`, Dangerous: true, Trust: true}
	got, err := plan(p, a, "s", true, wiring())
	if err != nil {
		t.Fatal(err)
	}
	want := Plan{
		Session: "s",
		Argv: []string{
			"prog", "resume", "s", "--hooks", "-c", `m.mbridge.command="/bin/mb"`, "-c", `m.mbridge.args=["mcp","--agent","ag-1"]`,
			"-c", `m.mbridge.env={A="1",B="x\"y"}`, "--yes", "-c", `trust={"/srv/a \"b\""=1}`,
		},
		Env: []string{"TOKEN=t"},
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("plan (-want +got):\n%s", d)
	}
}

func TestPlan_GivesTheServerByAFile(t *testing.T) {
	p := &meterbridge.LaunchProfile{
		Program: []string{"prog"}, MCPArgs: []string{"--mcp", "{file}"}, MCPFile: `{"servers":{"{server}":{"command":{command},"args":{args},"env":{env}}}}`,
	}
	got, err := plan(p, &meterbridge.Agent{}, "unused", false, wiring())
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff([]string{"prog", "--hooks", "--mcp", "/run/l/mcp.json"}, got.Argv); d != "" || got.Session != "" {
		t.Errorf("session %q, argv (-want +got):\n%s", got.Session, d)
	}
	want := `{"servers":{"mbridge":{"command":"/bin/mb","args":["mcp","--agent","ag-1"],"env":{"A":"1","B":"x\"y"}}}}`
	if d := cmp.Diff(want, string(got.Files[0].Content)); d != "" {
		t.Errorf("file (-want +got):\n%s", d)
	}
}

// The server is merged into the file of the hooks, else into a copy of the user's.
func TestPlan_MergesTheServerIntoTheConfiguration(t *testing.T) {
	p := &meterbridge.LaunchProfile{Program: []string{"prog"}, ConfigVariable: "CONF", MCPConfig: `{"mcp":{"{server}":{"command":{argv}}}}`}
	server := map[string]any{"command": []any{"/bin/mb", "mcp", "--agent", "ag-1"}}
	for name, c := range map[string]struct {
		change func(*Wiring)
		path   string
		want   map[string]any
	}{
		"nothing of the user's": {func(*Wiring) {}, "/run/l/config.json", map[string]any{"mcp": map[string]any{"mbridge": server}}},
		"the user's file": {func(w *Wiring) {
			w.Getenv = func(string) string { return "/home/u/c.json" }
			w.ReadFile = func(string) ([]byte, error) { return []byte(`{"a":1,"mcp":{"own":{"x":1}}}`), nil }
		}, "/run/l/config.json", map[string]any{"a": 1.0, "mcp": map[string]any{"own": map[string]any{"x": 1.0}, "mbridge": server}}},
		"the hooks' file": {func(w *Wiring) {
			w.Layer.Env = []string{"CONF=/run/l/hooks.json"}
			w.Layer.Files = []meterbridge.LaunchFile{{Path: "/run/l/hooks.json", Content: []byte(`{"plugin":["p"]}`)}}
		}, "/run/l/hooks.json", map[string]any{"plugin": []any{"p"}, "mcp": map[string]any{"mbridge": server}}},
	} {
		w := wiring()
		c.change(&w)
		got, err := plan(p, &meterbridge.Agent{}, "", false, w)
		if err != nil {
			t.Fatal(err)
		}
		var conf map[string]any
		if len(got.Files) != 1 || got.Files[0].Path != c.path || json.Unmarshal(got.Files[0].Content, &conf) != nil {
			t.Fatalf("%s: files %+v", name, got.Files)
		}
		if d := cmp.Diff(c.want, conf); d != "" || got.Env[len(got.Env)-1] != "CONF="+c.path {
			t.Errorf("%s: env %v, configuration (-want +got):\n%s", name, got.Env, d)
		}
	}
}
