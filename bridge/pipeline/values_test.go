package pipeline

import (
	"context"
	"encoding/json"
	"strings"
	"testing"

	"meterbridge/bridge"
)

// Without the setting a trace holds no value; with it secrets are blanked, by the name
// of their member and by their form.
func TestTrace_ValuesOnlyWhenWanted(t *testing.T) {
	const canary = "c4n4ry-value-0123456789"
	args := `{"title":"Login fails","apiKey":"` + canary + `","note":"Bearer ` + canary + ` and password=` + canary + `","deep":[{"client_secret":{"a":"` + canary + `"}}],"n":12345678901234567890}`
	tool := bridge.Tool{Call: func(context.Context, bridge.Identity, json.RawMessage) (bridge.Result, error) {
		return bridge.Result{Text: `{"token":"` + canary + `","key":"DESK-12 is not shown"}`, Content: []bridge.Content{
			bridge.TextContent(`{"token":"` + canary + `","made":"DESK-12"}`), bridge.TextContent("ghp_" + strings.Repeat("a", 36)),
		}}, nil
	}}
	off := newLine(t, Options{}, tool)
	off.call(t.Context(), "a", args)
	if c := off.traces[0]; c.Arguments != "" || c.Answer != "" {
		t.Errorf("kept although nobody wants it: %q, %q", c.Arguments, c.Answer)
	}
	on := newLine(t, Options{Values: true}, tool)
	on.call(t.Context(), "a", args)
	c := on.traces[0]
	const want = `{"apiKey":"[blanked]","deep":[{"client_secret":"[blanked]"}],"n":12345678901234567890,"note":"[blanked] and [blanked]","title":"Login fails"}`
	if c.Arguments != want {
		t.Errorf("arguments\ngot  %s\nwant %s", c.Arguments, want)
	}
	if want := "{\"made\":\"DESK-12\",\"token\":\"[blanked]\"}\n[blanked]"; c.Answer != want {
		t.Errorf("answer %q, want %q", c.Answer, want)
	}
}
