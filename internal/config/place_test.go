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
	const day = "[[budget]]\nname = \"b\"\nwindow = \"day\"\n"
	const good = day + "scope = \"all\"\nmax_usd = 1\n"
	for text, want := range map[string]string{
		"[report]\n  timezone = \"Mars/Olympus\"":                                       ":2:3: [report] timezone:",
		"# first\n[report]\nweek_start = \"someday\"":                                   ":3:1: [report] week_start:",
		"[[source]]\nharness=\"h\"\npath=\"/a\"\n[[source]]\nharness=\"h\"\npath=\"b\"": ":6:1: [source] path:",
		"[[source]]\npath=\"/a\"":                                                       ":1:3: [source] harness:",
		"[metrics]\nprojects = -1":                                                      ":2:1: [metrics] projects:",
		"[metrics]\nprojects = 201":                                                     ":2:1: [metrics] projects:",
		"[metrics]\nprojects = \"all\"":                                                 ":2:12: ",
		"metrics.projects = -1":                                                         ":1:1: [metrics] projects:",
		"metrics = { projects = -1 }":                                                   ":1:1: [metrics] projects:",
		"\"metrics\".projects = -1":                                                     ":1:1: [metrics] projects:",
		"[serve]\naddr = \"localhost\"":                                                 ":2:1: [serve] addr:",
		"[serve]\nmetrics_open = true\naddr = \"127.0.0.1:http\"":                       ":3:1: [serve] addr:",
		"[serve]\naddr = \"127.0.0.1:65536\"":                                           ":2:1: [serve] addr:",
		"[serve]\naddr = 7433":                                                          ":2:8: ",
		"[serve]\nmetrics_open = 1":                                                     ":2:16: ",
		"[pricing]\nurl = \"htps://x/y\"":                                               ":2:1: [pricing] url:",
		"[pricing]\nurl = \"https:///y\"":                                               ":2:1: [pricing] url:",
		"[pricing]\nurl = \"https://x/y\"\nauto_update = \"1m\"":                        ":3:1: [pricing] auto_update",
		"[pricing]\nurl = \"https://x/y\"\nauto_update = \"daily\"":                     ":3:1: [pricing] auto_update",
		"[pricing]\nauto_update = \"24h\"":                                              ":2:1: [pricing] auto_update",
		day + "scope = \"team\"\nmax_usd = 1":                                           ":4:1: [budget] scope",
		day + "scope = \"all\"\nmatch = \"x\"\nmax_usd = 1":                             ":5:1: [budget] match",
		day + "scope = \"model\"\nmax_usd = 1":                                          ":1:3: [budget] match",
		day + "scope = \"all\"\nmax_usd = \"much\"":                                     ":5:1: [budget] max_usd",
		day + "scope = \"all\"":                                                         ":1:3: [budget] max_usd",
		day + "scope = \"all\"\nmax_tokens = -1":                                        ":5:1: [budget] max_tokens",
		day + "scope = \"all\"\nmax_tokens = 1\naction = \"shout\"":                     ":6:1: [budget] action",
		good + good: ":7:1: [budget] the name",
		good + "[[budget]]\nscope = \"all\"\nwindow = \"day\"\nmax_usd = 1":              ":6:3: [budget] a name",
		good + "[[budget]]\nname = \"d\"\nscope = \"all\"\nwindow = \"dy\"\nmax_usd = 1": ":9:1: [budget] window",
		"[privacy]\nstore_text = \"no\"":                                                 ":2:14: ",
		"[privacy]\nstore = false":                                                       ":2:1: unknown key",
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
