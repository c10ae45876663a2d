//go:build linux

package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/creack/pty"
	"github.com/google/go-cmp/cmp"

	"meterbridge/internal/control"
)

// started starts a shell as an agent.
func (m *machine) started(name string) {
	m.t.Helper()
	if _, errOut, code := m.ask("agents", "start", "shell-bash", "--name", name); code != 0 {
		m.t.Fatalf("agents start: %d %s", code, errOut)
	}
}

// over ends a daemon in order, and with it what it runs.
func (m *machine) over(d *serving) {
	m.t.Helper()
	if _, errOut, code := m.ask("stop"); code != 0 {
		m.t.Errorf("stop: %d %s", code, errOut)
	}
	if err := <-d.ended; err != nil {
		m.t.Errorf("the daemon ended with %v", err)
	}
	http.DefaultClient.CloseIdleConnections()
}

func TestRun_PrintsWhatACommandWritesAndItsCode(t *testing.T) {
	m := newMachine(t)
	d := m.serve()
	defer m.over(d)
	m.started("sh")
	for _, c := range []struct {
		args        []string
		out, errOut string
		code        int
	}{
		{[]string{"run", "sh", "echo", "hi"}, "hi\n", "", 0},
		{[]string{"run", "sh", "printf no-newline; (exit 9)"}, "no-newline\n", "", 9},
		{[]string{"run", "sh", "git-is-not-this", "-x"}, "bash: git-is-not-this: command not found\n", "", 127},
		{[]string{"run", "sh", "echo 'open"}, "", "incomplete command", 2},
		{[]string{"run", "nobody", "true"}, "", "no such agent", 3},
		{[]string{"run", "--timeout", "10ms", "sh", "true"}, "", "allowed are 1s to 2m0s", 2},
		{[]string{"run", "sh"}, "", "requires at least 2 arg", 2},
		{[]string{"screen", "--lines", "501", "sh"}, "", "allowed are 1 to 500", 2},
		{[]string{"run", "--timeout", "1s", "sh", "echo begun; read x"}, "begun\n", "no exit code: it still runs", 124},
		{[]string{"run", "--timeout", "1s", "sh", "true"}, "", `"echo begun; read x" runs`, 1},
	} {
		out, errOut, code := m.ask(c.args...)
		if out != c.out || !strings.Contains(errOut, c.errOut) || code != c.code {
			t.Errorf("%v: %d, %q, %q; want %d, %q, %q", c.args, code, out, errOut, c.code, c.out, c.errOut)
		}
	}
	if out, _, _ := m.ask("screen", "sh"); !strings.Contains(out, "\nhi\n") || !strings.HasSuffix(out, "\nbegun\n") {
		t.Errorf("screen:\n%s", out)
	}
}

// The last words of a daemon that was killed are no end of its terminals.
func TestTerminals_OutliveADaemonThatIsKilled(t *testing.T) {
	m := newMachine(t)
	d := m.serve()
	m.started("sh")
	if out, errOut, code := m.ask("run", "sh", "KEPT=yes; echo before"); code != 0 || out != "before\n" {
		t.Fatalf("%d, %q, %q", code, out, errOut)
	}
	if err := d.process.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	<-d.ended
	d = m.serve()
	out, _, _ := m.ask("screen", "sh")
	if !strings.Contains(out, "before\n") {
		t.Errorf("the screen after the kill:\n%s", out)
	}
	if out, errOut, code := m.ask("run", "sh", "echo $KEPT"); code != 0 || out != "yes\n" {
		t.Errorf("%d, %q, %q", code, out, errOut)
	}
	shell, _, _ := m.ask("run", "sh", "echo $$ $PPID")
	m.over(d)
	var pids [2]int
	if _, err := fmt.Sscan(shell, &pids[0], &pids[1]); err != nil {
		t.Fatal(err)
	}
	for _, pid := range pids {
		// One that has ended and waits for its parent to look is none.
		if stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid)); err == nil && !strings.Contains(string(stat), ") Z ") {
			t.Errorf("process %d of the terminal is left: %s", pid, stat)
		}
	}
}

// What an agent leaves running to serve others is told of and not ended.
func TestDoctor_NamesWhatAnAgentLeftRunning(t *testing.T) {
	m := newMachine(t)
	d := m.serve()
	m.started("sh")
	pid, _, _ := m.ask("run", "sh", `ln -s "$(command -v sleep)" ssh-agent; (setsid ./ssh-agent 1000 & echo $!)`)
	pid = strings.TrimSpace(pid)
	m.over(d)
	text, _, _ := m.ask("doctor", "--no-scan", "--json")
	var report struct {
		LeftBehind []struct {
			PID            int
			Program, Agent string
		}
	}
	if err := json.Unmarshal([]byte(text), &report); err != nil {
		t.Fatal(err)
	}
	if len(report.LeftBehind) != 1 || fmt.Sprint(report.LeftBehind[0].PID) != pid || report.LeftBehind[0].Program != "ssh-agent" || report.LeftBehind[0].Agent != "sh" {
		t.Errorf("%+v; want ssh-agent, process %s", report.LeftBehind, pid)
	}
	for _, l := range report.LeftBehind {
		p, err := os.FindProcess(l.PID)
		if err != nil {
			t.Fatal(err)
		}
		if err := p.Kill(); err != nil {
			t.Error(err)
		}
	}
}

