package main

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"

	"meterbridge/internal/demo"
)

// machine is a home with the bundled example logs, where programs are run.
type machine struct {
	t    *testing.T
	dir  string
	env  []string
	home string
}

func newMachine(t *testing.T) *machine {
	t.Helper()
	dir := t.TempDir()
	m := &machine{t: t, dir: dir, home: filepath.Join(dir, "home")}
	if err := os.CopyFS(m.home, demo.Home()); err != nil {
		t.Fatal(err)
	}
	m.env = []string{
		"HOME=" + m.home, "METERBRIDGE_HOME=" + filepath.Join(dir, "data"), "TZ=UTC", asProgram + "=1", "PATH=" + os.Getenv("PATH"),
	}
	return m
}

func (m *machine) command(args ...string) *exec.Cmd {
	c := exec.CommandContext(m.t.Context(), os.Args[0], args...)
	c.Env, c.Dir = m.env, m.dir
	return c
}

// ask runs a command and returns what it printed and its exit code.
func (m *machine) ask(args ...string) (out, errOut string, code int) {
	m.t.Helper()
	var o, e bytes.Buffer
	c := m.command(args...)
	c.Stdout, c.Stderr = &o, &e
	var exit *exec.ExitError
	if err := c.Run(); errors.As(err, &exit) {
		code = exit.ExitCode()
	} else if err != nil {
		m.t.Fatalf("%v: %v", args, err)
	}
	return o.String(), e.String(), code
}

// serving is a daemon of the machine.
type serving struct {
	url, link string
	process   *exec.Cmd
	ended     chan error
	// log is what it said on standard error; read it when it has ended.
	log *bytes.Buffer
}

// serve starts a daemon and waits until it listens.
func (m *machine) serve(args ...string) *serving {
	m.t.Helper()
	s := &serving{process: m.command(append([]string{"serve", "--addr", "127.0.0.1:0"}, args...)...), ended: make(chan error, 1), log: &bytes.Buffer{}}
	out, err := s.process.StdoutPipe()
	if err != nil {
		m.t.Fatal(err)
	}
	log := s.log
	s.process.Stderr = log
	if err := s.process.Start(); err != nil {
		m.t.Fatal(err)
	}
	lines := bufio.NewScanner(out)
	for s.link == "" && lines.Scan() {
		if found := regexp.MustCompile(`http://127\.0\.0\.1:\d+`).FindString(lines.Text()); found != "" {
			s.url = found
		}
		s.link = regexp.MustCompile(`http://\S+token=\S+`).FindString(lines.Text())
	}
	if s.link == "" {
		m.t.Fatalf("the daemon did not say where it listens; it said %s", log.String())
	}
	go func() {
		_, _ = io.Copy(io.Discard, out)
		s.ended <- s.process.Wait()
	}()
	return s
}

// Every command has the same answer from a daemon as on its own.
func TestServe_AnswersCommandsAsTheyWould(t *testing.T) {
	m := newMachine(t)
	commands := [][]string{
		{"usage", "--json"},
		{"usage", "session", "--json", "--breakdown"},
		{"usage", "monthly"},
		{"usage", "blocks", "--csv"},
		{"sessions", "--json"},
		{"sessions", "nope"},
		{"reconcile", "--json"},
		{"explain", "2026-10-05", "--json"},
		{"pricing", "missing", "--json"},
		{"sql", "SELECT count(*) AS n FROM requests", "--json"},
		{"usage", "yearly"},
		{"guard", "--max-tokens", "0", "--window", "day"},
		{"export", "--format", "csv", "--view", "sessions", "-"},
	}
	type answer struct {
		Out, Err string
		Code     int
	}
	all := func() map[string]answer {
		answers := map[string]answer{}
		for _, args := range commands {
			out, errOut, code := m.ask(args...)
			answers[strings.Join(args, " ")] = answer{out, errOut, code}
		}
		return answers
	}
	all() // reconcile tells what changed since it was last asked
	alone := all()
	s := m.serve()
	served := all()
	for name, want := range alone {
		if diff := cmp.Diff(want, served[name]); diff != "" {
			t.Errorf("%s (-alone +from the daemon):\n%s", name, diff)
		}
	}
	if out, _, code := m.ask("status", "--json"); code != 0 || !strings.Contains(out, fmt.Sprintf(`"process": %d`, s.process.Process.Pid)) {
		t.Errorf("status: exit code %d, %s", code, out)
	}
	if _, errOut, code := m.ask("serve", "--addr", "127.0.0.1:0"); code != exitFailed || !strings.Contains(errOut, fmt.Sprintf("a daemon runs already: process %d", s.process.Process.Pid)) {
		t.Errorf("a second daemon: exit code %d, %s", code, errOut)
	}
	if out, errOut, code := m.ask("stop"); code != 0 {
		t.Errorf("stop: exit code %d, %s%s", code, out, errOut)
	}
	if err := <-s.ended; err != nil {
		t.Errorf("the daemon ended with %v", err)
	}
	if _, errOut, code := m.ask("status"); code != exitNothing || !strings.Contains(errOut, "meterbridge serve") {
		t.Errorf("status after the end: exit code %d, %s", code, errOut)
	}
}

