//go:build agents

package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"meterbridge/internal/control"
	"meterbridge/internal/daemon"
)

// lab is the real program of a harness, started by `meterbridge agents start` on a
// home of its own, with a model on loopback whose numbers are known. `make
// test-agents` runs it; testdata/lab/README.md tells of the model.
type lab struct {
	t    *testing.T
	h    labHarness
	home string
	demo string
	// truth is what the model served, one JSON line for each request; asked the
	// requests themselves.
	truth, asked string
	url          string
	env          []string
	// program is meterbridge, agent the id of the agent.
	program, agent string
	keys           io.Writer
	deadline       time.Time
}

// labLimit is how long one harness may take in all.
const labLimit = 150 * time.Second

// built makes the programs once; meterbridge-lite lies beside meterbridge.
var built = sync.OnceValues(func() (string, error) {
	dir, err := os.MkdirTemp("", "meterbridge-lab-bin")
	if err != nil {
		return "", err
	}
	for _, name := range []string{"meterbridge", "meterbridge-lite"} {
		out, err := exec.Command("go", "build", "-ldflags", "-s -w", "-o", filepath.Join(dir, name), "meterbridge/cmd/"+name).CombinedOutput()
		if err != nil {
			return "", fmt.Errorf("build %s: %w\n%s", name, err, out)
		}
	}
	return dir, nil
})

func newLab(t *testing.T, h labHarness) *lab {
	t.Helper()
	bin, err := h.installed(t.Context())
	if err != nil {
		// It is named in the output, whatever is printed of tests that pass.
		fmt.Printf("NOT TESTED: %s could not be installed: %v\n", h.id, err)
		t.Skipf("%s could not be installed: %v", h.id, err)
	}
	programs, err := built()
	if err != nil {
		t.Fatal(err)
	}
	l := &lab{t: t, h: h, home: t.TempDir(), program: filepath.Join(programs, "meterbridge"), deadline: time.Now().Add(labLimit)}
	books := t.TempDir()
	l.demo, l.truth, l.asked = filepath.Join(l.home, "demo"), filepath.Join(books, "truth.jsonl"), filepath.Join(books, "asked.jsonl")
	if err := os.MkdirAll(l.demo, 0o755); err != nil {
		t.Fatal(err)
	}
	if out, err := exec.Command("git", "-C", l.demo, "init", "-q").CombinedOutput(); err != nil {
		t.Fatalf("git init: %v\n%s", err, out)
	}
	l.url = l.model()
	l.env = append([]string{
		"HOME=" + l.home, "METERBRIDGE_HOME=" + filepath.Join(l.home, "mb"), "PATH=" + bin + ":" + os.Getenv("PATH"),
		"LANG=C.UTF-8", "TZ=UTC", "DISABLE_TELEMETRY=1", "DISABLE_AUTOUPDATER=1", "DISABLE_ERROR_REPORTING=1",
	}, h.env(l.url)...)
	for path, text := range h.files(l) {
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	l.serve()
	return l
}

// model starts the model and returns its address.
func (l *lab) model() string {
	l.t.Helper()
	free, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		l.t.Fatal(err)
	}
	_, port, _ := net.SplitHostPort(free.Addr().String())
	free.Close()
	l.run(exec.Command("node", "testdata/lab/fake-llm.mjs", port, l.truth, l.asked), "fake llm on")
	return "http://127.0.0.1:" + port
}

// serve starts the daemon.
func (l *lab) serve() {
	l.t.Helper()
	c := exec.Command(l.program, "serve", "--addr", "127.0.0.1:0")
	c.Env, c.Dir = l.env, l.home
	l.run(c, "listens on")
}

