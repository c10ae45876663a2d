package daemon

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"meterbridge"
	"meterbridge/agents"
	"meterbridge/bridge"
	"meterbridge/harnesses"
	"meterbridge/internal/daemon/fleet"
)

// squad is a fleet with real terminals: an agent that is a shell script, another one
// and a shell.
type squad struct {
	t     *testing.T
	meter *Meter
	fleet *fleet.Fleet
	tools map[string]bridge.Tool
	// lead calls; peer and shell are others.
	lead, peer, shell agents.Info
}

func newSquad(t *testing.T) *squad {
	t.Helper()
	t.Setenv("HOME", t.TempDir()) // its shells load no settings of the user's
	m, err := OpenDemo(t.Context(), Options{Getenv: func(string) string { return "UTC" }, OS: "linux", Now: time.Now, Version: "test"})
	if err != nil {
		t.Fatal(err)
	}
	f, err := fleet.New(t.Context(), fleet.Options{
		Ledger: m.ledger, Folder: t.TempDir(), Program: "/bin/true", HookURL: func() string { return "http://127.0.0.1:1/hooks" }, Server: "mbridge",
		Getenv: func(string) string { return "" }, Now: time.Now, KeepText: true,
		Harnesses: []harnesses.Harness{{ID: "toy", Hooks: &harnesses.Hooks{Facts: toyFacts, Layer: func(meterbridge.LaunchHooks) (l meterbridge.LaunchLayer) { return l }}}},
		Profiles: map[string]meterbridge.LaunchProfile{
			"toy":        {Kind: meterbridge.AIAgent, Program: []string{"sh", "-c", "echo token $METERBRIDGE_HOOK_TOKEN; exec sleep 1000"}, DangerousByHook: true},
			"shell-bash": {Kind: meterbridge.ShellAgent, Program: []string{"bash"}, Shell: "bash"},
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(context.Background())
	var running sync.WaitGroup
	running.Go(func() { f.Run(ctx) })
	t.Cleanup(func() {
		if err := f.Close(context.Background()); err != nil {
			t.Error(err)
		}
		stop()
		running.Wait()
		if err := m.Close(); err != nil {
			t.Error(err)
		}
	})
	s := &squad{t: t, meter: m, fleet: f, tools: map[string]bridge.Tool{}}
	list, err := newAgentTools(f)
	if err != nil {
		t.Fatal(err)
	}
	for _, tool := range list {
		s.tools[tool.Name] = tool
	}
	s.lead, s.peer, s.shell = s.start("toy", "lead"), s.start("toy", "peer"), s.start("shell-bash", "shell")
	return s
}

func (s *squad) start(harness, name string) agents.Info {
	s.t.Helper()
	i, err := s.fleet.Start(s.t.Context(), agents.Start{Harness: harness, Name: name, Dir: s.t.TempDir()})
	if err != nil {
		s.t.Fatal(err)
	}
	return i
}

func (s *squad) link(to agents.Info) {
	s.t.Helper()
	if _, err := s.fleet.Agents().Link(s.lead.ID, to.ID); err != nil {
		s.t.Fatal(err)
	}
}

// toyFacts are the facts of a payload that is one as JSON.
func toyFacts(payload []byte) []meterbridge.StatusFact {
	f := meterbridge.StatusFact{Source: meterbridge.FromHook, Confidence: meterbridge.Exact, Session: "s"}
	if json.Unmarshal(payload, &f) != nil {
		return nil
	}
	return []meterbridge.StatusFact{f}
}

// hook has a hook of an agent's process tell something: its token is what the
// process printed.
func (s *squad) hook(i agents.Info, payload string) {
	s.t.Helper()
	var token string
	for token == "" && s.t.Context().Err() == nil {
		text, err := s.fleet.Ports().ReadScreen(s.t.Context(), i.ID, 10)
		if err != nil {
			s.t.Fatal(err)
		}
		if _, rest, found := strings.Cut(text, "token "); found && strings.HasSuffix(text, "\n") || len(rest) == 68 {
			token = strings.TrimSpace(rest)
		}
	}
	r := httptest.NewRequest(http.MethodPost, "/hooks/toy", strings.NewReader(payload))
	r.Header.Set("Authorization", "Bearer "+token)
	w := httptest.NewRecorder()
	s.fleet.Desk().Handler().ServeHTTP(w, r)
	if w.Code != http.StatusOK {
		s.t.Fatalf("hook: %d %s", w.Code, w.Body)
	}
}

// becomes waits for a status of an agent.
func (s *squad) becomes(i agents.Info, want meterbridge.Status) {
	s.t.Helper()
	ctx, cancel := context.WithTimeout(s.t.Context(), 20*time.Second)
	defer cancel()
	events := s.fleet.Watch(ctx)
	if now, _ := s.fleet.Agents().Get(i.ID); now.Status == want {
		return
	}
	for e := range events {
		if e.Agent.ID == i.ID && e.Agent.Status == want {
			return
		}
	}
	s.t.Fatalf("%s did not become %s", i.Name, want)
}

// call has the lead call a tool; code is that of its error.
func (s *squad) call(tool, args string) (answer map[string]any, code string) {
	s.t.Helper()
	r, err := s.tools[tool].Call(s.t.Context(), bridge.Identity{Agent: s.lead.ID}, json.RawMessage(args))
	if err != nil {
		var coded *bridge.ToolError
		if !errors.As(err, &coded) {
			s.t.Fatalf("%s %s: %v", tool, args, err)
		}
		return nil, coded.Code
	}
	text, err := json.Marshal(r.Structured)
	if err == nil {
		err = json.Unmarshal(text, &answer)
	}
	if err != nil {
		s.t.Fatal(err)
	}
	return answer, ""
}

func TestAgentTools_NeedALink(t *testing.T) {
	s := newSquad(t)
	calls := map[string]string{
		"agent_read": `{"agent":"peer"}`, "agent_wait": `{"agent":"peer"}`, "terminal_read": `{"terminal":"shell"}`,
		"terminal_run": `{"terminal":"shell","command":"true"}`, "terminal_send_keys": `{"terminal":"shell","text":"true"}`,
	}
	for tool, args := range calls {
		if _, code := s.call(tool, args); code != bridge.CodeNotConnected {
			t.Errorf("%s without a link: %q", tool, code)
		}
	}
	s.link(s.peer)
	s.link(s.shell)
	for tool, args := range calls {
		if _, code := s.call(tool, args); code != "" {
			t.Errorf("%s with a link: %q", tool, code)
		}
	}
	if err := s.fleet.Agents().Unlink(s.lead.ID, s.shell.ID); err != nil {
		t.Fatal(err)
	}
	if _, code := s.call("terminal_run", calls["terminal_run"]); code != bridge.CodeNotConnected {
		t.Errorf("after the link was removed: %q", code)
	}
	for args, want := range map[string]string{
		`{"terminal":"nobody","command":"true"}`: bridge.CodeNotFound, `{"terminal":"peer","command":"true"}`: bridge.CodeNotFound,
	} {
		if _, code := s.call("terminal_run", args); code != want {
			t.Errorf("terminal_run %s: %q, want %q", args, code, want)
		}
	}
}

func TestAgentTools_RunACommandAndReadTheScreen(t *testing.T) {
	s := newSquad(t)
	s.link(s.shell)
	got, code := s.call("terminal_run", `{"terminal":"shell","command":"echo one; (exit 3)"}`)
	if code != "" || got["output"] != "one\n" || got["exitCode"] != 3.0 || got["timedOut"] != false {
		t.Errorf("terminal_run: %v %q", got, code)
	}
	if _, code := s.call("terminal_send_keys", `{"terminal":"shell","text":"printf 'ty'; echo ped"}`); code != "" {
		t.Errorf("terminal_send_keys: %q", code)
	}
	// The next command waits until the typed one has ended.
	if _, code := s.call("terminal_run", `{"terminal":"shell","command":"true"}`); code != "" {
		t.Errorf("terminal_run after it: %q", code)
	}
	got, code = s.call("terminal_read", `{"terminal":"shell"}`)
	if text, _ := got["text"].(string); code != "" || !strings.Contains(text, "\ntyped") {
		t.Errorf("terminal_read: %v %q", got, code)
	}
	for _, args := range []string{`{"terminal":"shell"}`, `{"terminal":"shell","text":"a","key":"enter"}`} {
		if _, code := s.call("terminal_send_keys", args); code != bridge.CodeInvalidParams {
			t.Errorf("terminal_send_keys %s: %q", args, code)
		}
	}
}

func TestAgentTools_ListAndWait(t *testing.T) {
	s := newSquad(t)
	s.link(s.peer)
	got, _ := s.call("agent_list", `{}`)
	connected := map[string]any{}
	for _, a := range got["agents"].([]any) {
		connected[a.(map[string]any)["name"].(string)] = a.(map[string]any)["connected"]
	}
	if len(connected) != 3 || connected["peer"] != true || connected["shell"] != false || connected["lead"] != false {
		t.Errorf("agent_list: connected %v", connected)
	}
	s.hook(s.peer, `{"Kind":"turn","Turn":"t1"}`)
	s.becomes(s.peer, meterbridge.Working)
	if got, _ := s.call("squad_status", `{}`); got["working"] != 1.0 || len(got["agents"].([]any)) != 1 {
		t.Errorf("squad_status: %v", got)
	}
	if got, _ := s.call("agent_wait", `{"agent":"peer","timeoutSeconds":1}`); got["timedOut"] != true || got["status"] != "working" {
		t.Errorf("agent_wait of one that works on: %v", got)
	}
	waited := make(chan map[string]any)
	go func() {
		got, _ := s.call("agent_wait", `{"agent":"peer"}`)
		waited <- got
	}()
	s.hook(s.peer, `{"Kind":"needs-input","Detail":"Which one?","Question":{"Kind":"asked"}}`)
	if got := <-waited; got["status"] != "needs-input" || got["detail"] != "Which one?" || got["timedOut"] != false {
		t.Errorf("agent_wait: %v", got)
	}
	if bound, ok := s.fleet.Agents().BoundTo("toy", "s"); !ok || bound.ID != s.peer.ID {
		t.Errorf("the hook's session is bound to %q", bound.ID)
	}
	_, err := s.tools["agent_list"].Call(t.Context(), bridge.Identity{Agent: bridge.Local}, json.RawMessage(`{}`))
	var coded *bridge.ToolError
	if !errors.As(err, &coded) || coded.Code != bridge.CodeUnavailable {
		t.Errorf("agent_list of no agent: %v", err)
	}
}

// An agent's token is good for its tools and for nothing else, and it alone makes a
// caller that agent.
func TestFleet_TokensAreIdentities(t *testing.T) {
	s := newSquad(t)
	token, err := s.fleet.AgentToken(s.lead.ID)
	if err != nil {
		t.Fatal(err)
	}
	if who, ok := s.fleet.ToolAgent(token); !ok || who != s.lead.ID {
		t.Errorf("the lead's token is %q's, %v", who, ok)
	}
	for _, wrong := range []string{"", "mba_", token + "x", s.lead.ID} {
		if who, ok := s.fleet.ToolAgent(wrong); ok {
			t.Errorf("%q is taken for %s", wrong, who)
		}
	}
}
