package edge

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// What is answered to each kind of request, over raw HTTP, in both eras.
func TestEdge_LegacyMatrix(t *testing.T) {
	w := newWorld(t, nil)
	for _, version := range []string{"2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"} {
		h := w.open("anna", version)
		with := func(name, value string) headers {
			out := headers{name: value}
			for k, v := range h {
				if _, set := out[k]; !set {
					out[k] = v
				}
			}
			return out
		}
		list := `{"jsonrpc":"2.0","id":1,"method":"tools/list"}`
		for _, c := range []struct {
			name, who, body string
			h               headers
			status, code    int
		}{
			{"list", "anna", list, h, 200, 0},
			{"ping", "anna", `{"jsonrpc":"2.0","id":"p","method":"ping"}`, h, 200, 0},
			{"without the version's header", "anna", list, with("Mcp-Protocol-Version", ""), 200, 0},
			{"an unknown version", "anna", list, with("Mcp-Protocol-Version", "2025-01-01"), 400, -32022},
			{"no session", "anna", list, with("Mcp-Session-Id", ""), 400, -32600},
			{"no such session", "anna", list, with("Mcp-Session-Id", "x"), 404, -32600},
			{"another caller's session", "ben", list, h, 404, -32600},
			{"a wrong credential", "wrong", list, h, 401, -32001},
			{"an unknown method", "anna", `{"jsonrpc":"2.0","id":1,"method":"tools/find"}`, h, 200, -32601},
			{"prompts, which are not declared", "anna", `{"jsonrpc":"2.0","id":1,"method":"prompts/list"}`, h, 200, -32601},
			{"discover, of the other era", "anna", `{"jsonrpc":"2.0","id":1,"method":"server/discover"}`, h, 200, -32601},
			{"an unknown tool", "anna", called("1", "nothing", "{}", ""), h, 200, -32602},
			{"a notification", "anna", `{"jsonrpc":"2.0","method":"notifications/roots/list_changed"}`, h, 202, 0},
			{"a notification without a session", "anna", `{"jsonrpc":"2.0","method":"notifications/initialized"}`, nil, 400, -32600},
			{"a response to nothing", "anna", `{"jsonrpc":"2.0","id":9,"result":{}}`, h, 202, 0},
			{"text", "anna", list, with("Content-Type", "text/plain"), 415, -32600},
			{"no type", "anna", list, with("Content-Type", ""), 415, -32600},
			{"compressed", "anna", list, with("Content-Encoding", "gzip"), 415, -32600},
			{"json with a charset", "anna", list, with("Content-Type", "application/json; charset=utf-8"), 200, 0},
			{"accepts anything", "anna", list, with("Accept", "*/*"), 200, 0},
			{"accepts nothing named", "anna", list, with("Accept", ""), 200, 0},
			{"accepts JSON alone", "anna", list, with("Accept", "application/json"), 406, -32600},
			{"accepts HTML", "anna", list, with("Accept", "text/html"), 406, -32600},
		} {
			a := w.post(c.who, c.h, c.body)
			if a.status != c.status || a.code() != c.code {
				t.Errorf("%s, %s: %d %s, want %d %d", version, c.name, a.status, a.body, c.status, c.code)
			}
		}
		for method, status := range map[string]int{http.MethodPut: 405, http.MethodHead: 405, http.MethodOptions: 405, http.MethodPatch: 405} {
			if a := w.do(w.request(t.Context(), method, "anna", h, nil)); a.status != status || a.header.Get("Allow") != "GET, POST, DELETE" {
				t.Errorf("%s %s: %d %v", version, method, a.status, a.header)
			}
		}
		if a := w.do(w.request(t.Context(), http.MethodGet, "anna", with("Accept", "application/json"), nil)); a.status != 406 {
			t.Errorf("%s: a stream for one that takes none: %d", version, a.status)
		}
	}
}

