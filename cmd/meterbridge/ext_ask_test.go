//go:build unix

package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// linked is a machine whose daemon runs with the extension and an agent, a plain
// terminal, that is linked to it.
func linked(t *testing.T, settings string) (m *machine, s *serving, agent, token string) {
	t.Helper()
	m = newMachine(t)
	pack := filepath.Join(m.dir, "desk")
	config := filepath.Join(m.dir, "data")
	err := errors.Join(
		os.Mkdir(pack, 0o700), os.WriteFile(filepath.Join(pack, "run"), []byte(extension), 0o700),
		os.WriteFile(filepath.Join(pack, "meterbridge-extension.json"), []byte(extensionManifest), 0o600),
		os.MkdirAll(config, 0o700), os.WriteFile(filepath.Join(config, "config.toml"), []byte(settings), 0o600),
	)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { // installed files are read-only
		_ = filepath.WalkDir(m.dir, func(path string, _ os.DirEntry, _ error) error { return os.Chmod(path, 0o700) })
	})
	s = m.serve()
	var a struct{ ID string }
	if err := json.Unmarshal([]byte(m.must("agents", "start", "--name", "anna", "--json", "--", "cat")), &a); err != nil {
		t.Fatal(err)
	}
	m.must("ext", "install", pack, "--yes")
	m.must("ext", "link", "ticket-desk", "anna")
	text, err := os.ReadFile(filepath.Join(m.dir, "data", "agents", a.ID, "mcp-token"))
	if err != nil {
		t.Fatalf("a terminal that can be linked has no token: %v", err)
	}
	return m, s, a.ID, strings.TrimSpace(string(text))
}

// must runs a command that succeeds.
func (m *machine) must(args ...string) string {
	m.t.Helper()
	out, errOut, code := m.ask(args...)
	if code != 0 {
		m.t.Fatalf("%v: %d %s", args, code, errOut)
	}
	return out
}

// modernMeta is what each message of 2026-07-28 says of its client.
const modernMeta = `"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{},"io.modelcontextprotocol/clientInfo":{"name":"t","version":"1"}}`

// A call that a person has to allow waits for `meterbridge confirm`; what they decide
// for good is remembered, values are in the log as the settings want, and extensions'
// tools are found rather than listed.
func TestExt_ACallWaitsForAPerson(t *testing.T) {
	m, s, agent, token := linked(t, "[bridge]\nask = \"bridge\"\ntrace_values = true\nsearch_tools = true\n")
	list := `{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{` + modernMeta + `}}`
	if _, body := asked(t, s.url, token, list); !strings.Contains(body, "find_tool") || strings.Contains(body, "ticket_desk_open") {
		t.Errorf("listed: %s", body)
	}
	call := `{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"call_tool","arguments":{"name":"ticket_desk_open","arguments":{"title":"Login","apiKey":"s3cr3t-canary"}},` + modernMeta + `}}`
	held := 0
	for _, step := range []struct{ decide, want string }{
		{"--decline", "USER_CANCELLED"}, {"--allow=once", "DESK-12"}, {"--allow=agent", "DESK-12"}, {"", "DESK-12"},
	} {
		answered := make(chan string, 1)
		go func() {
			_, body := asked(t, s.url, token, call)
			answered <- body
		}()
		if step.decide != "" {
			held++
			m.decide(fmt.Sprint("ca-", held), step.decide)
		}
		select {
		case body := <-answered:
			if !strings.Contains(body, step.want) {
				t.Errorf("%s: %s, want %s", step.decide, body, step.want)
			}
		case <-time.After(20 * time.Second):
			t.Fatalf("%s: no answer", step.decide)
		}
	}
	log := m.must("tools", "log", "--json")
	for text, want := range map[string]bool{"s3cr3t-canary": false, "[blanked]": true, "Login": true, "DESK-12": true, agent: true, "USER_CANCELLED": true} {
		if strings.Contains(log, text) != want {
			t.Errorf("the log: %q is there: %v, want %v\n%s", text, !want, want, log)
		}
	}
	if stats := m.must("tools", "stats"); !strings.Contains(stats, "stand for 1 tools of extensions") {
		t.Errorf("stats say nothing of what is saved:\n%s", stats)
	}
	m.must("agents", "stop", "anna")
	m.over(s)
}

// decide decides on a call, once it is held.
func (m *machine) decide(call, decision string) {
	m.t.Helper()
	tick := time.NewTicker(100 * time.Millisecond)
	defer tick.Stop()
	said := ""
	for range 100 {
		_, errOut, code := m.ask("confirm", call, decision)
		if code == 0 {
			return
		}
		said = errOut
		<-tick.C
	}
	m.t.Fatalf("%s is never held: %s", call, said)
}