func TestAttach_JoinsARealTerminal(t *testing.T) {
	m := newMachine(t)
	d := m.serve()
	defer m.over(d)
	m.started("sh")
	m.ask("run", "sh", "PS1='> '; echo drawn")
	cmd := m.command("agents", "attach", "sh")
	terminal, err := pty.StartWithSize(cmd, &pty.Winsize{Cols: 91, Rows: 33})
	if err != nil {
		t.Fatal(err)
	}
	defer terminal.Close()
	var seen strings.Builder
	until := func(want string) {
		t.Helper()
		buf := make([]byte, 4096)
		for !strings.Contains(seen.String(), want) {
			n, err := terminal.Read(buf)
			if err != nil {
				t.Fatalf("%q never came: %v\n%q", want, err, seen.String())
			}
			seen.Write(buf[:n])
		}
	}
	until("drawn")
	if _, err := terminal.WriteString("stty size\r"); err != nil {
		t.Fatal(err)
	}
	until("33 91")
	if err := pty.Setsize(terminal, &pty.Winsize{Cols: 70, Rows: 20}); err != nil {
		t.Fatal(err)
	}
	if _, err := terminal.WriteString("until [ \"$(stty size)\" = '20 70' ]; do :; done; echo re''sized\r"); err != nil {
		t.Fatal(err)
	}
	until("resized")
	if _, err := terminal.WriteString("\x1cd"); err != nil {
		t.Fatal(err)
	}
	until("[left sh, which goes on]")
	if err := cmd.Wait(); err != nil {
		t.Error(err)
	}
	if out, _, code := m.ask("run", "sh", "echo still"); code != 0 || out != "still\n" {
		t.Errorf("after the viewer left: %d, %q", code, out)
	}
}

func TestAttach_SaysWhyNotAndHowItEnded(t *testing.T) {
	m := newMachine(t)
	if _, errOut, code := m.ask("agents", "attach", "sh"); code != 1 || !strings.Contains(errOut, "no daemon runs") {
		t.Errorf("without a daemon: %d, %q", code, errOut)
	}
	d := m.serve()
	defer m.over(d)
	if _, errOut, code := m.ask("agents", "attach", "sh"); code != 3 || !strings.Contains(errOut, "no such agent") {
		t.Errorf("nobody's: %d, %q", code, errOut)
	}
	m.started("sh")
	if out, _, _ := m.ask("run", "sh", asProgram+"=1 "+os.Args[0]+" agents attach sh"); !strings.Contains(out, "the agent's own terminal") {
		t.Errorf("within itself: %q", out)
	}
	cmd := m.command("agents", "attach", "sh")
	keys, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	var told strings.Builder
	cmd.Stderr = &told
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	if _, err := io.WriteString(keys, "exit 5\r"); err != nil {
		t.Fatal(err)
	}
	if err := cmd.Wait(); err != nil || told.String() != "[sh ended with exit code 5]\n" {
		t.Errorf("%v, %q", err, told.String())
	}
	if _, errOut, code := m.ask("run", "sh", "true"); code != 1 || !strings.Contains(errOut, "no terminal that runs") {
		t.Errorf("a command for what has ended: %d, %q", code, errOut)
	}
}

// Over HTTP a token may look and not touch; the owner of the socket may.
func TestTerminals_OverHTTP(t *testing.T) {
	m := newMachine(t)
	d := m.serve()
	defer m.over(d)
	m.started("sh")
	made, errOut, code := m.ask("token", "new", "--name", "looks", "--json")
	if code != 0 {
		t.Fatal(errOut)
	}
	var secret struct{ Token string }
	if err := json.Unmarshal([]byte(made), &secret); err != nil {
		t.Fatal(made, err)
	}
	token := secret.Token
	ask := func(c *http.Client, method, url, token, body string) (int, string) {
		t.Helper()
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		req, err := http.NewRequestWithContext(ctx, method, url, strings.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		if token != "" {
			req.Header.Set("Authorization", "Bearer "+token)
		}
		if body != "" {
			req.Header.Set("Content-Type", "application/json")
		}
		resp, err := c.Do(req)
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
	socket := control.Dial(filepath.Join(m.dir, "data", "run", "daemon.sock"))
	defer socket.Close()
	const base = "http://daemon/api/v1/agents/sh"
	status, text := ask(socket.HTTP(), http.MethodPost, base+"/runs", "", `{"command":"echo over http; (exit 4)"}`)
	var run map[string]any
	if err := json.Unmarshal([]byte(text), &run); err != nil {
		t.Fatal(status, text)
	}
	want := map[string]any{
		"schemaVersion": 1.0, "exitCode": 4.0, "output": "over http\n", "truncated": false, "timedOut": false, "exited": false, "reason": nil,
	}
	if diff := cmp.Diff(want, run); diff != "" || status != http.StatusOK {
		t.Errorf("%d (-want +got):\n%s", status, diff)
	}
	web := &http.Client{Transport: &http.Transport{DialContext: (&net.Dialer{}).DialContext, DisableKeepAlives: true}}
	for _, c := range []struct {
		method, path, token, body string
		status                    int
		want                      string
	}{
		{"GET", "/screen?lines=5", token, "", 200, "over http"},
		{"GET", "/screen", "", "", 401, ""},
		{"POST", "/runs", token, `{"command":"echo touched"}`, 403, ""},
		{"POST", "/runs", "", `{"command":"echo touched"}`, 401, ""},
		{"GET", "/attach", token, "", 403, ""},
	} {
		if status, text := ask(web, c.method, d.url+"/api/v1/agents/sh"+c.path, c.token, c.body); status != c.status || !strings.Contains(text, c.want) {
			t.Errorf("%s %s: %d %s; want %d", c.method, c.path, status, text, c.status)
		}
	}
	if status, text := ask(socket.HTTP(), http.MethodGet, base+"/screen", "", ""); status != 200 || strings.Contains(text, "touched") {
		t.Errorf("%d %s", status, text)
	}
	if status, _ := ask(socket.HTTP(), http.MethodGet, "http://daemon/api/v1/agents/nobody/screen", "", ""); status != 404 {
		t.Errorf("nobody's screen: %d", status)
	}
}
