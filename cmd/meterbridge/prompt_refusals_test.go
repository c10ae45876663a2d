//go:build unix

package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// standIn has the name of a harness's program: it says where its hooks go, and does
// nothing.
const standIn = `#!/bin/sh
session=
while [ $# -gt 0 ]; do [ "$1" = --session-id ] && session=$2; shift; done
printf '%s\n%s\n%s\n' "$METERBRIDGE_HOOK_URL" "$METERBRIDGE_HOOK_TOKEN" "$session" > "$HOME/$METERBRIDGE_AGENT.new"
mv "$HOME/$METERBRIDGE_AGENT.new" "$HOME/$METERBRIDGE_AGENT.hook"
exec cat
`

// staff is a daemon with agents whose programs stand in for a harness's.
type staff struct {
	*machine
	daemon *serving
	ids    map[string]string
	http   *http.Client
}

func newStaff(t *testing.T, settings string) *staff {
	m := newMachine(t)
	bin := filepath.Join(m.dir, "bin")
	data := filepath.Join(m.dir, "data")
	if err := errors.Join(
		os.Mkdir(bin, 0o700), os.WriteFile(filepath.Join(bin, "claude"), []byte(standIn), 0o700),
		os.MkdirAll(data, 0o700), os.WriteFile(filepath.Join(data, "config.toml"), []byte(settings), 0o600),
	); err != nil {
		t.Fatal(err)
	}
	m.env = append(m.env, "PATH="+bin+string(filepath.ListSeparator)+os.Getenv("PATH"))
	s := &staff{machine: m, daemon: m.serve(), ids: map[string]string{}, http: &http.Client{Jar: newJar(t)}}
	resp, err := s.http.Get(s.daemon.link)
	if err != nil {
		t.Fatal(err)
	}
	resp.Body.Close()
	return s
}

func (s *staff) start(harness, name string, more ...string) {
	s.t.Helper()
	var a struct{ ID string }
	if err := json.Unmarshal([]byte(s.must(append([]string{"agents", "start", harness, "--name", name, "--json"}, more...)...)), &a); err != nil {
		s.t.Fatal(err)
	}
	s.ids[name] = a.ID
}

// hook posts what the harness's hooks would.
func (s *staff) hook(name, event, more string) {
	s.t.Helper()
	var where []string
	s.until("the program of "+name, func() bool {
		text, err := os.ReadFile(filepath.Join(s.home, s.ids[name]+".hook"))
		where = strings.Split(string(text), "\n")
		return err == nil
	})
	body := fmt.Sprintf(`{"session_id":%q,"hook_event_name":%q,"cwd":"/srv","permission_mode":"default","prompt_id":"p-1"%s}`, where[2], event, more)
	r, err := http.NewRequestWithContext(s.t.Context(), http.MethodPost, s.daemon.url+"/hooks/claude-code", strings.NewReader(body))
	if err != nil {
		s.t.Fatal(err)
	}
	r.Header.Set("Authorization", "Bearer "+where[1])
	r.Header.Set("Content-Type", "application/json")
	resp, err := http.DefaultClient.Do(r)
	if err != nil || resp.StatusCode/100 != 2 {
		s.t.Fatalf("hook: %v %v", resp, err)
	}
	resp.Body.Close()
}

// becomes waits for a status.
func (s *staff) becomes(name, status string) {
	s.t.Helper()
	s.until(name+" to be "+status, func() bool {
		return strings.Contains(s.must("agents", "list", "--json"), fmt.Sprintf(`"status": %q`, status)) && s.status(name) == status
	})
}

func (s *staff) status(name string) string {
	var list struct {
		Rows []struct{ ID, Status string }
	}
	if err := json.Unmarshal([]byte(s.must("agents", "list", "--json")), &list); err != nil {
		s.t.Fatal(err)
	}
	for _, r := range list.Rows {
		if r.ID == s.ids[name] {
			return r.Status
		}
	}
	return ""
}

