package terminals

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/coder/websocket"
	"github.com/google/go-cmp/cmp"
	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// echo is one terminal whose program writes what is typed, until that is an end of file.
type echo struct{}

func (echo) Screen(_ context.Context, agent string, lines int) (Screen, error) {
	if agent != "a/1" {
		return Screen{}, &Refusal{Status: http.StatusNotFound, Text: "no such agent", Hint: "look"}
	}
	return Screen{SchemaVersion: 1, AgentID: agent, Generation: 2, Text: fmt.Sprint(lines, " <lines>"), Cols: 80, Rows: 24}, nil
}

func (echo) Runs(_ context.Context, agent string, last int) (RunList, error) {
	return RunList{SchemaVersion: 1, AgentID: agent, Rows: []RunLine{{Caller: "ag-2", Verb: "run", Bytes: int64(last), Outcome: "ok"}}}, nil
}

func (echo) Run(_ context.Context, _, command string, timeout time.Duration) (Run, error) {
	switch command {
	case "busy":
		return Run{}, &Refusal{Status: http.StatusTooManyRequests, Text: "wait", Wait: 1500 * time.Millisecond}
	case "broken":
		return Run{}, errors.New("secret folder")
	}
	code := 3
	return Run{SchemaVersion: 1, ExitCode: &code, Output: fmt.Sprint(command, timeout)}, nil
}

type view struct{ out chan []byte }

func (echo) Attach(_ context.Context, agent string, cols, rows int) (Viewer, func() Ended, error) {
	if agent == "gone" {
		return nil, nil, &Refusal{Status: http.StatusConflict, Text: "it does not run"}
	}
	v := view{make(chan []byte, 10)}
	v.out <- fmt.Appendf(nil, "%d×%d", cols, rows)
	code := 7
	return v, func() Ended { return Ended{Code: &code} }, nil
}

func (v view) Next(ctx context.Context) ([]byte, int64, error) {
	select {
	case b := <-v.out:
		if string(b) == "\x04" {
			return nil, 0, io.EOF
		}
		return b, 0, nil
	case <-ctx.Done():
		return nil, 0, ctx.Err()
	}
}

func (v view) Write(_ context.Context, b []byte) error {
	v.out <- b
	return nil
}

func (v view) Resize(cols, rows int) error {
	v.out <- fmt.Appendf(nil, "%d×%d", cols, rows)
	return nil
}

func (view) Close() {}

func serving(t *testing.T) *httptest.Server {
	t.Helper()
	mux := http.NewServeMux()
	for path, h := range Handlers(echo{}, Options{}) {
		mux.Handle(path, h)
	}
	s := httptest.NewServer(mux)
	t.Cleanup(s.Close)
	return s
}

func TestHandlers_AnswerAndRefuse(t *testing.T) {
	s := serving(t)
	for _, c := range []struct {
		method, path, body string
		status             int
		want               string
	}{
		{"GET", "/a%2F1/screen", "", 200, `"text": "0 <lines>"`},
		{"GET", "/a%2F1/screen?lines=500", "", 200, `"text": "500 <lines>"`},
		{"GET", "/a%2F1/screen?lines=501", "", 422, `lines is no number from 1 to 500`},
		{"GET", "/a%2F1/screen?lines=x", "", 422, `lines`},
		{"GET", "/x/runs", "", 200, `"bytes": 500`},
		{"GET", "/x/runs?last=7", "", 200, `"bytes": 7`},
		{"GET", "/x/runs?last=501", "", 422, `last`},
		{"GET", "/b/screen", "", 404, `"hint":"look"`},
		{"POST", "/x/runs", `{"command":"ls","timeoutMs":2000}`, 200, `"output": "ls2s"`},
		{"POST", "/x/runs", `{"command":"ls"}`, 200, `"exitCode": 3`},
		{"POST", "/x/runs", `{"command":"ls","timeout":1}`, 422, `the body`},
		{"POST", "/x/runs", `{"command":"ls","timeoutMs":-5}`, 422, `timeoutMs`},
		{"POST", "/x/runs", `{"command":"busy"}`, 429, `wait`},
		{"POST", "/x/runs", `{"command":"broken"}`, 500, `the terminal did not answer`},
		{"GET", "/x/attach", "", 426, `WebSocket`},
	} {
		req, err := http.NewRequestWithContext(t.Context(), c.method, s.URL+"/api/v1/agents"+c.path, strings.NewReader(c.body))
		if err != nil {
			t.Fatal(err)
		}
		resp, err := s.Client().Do(req)
		if err != nil {
			t.Fatal(err)
		}
		text, err := io.ReadAll(resp.Body)
		resp.Body.Close()
		if err != nil || resp.StatusCode != c.status || !strings.Contains(string(text), c.want) {
			t.Errorf("%s %s %s: %d %s, %v; want %d with %s", c.method, c.path, c.body, resp.StatusCode, text, err, c.status, c.want)
		}
		if c.status == http.StatusTooManyRequests && resp.Header.Get("Retry-After") != "2" {
			t.Errorf("Retry-After %q", resp.Header.Get("Retry-After"))
		}
	}
}

