//go:build linux

package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// What an agent gives a tool stands in no log and not in the ledger, in no argument of
// a process and in no file of the data folder.
func TestLogs_NoCanary(t *testing.T) {
	m, s, _, token := linked(t, "")
	const canary = "c4n4ry-of-an-argument"
	call := `{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"ticket_desk_open","arguments":{"title":"` + canary + `","` + "key" + `":"x"},` + modernMeta + `}}`
	if _, body := asked(t, s.url, token, call); !strings.Contains(body, "DESK-12") {
		t.Errorf("the call: %s", body)
	}
	m.must("tools", "log")
	m.must("agents", "stop", "anna")
	m.over(s)
	if strings.Contains(s.log.String(), canary) {
		t.Errorf("the log has it:\n%s", s.log)
	}
	m.holdsNot(canary, nil)
}

// An agent's token lies in its own file alone: in no argument of a process that runs,
// no log, no configuration, and not in the ledger.
func TestTokens_NotInArgvOrLogs(t *testing.T) {
	m, s, agent, token := linked(t, "")
	if _, body := asked(t, s.url, token, `{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{`+modernMeta+`}}`); !strings.Contains(body, "ticket_desk_open") {
		t.Errorf("the token is not the agent's: %s", body)
	}
	lines, err := filepath.Glob("/proc/[0-9]*/cmdline")
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range lines {
		if argv, err := os.ReadFile(path); err == nil && bytes.Contains(argv, []byte(token)) {
			t.Errorf("%s has the token: %q", path, argv)
		}
	}
	own := filepath.Join(m.dir, "data", "agents", agent, "mcp-token")
	if info, err := os.Stat(own); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("the token's file: %v, %v", info, err)
	}
	m.must("agents", "stop", "anna")
	m.over(s)
	if strings.Contains(s.log.String(), token) {
		t.Errorf("the log has the token:\n%s", s.log)
	}
	m.holdsNot(token, []string{own})
}

// holdsNot fails for each file of the machine that has a text, but for those named.
func (m *machine) holdsNot(text string, but []string) {
	m.t.Helper()
	files := 0
	err := filepath.WalkDir(filepath.Join(m.dir, "data"), func(path string, d os.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() {
			return err
		}
		body, err := os.ReadFile(path)
		if files++; bytes.Contains(body, []byte(text)) && (len(but) == 0 || but[0] != path) {
			m.t.Errorf("%s has it", path)
		}
		return err
	})
	if err != nil || files < 3 {
		m.t.Errorf("%d files were read: %v", files, err)
	}
}
