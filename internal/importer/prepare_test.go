package importer

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"meterbridge/bridge/manifest"
)

// A server is looked at once, and becomes a package whose manifest is good.
func TestPrepare_WritesAPackage(t *testing.T) {
	dir := t.TempDir()
	err := Prepare(t.Context(), Import{Name: "desk", Command: []string{os.Args[0], serverCommand}, Hosts: []string{"tickets.example.com"}, Getenv: os.Getenv}, dir)
	if err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(filepath.Join(dir, manifest.ImportFile))
	if err != nil {
		t.Fatal(err)
	}
	ext, report := manifest.Parse(manifest.ImportFile, text, manifest.Options{})
	if ext == nil {
		t.Fatalf("refused: %v\n%s", report.Issues, text)
	}
	got := map[string]string{}
	for _, tool := range ext.Tools {
		got[tool.LocalID] = tool.Text
	}
	if d := cmp.Diff(map[string]string{"die": "die", "openticket": "Opens a ticket.", "refuse": "refuse", "wait": "wait"}, got); d != "" {
		t.Errorf("(-want +got)\n%s", d)
	}
	if list, err := os.ReadDir(dir); err != nil || len(list) != 1 {
		t.Errorf("the package holds %v, %v", list, err)
	}
	var m manifest.Import
	if err := json.Unmarshal(text, &m); err != nil || len(m.Permissions) != 1 || m.Permissions[0].Hosts[0] != "tickets.example.com" {
		t.Errorf("%v: %+v", err, m.Permissions)
	}
}

// A server that does not come up is told of in its own words.
func TestPrepare_TellsWhatTheServerSaid(t *testing.T) {
	err := Prepare(t.Context(), Import{Name: "desk", Command: []string{os.Args[0], brokenCommand}, Getenv: os.Getenv}, t.TempDir())
	if err == nil || !strings.Contains(err.Error(), "the server said:\nopen /home/anna/.config/desk: permission denied") {
		t.Errorf("got %v", err)
	}
}

func TestLocalID(t *testing.T) {
	taken := map[string]bool{}
	for _, c := range []struct{ name, want string }{
		{"get-issue", "get_issue"},
		{"get_issue", "get_issue_2"},
		{"Get.Issue", "get_issue_3"},
		{"7zip", "t_7zip"},
		{"__", "t"},
		{"ünder", "nder"},
		{"a-very-long-name-of-a-tool-that-does-not-fit-into-forty", "a_very_long_name_of_a_tool_that_does_not"},
		{"a-very-long-name-of-a-tool-that-does-not-fit", "a_very_long_name_of_a_tool_that_does_n_2"},
	} {
		if got := localID(c.name, taken); got != c.want {
			t.Errorf("%s: got %s, want %s", c.name, got, c.want)
		}
	}
}
