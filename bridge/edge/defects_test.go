package edge

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"meterbridge/bridge"
	"meterbridge/bridge/registry"
)

// The tests of this file are those of mcp-go's defects at our edge; that mcp-go
// has them still, engine_test.go shows.

// Defect 2: bodies are read whole however large they are.
func TestEdge_BodyCap(t *testing.T) {
	w := newWorld(t, func(o *Options) { o.Limits.Body = 1000 })
	h := w.open("anna", legacyVersion)
	body := called("1", "echo", `{"text":"hi"}`, "")
	fits := strings.Repeat(" ", 1000-len(body)) + body
	for _, c := range []struct {
		name, body string
		header     headers
		status     int
	}{
		{"exactly the limit", fits, nil, http.StatusOK},
		{"one byte more", " " + fits, nil, http.StatusRequestEntityTooLarge},
		{"much more", strings.Repeat(" ", 1<<20) + fits, nil, http.StatusRequestEntityTooLarge},
	} {
		a := w.post("anna", h, c.body)
		if a.status != c.status || (c.status != http.StatusOK && a.code() != -32004) {
			t.Errorf("%s: %d %s, want %d", c.name, a.status, a.body, c.status)
		}
	}
	chunked := w.request(t.Context(), http.MethodPost, "anna", h, struct{ *strings.Reader }{strings.NewReader(" " + fits)})
	if a := w.do(chunked); a.status != http.StatusRequestEntityTooLarge {
		t.Errorf("without a length: %d %s", a.status, a.body)
	}
}

// Defect 3: a cancellation is keyed by the request's id alone where there is no
// session, so it kills whoever has the same id.
func TestEdge_CrossClientCancel(t *testing.T) {
	w := newWorld(t, nil)
	cancel := `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":7}}`
	anna, annas, ben := w.open("anna", legacyVersion), w.open("anna", legacyVersion), w.open("ben", legacyVersion)
	mh, mbody := modernly("7", "tools/call", `"name":"slow","arguments":{}`, "slow")
	for _, victim := range []struct {
		name, body string
		header     headers
	}{{"legacy", called("7", "slow", "{}", ""), anna}, {"modern", mbody, mh}} {
		got := make(chan answer, 1)
		go func() { got <- w.post("anna", victim.header, victim.body) }()
		ctx := <-w.slow
		for name, h := range map[string]headers{
			"another client": ben, "no session": nil, "another session": annas, "modern": {"Mcp-Protocol-Version": modernVersion},
			"a stranger's session": {"Mcp-Session-Id": anna["Mcp-Session-Id"], "Mcp-Protocol-Version": legacyVersion},
		} {
			who := "ben"
			if name == "another session" || name == "modern" {
				who = "anna"
			}
			if a := w.post(who, h, cancel); a.status != http.StatusAccepted {
				t.Errorf("%s, cancelled by %s: %d %s", victim.name, name, a.status, a.body)
			}
			if ctx.Err() != nil {
				t.Fatalf("%s: %s cancelled it", victim.name, name)
			}
		}
		w.release <- struct{}{}
		if a := <-got; a.toolResult().Content[0].Text != "released" {
			t.Errorf("%s: %d %s", victim.name, a.status, a.body)
		}
	}
}

// Defect 4: what a handler sends right before it returns is lost.
func TestEdge_NotificationsBeforeResponse(t *testing.T) {
	w := newWorld(t, nil)
	h := w.open("anna", legacyVersion)
	for i := range 20 {
		checkSteps(t, w.post("anna", h, called(fmt.Sprint(i), "steps", `{"n":8}`, `"t"`)), "anna", 8)
		mh, body := modernly(fmt.Sprint(i), "tools/call", `"name":"steps","arguments":{"n":8}`, "steps")
		checkSteps(t, w.post("anna", mh, body), "anna", 8)
	}
}

// checkSteps expects n progress messages of who in order, then the answer.
func checkSteps(t *testing.T, a answer, who string, n int) {
	t.Helper()
	var got, want []string
	for _, m := range a.messages {
		var p struct {
			Progress int
			Message  string
		}
		_ = json.Unmarshal(m.Params, &p)
		got = append(got, fmt.Sprint(m.Method, p.Progress, p.Message, m.Result != nil))
	}
	for i := range n {
		want = append(want, fmt.Sprint("notifications/progress", i+1, fmt.Sprintf("%s %d", who, i+1), false))
	}
	if d := cmp.Diff(append(want, fmt.Sprint("", 0, "", true)), got); d != "" {
		t.Errorf("messages (-want +got)\n%s", d)
	}
}