func (s *staff) until(what string, holds func() bool) {
	s.t.Helper()
	beat := time.NewTicker(30 * time.Millisecond)
	defer beat.Stop()
	for end := time.Now().Add(30 * time.Second); !holds(); <-beat.C {
		if time.Now().After(end) {
			s.t.Fatalf("waited in vain for %s", what)
		}
	}
}

// byTool prompts as an agent does, over MCP, and returns the code of the answer.
func (s *staff) byTool(from, to, whenBusy string) string {
	s.t.Helper()
	token, err := os.ReadFile(filepath.Join(s.dir, "data", "agents", s.ids[from], "mcp-token"))
	if err != nil {
		s.t.Fatal(err)
	}
	_, body := asked(s.t, s.daemon.url, strings.TrimSpace(string(token)), fmt.Sprintf(
		`{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"agent_send","arguments":{"agent":%q,"text":"do it","whenBusy":%q},`+
			`"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{},"io.modelcontextprotocol/clientInfo":{"name":"t","version":"1"}}}}`, to, whenBusy))
	return codeIn(body)
}

// byHTTP prompts as the dashboard does.
func (s *staff) byHTTP(to, whenBusy string) (int, string) {
	s.t.Helper()
	r, err := http.NewRequestWithContext(s.t.Context(), http.MethodPost, s.daemon.url+"/api/v1/agents/"+to+"/prompts",
		bytes.NewReader(fmt.Appendf(nil, `{"text":"do it","whenBusy":%q}`, whenBusy)))
	if err != nil {
		s.t.Fatal(err)
	}
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Origin", s.daemon.url)
	resp, err := s.http.Do(r)
	if err != nil {
		s.t.Fatal(err)
	}
	defer resp.Body.Close()
	text, _ := io.ReadAll(resp.Body)
	return resp.StatusCode, codeIn(string(text))
}

// codeIn is the code that an answer names.
func codeIn(text string) string {
	at, found := len(text), ""
	for _, code := range []string{
		"PERMISSION_DENIED", "NOT_FOUND", "NOT_CONNECTED", "RATE_LIMITED", "BUDGET_PAUSED", "UNAVAILABLE", "BUSY", "NOT_VISIBLE", "USER_CANCELLED",
		"INVALID_PARAMS", "QUOTA_EXCEEDED",
	} {
		if i := strings.Index(text, code); i >= 0 && i < at {
			at, found = i, code
		}
	}
	return found
}