// run starts a program that runs until the test ends, and waits for it to say that
// it is ready.
func (l *lab) run(c *exec.Cmd, ready string) {
	l.t.Helper()
	out, in, err := os.Pipe()
	if err != nil {
		l.t.Fatal(err)
	}
	c.Stdout, c.Stderr = in, in
	err = c.Start()
	in.Close()
	if err != nil {
		l.t.Fatal(err)
	}
	var all []string
	lines := bufio.NewScanner(out)
	said := false
	for !said && lines.Scan() {
		all = append(all, lines.Text())
		said = strings.Contains(lines.Text(), ready)
	}
	drained := make(chan struct{})
	go func() {
		for lines.Scan() {
			all = append(all, lines.Text())
		}
		close(drained)
	}()
	l.t.Cleanup(func() {
		_ = c.Process.Signal(os.Interrupt)
		<-drained
		_ = c.Wait()
		if l.t.Failed() {
			l.t.Logf("%s said:\n%s", filepath.Base(c.Path), strings.Join(all, "\n"))
		}
	})
	if !said {
		l.t.Fatalf("%s did not say %q:\n%s", c.Path, ready, strings.Join(all, "\n"))
	}
}

// ask runs a command of meterbridge.
func (l *lab) ask(args ...string) string {
	l.t.Helper()
	c := exec.CommandContext(l.t.Context(), l.program, args...)
	c.Env, c.Dir = l.env, l.demo
	var errOut bytes.Buffer
	c.Stderr = &errOut
	out, err := c.Output()
	if err != nil {
		l.t.Fatalf("meterbridge %s: %v\n%s%s", strings.Join(args, " "), err, out, errOut.Bytes())
	}
	return string(out)
}

// start starts the agent.
func (l *lab) start() {
	l.t.Helper()
	var a struct{ ID string }
	args := append([]string{"agents", "start", l.h.id, "--name", "lab", "--trust", "--json", "--"}, l.h.args...)
	if err := json.Unmarshal([]byte(l.ask(args...)), &a); err != nil {
		l.t.Fatal(err)
	}
	l.agent = a.ID
}

// join joins a person to the agent's terminal. This person's terminal answers no
// questions of programs, so it comes when those have been asked.
func (l *lab) join() {
	l.t.Helper()
	var s struct{ Socket, Data string }
	if err := json.Unmarshal([]byte(l.ask("status", "--json")), &s); err != nil {
		l.t.Fatal(err)
	}
	keys, in := io.Pipe()
	ctx, cancel := context.WithCancel(context.Background())
	client := control.Dial(s.Socket)
	left := make(chan error, 1)
	go func() {
		_, err := client.Attach(ctx, control.Attachment{Agent: l.agent, Cols: 120, Rows: 40, Data: s.Data}, control.Screen{In: keys, Out: io.Discard})
		left <- err
	}()
	l.t.Cleanup(func() {
		in.Close()
		cancel()
		<-left
		client.Close()
	})
	l.keys = in
}

func (l *lab) screen() string { return l.ask("screen", l.agent) }

// await asks until what is wanted is there.
func (l *lab) await(what string, ask func() bool) {
	l.t.Helper()
	tick := time.NewTicker(150 * time.Millisecond)
	defer tick.Stop()
	for !ask() {
		if time.Now().After(l.deadline) {
			l.t.Fatalf("%s: waited in vain for %s; statuses %v; the screen:\n%s\n%s%s", l.h.id, what, l.statuses(), l.screen(), l.ask("queue"), l.ask("queue", "log", "--last", "6"))
		}
		<-tick.C
	}
}

// settled waits until the program waits for a prompt: its screen has what it shows
// then, and does not change.
func (l *lab) settled() {
	l.t.Helper()
	last := ""
	l.await("a composer", func() bool {
		now := l.screen()
		same := now == last && l.h.ready.MatchString(now)
		last = now
		return same
	})
}

// typed types a prompt as a person would: pasted, then Enter.
func (l *lab) typed(text string) {
	l.t.Helper()
	if l.h.queued {
		l.ask("prompt", l.agent, text)
		return
	}
	l.press("\x1b[200~" + text + "\x1b[201~")
	pause := time.NewTimer(300 * time.Millisecond)
	<-pause.C
	l.press("\r")
}

func (l *lab) press(keys string) {
	l.t.Helper()
	if _, err := io.WriteString(l.keys, keys); err != nil {
		l.t.Fatal(err)
	}
}