// Defect 5: calls of one session take each other's notifications.
func TestEdge_ConcurrentProgressIsolated(t *testing.T) {
	w := newWorld(t, nil)
	sessions := map[string]headers{"anna": w.open("anna", legacyVersion), "ben": w.open("ben", legacyVersion)}
	var all sync.WaitGroup
	for who, h := range sessions {
		for i := range 10 {
			all.Go(func() {
				checkSteps(t, w.post(who, h, called(fmt.Sprint(i), "steps", `{"n":30}`, fmt.Sprint(i))), who, 30)
			})
		}
	}
	all.Wait()
}

// Defect 6: a cancelled request is answered.
func TestEdge_NoAnswerAfterCancel(t *testing.T) {
	w := newWorld(t, nil)
	h := w.open("anna", legacyVersion)
	for _, token := range []string{"", `"t"`} {
		got := make(chan answer, 1)
		go func() { got <- w.post("anna", h, called(`"a"`, "slow", "{}", token)) }()
		ctx := <-w.slow
		w.post("anna", h, `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":"a"}}`)
		<-ctx.Done()
		if a := <-got; len(a.messages) != 0 || a.status != http.StatusOK {
			t.Errorf("answered: %d %s", a.status, a.body)
		}
	}
	// In the era without sessions the closed connection is the cancellation.
	mh, body := modernly("1", "tools/call", `"name":"slow","arguments":{}`, "slow")
	gone, leave := context.WithCancel(t.Context())
	r := w.request(gone, http.MethodPost, "anna", mh, strings.NewReader(body))
	go func() {
		if resp, err := http.DefaultClient.Do(r); err == nil {
			resp.Body.Close()
		}
	}()
	ctx := <-w.slow
	leave()
	<-ctx.Done()
}

// Before 2026-07-28 a lost connection is no cancellation.
func TestEdge_LegacyCallOutlivesItsConnection(t *testing.T) {
	w := newWorld(t, nil)
	h := w.open("anna", legacyVersion)
	gone, leave := context.WithCancel(t.Context())
	r := w.request(gone, http.MethodPost, "anna", h, strings.NewReader(called("1", "slow", "{}", "")))
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		if resp, err := http.DefaultClient.Do(r); err == nil {
			resp.Body.Close()
		}
	}()
	ctx := <-w.slow
	leave()
	<-ended
	if ctx.Err() != nil {
		t.Error("the call was cancelled with its connection")
	}
	resp, err := http.DefaultClient.Do(w.request(t.Context(), http.MethodDelete, "anna", h, nil))
	if err != nil {
		t.Fatal(err)
	}
	resp.Body.Close()
	<-ctx.Done() // but the session's end is
}

// Defect 7: a handler's error becomes an error of the protocol.
func TestEdge_HandlerErrorIsToolError(t *testing.T) {
	w := newWorld(t, nil)
	h := w.open("anna", legacyVersion)
	for name, want := range map[string]string{"fails": "the disk is full", "panics": "INTERNAL: panics broke: no way out"} {
		a := w.post("anna", h, called("1", name, "{}", ""))
		if r := a.toolResult(); a.code() != 0 || !r.IsError || r.Content[0].Text != want {
			t.Errorf("%s: %s, want %q", name, a.body, want)
		}
	}
}

// Defect 8: faults of arguments are told as a Go struct.
func TestEdge_ReadableValidation(t *testing.T) {
	w := newWorld(t, nil)
	h := w.open("anna", legacyVersion)
	for args, want := range map[string]string{
		`{}`:                               "INVALID_PARAMS: needs `text`",
		`{"text":"hi","txt":1}`:            "INVALID_PARAMS: does not know `txt`",
		`{"Text":"hi"}`:                    "INVALID_PARAMS: needs `text`\ndoes not know `Text`",
		`{"text":7}`:                       "INVALID_PARAMS: `/text`: is a number, must be a string",
		`{"text":"012345678901234567890"}`: "INVALID_PARAMS: `/text`: longer than 20",
		`{"text":"hi","a~b/c":1}`:          "INVALID_PARAMS: does not know `a~b/c`",
		`[]`:                               "INVALID_PARAMS: is an array, must be an object",
		`null`:                             "INVALID_PARAMS: needs `text`",
		`{"text":"` + strings.Repeat("x", 300<<10) + `"}`: "INVALID_PARAMS: the arguments are larger than 262144 bytes",
	} {
		a := w.post("anna", h, called("1", "echo", args, ""))
		if r := a.toolResult(); !r.IsError || r.Content[0].Text != want {
			t.Errorf("%.60s\n got %s\nwant %s", args, a.body, want)
		}
	}
}

