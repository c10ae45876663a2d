package qwencode

import (
	"encoding/json"
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"

	"meterbridge"
)

// The defaults of an administrator, and their hooks, stay beside ours; what cannot be
// read is left out.
func TestLayer_JoinsTheDefaultsInForce(t *testing.T) {
	ours := map[string]any{"hooks": []any{map[string]any{"type": "command", "command": "'/bin/mb' hook qwen-code", "timeout": 5000.0}}}
	for name, c := range map[string]struct {
		defaults string
		want     any
		theme    any
	}{
		"none":       {"", []any{ours}, nil},
		"broken":     {`{"ui":`, []any{ours}, nil},
		"not one":    {`null`, []any{ours}, nil},
		"with hooks": {`{"ui":{"theme":"x"},"hooks":{"Stop":[{"hooks":[]}]}}`, []any{map[string]any{"hooks": []any{}}, ours}, map[string]any{"theme": "x"}},
	} {
		l := layer(meterbridge.LaunchHooks{
			Dir: "/launch", Forwarder: "'/bin/mb' hook", Getenv: func(string) string { return "/defaults" },
			ReadFile: func(path string) ([]byte, error) {
				if path != "/defaults" || c.defaults == "" {
					return nil, errors.New("none")
				}
				return []byte(c.defaults), nil
			},
		})
		if diff := cmp.Diff([]string{"QWEN_CODE_SYSTEM_DEFAULTS_PATH=/launch/qwen-defaults.json"}, l.Env); diff != "" || len(l.Files) != 1 {
			t.Fatalf("%s: %s, %d files", name, diff, len(l.Files))
		}
		var got map[string]any
		if err := json.Unmarshal(l.Files[0].Content, &got); err != nil {
			t.Fatal(err)
		}
		hooks, _ := got["hooks"].(map[string]any)
		if diff := cmp.Diff(c.want, hooks["Stop"]); diff != "" || len(hooks) != 8 {
			t.Errorf("%s: hooks of Stop (-want +got):\n%s%d events", name, diff, len(hooks))
		}
		if diff := cmp.Diff(c.theme, got["ui"]); diff != "" {
			t.Errorf("%s: the rest (-want +got):\n%s", name, diff)
		}
	}
}