func (l *lab) timeline() daemon.AgentTimeline {
	l.t.Helper()
	var t daemon.AgentTimeline
	if err := json.Unmarshal([]byte(l.ask("timeline", l.agent, "--json")), &t); err != nil {
		l.t.Fatal(err)
	}
	return t
}

// statuses are those that the agent had, in order.
func (l *lab) statuses() (list []string) {
	for _, s := range l.timeline().Statuses {
		list = append(list, s.Status)
	}
	return list
}

// becomes waits for a status, the nth of its kind.
func (l *lab) becomes(status string, nth int) {
	l.t.Helper()
	l.await(fmt.Sprintf("%s, number %d", status, nth), func() bool {
		n := 0
		for _, s := range l.statuses() {
			if s == status {
				n++
			}
		}
		return n >= nth
	})
}

// Each harness is started, told a prompt, asked for a permission where it has such a
// scenario, and its numbers are those that the model served.
func TestAgents_RealHarnesses(t *testing.T) {
	for _, h := range labHarnesses() {
		t.Run(h.id, func(t *testing.T) {
			l := newLab(t, h)
			l.start()
			l.settled()
			l.join()
			l.settled()
			l.typed("LAB:plain say hello")
			l.becomes("finished", 1)
			want := []string{"idle", "working", "finished"}
			finishes := 1
			if h.dialog != nil {
				l.settled()
				l.typed("LAB:toolask touch the file")
				l.becomes("needs-input", 1)
				l.answered()
				finishes++
				l.becomes("finished", finishes)
				want = append(want, "working", "needs-input", "working", "finished")
			}
			if got := onceAsked(l.statuses()); !slices.Equal(want, got) {
				t.Errorf("statuses %v, want %v", got, want)
			}
			l.numbers(finishes)
			l.inside()
			if h.exact {
				l.settled()
				l.prompts(2 * len(promptKinds))
			} else {
				fmt.Printf("NOT TESTED: prompts of every kind to %s: `make soak-prompts` sends them\n", h.id)
			}
			t.Logf("%s:\n%s", h.id, l.ask("timeline", l.agent))
			l.ask("agents", "stop", l.agent)
		})
	}
}

// A folder that the harness does not know yet: without --trust its question is the
// person's, with it the program goes on to its composer.
func TestAgents_RealHarnesses_FolderTrust(t *testing.T) {
	for _, h := range labHarnesses() {
		if !h.asksTrust {
			continue
		}
		t.Run(h.id, func(t *testing.T) {
			l := newLab(t, h)
			for _, trusts := range []bool{false, true} {
				fresh := filepath.Join(l.home, fmt.Sprint("fresh-", trusts))
				// Codex asks of repositories only.
				if out, err := exec.Command("git", "init", "-q", fresh).CombinedOutput(); err != nil {
					t.Fatalf("git init: %v\n%s", err, out)
				}
				var a struct{ ID string }
				args := []string{"agents", "start", h.id, "--json", "--dir", fresh, fmt.Sprint("--trust=", trusts)}
				if err := json.Unmarshal([]byte(l.ask(args...)), &a); err != nil {
					t.Fatal(err)
				}
				l.agent = a.ID
				if trusts {
					l.settled()
				} else {
					l.becomes("needs-input", 1)
				}
				if n := slices.Contains(l.statuses(), "needs-input"); n == trusts {
					t.Errorf("trusted %v: statuses %v", trusts, l.statuses())
				}
				l.ask("agents", "stop", l.agent)
			}
		})
	}
}

// answered takes the preselected answer of a dialog. The hook comes before the
// dialog is drawn, and a program that is slow loses a key that comes right after
// that: a person who still sees the dialog presses it again.
func (l *lab) answered() {
	l.t.Helper()
	there := func() bool { return l.h.dialog.MatchString(l.screen()) }
	last, same := "", 0
	l.await("the dialog", func() bool {
		now := l.screen()
		if same++; now != last || !l.h.dialog.MatchString(now) {
			last, same = now, 0
		}
		return same >= 4
	})
	looks := 0
	l.await("the end of the dialog", func() bool {
		if !there() {
			return true
		}
		if looks%20 == 0 {
			l.press("\r")
		}
		looks++
		return false
	})
}