// Every refusal in its order, at a daemon that runs: an agent's prompt over MCP is
// wrong in each way of its row and of all later rows; a person's, by the command and
// over HTTP, knows no link, rate, budget or consent.
func TestPrompt_RefusalsInTheirOrder(t *testing.T) {
	s := newStaff(t, `[[budget]]
name = "none left"
scope = "agent"
match = "held"
window = "day"
max_tokens = 0
action = "hold"
[[budget]]
name = "none left either"
scope = "agent"
match = "stopped and held"
window = "day"
max_tokens = 0
action = "hold"
`)
	defer s.over(s.daemon)
	for _, name := range []string{"sender", "second", "third", "busy", "held", "asks", "stopped", "stopped and held", "linkless"} {
		s.start("claude-code", name)
	}
	s.start("claude-code", "danger", "--dangerous")
	s.start("claude-code", "busy danger", "--dangerous")
	s.start("shell-bash", "shell")
	for _, name := range []string{"busy", "held", "linkless", "busy danger"} {
		s.hook(name, "UserPromptSubmit", `,"prompt":"x"`)
		s.becomes(name, "working")
	}
	s.hook("asks", "UserPromptSubmit", `,"prompt":"x"`)
	s.hook("asks", "PermissionRequest", `,"tool_name":"Bash","tool_input":{"command":"ls"}`)
	s.becomes("asks", "needs-input")
	for _, name := range []string{"stopped", "stopped and held"} {
		s.must("agents", "stop", name)
	}
	for _, to := range []string{"busy", "held", "asks", "stopped", "stopped and held", "danger", "busy danger"} {
		s.must("agents", "link", "sender", to)
		s.must("agents", "link", "second", to)
		s.must("agents", "link", "third", to)
	}
	for _, c := range []struct {
		why, to, whenBusy string
		tool, person      string
		exit, status      int
	}{
		{"no such agent", "nobody", "fail", "NOT_FOUND", "NOT_FOUND", 3, 404},
		{"a terminal", "shell", "fail", "NOT_FOUND", "NOT_FOUND", 3, 404},
		{"no link, and busy", "linkless", "fail", "NOT_CONNECTED", "BUSY", 1, 409},
		{"a budget, and busy", "held", "fail", "BUDGET_PAUSED", "BUSY", 1, 409},
		{"a budget, and stopped", "stopped and held", "fail", "BUDGET_PAUSED", "UNAVAILABLE", 1, 409},
		{"stopped", "stopped", "fail", "UNAVAILABLE", "UNAVAILABLE", 1, 409},
		{"busy", "busy", "fail", "BUSY", "BUSY", 1, 409},
		{"a question", "asks", "send", "BUSY", "BUSY", 1, 409},
		{"busy, and unseen", "busy danger", "fail", "BUSY", "BUSY", 1, 409},
		{"an unknown word", "busy", "whatever", "", "INVALID_PARAMS", 2, 422},
	} {
		// Two senders share the rows: each may send six in a minute.
		from := "sender"
		if c.why > "b" {
			from = "second"
		}
		if code := s.byTool(from, c.to, c.whenBusy); c.tool != "" && code != c.tool {
			t.Errorf("%s: an agent gets %q, want %s", c.why, code, c.tool)
		}
		if status, code := s.byHTTP(strings.ReplaceAll(c.to, " ", "%20"), c.whenBusy); status != c.status || code != c.person {
			t.Errorf("%s: HTTP %d %s, want %d %s", c.why, status, code, c.status, c.person)
		}
		_, errOut, exit := s.ask("prompt", c.to, "do it", "--when-busy", c.whenBusy)
		if exit != c.exit || exit != 2 && codeIn(errOut) != c.person || !strings.Contains(errOut, "hint:") {
			t.Errorf("%s: the command says %d %s, want %d %s", c.why, exit, errOut, c.exit, c.person)
		}
	}
	s.consent()
	s.rates()
}

// consent refuses what nobody sees, and what a person declines at `confirm`.
func (s *staff) consent() {
	s.t.Helper()
	if code := s.byTool("third", "danger", "queue"); code != "NOT_VISIBLE" {
		s.t.Errorf("nobody sees it: %q", code)
	}
	c := s.command("confirm")
	keys, err := c.StdinPipe()
	if err != nil {
		s.t.Fatal(err)
	}
	out, err := c.StdoutPipe()
	if err != nil {
		s.t.Fatal(err)
	}
	if err := c.Start(); err != nil {
		s.t.Fatal(err)
	}
	shown := bufio.NewScanner(out)
	read := func(what string) {
		s.t.Helper()
		for !strings.Contains(shown.Text(), what) {
			if !shown.Scan() {
				s.t.Fatalf("confirm ended before %q", what)
			}
		}
	}
	read("Waiting for prompts")
	answered := make(chan string, 1)
	go func() { answered <- s.byTool("third", "danger", "queue") }()
	read("acts without asking")
	read("do it")
	if _, err := io.WriteString(keys, "n\n"); err != nil {
		s.t.Fatal(err)
	}
	if code := <-answered; code != "USER_CANCELLED" {
		s.t.Errorf("a person declines: %q", code)
	}
	read("was declined")
	_ = c.Process.Signal(os.Interrupt)
	_ = c.Wait()
	s.until("the end of confirm", func() bool { return s.byTool("third", "danger", "queue") == "NOT_VISIBLE" })
}

// rates refuses the seventh prompt of a minute before it looks at the budget.
func (s *staff) rates() {
	s.t.Helper()
	for range 7 {
		if code := s.byTool("sender", "held", "fail"); code == "RATE_LIMITED" {
			return
		} else if code != "BUDGET_PAUSED" {
			s.t.Errorf("before the seventh: %q", code)
		}
	}
	s.t.Error("seven within a minute were let through")
}