func TestEdge_ModernMatrix(t *testing.T) {
	w := newWorld(t, nil)
	h, list := modernly("1", "tools/list", "", "")
	callHeaders, call := modernly("2", "tools/call", `"name":"echo","arguments":{"text":"a"}`, "echo")
	with := func(base headers, name, value string) headers {
		out := headers{name: value}
		for k, v := range base {
			if _, set := out[k]; !set {
				out[k] = v
			}
		}
		return out
	}
	for _, c := range []struct {
		name, body   string
		h            headers
		status, code int
	}{
		{"list", list, h, 200, 0},
		{"call", call, callHeaders, 200, 0},
		{"a session's id is not looked at", list, with(h, "Mcp-Session-Id", "x"), 200, 0},
		{"no version in the header", list, with(h, "Mcp-Protocol-Version", ""), 400, -32020},
		{"another version in the header", list, with(h, "Mcp-Protocol-Version", "2025-11-25"), 400, -32020},
		{"no version in the body", `{"jsonrpc":"2.0","id":1,"method":"tools/list"}`, h, 400, -32602},
		{"a version of the future", strings.Replace(list, modernVersion, "2027-01-01", 1), with(h, "Mcp-Protocol-Version", "2027-01-01"), 400, -32022},
		{"no capabilities", strings.Replace(list, "clientCapabilities", "nothing", 1), h, 400, -32602},
		{"no method in the header", list, with(h, "Mcp-Method", ""), 400, -32020},
		{"another method in the header", list, with(h, "Mcp-Method", "tools/call"), 400, -32020},
		{"no name in the header", call, with(callHeaders, "Mcp-Name", ""), 400, -32020},
		{"another name in the header", call, with(callHeaders, "Mcp-Name", "slow"), 400, -32020},
		{"resumption", list, with(h, "Last-Event-ID", "1"), 400, -32020},
		{"a malformed _meta", `{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{"_meta":[]}}`, h, 400, -32602},
		{"a response", `{"jsonrpc":"2.0","id":1,"result":{"_meta":{}}}`, h, 400, -32602},
		{"a notification", `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}`, h, 202, 0},
	} {
		a := w.post("anna", c.h, c.body)
		if a.status != c.status || a.code() != c.code {
			t.Errorf("%s: %d %s, want %d %d", c.name, a.status, a.body, c.status, c.code)
		}
		if a.header.Get("Mcp-Session-Id") != "" {
			t.Errorf("%s: a session was opened", c.name)
		}
	}
	for _, c := range []struct {
		method       string
		status, code int
	}{{"initialize", 404, -32601}, {"ping", 404, -32601}, {"logging/setLevel", 404, -32601}, {"tools/find", 404, -32601}, {"server/discover", 200, 0}} {
		mh, body := modernly("1", c.method, "", "")
		if a := w.post("anna", mh, body); a.status != c.status || a.code() != c.code {
			t.Errorf("%s: %d %s, want %d %d", c.method, a.status, a.body, c.status, c.code)
		}
	}
	for _, method := range []string{http.MethodGet, http.MethodDelete, http.MethodPut} {
		if a := w.do(w.request(t.Context(), method, "anna", h, nil)); a.status != 405 || a.header.Get("Allow") != http.MethodPost {
			t.Errorf("%s: %d %v", method, a.status, a.header)
		}
	}
	mh, body := modernly("1", "tools/call", `"name":"nothing","arguments":{}`, "nothing")
	if a := w.post("anna", mh, body); a.status != 200 || a.code() != -32602 {
		t.Errorf("an unknown tool: %d %s", a.status, a.body)
	}
}

// What a list of the era without sessions says of itself.
func TestEdge_ModernResults(t *testing.T) {
	w := newWorld(t, nil)
	h, body := modernly("1", "tools/list", "", "")
	a := w.post("anna", h, body)
	for _, want := range []string{`"resultType":"complete"`, `"ttlMs":5000`, `"cacheScope":"private"`, `"io.modelcontextprotocol/serverInfo"`} {
		if !strings.Contains(a.body, want) {
			t.Errorf("%s is missing in %s", want, a.body)
		}
	}
	h, body = modernly("1", "server/discover", "", "")
	if a := w.post("anna", h, body); !strings.Contains(a.body, `"supportedVersions":["2026-07-28","2025-11-25","2025-06-18","2025-03-26","2024-11-05"]`) ||
		!strings.Contains(a.body, `"capabilities":{"tools":{"listChanged":true}}`) {
		t.Errorf("discover: %s", a.body)
	}
	// Nothing that was asked for can be told: the stream ends at once.
	h, body = modernly(`"s"`, "subscriptions/listen", `"notifications":{"promptsListChanged":true}`, "")
	if a := w.post("anna", h, body); len(a.messages) != 2 || string(a.last().ID) != `"s"` {
		t.Errorf("an empty subscription: %s", a.body)
	}
}

// Ids come back as they were sent, whatever mcp-go makes of them.
func TestEdge_IDsComeBackAsTheyWere(t *testing.T) {
	w := newWorld(t, nil)
	h := w.open("anna", legacyVersion)
	for _, id := range []string{`1`, `0`, `-7`, `1.0`, `9007199254740993`, `1e3`, `""`, `"ä\n\u0041"`, `"1"`} {
		if got := string(w.post("anna", h, called(id, "echo", `{"text":"x"}`, "")).last().ID); got != id {
			t.Errorf("sent %s, came back %s", id, got)
		}
	}
}

// One caller's messages are counted, and another's are not.
func TestEdge_Rates(t *testing.T) {
	now := time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC)
	w := newWorld(t, func(o *Options) {
		o.Limits.PerMinute, o.Limits.Burst = 60, 5
		o.Now = func() time.Time { return now }
	})
	h := w.open("anna", legacyVersion) // two messages
	ping := `{"jsonrpc":"2.0","id":1,"method":"ping"}`
	var got []int
	for range 5 {
		got = append(got, w.post("anna", h, ping).status)
	}
	if d := cmp.Diff([]int{200, 200, 200, 429, 429}, got); d != "" {
		t.Errorf("(-want +got)\n%s", d)
	}
	a := w.post("anna", h, ping)
	if a.header.Get("Retry-After") != "1" || string(a.last().Error.Data) != `{"retryAfterMs":1001}` || a.code() != -32005 {
		t.Errorf("%v %s", a.header, a.body)
	}
	if a := w.post("anna", h, `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}`); a.status != 202 {
		t.Errorf("a cancellation has to wait: %d", a.status)
	}
	w.open("ben", legacyVersion)
	now = now.Add(time.Second)
	if a := w.post("anna", h, ping); a.status != 200 {
		t.Errorf("a second later: %d %s", a.status, a.body)
	}
}