// onceAsked are the statuses without those between a lost answer and the next time
// that the program says that it still waits.
func onceAsked(list []string) (out []string) {
	for _, s := range list {
		if n := len(out); s == "needs-input" && n >= 2 && out[n-2] == s && out[n-1] == "working" {
			out = out[:n-1]
			continue
		}
		out = append(out, s)
	}
	return out
}

// numbers compares usage with what was served, field by field.
func (l *lab) numbers(prompts int) {
	l.t.Helper()
	served := l.served()
	var u daemon.AgentUsage
	// The log is written a moment after the answer.
	l.await("the requests of the log", func() bool {
		if err := json.Unmarshal([]byte(l.ask("agents", "usage", l.agent, "--json")), &u); err != nil {
			l.t.Fatal(err)
		}
		return u.Requests != nil && *u.Requests >= served.Requests
	})
	got := labSums{
		Requests: *u.Requests, Input: zero(u.InputTokens), Output: zero(u.OutputTokens), Reasoning: zero(u.ReasoningTokens),
		CacheRead: zero(u.CacheReadTokens), CacheWrite: zero(u.CacheWriteTokens), Total: zero(u.TotalTokens),
	}
	served.Total = served.Input + served.Output + served.CacheRead + served.CacheWrite
	if got != served {
		l.t.Errorf("usage of %s:\ngot    %+v\nserved %+v", l.h.id, got, served)
	}
	if u.Prompts != int64(prompts) || u.Status != "finished" || !u.TimingComplete || u.WorkingMs <= 0 || u.ElapsedMs == nil {
		l.t.Errorf("usage of %s: %d prompts, %s, complete %v, worked %d ms", l.h.id, u.Prompts, u.Status, u.TimingComplete, u.WorkingMs)
	}
}

func zero(n *int64) int64 {
	if n == nil {
		return 0
	}
	return *n
}

// inside checks that each request lies inside a counted turn. A sub-agent of the
// harness's own may work on after the end of one.
func (l *lab) inside() {
	l.t.Helper()
	t := l.timeline()
	for _, r := range t.Requests {
		if r.Subagent == nil && !slices.ContainsFunc(t.Turns, func(turn daemon.Turn) bool {
			return turn.Counted && turn.Start <= startOf(r) && r.EndedAt <= endOf(turn.End, time.Now().UnixMilli())
		}) {
			l.t.Errorf("request %d to %d lies in no turn of %+v", startOf(r), r.EndedAt, t.Turns)
		}
	}
}

// labSums are sums of tokens; what is not reported is 0.
type labSums struct{ Requests, Input, Output, Reasoning, CacheRead, CacheWrite, Total int64 }

// served sums what the model answered to the agent itself: requests without tools
// are titles and the like, which no log shows.
func (l *lab) served() (s labSums) {
	l.t.Helper()
	text, err := os.ReadFile(l.truth)
	if err != nil {
		l.t.Fatal(err)
	}
	for line := range strings.Lines(string(text)) {
		var r struct {
			API    string
			Status int
			Tools  int `json:"tools_offered"`
			Usage  json.RawMessage
		}
		if err := json.Unmarshal([]byte(line), &r); err != nil {
			l.t.Fatal(err)
		}
		if r.Status != 200 || r.Tools == 0 || len(r.Usage) == 0 {
			continue
		}
		if err := s.add(r.API, r.Usage, l.h); err != nil {
			l.t.Fatal(err)
		}
	}
	return s
}