// A log that is written while the daemon runs is in the next answer.
func TestServe_IsUpToDateBeforeItAnswers(t *testing.T) {
	m := newMachine(t)
	s := m.serve()
	dir := filepath.Join(m.home, ".claude", "projects", "-srv-new")
	if err := os.MkdirAll(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	log := filepath.Join(dir, "ffffffff-0000-4000-8000-00000000000f.jsonl")
	for i := 1; i <= 20; i++ {
		f, err := os.OpenFile(log, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o644)
		if err != nil {
			t.Fatal(err)
		}
		_, err = fmt.Fprintf(f, `{"type":"assistant","sessionId":"ffffffff-0000-4000-8000-00000000000f","timestamp":"2026-11-20T10:00:%02dZ","uuid":"u%d","requestId":"req_n%d","cwd":"/srv/new","message":{"id":"msg_n%d","model":"claude-sonnet-4-5","role":"assistant","usage":{"input_tokens":1,"output_tokens":0}}}`+"\n", i, i, i, i)
		if err := errors.Join(err, f.Close()); err != nil {
			t.Fatal(err)
		}
		out, errOut, code := m.ask("usage", "project", "--project", "/srv/new", "--json")
		if code != 0 || !strings.Contains(out, fmt.Sprintf(`"inputTokens": %d,`, i)) {
			t.Fatalf("after %d requests: exit code %d\n%s%s", i, code, out, errOut)
		}
	}
	files, err := os.ReadDir(filepath.Join(m.dir, "data"))
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range files {
		if info, err := f.Info(); err == nil && info.Mode().Perm()&0o077 != 0 {
			t.Errorf("others can read %s (%v)", f.Name(), info.Mode())
		}
	}
	if err := s.process.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	if err := <-s.ended; err != nil {
		t.Errorf("the daemon ended with %v", err)
	}
}

func TestServe_LetsInWhoHasACredential(t *testing.T) {
	m := newMachine(t)
	s := m.serve()
	get := func(client *http.Client, url string, header ...string) (int, string) {
		t.Helper()
		req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, url, nil)
		if err != nil {
			t.Fatal(err)
		}
		for i := 0; i < len(header); i += 2 {
			req.Header.Set(header[i], header[i+1])
		}
		resp, err := client.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		defer resp.Body.Close()
		body, err := io.ReadAll(resp.Body)
		if err != nil {
			t.Fatal(err)
		}
		return resp.StatusCode, string(body)
	}
	plain := &http.Client{}
	defer plain.CloseIdleConnections()
	for path, want := range map[string]int{"/healthz": 200, "/api/v1/usage": 401, "/metrics": 401, "/login?token=wrong": 401, "/control/status": 401} {
		if code, body := get(plain, s.url+path); code != want {
			t.Errorf("%s without a credential: %d %s, want %d", path, code, body, want)
		}
	}
	if code, _ := get(plain, s.url+"/healthz", "Origin", "https://evil.example"); code != 403 {
		t.Errorf("from another origin: %d, want 403", code)
	}
	browser := &http.Client{Jar: newJar(t)}
	defer browser.CloseIdleConnections()
	if code, body := get(browser, s.link); code != 200 {
		t.Errorf("the link: %d %s", code, body)
	}
	if code, body := get(browser, s.url+"/control/status"); code != 404 {
		t.Errorf("what the socket alone serves: %d %s, want 404", code, body)
	}
	at, err := url.Parse(s.url)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range browser.Jar.Cookies(at) {
		if c.Name != "meterbridge-"+at.Port() { // browsers do not tell ports apart
			t.Errorf("the cookie is called %s at port %s", c.Name, at.Port())
		}
	}
	if code, _ := get(plain, s.link); code != 401 {
		t.Errorf("the link a second time: %d, want 401", code)
	}
	if code, body := get(browser, s.url+"/api/v1/usage?by=day"); code != 200 || !strings.Contains(body, `"schemaVersion":1`) && !strings.Contains(body, `"schemaVersion": 1`) {
		t.Errorf("usage for the browser: %d %s", code, body)
	}
	if code, body := get(browser, s.url+"/metrics"); code != 200 || !strings.Contains(body, "meterbridge_build_info") {
		t.Errorf("metrics for the browser: %d %.300s", code, body)
	}
	m.ask("stop")
	<-s.ended
}