func TestAttach_CarriesKeysSizesAndTheEnd(t *testing.T) {
	s := serving(t)
	c, _, err := websocket.Dial(t.Context(), s.URL+"/api/v1/agents/x/attach?cols=100&rows=30", nil)
	if err != nil {
		t.Fatal(err)
	}
	defer c.CloseNow()
	next := func(kind websocket.MessageType, want string) {
		t.Helper()
		k, b, err := c.Read(t.Context())
		if diff := cmp.Diff(want, string(b)); diff != "" || k != kind || err != nil {
			t.Fatalf("%v, %v (-want +got):\n%s", k, err, diff)
		}
	}
	say := func(kind websocket.MessageType, text string) {
		t.Helper()
		if err := c.Write(t.Context(), kind, []byte(text)); err != nil {
			t.Fatal(err)
		}
	}
	next(websocket.MessageBinary, "100×30")
	say(websocket.MessageBinary, "keys\x00\xff")
	next(websocket.MessageBinary, "keys\x00\xff")
	say(websocket.MessageText, `{"type":"resize","cols":50,"rows":20}`)
	next(websocket.MessageBinary, "50×20")
	say(websocket.MessageBinary, "\x04")
	next(websocket.MessageText, `{"type":"ended","exitCode":7,"signal":null}`)
	if _, _, err := c.Read(t.Context()); websocket.CloseStatus(err) != websocket.StatusNormalClosure {
		t.Errorf("the end: %v", err)
	}
}

func TestAttach_Refuses(t *testing.T) {
	s := serving(t)
	for path, want := range map[string]int{"/gone/attach": http.StatusConflict, "/x/attach?cols=0": http.StatusUnprocessableEntity, "/x/attach?rows=9999": http.StatusUnprocessableEntity} {
		_, resp, err := websocket.Dial(t.Context(), s.URL+"/api/v1/agents"+path, nil)
		if err == nil || resp == nil || resp.StatusCode != want {
			t.Errorf("%s: %v, %v; want %d", path, resp, err, want)
		}
	}
	// A page of another site has the browser's cookie, and must not have its terminal.
	_, resp, err := websocket.Dial(t.Context(), s.URL+"/api/v1/agents/x/attach", &websocket.DialOptions{HTTPHeader: http.Header{"Origin": {"http://elsewhere.example"}}})
	if err == nil || resp == nil || resp.StatusCode != http.StatusForbidden {
		t.Errorf("another site's page: %v, %v", resp, err)
	}
	c, _, err := websocket.Dial(t.Context(), s.URL+"/api/v1/agents/x/attach", nil)
	if err != nil {
		t.Fatal(err)
	}
	defer c.CloseNow()
	if err := c.Write(t.Context(), websocket.MessageText, []byte(`{"type":"resize","cols":-1,"rows":3}`)); err != nil {
		t.Fatal(err)
	}
	for err == nil {
		_, _, err = c.Read(t.Context())
	}
	if websocket.CloseStatus(err) != websocket.StatusUnsupportedData {
		t.Errorf("a message that is none: %v", err)
	}
}

func TestNote_IsWhatTheDocumentsSay(t *testing.T) {
	signal := "SIGHUP"
	text, err := json.Marshal(note{Type: "ended", Ended: &Ended{Signal: &signal}})
	if err != nil || string(text) != `{"type":"ended","exitCode":null,"signal":"SIGHUP"}` {
		t.Errorf("%s, %v", text, err)
	}
}
