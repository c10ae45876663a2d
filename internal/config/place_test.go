package config

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// Every value that cannot be meant is named with its line and column, as a
// wrong type and an unknown key are.
func TestLoad_WrongValuesHaveAPlace(t *testing.T) {
	for text, want := range map[string]string{
		"[report]\n  timezone = \"Mars/Olympus\"":                                       ":2:3: [report] timezone:",
		"# first\n[report]\nweek_start = \"someday\"":                                   ":3:1: [report] week_start:",
		"[[source]]\nharness=\"h\"\npath=\"/a\"\n[[source]]\nharness=\"h\"\npath=\"b\"": ":6:1: [source] path:",
		"[[source]]\npath=\"/a\"":                                                       ":1:3: [source] harness:",
		"[metrics]\nprojects = -1":                                                      ":2:1: [metrics] projects:",
		"[privacy]\nstore_text = \"no\"":                                                ":2:14: ",
		"[privacy]\nstore = false":                                                      ":2:1: unknown key",
	} {
		path := filepath.Join(t.TempDir(), "config.toml")
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		_, err := Load(path, "/home/demo")
		var wrong *Error
		if !errors.As(err, &wrong) || wrong.Line == 0 || !strings.HasPrefix(err.Error(), path+want) {
			t.Errorf("%q: %v, want %s", text, err, want)
		}
	}
}