// Defect 9: keys are matched whatever their case, and the last of two wins.
func TestEdge_OddCaseAndDuplicateKeys(t *testing.T) {
	w := newWorld(t, nil)
	h := w.open("anna", legacyVersion)
	for _, body := range []string{
		`{"jsonrpc":"2.0","id":1,"METHOD":"tools/list"}`,
		`{"jsonrpc":"2.0","id":1,"method":"ping","Method":"tools/list"}`,
		`{"jsonrpc":"2.0","id":1,"method":"ping","method":"tools/list"}`,
		`{"jsonrpc":"2.0","id":1,"ID":2,"method":"tools/list"}`,
		`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"echo","NAME":"fails","arguments":{}}}`,
		`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"echo","name":"fails","arguments":{}}}`,
		`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"Name":"echo"}}`,
		`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"echo","arguments":{"text":"a","text":"b"}}}`,
		`[{"jsonrpc":"2.0","id":1,"method":"ping"}]`,
	} {
		if a := w.post("anna", h, body); a.status != http.StatusBadRequest || a.code() != -32600 {
			t.Errorf("%s: %d %s", body, a.status, a.body)
		}
	}
	for _, body := range []string{`{"jsonrpc"`, ``, `{"jsonrpc":"2.0","id":1,"method":"ping"}{}`, "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"p\xff\"}"} {
		if a := w.post("anna", h, body); a.status != http.StatusBadRequest || a.code() != -32700 {
			t.Errorf("%q: %d %s", body, a.status, a.body)
		}
	}
}

// Defect 10: a hundred notifications fit, then they are dropped, the newest first.
func TestEdge_NotificationFlood(t *testing.T) {
	w := newWorld(t, nil)
	a := w.post("anna", w.open("anna", legacyVersion), called("1", "steps", `{"n":5000}`, `"t"`))
	var last int
	for _, m := range a.messages[:len(a.messages)-1] {
		var p struct{ Progress int }
		if err := json.Unmarshal(m.Params, &p); err != nil || p.Progress <= last {
			t.Fatalf("progress %d after %d (%v)", p.Progress, last, err)
		}
		last = p.Progress
	}
	if last != 5000 || a.toolResult().Content[0].Text != "done" {
		t.Errorf("ended with progress %d and %s", last, a.last().Result)
	}
}

// Progress is slowed down, and a call that says nothing shows that it runs.
func TestEdge_ProgressIsPaced(t *testing.T) {
	now := time.Now()
	w := newWorld(t, func(o *Options) {
		o.Limits.ProgressGap, o.Limits.Heartbeat = time.Minute, time.Millisecond
		o.Now = func() time.Time { return now }
	})
	h := w.open("anna", legacyVersion)
	checkSteps(t, w.post("anna", h, called("1", "steps", `{"n":50}`, `"t"`)), "anna", 1)
	if a := w.post("anna", h, called("1", "steps", `{"n":50}`, "")); len(a.messages) != 1 {
		t.Errorf("a client that did not ask is told: %s", a.body)
	}
	w2 := newWorld(t, func(o *Options) { o.Limits.Heartbeat = time.Millisecond })
	h = w2.open("anna", legacyVersion)
	told := w2.listen(w2.request(t.Context(), http.MethodPost, "anna", h, strings.NewReader(called("1", "slow", `{}`, `"t"`))))
	if m := <-told; m.Method != "notifications/progress" || !strings.Contains(string(m.Params), "still running (0 s)") {
		t.Errorf("a quiet call: %+v", m)
	}
	w2.release <- struct{}{}
	for m := range told {
		if m.Result != nil {
			return
		}
	}
	t.Error("the call has no answer")
}