// add adds one answer, in the form of its API.
func (s *labSums) add(api string, usage json.RawMessage, h labHarness) error {
	var u struct {
		Input       int64 `json:"input_tokens"`
		Output      int64 `json:"output_tokens"`
		Created     int64 `json:"cache_creation_input_tokens"`
		Read        int64 `json:"cache_read_input_tokens"`
		InputDetail struct {
			Cached int64 `json:"cached_tokens"`
			Write  int64 `json:"cache_write_tokens"`
		} `json:"input_tokens_details"`
		OutputDetail struct {
			Reasoning int64 `json:"reasoning_tokens"`
		} `json:"output_tokens_details"`
		Prompt       int64 `json:"prompt_tokens"`
		Completion   int64 `json:"completion_tokens"`
		PromptDetail struct {
			Cached int64 `json:"cached_tokens"`
		} `json:"prompt_tokens_details"`
		CompletionDetail struct {
			Reasoning int64 `json:"reasoning_tokens"`
		} `json:"completion_tokens_details"`
		PromptCount    int64 `json:"promptTokenCount"`
		Cached         int64 `json:"cachedContentTokenCount"`
		CandidateCount int64 `json:"candidatesTokenCount"`
		Thoughts       int64 `json:"thoughtsTokenCount"`
	}
	if err := json.Unmarshal(usage, &u); err != nil {
		return err
	}
	s.Requests++
	switch {
	case strings.HasPrefix(api, "anthropic"):
		s.Input, s.Output, s.CacheRead, s.CacheWrite = s.Input+u.Input, s.Output+u.Output, s.CacheRead+u.Read, s.CacheWrite+u.Created
	case u.Prompt > 0:
		s.Input, s.CacheRead = s.Input+u.Prompt-u.PromptDetail.Cached, s.CacheRead+u.PromptDetail.Cached
		s.Output, s.Reasoning = s.Output+u.Completion, s.Reasoning+u.CompletionDetail.Reasoning
	case u.PromptCount > 0:
		s.Input, s.CacheRead = s.Input+u.PromptCount-u.Cached, s.CacheRead+u.Cached
		s.Output, s.Reasoning = s.Output+u.CandidateCount+u.Thoughts, s.Reasoning+u.Thoughts
	case u.Input > 0:
		d := u.InputDetail
		s.Input, s.CacheRead, s.CacheWrite = s.Input+u.Input-d.Cached-d.Write, s.CacheRead+d.Cached, s.CacheWrite+d.Write
		s.Output, s.Reasoning = s.Output+u.Output, s.Reasoning+u.OutputDetail.Reasoning
	default:
		return errors.New("a usage of no known form: " + string(usage))
	}
	return nil
}

// labHarness is how a harness is installed and configured for the lab.
type labHarness struct {
	id string
	// packages are those of npm, bins the folders with its program below them.
	packages, bins []string
	env            func(url string) []string
	files          func(l *lab) map[string]string
	// args are further arguments of its program.
	args []string
	// ready is what its screen shows while it waits for a prompt.
	ready *regexp.Regexp
	// asksTrust: it asks whether a folder that it does not know can be trusted.
	asksTrust bool
	// queued: prompts go by `meterbridge prompt`, which waits until they are taken.
	queued bool
	// exact: prompts of every kind are sent to it in the short run too.
	exact bool
	// took is what the harness itself makes of a text that it was given; nil for nothing.
	took func(text string) string
	// unwrap takes off what it puts around a prompt in its request; nil for nothing.
	unwrap *regexp.Regexp
	// dialog is what its question for a permission shows; nil for a harness that asks
	// for none here.
	dialog *regexp.Regexp
}

// installed installs the packages once, below the temporary folder, and returns the
// folders of programs.
func (h labHarness) installed(ctx context.Context) (string, error) {
	dir := filepath.Join(os.TempDir(), "meterbridge-lab-npm", strings.NewReplacer("/", "-", "@", "-").Replace(strings.Join(h.packages, "+")))
	if _, err := os.Stat(filepath.Join(dir, "done")); err != nil {
		if err := os.MkdirAll(dir, 0o755); err != nil {
			return "", err
		}
		args := append([]string{"install", "--prefix", dir, "--no-audit", "--no-fund", "--ignore-scripts", "--loglevel", "error"}, h.packages...)
		if out, err := exec.CommandContext(ctx, "npm", args...).CombinedOutput(); err != nil {
			return "", fmt.Errorf("npm: %w: %s", err, bytes.TrimSpace(out))
		}
		if err := os.WriteFile(filepath.Join(dir, "done"), nil, 0o644); err != nil {
			return "", err
		}
	}
	var path []string
	for _, b := range h.bins {
		path = append(path, filepath.Join(dir, "node_modules", b))
	}
	return strings.Join(path, ":"), nil
}