// A message that does not arrive is not waited for.
func TestEdge_SlowBody(t *testing.T) {
	w := newWorld(t, func(o *Options) { o.Limits.BodyTime = 10 * time.Millisecond })
	body, feed := io.Pipe()
	defer feed.Close()
	go io.WriteString(feed, `{"jsonrpc":"2.0",`)
	a := w.do(w.request(t.Context(), http.MethodPost, "anna", nil, body))
	if a.status != http.StatusRequestTimeout {
		t.Errorf("%d %s", a.status, a.body)
	}
}

// A caller has a share of running calls, some more that wait, and no more.
func TestEdge_CallsWaitForTheirTurn(t *testing.T) {
	w := newWorld(t, func(o *Options) { o.Limits.Running, o.Limits.Waiting = 2, 1 })
	h := w.open("anna", legacyVersion)
	got := make(chan answer, 10)
	send := func(id int) { got <- w.post("anna", h, called(fmt.Sprint(id), "slow", "{}", "")) }
	for i := range 2 {
		go send(i)
		<-w.slow
	}
	// Of two more one waits and one is refused, whichever comes first.
	go send(2)
	go send(3)
	if a := <-got; !a.toolResult().IsError || !strings.HasPrefix(a.toolResult().Content[0].Text, "BUSY: 2 calls run and 1 wait") {
		t.Errorf("one too many: %s", a.body)
	}
	if a := w.post("ben", w.open("ben", legacyVersion), called("1", "echo", `{"text":"x"}`, "")); a.toolResult().IsError {
		t.Errorf("another caller: %s", a.body)
	}
	for range 3 {
		w.release <- struct{}{}
		if a := <-got; a.toolResult().Content[0].Text != "released" {
			t.Errorf("its turn came: %s", a.body)
		}
	}
}

// What the edge refuses is told to whoever counts.
func TestEdge_RefusalsAreCounted(t *testing.T) {
	seen := map[string]int{}
	w := newWorld(t, func(o *Options) { o.Refused = func(reason string) { seen[reason]++ } })
	w.post("wrong", nil, "{}")
	w.post("anna", nil, "{")
	w.post("anna", headers{"Content-Type": "text/plain"}, "{}")
	w.edge.Close()
	if a := w.post("anna", nil, "{}"); a.status != 503 || a.code() != -32011 {
		t.Errorf("after the end: %d %s", a.status, a.body)
	}
	if d := cmp.Diff(map[string]int{"credential": 1, "json": 1, "content_type": 1, "stopping": 1}, seen); d != "" {
		t.Errorf("(-want +got)\n%s", d)
	}
}

// Results lose what deceives a reader and nothing else; a large one is refused.
func TestResults_Cleaned(t *testing.T) {
	w := newWorld(t, nil)
	h := w.open("anna", legacyVersion)
	for in, want := range map[string]string{
		`a\u001b[31mb\u001b[0m`:              "ab",
		`a\u001b]0;title\u0007b`:             "ab",
		`a\u202eb\u2066c\ufeffd`:             "abcd",
		`a\udb40\udc41b`:                     "ab",
		`tab\tline\n`:                        "tab\tline\n",
		`\ud83d\udc68\u200d\ud83d\udc69 <&>`: "👨\u200d👩 <&>",
	} {
		a := w.post("anna", h, called("1", "echo", `{"text":"`+in+`"}`, ""))
		var got struct{ Text string }
		r := a.toolResult()
		if err := json.Unmarshal(r.Structured, &got); err != nil || got.Text != want {
			t.Errorf("%s: %q %v, want %q", in, got.Text, err, want)
		}
	}
}

// A call's deadline is the tool's, and the model is told.
func TestEdge_Timeout(t *testing.T) {
	w := newWorld(t, nil)
	slow := w.all()[1]
	slow.Timeout = time.Millisecond
	if err := w.tools.Set(append(w.all()[:1], slow), nil); err != nil {
		t.Fatal(err)
	}
	a := w.post("anna", w.open("anna", legacyVersion), called("1", "slow", "{}", ""))
	if r := a.toolResult(); !r.IsError || r.Content[0].Text != "TIMEOUT: slow did not answer within 1ms; ask for less, or try again" {
		t.Errorf("%s", a.body)
	}
	if ctx := <-w.slow; ctx.Err() != context.DeadlineExceeded {
		t.Errorf("the handler's context: %v", ctx.Err())
	}
}