// Defect 12: any well-formed id is a session, DELETE does not end it, and idle
// ones stay for ever.
func TestEdge_SessionLifecycle(t *testing.T) {
	w := newWorld(t, nil)
	ping := `{"jsonrpc":"2.0","id":1,"method":"ping"}`
	h := w.open("anna", legacyVersion)
	with := func(id string) headers { return headers{"Mcp-Session-Id": id} }
	for _, c := range []struct {
		name, who string
		h         headers
		status    int
	}{
		{"its own", "anna", h, http.StatusOK},
		{"none", "anna", nil, http.StatusBadRequest},
		{"well formed, unknown", "anna", with(strings.Repeat("0", 32)), http.StatusNotFound},
		{"somebody else's", "ben", h, http.StatusNotFound},
	} {
		if a := w.post(c.who, c.h, ping); a.status != c.status {
			t.Errorf("%s: %d %s, want %d", c.name, a.status, a.body, c.status)
		}
	}
	if a := w.do(w.request(t.Context(), http.MethodDelete, "ben", h, nil)); a.status != http.StatusNotFound {
		t.Errorf("deleted by somebody else: %d", a.status)
	}
	if a := w.do(w.request(t.Context(), http.MethodDelete, "anna", h, nil)); a.status != http.StatusNoContent {
		t.Errorf("deleted: %d %s", a.status, a.body)
	}
	if a := w.post("anna", h, ping); a.status != http.StatusNotFound {
		t.Errorf("after DELETE: %d %s", a.status, a.body)
	}
}

func TestEdge_SessionIdle(t *testing.T) {
	var mu sync.Mutex
	now := time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC)
	pass := func(d time.Duration) {
		mu.Lock()
		defer mu.Unlock()
		now = now.Add(d)
	}
	w := newWorld(t, func(o *Options) {
		o.Limits.Sessions = 3
		o.Now = func() time.Time {
			mu.Lock()
			defer mu.Unlock()
			return now
		}
	})
	ping := `{"jsonrpc":"2.0","id":1,"method":"ping"}`
	h := w.open("anna", legacyVersion)
	for range 3 {
		pass(29 * time.Minute)
		if a := w.post("anna", h, ping); a.status != http.StatusOK {
			t.Fatalf("in use: %d %s", a.status, a.body)
		}
	}
	pass(31 * time.Minute)
	if a := w.post("anna", h, ping); a.status != http.StatusNotFound || w.edge.Sessions() != 0 {
		t.Errorf("idle for 31 min: %d, %d sessions", a.status, w.edge.Sessions())
	}
	// Of too many, the one that was not used the longest makes room; one in use never.
	busy := w.open("anna", legacyVersion)
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		w.post("anna", busy, called("1", "slow", "{}", ""))
	}()
	<-w.slow
	var idle []headers
	for range 3 {
		pass(time.Minute)
		idle = append(idle, w.open("anna", legacyVersion))
	}
	for i, want := range []int{http.StatusNotFound, http.StatusOK, http.StatusOK} {
		if a := w.post("anna", idle[i], ping); a.status != want {
			t.Errorf("session %d: %d, want %d", i, a.status, want)
		}
	}
	if a := w.post("anna", busy, `{"jsonrpc":"2.0","id":2,"method":"ping"}`); a.status != http.StatusOK {
		t.Errorf("the one in use: %d %s", a.status, a.body)
	}
	pass(time.Hour)
	if n := w.edge.Sessions(); n != 1 {
		t.Errorf("%d sessions are left, want the one in use", n)
	}
	w.release <- struct{}{}
	<-ended
}

// Defect 14: a read-only tool is called destructive.
func TestEdge_Annotations(t *testing.T) {
	w := newWorld(t, nil)
	a := w.post("anna", w.open("anna", legacyVersion), `{"jsonrpc":"2.0","id":1,"method":"tools/list"}`)
	var list struct {
		Tools []struct {
			Name        string
			Annotations map[string]any
		}
	}
	if err := json.Unmarshal(a.last().Result, &list); err != nil || len(list.Tools) != 5 {
		t.Fatalf("%v: %s", err, a.body)
	}
	want := map[string]any{"readOnlyHint": true, "destructiveHint": false, "idempotentHint": true, "openWorldHint": false}
	for _, tool := range list.Tools {
		if d := cmp.Diff(want, tool.Annotations); d != "" {
			t.Errorf("%s (-want +got)\n%s", tool.Name, d)
		}
	}
}

