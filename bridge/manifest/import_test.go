package manifest

import (
	"os"
	"strings"
	"testing"
	"time"

	"meterbridge/bridge"
)

// The manifest of an imported server keeps schemas outside of the subset as they
// are; names, texts and the way to the server are checked as for all.
func TestParse_Import(t *testing.T) {
	text, err := os.ReadFile("testdata/meterbridge-import.json")
	if err != nil {
		t.Fatal(err)
	}
	ext, report := Parse(ImportFile, text, Options{})
	if ext == nil {
		t.Fatalf("refused: %v", report.Issues)
	}
	tool := ext.Tool("open_ticket")
	if ext.Dialect != bridge.DialectMCP || ext.URL != "https://tickets.example.com/mcp" || tool == nil || tool.Timeout != 30*time.Second || !strings.Contains(string(tool.Input), `"^[A-Z]"`) {
		t.Errorf("read %+v", ext)
	}
	if m, err := ReadImport(text); err != nil || m.Tools[0].ServerName != "openTicket" || m.Server.AuthorizationEnv != "DESK_TOKEN" {
		t.Errorf("%v: %+v", err, m)
	}
	for _, c := range []struct{ from, to, want string }{
		{`"url": "https://tickets.example.com/mcp", `, "", "/server: needs either command or url"},
		{`"url": "https`, `"command": ["x"], "url": "https`, "/server: needs either command or url"},
		{`"secretsEnv": ["DESK_TOKEN"],`, "", "/server/authorizationEnv: DESK_TOKEN is not in secretsEnv"},
		{`"desk-server"`, `"official"`, "/name: the name is reserved"},
		{`"open_ticket"`, `"openTicket"`, "/tools/0/name: must be"},
		{"Opens a ticket", "Opens\\u202e a ticket", "/tools/0/description: holds the hidden character U+202E"},
		{`"^[A-Z]"`, `"^["`, "/tools/0/inputSchema:"},
		{`"pattern": "^[A-Z]"`, `"$ref": "https://example.com/a"`, "/tools/0/inputSchema:"},
		{`"DESK_TOKEN"`, `"LD_PRELOAD"`, "/env: LD_PRELOAD is never passed on"},
	} {
		_, report := Parse(ImportFile, []byte(strings.ReplaceAll(string(text), c.from, c.to)), Options{})
		var lines []string
		for _, i := range report.Issues {
			lines = append(lines, i.String())
		}
		if got := strings.Join(lines, "\n"); !strings.Contains(got, c.want) {
			t.Errorf("%s → %s\n got %s\nwant %s", c.from, c.to, got, c.want)
		}
	}
}
