package edge

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"go.uber.org/goleak"

	"meterbridge/bridge"
	"meterbridge/bridge/pipeline"
	"meterbridge/bridge/registry"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// world is an edge behind a real server, whose callers are who their bearer
// token says.
type world struct {
	t     *testing.T
	tools *registry.Registry
	edge  *Edge
	url   string
	// slow is told of each call of the tool slow, with its context.
	slow chan context.Context
	// release ends one call of slow.
	release chan struct{}
}

const anything = `{"type":"object"}`

func newWorld(t *testing.T, change func(*Options)) *world {
	t.Helper()
	w := &world{t: t, slow: make(chan context.Context, 100), release: make(chan struct{})}
	var err error
	if w.tools, err = registry.New(w.all()...); err != nil {
		t.Fatal(err)
	}
	o := Options{Registry: w.tools, Version: "1.2.3", Identify: byToken, Limits: Limits{PerMinute: 1e9, Burst: 1e9, ProgressGap: -1, Limits: pipeline.Limits{CallsPerMinute: 1e9, CallBurst: 1e9}}}
	if change != nil {
		change(&o)
	}
	if w.edge, err = New(o); err != nil {
		t.Fatal(err)
	}
	s := httptest.NewServer(w.edge)
	w.url = s.URL + "/mcp"
	t.Cleanup(func() {
		w.edge.Close()
		s.Close()
		http.DefaultClient.CloseIdleConnections()
	})
	return w
}

func byToken(r *http.Request) (bridge.Identity, bool) {
	token, ok := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer ")
	return bridge.Identity{Agent: token}, ok && token != "wrong"
}

func (w *world) all() []bridge.Tool {
	return []bridge.Tool{
		tool("echo", `{"type":"object","required":["text"],"additionalProperties":false,"properties":{"text":{"type":"string","maxLength":20}}}`,
			`{"type":"object","required":["text","who"],"properties":{"text":{"type":"string"},"who":{"type":"string"}}}`,
			func(_ context.Context, who bridge.Identity, args json.RawMessage) (bridge.Result, error) {
				var in struct {
					Text string `json:"text"`
				}
				err := json.Unmarshal(args, &in)
				return bridge.Result{Text: "said", Structured: map[string]string{"text": in.Text, "who": who.Agent}}, err
			}),
		tool("slow", anything, "", func(ctx context.Context, _ bridge.Identity, _ json.RawMessage) (bridge.Result, error) {
			w.slow <- ctx
			select {
			case <-ctx.Done():
				return bridge.Result{}, ctx.Err()
			case <-w.release:
				return bridge.Result{Text: "released"}, nil
			}
		}),
		tool("steps", `{"type":"object","properties":{"n":{"type":"integer"}}}`, "",
			func(ctx context.Context, who bridge.Identity, args json.RawMessage) (bridge.Result, error) {
				var in struct {
					N int `json:"n"`
				}
				err := json.Unmarshal(args, &in)
				for i := range in.N {
					bridge.Progress(ctx, fmt.Sprintf("%s %d", who.Agent, i+1))
				}
				return bridge.Result{Text: "done"}, err
			}),
		tool("fails", anything, "", func(context.Context, bridge.Identity, json.RawMessage) (bridge.Result, error) {
			return bridge.Result{}, fmt.Errorf("the disk is full")
		}),
		tool("panics", anything, "", func(context.Context, bridge.Identity, json.RawMessage) (bridge.Result, error) {
			panic("no way out")
		}),
	}
}

func tool(name, in, out string, call func(context.Context, bridge.Identity, json.RawMessage) (bridge.Result, error)) bridge.Tool {
	t := bridge.Tool{Name: name, Description: "does " + name, Input: json.RawMessage(in), Annotations: bridge.ReadOnly(), Call: call}
	if out != "" {
		t.Output = json.RawMessage(out)
	}
	return t
}

// answer is what came back for a POST.
type answer struct {
	status   int
	header   http.Header
	body     string
	messages []message
}

type message struct {
	ID     json.RawMessage `json:"id"`
	Method string          `json:"method"`
	Params json.RawMessage `json:"params"`
	Result json.RawMessage `json:"result"`
	Error  *struct {
		Code    int
		Message string
		Data    json.RawMessage
	} `json:"error"`
}

// last is the message that ends an answer.
func (a answer) last() message {
	if len(a.messages) == 0 {
		return message{}
	}
	return a.messages[len(a.messages)-1]
}

