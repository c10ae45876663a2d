package kilocode

import (
	"path/filepath"
	"testing"

	"meterbridge/harnesses"
	"meterbridge/harnesses/parsertest"
)

func FuzzDocuments(f *testing.F) { parsertest.Documents(f, Harness()) }

// Both layouts are found by one harness, each by its own reader.
func TestHarness_ReadsBothStores(t *testing.T) {
	h := Harness()
	for rel, want := range map[string]harnesses.Shape{
		"kilo.db": harnesses.Database, "kilo-dev.db": harnesses.Database, "opencode-dev.db": harnesses.Database,
		"storage/message/s/m.json": harnesses.Document, "tasks/t/ui_messages.json": harnesses.Document, "tasks/t/history_item.json": harnesses.Document,
	} {
		if kind, ok := h.Claim(rel); !ok || kind.Shape != want {
			t.Errorf("Claim(%q): got %+v %v, want shape %v", rel, kind, ok, want)
		}
	}
	for _, rel := range []string{"tasks/t/api_conversation_history.json", "auth.json", "snapshot/x.db", "tasks/t/checkpoints/ui_messages.json"} {
		if kind, ok := h.Claim(rel); ok {
			t.Errorf("Claim(%q) takes it as %+v", rel, kind)
		}
	}
	for dir, want := range map[string]bool{"tasks": false, "tasks/t": false, "storage": false, "storage/message/s": false, "snapshot": true, "tasks/t/checkpoints": true, "cache": true} {
		if got := h.Skip(dir); got != want {
			t.Errorf("Skip(%q): got %v, want %v", dir, got, want)
		}
	}
	found := map[string]bool{}
	for _, r := range h.Roots(harnesses.Env{Home: "/home/dev", OS: "linux", Getenv: func(string) string { return "" }}) {
		found[filepath.ToSlash(r.Path)] = true
	}
	for _, path := range []string{"/home/dev/.local/share/kilo", "/home/dev/.kilocode/cli/global", "/home/dev/.config/Code/User/globalStorage/kilocode.kilo-code", "/home/dev/.vscode-server/data/User/globalStorage/kilocode.kilo-code"} {
		if !found[path] {
			t.Errorf("%s is no root: %v", path, found)
		}
	}
}
