package hooks

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"meterbridge"
	"meterbridge/harnesses"
	"meterbridge/harnesses/all"
)

// driver feeds a recording to the plugin as its host does, and waits where a
// question must stand for a while.
const driver = `
import { readFileSync } from "node:fs";
const [plugin, recording] = process.argv.slice(2);
const { Meterbridge } = await import(plugin);
const hooks = await Meterbridge({ directory: "/home/dev/demo" });
for (const line of readFileSync(recording, "utf8").split("\n").filter(Boolean)) {
  const e = JSON.parse(line);
  if (e.hook === "chat.message") await hooks["chat.message"](e.input, e.output ?? { message: { id: "m" + e.at }, parts: [{ type: "text", text: "hello" }] });
  if (e.event) await hooks.event({ event: e.event });
  if (e.event?.type === "permission.asked") await new Promise((r) => setTimeout(r, 800));
}
`

func harness(t *testing.T, id string) harnesses.Harness {
	t.Helper()
	for _, h := range all.Harnesses() {
		if h.ID == id {
			return h
		}
	}
	t.Fatalf("no harness %s", id)
	return harnesses.Harness{}
}

// The plugin runs in a real JavaScript engine over the recorded events of the real
// programs; what it posts maps to the facts of their turns.
func TestPlugin_OverRecordedEvents(t *testing.T) {
	node, err := exec.LookPath("node")
	if err != nil {
		t.Skip("node is not installed: the plugin of OpenCode and Kilo Code is not run")
	}
	for _, c := range []struct {
		id, file string
		want     []string
	}{
		{"opencode", "opencode-events.jsonl", []string{
			"session-started", "turn hello", "needs-input OpenCode needs your permission: bash — touch created-by-tool.txt", "resumed", "finished",
			"turn hello", "finished", "turn hello", "finished", "turn hello", "finished", "turn hello", "finished",
		}},
		{"kilo-code", "kilo-code-events.jsonl", []string{
			"session-started", "turn hello", "finished", "session-started", "turn hello", "finished",
		}},
	} {
		t.Run(c.id, func(t *testing.T) {
			h := harness(t, c.id)
			var mu sync.Mutex
			var got []string
			server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				body, _ := io.ReadAll(r.Body)
				mu.Lock()
				defer mu.Unlock()
				if r.URL.Path != "/hooks/"+c.id || r.Header.Get("Authorization") != "Bearer tok" {
					t.Errorf("posted to %s as %s", r.URL.Path, r.Header.Get("Authorization"))
				}
				for _, f := range h.Hooks.Facts(body) {
					if f.Session == "" || f.At.IsZero() || f.Dir != "/home/dev/demo" {
						t.Errorf("%s gives %+v", body, f)
					}
					got = append(got, strings.TrimSpace(string(f.Kind)+" "+f.Prompt+f.Detail))
				}
			}))
			defer server.Close()
			dir := t.TempDir()
			layer := h.Hooks.Layer(meterbridge.LaunchHooks{Dir: dir, Getenv: func(string) string { return "" }})
			plugin := filepath.Join(dir, "plugin.mjs")
			for path, text := range map[string][]byte{plugin: layer.Files[0].Content, filepath.Join(dir, "driver.mjs"): []byte(driver)} {
				if err := os.WriteFile(path, text, 0o600); err != nil {
					t.Fatal(err)
				}
			}
			recording, _ := filepath.Abs(filepath.Join("testdata", c.file))
			cmd := exec.CommandContext(t.Context(), node, filepath.Join(dir, "driver.mjs"), plugin, recording)
			cmd.Env = append(os.Environ(), "METERBRIDGE_HOOK_URL="+server.URL+"/hooks", "METERBRIDGE_HOOK_TOKEN=tok")
			if out, err := cmd.CombinedOutput(); err != nil {
				t.Fatalf("%v\n%s", err, out)
			}
			mu.Lock()
			defer mu.Unlock()
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Errorf("(-want +got)\n%s", diff)
			}
		})
	}
}

// The launch's configuration keeps the user's own and adds the plugin to it.
func TestPlugin_IsAddedToTheUsersConfiguration(t *testing.T) {
	h := harness(t, "opencode")
	layer := h.Hooks.Layer(meterbridge.LaunchHooks{
		Dir: "/run/launch", Getenv: func(name string) string {
			if name == "OPENCODE_CONFIG" {
				return "/own.json"
			}
			return ""
		},
		ReadFile: func(string) ([]byte, error) {
			return []byte("{ // mine\n \"plugin\": [\"a\"], \"model\": \"m\", }"), nil
		},
	})
	var got map[string]any
	if err := json.Unmarshal(layer.Files[1].Content, &got); err != nil {
		t.Fatal(err)
	}
	want := map[string]any{"plugin": []any{"a", "file:///run/launch/meterbridge.js"}, "model": "m"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
	if diff := cmp.Diff([]string{"OPENCODE_CONFIG=/run/launch/config.json", "OPENCODE_PURE=false"}, layer.Env); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}
