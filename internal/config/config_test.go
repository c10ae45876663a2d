package config

import (
	"errors"
	"os"
	"path/filepath"
	"testing"
	"time"

	"meterbridge"

	"github.com/google/go-cmp/cmp"
)

func write(t *testing.T, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "config.toml")
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestLoad_ReadsEveryTable(t *testing.T) {
	no := false
	path := write(t, `
[report]
timezone = "Europe/Berlin"
week_start = "sunday"
[[source]]
harness = "claude-code"
path = "~/old/.claude"
machine = "laptop"
[privacy]
store_text = false
[pricing]
url = "https://prices.example/prices.json"
[serve]
hosts = ["meter.example.com", "192.168.1.5", "::1"]
`)
	got, err := Load(path, "/home/dev")
	if err != nil {
		t.Fatal(err)
	}
	want := Config{
		Report:  Report{Timezone: "Europe/Berlin", WeekStart: "sunday"},
		Sources: []Source{{Harness: "claude-code", Path: "/home/dev/old/.claude", Machine: "laptop"}},
		Privacy: Privacy{StoreText: &no},
		Pricing: Pricing{URL: "https://prices.example/prices.json"},
		Serve:   Serve{Hosts: []string{"meter.example.com", "192.168.1.5", "::1"}},
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("settings (-want +got):\n%s", d)
	}
}

func TestLoad_MissingFileIsTheDefault(t *testing.T) {
	got, err := Load(filepath.Join(t.TempDir(), "none.toml"), "/home/dev")
	if err != nil || !got.Privacy.KeepsText() {
		t.Errorf("got %+v, %v", got, err)
	}
}

func TestLoad_SaysWhereTheFaultIs(t *testing.T) {
	for _, c := range []struct {
		text         string
		line, column int
	}{
		{"[report]\ntimezon = \"UTC\"\n", 2, 1},
		{"[report]\ntimezone = 3\n", 2, 12},
		{"[report\n", 1, 8},
		{"[report]\ntimezone = \"Mars/Base\"\n", 2, 1},
		{"[report]\nweek_start = \"someday\"\n", 2, 1},
		{"[serve]\naddr = \"127.0.0.1:0\"\nhosts = [\"meter.example.com:7433\"]\n", 3, 1},
		{"[serve]\nhosts = [\"good\", \"https://meter.example.com\"]\n", 2, 1},
		{"[serve]\nhosts = [\"*\"]\n", 2, 1},
		{"[serve]\nhosts = [\"\"]\n", 2, 1},
		{"[serve]\nhosts = \"meter.example.com\"\n", 2, 9},
		{"[serve]\nhost = [\"meter.example.com\"]\n", 2, 1},
		{"[[source]]\nharness = \"x\"\npath = \"relative\"\n", 3, 1},
	} {
		_, err := Load(write(t, c.text), "/home/dev")
		var fault *Error
		if !errors.As(err, &fault) {
			t.Errorf("%q: got %v, want an *Error", c.text, err)
			continue
		}
		if fault.Line != c.line || fault.Column != c.column {
			t.Errorf("%q: got %d:%d (%v), want %d:%d", c.text, fault.Line, fault.Column, fault, c.line, c.column)
		}
	}
}

func TestLocate_OneFolderWhenAsked(t *testing.T) {
	got := Locate(func(k string) string {
		if k == HomeVariable {
			return "/srv/mb"
		}
		return ""
	})
	if got.Ledger() != "/srv/mb/ledger.duckdb" || got.Settings() != "/srv/mb/config.toml" {
		t.Errorf("got %+v", got)
	}
}

func TestSystemZone_TakesTZ(t *testing.T) {
	for tz, want := range map[string]string{"America/New_York": "America/New_York", ":Asia/Tokyo": "Asia/Tokyo", "UTC": "UTC"} {
		got := SystemZone(func(string) string { return tz })
		if got.String() != want {
			t.Errorf("TZ=%s: got %s", tz, got)
		}
	}
}

func TestWeekday_AnyCase(t *testing.T) {
	if d, err := meterbridge.Weekday("Sunday"); err != nil || d != time.Sunday {
		t.Errorf("got %v %v", d, err)
	}
	if d, err := meterbridge.Weekday(""); err != nil || d != time.Monday {
		t.Errorf("got %v %v", d, err)
	}
}

func TestBridge_Shortens(t *testing.T) {
	for text, want := range map[string]bool{"": true, "[bridge]\n": true, "[bridge]\nshorten_names = true\n": true, "[bridge]\nshorten_names = false\n": false} {
		path := filepath.Join(t.TempDir(), "config.toml")
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		c, err := Load(path, "")
		if err != nil || c.Bridge.Shortens() != want {
			t.Errorf("%q: got %v, %v, want %v", text, c.Bridge.Shortens(), err, want)
		}
	}
}

func TestBridge_Asks(t *testing.T) {
	path := filepath.Join(t.TempDir(), "config.toml")
	for text, want := range map[string]map[string]bool{
		"": {"desk/open": false},
		"[bridge]\nask = \"bridge\"\n[bridge.tools.\"desk/open\"]\nask = \"client\"": {"desk/open": false, "desk/close": true},
		"[bridge.tools.\"desk/open\"]\nask = \"bridge\"":                             {"desk/open": true, "desk/close": false},
	} {
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		c, err := Load(path, "/home/u")
		for tool, asks := range want {
			if err != nil || c.Bridge.Asks(tool) != asks {
				t.Errorf("%q: %s got %v, %v, want %v", text, tool, c.Bridge.Asks(tool), err, asks)
			}
		}
	}
	for _, text := range []string{
		"[bridge]\nask = \"person\"", "[bridge]\ncalls_per_minute = -1", "[bridge.tools.\"open\"]\nask = \"bridge\"", "[bridge.tools.\"desk/open\"]\nask = \"no\"",
	} {
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := Load(path, "/home/u"); err == nil {
			t.Errorf("%q is taken", text)
		}
	}
}