// code is the error's, 0 without one.
func (a answer) code() int {
	if e := a.last().Error; e != nil {
		return e.Code
	}
	return 0
}

// toolResult reads the result of a tools/call.
func (a answer) toolResult() (r struct {
	Content    []struct{ Type, Text string }
	Structured json.RawMessage `json:"structuredContent"`
	IsError    bool            `json:"isError"`
},
) {
	_ = json.Unmarshal(a.last().Result, &r)
	return r
}

type headers map[string]string

func (w *world) request(ctx context.Context, method, who string, h headers, body io.Reader) *http.Request {
	w.t.Helper()
	r, err := http.NewRequestWithContext(ctx, method, w.url, body)
	if err != nil {
		w.t.Fatal(err)
	}
	r.Header.Set("Authorization", "Bearer "+who)
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Accept", "application/json, text/event-stream")
	for name, value := range h {
		if value == "" {
			r.Header.Del(name)
			continue
		}
		r.Header.Set(name, value)
	}
	return r
}

func (w *world) do(r *http.Request) answer {
	w.t.Helper()
	resp, err := http.DefaultClient.Do(r)
	if err != nil {
		w.t.Fatal(err)
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	if err != nil {
		w.t.Fatal(err)
	}
	a := answer{status: resp.StatusCode, header: resp.Header, body: string(body)}
	if strings.HasPrefix(resp.Header.Get("Content-Type"), "text/event-stream") {
		a.messages = events(w.t, string(body))
	} else if strings.HasPrefix(resp.Header.Get("Content-Type"), "application/json") && len(body) > 0 {
		a.messages = []message{decode(w.t, string(body))}
	}
	return a
}

func (w *world) post(who string, h headers, body string) answer {
	w.t.Helper()
	return w.do(w.request(w.t.Context(), http.MethodPost, who, h, strings.NewReader(body)))
}

func decode(t *testing.T, text string) (m message) {
	t.Helper()
	if err := json.Unmarshal([]byte(text), &m); err != nil {
		t.Fatalf("%q: %v", text, err)
	}
	return m
}

func events(t *testing.T, text string) (list []message) {
	t.Helper()
	lines := newLines(strings.NewReader(text))
	for lines.Scan() {
		if data, ok := strings.CutPrefix(lines.Text(), "data: "); ok {
			list = append(list, decode(t, data))
		}
	}
	return list
}

func newLines(r io.Reader) *bufio.Scanner {
	lines := bufio.NewScanner(r)
	lines.Buffer(nil, 8<<20)
	return lines
}

const legacyVersion = "2025-11-25"

// open opens a session.
func (w *world) open(who, version string) headers {
	w.t.Helper()
	a := w.post(who, nil, fmt.Sprintf(`{"jsonrpc":"2.0","id":"i","method":"initialize","params":{"protocolVersion":%q,"capabilities":{},"clientInfo":{"name":"t","version":"1"}}}`, version))
	id := a.header.Get("Mcp-Session-Id")
	if a.status != http.StatusOK || id == "" {
		w.t.Fatalf("initialize: %d %s", a.status, a.body)
	}
	h := headers{"Mcp-Session-Id": id, "Mcp-Protocol-Version": version}
	if a := w.post(who, h, `{"jsonrpc":"2.0","method":"notifications/initialized"}`); a.status != http.StatusAccepted {
		w.t.Fatalf("initialized: %d %s", a.status, a.body)
	}
	return h
}

// called is a tools/call.
func called(id, name, arguments string, token string) string {
	meta := ""
	if token != "" {
		meta = `,"_meta":{"progressToken":` + token + `}`
	}
	return fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"method":"tools/call","params":{"name":%q,"arguments":%s%s}}`, id, name, arguments, meta)
}

const modernVersion = "2026-07-28"

// modernly is a request of the era without sessions, with its headers.
func modernly(id, method, params, name string) (headers, string) {
	meta := fmt.Sprintf(`"_meta":{"io.modelcontextprotocol/protocolVersion":%q,"io.modelcontextprotocol/clientCapabilities":{},"progressToken":"p"}`, modernVersion)
	if params != "" {
		meta += "," + params
	}
	h := headers{"Mcp-Protocol-Version": modernVersion, "Mcp-Method": method}
	if name != "" {
		h["Mcp-Name"] = name
	}
	return h, fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"method":%q,"params":{%s}}`, id, method, meta)
}
