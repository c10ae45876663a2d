//go:build unix

package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// extension is a program that answers each call of its tool with a key.
const extension = `#!/bin/sh
n=1
say() {
  n=$((n + 1))
  printf '{"jsonrpc":"2.0","id":%d,"method":"%s","params":%s}\n' "$n" "$1" "$2"
}
printf '{"jsonrpc":"2.0","id":1,"method":"host.ready","params":{"sdkVersion":"0.1.0","protocol":1,"handlers":["open"]}}\n'
while read -r line; do
  case "$line" in
  *'"tools.call"'*)
    id=${line#*'"callId":"'}
    say tools.respond "{\"callId\":\"${id%%'"'*}\",\"result\":\"DESK-12\"}"
    ;;
  *'"host.ping"'*)
    seq=${line#*'"seq":'}
    say host.pong "{\"seq\":${seq%%[!0-9]*}}"
    ;;
  esac
done
`

const extensionManifest = `{"manifestVersion":1,"name":"ticket-desk","displayName":"Ticket desk","version":"1.0.0","protocol":1,"command":["./run"],
"tools":[{"name":"open","description":"Opens a ticket.","inputSchema":{"type":"object"}}]}`

// asked is one message to /mcp by an agent, and what came back.
func asked(t *testing.T, url, token, message string) (int, string) {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, url+"/mcp", bytes.NewReader([]byte(message)))
	if err != nil {
		t.Fatal(err)
	}
	for name, value := range map[string]string{
		"Authorization": "Bearer " + token, "Content-Type": "application/json", "Accept": "application/json, text/event-stream",
		"MCP-Protocol-Version": "2026-07-28",
	} {
		r.Header.Set(name, value)
	}
	var told struct {
		Method string
		Params struct{ Name string }
	}
	if err := json.Unmarshal([]byte(message), &told); err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Mcp-Method", told.Method)
	if told.Params.Name != "" {
		r.Header.Set("Mcp-Name", told.Params.Name)
	}
	resp, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	return resp.StatusCode, string(text)
}

// The daemon that runs takes an installation, a link and its end at once: an agent is
// refused by 403, calls, and is refused again.
func TestExt_ARunningDaemonTakesChangesAtOnce(t *testing.T) {
	m := newMachine(t)
	pack := filepath.Join(m.dir, "desk")
	must := func(args ...string) string {
		t.Helper()
		out, errOut, code := m.ask(args...)
		if code != 0 {
			t.Fatalf("%v: %d %s", args, code, errOut)
		}
		return out
	}
	if err := os.Mkdir(pack, 0o700); err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{"run": extension, "meterbridge-extension.json": extensionManifest} {
		if err := os.WriteFile(filepath.Join(pack, name), []byte(text), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	t.Cleanup(func() { // installed files are read-only
		_ = filepath.WalkDir(m.dir, func(path string, _ os.DirEntry, _ error) error { return os.Chmod(path, 0o700) })
	})
	// A program that stands in for an agent: it has the name and does nothing.
	bin := filepath.Join(m.dir, "bin")
	if err := errors.Join(os.Mkdir(bin, 0o700), os.WriteFile(filepath.Join(bin, "claude"), []byte("#!/bin/sh\nexec cat\n"), 0o700)); err != nil {
		t.Fatal(err)
	}
	m.env = append(m.env, "PATH="+bin+string(filepath.ListSeparator)+os.Getenv("PATH"))
	s := m.serve()
	var agent struct{ ID string }
	if err := json.Unmarshal([]byte(must("agents", "start", "claude-code", "--name", "anna", "--json")), &agent); err != nil || agent.ID == "" {
		t.Fatalf("agent: %+v, %v", agent, err)
	}
	text, err := os.ReadFile(filepath.Join(m.dir, "data", "agents", agent.ID, "mcp-token"))
	if err != nil {
		t.Fatal(err)
	}
	token := strings.TrimSpace(string(text))
	const meta = `"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{},"io.modelcontextprotocol/clientInfo":{"name":"t","version":"1"}}`
	list := `{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{` + meta + `}}`
	call := `{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"ticket_desk_open","arguments":{},` + meta + `}}`
	if _, body := asked(t, s.url, token, call); !strings.Contains(body, "-32602") {
		t.Errorf("before it is installed: %s", body)
	}
	must("ext", "install", pack, "--yes")
	if code, body := asked(t, s.url, token, call); code != http.StatusForbidden || !strings.Contains(body, "-32010") {
		t.Errorf("not linked: %d %s", code, body)
	}
	must("ext", "link", "ticket-desk", "anna")
	if _, body := asked(t, s.url, token, list); !strings.Contains(body, `community code] Opens a ticket.`) {
		t.Errorf("listed: %s", body)
	}
	if code, body := asked(t, s.url, token, call); code != http.StatusOK || !strings.Contains(body, "DESK-12") {
		t.Errorf("called: %d %s", code, body)
	}
	must("ext", "unlink", "ticket-desk", "anna")
	if code, body := asked(t, s.url, token, call); code != http.StatusForbidden {
		t.Errorf("unlinked: %d %s", code, body)
	}
	if _, body := asked(t, s.url, token, list); strings.Contains(body, "ticket_desk_open") {
		t.Errorf("still listed: %s", body)
	}
	if !strings.Contains(must("ext", "list", "--json"), `"state": "ready"`) {
		t.Error("its process is not said to be ready")
	}
	must("agents", "stop", "anna")
	must("stop")
	if err := <-s.ended; err != nil {
		t.Errorf("the daemon ended with %v", err)
	}
	http.DefaultClient.CloseIdleConnections()
}
