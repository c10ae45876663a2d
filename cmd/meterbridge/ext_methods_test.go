//go:build unix

package main

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// The manifest of testdata/asker, with everything that a process may ask for.
const askerManifest = `{"manifestVersion":1,"name":"asker","displayName":"Asker","version":"1.0.0","protocol":1,"command":["./asker"],
"permissions":["agents.output","agents.prompt","terminals.write","usage.read","fs.write","network.local",{"id":"network","hosts":["api.example.com"]}],
"settings":[{"key":"limit","type":"number","label":"Limit","default":5,"max":10},{"key":"token","type":"secret","label":"Token"}],
"tools":[{"name":"ask","timeoutMs":60000,"description":"Asks the host.","inputSchema":{"type":"object"}}]}`

// asker is a machine with a daemon, an agent, a terminal and an extension that asks
// whatever a test wants.
type asker struct {
	*machine
	s               *serving
	token           string
	agent, terminal string
	work            string
}

func newAsker(t *testing.T) *asker {
	t.Helper()
	a := &asker{machine: newMachine(t)}
	pack := filepath.Join(a.dir, "asker")
	a.work = filepath.Join(a.dir, "work")
	bin := filepath.Join(a.dir, "bin")
	for _, dir := range []string{pack, a.work, bin} {
		if err := os.Mkdir(dir, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	if out, err := exec.CommandContext(t.Context(), "go", "build", "-ldflags=-s -w", "-o", filepath.Join(pack, "asker"), "./testdata/asker").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	for path, text := range map[string]string{
		filepath.Join(pack, "meterbridge-extension.json"): askerManifest, filepath.Join(bin, "claude"): "#!/bin/sh\nexec cat\n", filepath.Join(a.work, "a.txt"): "hello",
	} {
		if err := os.WriteFile(path, []byte(text), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	t.Cleanup(func() { // installed files are read-only
		_ = filepath.WalkDir(a.dir, func(path string, _ os.DirEntry, _ error) error { return os.Chmod(path, 0o700) })
	})
	a.env = append(a.env, "PATH="+bin+string(filepath.ListSeparator)+os.Getenv("PATH"))
	a.s = a.serve()
	a.agent, a.terminal = a.start(t, "claude-code", "anna"), a.start(t, "shell-bash", "shell")
	text, err := os.ReadFile(filepath.Join(a.dir, "data", "agents", a.agent, "mcp-token"))
	if err != nil {
		t.Fatal(err)
	}
	a.token = strings.TrimSpace(string(text))
	a.must(t, "ext", "install", pack, "--yes")
	a.must(t, "ext", "link", "asker", "anna")
	a.must(t, "ext", "link", "asker", "shell")
	return a
}

func (a *asker) must(t *testing.T, args ...string) string {
	t.Helper()
	out, errOut, code := a.ask(args...)
	if code != 0 {
		t.Fatalf("%v: %d %s", args, code, errOut)
	}
	return out
}

func (a *asker) start(t *testing.T, harness, name string) string {
	t.Helper()
	var agent struct{ ID string }
	if err := json.Unmarshal([]byte(a.must(t, "agents", "start", harness, "--name", name, "--json")), &agent); err != nil || agent.ID == "" {
		t.Fatalf("agent: %+v, %v", agent, err)
	}
	return agent.ID
}

// hostAsk is one thing that the extension asks, with what its answer must hold.
type hostAsk struct{ method, params, event, want string }

// hosts asks the host through the extension, all in one call: agents may not call
// more often. Each answer is without blanks.
func (a *asker) hosts(t *testing.T, asks ...hostAsk) []string {
	t.Helper()
	const meta = `"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{},"io.modelcontextprotocol/clientInfo":{"name":"t","version":"1"}}`
	var list []string
	for _, one := range asks {
		list = append(list, fmt.Sprintf(`{"method":%q,"params":%s,"event":%q}`, one.method, one.params, one.event))
	}
	_, body := asked(t, a.s.url, a.token, fmt.Sprintf(
		`{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"asker_ask","arguments":{"asks":[%s]},%s}}`, strings.Join(list, ","), meta))
	if _, data, found := strings.Cut(body, "data: "); found {
		body = data
	}
	var told struct {
		Result struct{ Content []struct{ Text string } }
	}
	var answers []json.RawMessage
	if err := json.Unmarshal([]byte(body), &told); err != nil || len(told.Result.Content) == 0 {
		t.Fatalf("called: %s", body)
	}
	if err := json.Unmarshal([]byte(told.Result.Content[0].Text), &answers); err != nil {
		t.Fatalf("answered: %s", told.Result.Content[0].Text)
	}
	var texts []string
	for i, answer := range answers {
		text := strings.Join(strings.Fields(string(answer)), "")
		if !strings.Contains(text, asks[i].want) {
			t.Errorf("%s %s %s:\n got %s\nwant %s", asks[i].method, asks[i].params, asks[i].event, text, asks[i].want)
		}
		texts = append(texts, text)
	}
	return texts
}

// Every method of the hosting protocol is answered by the daemon that people run, to an
// extension that people would install, inside of its fence.
func TestExt_EveryMethodOfTheHost(t *testing.T) {
	a := newAsker(t)
	site := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { fmt.Fprint(w, r.Header.Get("Authorization")) }))
	t.Cleanup(site.Close)
	a.hosts(t, hostAsk{"fs.read", `{"path":"a.txt"}`, "", "UNAVAILABLE"},
		hostAsk{"net.fetch", `{"url":"` + site.URL + `","headers":{"Authorization":"Bearer {{secret:token}}"}}`, "", "INVALID_PARAMS"})
	a.must(t, "ext", "workspace", "asker", "--folder", a.work)
	set := a.command("ext", "settings", "asker", "limit=7", "--secret", "token")
	set.Stdin = strings.NewReader("s3cret\n")
	if out, err := set.CombinedOutput(); err != nil || strings.Contains(string(out), "s3cret") || !strings.Contains(string(out), "token: is set") {
		t.Errorf("settings: %v\n%s", err, out)
	}
	agent, terminal := `{"agentId":"`+a.agent+`"}`, `{"agentId":"`+a.terminal+`",`
	window := `{"agentId":"` + a.agent + `","since":0}`
	methods := map[string]bool{}
	asks := []hostAsk{
		{"host.capabilities", `{}`, "", `"protocol":1`},
		{"host.log", `{"level":"info","message":"asked"}`, "", `{"answer":null}`},
		{"host.pong", `{"seq":1}`, "", `{"answer":null}`},
		{"host.ready", `{"sdkVersion":"1","protocol":1}`, "", "BAD_REQUEST"},
		{"tools.register", `{"tool":"ask"}`, "", "BAD_REQUEST"},
		{"tools.respond", `{"callId":"c-0"}`, "", "NOT_FOUND"},
		{"tools.progress", `{"callId":"c-0","message":"x"}`, "", "NOT_FOUND"},
		{"tools.setEnabled", `{"tool":"ask","enabled":true}`, "", `{"answer":null}`},
		{"events.subscribe", `{"topics":["agents.status","agents.turn","agents.changed","storage.changed"]}`, "", `"agents.turn"`},
		{"events.unsubscribe", `{"topics":["agents.status","agents.turn","agents.changed","storage.changed"]}`, "", `{"answer":null}`},
		{"settings.get", `{}`, "", `{"answer":{"values":{"limit":7},"secrets":{"token":true}}}`},
		{"settings.set", `{"values":{"limit":8}}`, "settings.changed", `"event":{"values":{"limit":8}`},
		{"settings.set", `{"values":{"limit":11}}`, "", "INVALID_PARAMS"},
		{"settings.set", `{"values":{"token":"x"}}`, "", "INVALID_PARAMS"},
		{"storage.set", `{"scope":"instance","key":"k","value":[1]}`, "", `{"answer":null}`},
		{"storage.get", `{"scope":"instance","key":"k"}`, "", `{"answer":{"exists":true,"value":[1]}}`},
		{"storage.keys", `{"scope":"instance"}`, "", `{"answer":{"keys":["k"]}}`},
		{"storage.usage", `{"scope":"package"}`, "", `"quota":20971520`},
		{"storage.delete", `{"scope":"instance","key":"k"}`, "", `{"answer":null}`},
		{"storage.clear", `{"scope":"package"}`, "", `{"answer":null}`},
		{"permissions.list", `{}`, "", `{"granted":true,"hosts":["api.example.com"],"id":"network","optional":false}`},
		{"workspace.get", `{}`, "", `"id":"default","name":"default","path":`},
		{"agents.list", `{}`, "", `"connected":true`},
		{"agents.get", agent, "", `"harness":"claude-code","kind":"ai"`},
		{"agents.readScreen", agent, "", `{"answer":{"text":`},
		{"agents.lastReply", agent, "", `{"answer":{"at":null,"text":null}}`},
		{"agents.usage", window, "", `"requests":`},
		{"agents.timeline", window, "", `"requestTimes":`},
		{"usage.summary", `{"period":"today"}`, "", `"totalCostMicroUsd":`},
		{"agents.prompt", `{"agentId":"` + a.agent + `","text":"hello","submit":false,"whenBusy":"queue"}`, "", `{"answer":{"delivered":`},
		{"agents.prompt", terminal + `"text":"hello"}`, "", "NOT_FOUND"},
		{"terminals.run", terminal + `"command":"echo 6 times 7"}`, "", `"exitCode":0,"output":"6times7`},
		{"events.subscribe", `{"topics":["agents.output"],"agentIds":["` + a.terminal + `"]}`, "", `"agents.output"`},
		{"terminals.write", terminal + `"text":"echo typed","submit":true}`, "agents.output", `"event":{"agentId":"` + a.terminal},
		{"terminals.run", `{"agentId":"` + a.agent + `","command":"x"}`, "", "NOT_FOUND"},
		{"net.fetch", `{"url":"` + site.URL + `","headers":{"Authorization":"Bearer {{secret:token}}"}}`, "", `"body":"Bearers3cret"`},
		{"net.fetch", `{"url":"` + site.URL + `","headers":{"Authorization":"streamed"},"responseType":"stream"}`, "net.chunk", `"chunk":"streamed"`},
		{"net.fetch", `{"url":"https://other.example.com"}`, "", "HOST_NOT_ALLOWED"},
		{"net.abort", `{"requestId":"none"}`, "", `{"answer":null}`},
		{"fs.stat", `{"path":"a.txt"}`, "", `"size":5,`},
		{"fs.list", `{"path":"","recursive":true}`, "", `[{"path":"a.txt","type":"file","size":5}]`},
		{"fs.read", `{"path":"a.txt"}`, "", `"data":"hello","encoding":"utf8"`},
		{"fs.mkdir", `{"path":"new"}`, "", `"type":"directory"`},
		{"fs.write", `{"path":"new/b.txt","data":"b"}`, "", `"path":"new/b.txt"`},
		{"fs.write", `{"path":"new/b.txt","data":"b","ifMtimeMs":1}`, "", "FS_ERROR"},
		{"fs.write", `{"path":"CLAUDE.md","data":"b"}`, "", "FS_DENIED"},
		{"fs.read", `{"path":"../data/extensions/state.json"}`, "", "FS_DENIED"},
		{"fs.watch", `{"path":""}`, "", `"watchId":"w-1"`},
		{"fs.trash", `{"path":"a.txt"}`, "fs.changed", `"path":"a.txt","type":"change"`},
		{"fs.unwatch", `{"watchId":"w-1"}`, "", `{"answer":null}`},
		{"tools.unregister", `{"tool":"ask"}`, "", `{"answer":null}`},
	}
	for _, one := range asks {
		methods[one.method] = true
	}
	a.hosts(t, asks...)
	var can struct{ Answer struct{ Methods []string } }
	a.must(t, "ext", "disable", "asker") // its one tool has no handler any more
	a.must(t, "ext", "enable", "asker")
	if err := json.Unmarshal([]byte(a.hosts(t, hostAsk{"host.capabilities", `{}`, "", ""})[0]), &can); err != nil || len(can.Answer.Methods) < 40 {
		t.Fatalf("methods %v, %v", can.Answer.Methods, err)
	}
	for _, method := range can.Answer.Methods {
		if !methods[method] {
			t.Errorf("nobody asked %s", method)
		}
	}
	if got := a.must(t, "queue", "log", "--json"); !strings.Contains(got, `"Asker"`) {
		t.Errorf("the prompt does not tell who sent it: %s", got)
	}
	if got := a.must(t, "ext", "log", "asker"); !strings.Contains(got, "info asked") {
		t.Errorf("log: %s", got)
	}
	for _, name := range []string{"anna", "shell"} {
		a.must(t, "agents", "stop", name)
	}
	a.must(t, "stop")
	if err := <-a.s.ended; err != nil {
		t.Errorf("the daemon ended with %v", err)
	}
	http.DefaultClient.CloseIdleConnections()
}
