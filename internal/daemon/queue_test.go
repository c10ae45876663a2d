package daemon

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"meterbridge"
	"meterbridge/agents"
	"meterbridge/agents/queue"
	"meterbridge/bridge"
	"meterbridge/dashboard"
	"meterbridge/dashboard/api"
	"meterbridge/dashboard/problem"
	"meterbridge/dashboard/promptqueue"
	"meterbridge/harnesses"
	"meterbridge/internal/daemon/prompting"
)

// office is a squad with a prompt queue over a real ledger.
type office struct {
	*squad
	mu      sync.Mutex
	budgets []dashboard.BudgetAnswer
	watched bool
	http    http.Handler
}

func newOffice(t *testing.T) *office {
	t.Helper()
	o := &office{squad: newSquad(t)}
	m := o.meter
	room, err := prompting.New(t.Context(), prompting.Options{
		Fleet: o.fleet, Harnesses: []harnesses.Harness{{ID: "toy", Hooks: &harnesses.Hooks{Facts: toyFacts}}}, Store: m.ledger, Now: time.Now,
		Watched: func() bool { return o.watched },
		Budgets: func(context.Context) ([]dashboard.BudgetAnswer, error) {
			o.mu.Lock()
			defer o.mu.Unlock()
			return o.budgets, nil
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	m.fleet, m.prompting = o.fleet, room
	t.Cleanup(func() { m.fleet, m.prompting = nil, nil })
	send, err := newSendTool(o.fleet, room)
	if err != nil {
		t.Fatal(err)
	}
	o.tools["agent_send"] = send
	mux := http.NewServeMux()
	for path, h := range promptqueue.Handlers(queueFace{m}, nil) {
		mux.Handle(path, h)
	}
	o.http = mux
	return o
}

// The refusals of an agent's prompt over MCP, in the order of the contract: each row
// is wrong in its own way, and the rows before it are mended.
func TestQueue_RefusalsOverMCP(t *testing.T) {
	o := newOffice(t)
	send := func(to, rest string) string {
		t.Helper()
		_, code := o.call("agent_send", fmt.Sprintf(`{"agent":%q,"text":"do it"%s}`, to, rest))
		return code
	}
	want := func(name string, got string, code queue.Code) {
		t.Helper()
		if got != string(code) {
			t.Errorf("%s: %q, want %s", name, got, code)
		}
	}
	danger, err := o.fleet.Start(t.Context(), agents.Start{Harness: "toy", Name: "danger", Dir: t.TempDir(), Dangerous: true})
	if err != nil {
		t.Fatal(err)
	}
	want("an agent that is not there", send("nobody", ""), queue.CodeNotFound)
	want("a shell", send("shell", ""), queue.CodeNotFound)
	want("no link", send("peer", ""), queue.CodeNotConnected)
	o.link(o.peer)
	o.link(danger)
	o.hook(o.peer, `{"Kind":"turn","Turn":"t1"}`)
	o.becomes(o.peer, meterbridge.Working)
	o.mu.Lock()
	o.budgets = []dashboard.BudgetAnswer{{Name: "daily", Scope: "all", Action: "hold"}}
	o.budgets[0].Reached = true
	o.mu.Unlock()
	want("a budget", send("peer", `,"whenBusy":"fail"`), queue.CodeBudget)
	o.mu.Lock()
	o.budgets = nil
	o.mu.Unlock()
	waitFor(t, func() bool {
		held, err := o.meter.prompting.Held(t.Context(), o.peer.ID)
		return err == nil && held == ""
	})
	want("busy", send("peer", `,"whenBusy":"fail"`), queue.CodeBusy)
	want("nobody sees it", send("danger", ""), queue.CodeNotVisible)
	o.watched = true
	declined := make(chan error, 1)
	go func() {
		for o.meter.prompting.Queue() != nil && t.Context().Err() == nil {
			for _, p := range o.meter.prompting.Queue().Open(danger.ID) {
				declined <- o.meter.DecidePrompt(p.ID, false)
				return
			}
		}
	}()
	want("a person declines", send("danger", ""), queue.CodeCancelled)
	if err := <-declined; err != nil {
		t.Error(err)
	}
	want("a command of the agent", func() string {
		_, code := o.call("agent_send", `{"agent":"peer","text":"!ls"}`)
		return code
	}(), queue.CodeInvalid)
	if _, err := o.fleet.Agents().Stop(t.Context(), "peer"); err != nil {
		t.Fatal(err)
	}
	want("one that does not run", send("peer", ""), queue.CodeUnavailable)
	for range queue.PerMinute {
		_ = send("peer", "")
	}
	want("too many", send("peer", ""), queue.CodeRate)
}

// waitFor waits until something holds; the test's own limit ends it.
func waitFor(t *testing.T, holds func() bool) {
	t.Helper()
	beat := time.NewTicker(20 * time.Millisecond)
	defer beat.Stop()
	for !holds() {
		select {
		case <-beat.C:
		case <-t.Context().Done():
			t.Fatal("it never held")
		}
	}
}

// A person's refusals are the same over HTTP and as the commands see them.
func TestQueue_RefusalsOfAPerson(t *testing.T) {
	o := newOffice(t)
	stopped := o.start("toy", "stopped")
	if _, err := o.fleet.Agents().Stop(t.Context(), stopped.ID); err != nil {
		t.Fatal(err)
	}
	o.hook(o.peer, `{"Kind":"turn","Turn":"t1"}`)
	o.becomes(o.peer, meterbridge.Working)
	for _, c := range []struct {
		agent, body string
		status      int
		code        queue.Code
	}{
		{"nobody", `{"text":"x"}`, 404, queue.CodeNotFound},
		{"shell", `{"text":"x"}`, 404, queue.CodeNotFound},
		{"peer", `{"text":""}`, 422, queue.CodeInvalid},
		{"peer", `{"text":"/exit"}`, 422, queue.CodeInvalid},
		{"peer", `{"text":"x","whenBusy":"fail"}`, 409, queue.CodeBusy},
		{"stopped", `{"text":"x"}`, 409, queue.CodeUnavailable},
		{"peer", `{"text":"x","after":"nobody"}`, 404, ""},
		{"peer", `{"text":"x","whenBusy":"maybe"}`, 422, queue.CodeInvalid},
		{"peer", `{"txt":"x"}`, 422, queue.CodeInvalid},
	} {
		w := o.ask(http.MethodPost, "/api/v1/agents/"+c.agent+"/prompts", c.body)
		if w.Code != c.status || !strings.Contains(w.Body.String(), string(c.code)) {
			t.Errorf("%s %s: %d %s, want %d %s", c.agent, c.body, w.Code, w.Body, c.status, c.code)
		}
		var in promptqueue.Send
		if json.Unmarshal([]byte(c.body), &in) != nil || in.Text == "" || in.WhenBusy == "maybe" {
			continue
		}
		_, err := o.meter.Prompt(t.Context(), SendPrompt{Agent: c.agent, Text: in.Text, WhenBusy: in.WhenBusy, After: in.After})
		var fault *Fault
		var refusal *queue.Refusal
		if !errors.As(err, &fault) || fault.Hint == "" {
			t.Errorf("%s %s as a command: %v without a hint", c.agent, c.body, err)
		}
		if errors.As(err, &refusal); c.code != "" && (refusal == nil || refusal.Code != c.code) {
			t.Errorf("%s %s as a command: %v, want %s", c.agent, c.body, err, c.code)
		}
	}
}

func (o *office) ask(method, path, body string) *httptest.ResponseRecorder {
	r := httptest.NewRequest(method, path, strings.NewReader(body))
	w := httptest.NewRecorder()
	o.http.ServeHTTP(w, r)
	return w
}

// Prompts that wait are listed, edited, moved and removed over HTTP, and what ended
// is in the log.
func TestQueue_IsChangedOverHTTP(t *testing.T) {
	o := newOffice(t)
	o.hook(o.peer, `{"Kind":"turn","Turn":"t1"}`)
	o.becomes(o.peer, meterbridge.Working)
	var ids []string
	for _, text := range []string{"one", "two", "three"} {
		w := o.ask(http.MethodPost, "/api/v1/agents/peer/prompts", fmt.Sprintf(`{"text":%q}`, text))
		var p PromptAnswer
		if err := json.Unmarshal(w.Body.Bytes(), &p); err != nil || p.State != "queued" {
			t.Fatalf("%d %s", w.Code, w.Body)
		}
		ids = append(ids, p.ID)
	}
	for _, c := range []struct{ method, id, body string }{
		{http.MethodPatch, ids[2], `{"place":1}`}, {http.MethodPatch, ids[0], `{"text":"first"}`}, {http.MethodDelete, ids[1], ""},
	} {
		if w := o.ask(c.method, "/api/v1/queue/"+c.id, c.body); w.Code != http.StatusOK {
			t.Errorf("%s %s: %d %s", c.method, c.body, w.Code, w.Body)
		}
	}
	if w := o.ask(http.MethodDelete, "/api/v1/queue/"+ids[1], ""); w.Code != http.StatusNotFound {
		t.Errorf("removed twice: %d %s", w.Code, w.Body)
	}
	texts := func(path string) (list []string) {
		var l PromptList
		w := o.ask(http.MethodGet, path, "")
		if err := json.Unmarshal(w.Body.Bytes(), &l); err != nil {
			t.Fatalf("%v: %s", err, w.Body)
		}
		for _, p := range l.Rows {
			list = append(list, p.Text+" "+p.State)
		}
		return list
	}
	if diff := cmp.Diff([]string{"three queued", "first queued"}, texts("/api/v1/queue?agent=peer")); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
	if diff := cmp.Diff([]string{"two dropped"}, texts("/api/v1/queue/log?last=5")); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
	waiting, delivered := o.meter.prompting.Waiting(), o.meter.prompting.Delivered()
	if diff := cmp.Diff(map[string]int{"toy": 2}, waiting); diff != "" {
		t.Errorf("waiting (-want +got)\n%s", diff)
	}
	if diff := cmp.Diff(map[string]map[string]int64{"toy": {"queued": 3, "dropped": 1}}, delivered); diff != "" {
		t.Errorf("delivered (-want +got)\n%s", diff)
	}
	if _, code := o.call("agent_send", `{"agent":"peer","text":"x"}`); code != bridge.CodeNotConnected {
		t.Errorf("an agent without a link: %q", code)
	}
}

// Each operation of the queue that the document has is asked for, and its answers and
// refusals are as the document says.
func TestQueue_AnswersAsTheDocumentSays(t *testing.T) {
	o := newOffice(t)
	o.hook(o.peer, `{"Kind":"turn","Turn":"t1"}`)
	o.becomes(o.peer, meterbridge.Working)
	_, schema := describedAnswers(t)
	var p PromptAnswer
	todo := map[string]bool{}
	for path, methods := range documented(t) {
		if path = strings.TrimPrefix(path, api.Prefix); onQueue(path) || strings.HasSuffix(path, "/queue/go") {
			for _, m := range methods {
				todo[m+" "+path] = true
			}
		}
	}
	for _, c := range []struct {
		method, path, body string
		status             int
	}{
		{http.MethodPost, "/agents/{id}/prompts", `{"text":"one","whenBusy":"queue","submit":true,"command":false}`, 200},
		{http.MethodPost, "/agents/{id}/prompts", `{"words":"one"}`, 422},
		{http.MethodPost, "/agents/{id}/prompts", `{"text":"one","whenBusy":"perhaps"}`, 422},
		{http.MethodGet, "/agents/{id}/prompts", "", 200},
		{http.MethodGet, "/queue", "", 200},
		{http.MethodPatch, "/queue/{prompt}", `{"text":"two","place":1}`, 200},
		{http.MethodPatch, "/queue/{prompt}", `{}`, 422},
		{http.MethodPost, "/queue/{prompt}/decision", `{"send":true}`, 404},
		{http.MethodPost, "/agents/{id}/queue/go", "", 200},
		{http.MethodDelete, "/queue/{prompt}", "", 200},
		{http.MethodDelete, "/queue/{prompt}", "", 404},
		{http.MethodGet, "/queue/log", "", 200},
	} {
		delete(todo, c.method+" "+c.path)
		w := o.ask(c.method, api.Prefix+strings.NewReplacer("{id}", "peer", "{prompt}", p.ID).Replace(c.path), c.body)
		what := fmt.Sprintf("%s %s %s", c.method, c.path, c.body)
		if w.Code != c.status {
			t.Errorf("%s: %d %s, want %d", what, w.Code, w.Body, c.status)
			continue
		}
		media := "application/json"
		if c.status >= 400 {
			media = problem.ContentType
		}
		check(t, schema(strings.ToLower(c.method), c.path, fmt.Sprint(c.status), media), what, w.Body.Bytes())
		if p.ID == "" {
			if err := json.Unmarshal(w.Body.Bytes(), &p); err != nil {
				t.Fatal(err)
			}
		}
	}
	for op := range todo {
		t.Errorf("%s is described and not asked for", op)
	}
}

// A budget that stops presses the interrupt key once for each turn.
func TestQueue_ABudgetStopsATurnOnce(t *testing.T) {
	o := newOffice(t)
	o.hook(o.peer, `{"Kind":"turn","Turn":"t1"}`)
	o.becomes(o.peer, meterbridge.Working)
	spent := []dashboard.BudgetAnswer{{Name: "daily", Scope: "harness", Match: ptrTo("toy"), Action: "stop"}, {Name: "other", Scope: "harness", Match: ptrTo("none"), Action: "stop"}}
	for i := range spent {
		spent[i].Reached = true
	}
	// The keys of the toy are ^C: its program ends by it.
	o.meter.prompting.Brake(t.Context(), spent)
	o.becomes(o.peer, meterbridge.Exited)
	if now, _ := o.fleet.Agents().Get(o.lead.ID); now.Status != meterbridge.Idle {
		t.Errorf("an agent that does not work became %s", now.Status)
	}
}

func ptrTo(s string) *string { return &s }