// Defect 15: in the era without sessions every stream hears of every change.
func TestEdge_ListChangedPerAgent(t *testing.T) {
	w := newWorld(t, nil)
	seen := map[string]<-chan message{}
	for _, who := range []string{"anna", "ben"} {
		get := w.request(t.Context(), http.MethodGet, who, w.open(who, legacyVersion), nil)
		seen[who+" legacy"] = w.listen(get)
		h, body := modernly(`"s"`, "subscriptions/listen", `"notifications":{"toolsListChanged":true,"promptsListChanged":true}`, "")
		seen[who+" modern"] = w.listen(w.request(t.Context(), http.MethodPost, who, h, strings.NewReader(body)))
		want := `{"_meta":{"io.modelcontextprotocol/subscriptionId":"s"},"notifications":{"toolsListChanged":true}}`
		if m := <-seen[who+" modern"]; m.Method != "notifications/subscriptions/acknowledged" || string(m.Params) != want {
			t.Fatalf("acknowledged: %+v, want %s", m, want)
		}
	}
	onlyBen := func(who bridge.Identity, tool string) bool { return tool != "slow" || who.Agent == "ben" }
	if err := w.tools.Set(w.all(), onlyBen); err != nil {
		t.Fatal(err)
	}
	for _, era := range []string{"legacy", "modern"} {
		if m := <-seen["anna "+era]; m.Method != "notifications/tools/list_changed" {
			t.Errorf("anna %s is told %+v", era, m)
		}
	}
	// Ben is told of the next change only, which is everybody's.
	nobody := func(who bridge.Identity, tool string) bool {
		return tool != "fails" && (tool != "slow" || who.Agent == "ben")
	}
	if err := w.tools.Set(w.all()[:4], nobody); err != nil {
		t.Fatal(err)
	}
	for _, stream := range []string{"anna legacy", "anna modern", "ben legacy", "ben modern"} {
		if m := <-seen[stream]; m.Method != "notifications/tools/list_changed" || len(seen[stream]) > 0 {
			t.Errorf("%s is told %+v and %d more", stream, m, len(seen[stream]))
		}
	}
	// What is not allowed is not listed, and a call of it says so.
	h := w.open("anna", legacyVersion)
	if a := w.post("anna", h, called("1", "slow", "{}", "")); a.status != http.StatusForbidden || a.code() != -32010 {
		t.Errorf("not turned on: %d %s", a.status, a.body)
	}
	if a := w.post("anna", h, called("1", "nothing", "{}", "")); a.status != http.StatusOK || a.code() != -32602 {
		t.Errorf("unknown: %d %s", a.status, a.body)
	}
	if a := w.post("anna", h, `{"jsonrpc":"2.0","id":1,"method":"tools/list"}`); strings.Contains(a.body, `"slow"`) || !strings.Contains(a.body, `"steps"`) {
		t.Errorf("listed: %s", a.body)
	}
	// The stream of the era without sessions ends with its result.
	w.edge.Close()
	if m := <-seen["anna modern"]; !strings.Contains(string(m.Result), `"resultType":"complete"`) || string(m.ID) != `"s"` {
		t.Errorf("the stream ends with %+v", m)
	}
}

// listen opens a stream and passes its messages on.
func (w *world) listen(r *http.Request) <-chan message {
	w.t.Helper()
	resp, err := http.DefaultClient.Do(r)
	if err != nil || resp.StatusCode != http.StatusOK {
		w.t.Fatalf("%v: %+v", err, resp)
	}
	list := make(chan message, 100)
	go func() {
		defer close(list)
		defer resp.Body.Close()
		lines := newLines(resp.Body)
		for lines.Scan() {
			if data, ok := strings.CutPrefix(lines.Text(), "data: "); ok {
				list <- decode(w.t, data)
			}
		}
	}()
	return list
}

// Nothing that is registered makes mcp-go panic.
func TestRegistry_NoPanicOnClash(t *testing.T) {
	w := newWorld(t, nil)
	for name, tools := range map[string][]bridge.Tool{
		"twice":           append(w.all(), w.all()[0]),
		"a header twice":  {tool("a", `{"type":"object","properties":{"a":{"type":"string","x-mcp-header":"X"},"b":{"type":"string","x-mcp-header":"x"}}}`, "", w.all()[0].Call)},
		"no name":         {tool("", anything, "", w.all()[0].Call)},
		"a wrong name":    {tool("A-b", anything, "", w.all()[0].Call)},
		"no schema":       {tool("a", ``, "", w.all()[0].Call)},
		"a wrong schema":  {tool("a", `{"type":"objekt"}`, "", w.all()[0].Call)},
		"a remote schema": {tool("a", `{"$ref":"https://example.com/x.json"}`, "", w.all()[0].Call)},
		"a wrong output":  {tool("a", anything, `{"type":7}`, w.all()[0].Call)},
		"nothing to call": {tool("a", anything, "", nil)},
	} {
		if err := w.tools.Set(tools, nil); err == nil {
			t.Errorf("%s: registered", name)
		}
	}
	if got := len(w.tools.Snapshot().Entries()); got != 5 {
		t.Errorf("%d tools after refusals, want the 5 from before", got)
	}
	if _, err := registry.New(); err != nil {
		t.Error(err)
	}
}
