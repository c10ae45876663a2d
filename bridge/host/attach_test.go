package host

import (
	"bufio"
	"encoding/json"
	"fmt"
	"net"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"meterbridge/bridge"
)

// socket is an extension that connects by itself.
type socket struct {
	t    *testing.T
	conn net.Conn
	in   *bufio.Scanner
	id   int
}

// listening is a world whose extension has no command, and its socket.
func listening(t *testing.T, change func(*Options, *bridge.Installed)) (*world, func() *socket) {
	t.Helper()
	w := newWorld(t, "", func(o *Options, x *bridge.Installed) {
		x.Command, x.Dialect = nil, bridge.DialectCard
		if change != nil {
			change(o, x)
		}
	})
	path := filepath.Join(t.TempDir(), "ext.sock")
	l, err := net.Listen("unix", path)
	if err != nil {
		t.Fatal(err)
	}
	served := make(chan error, 1)
	go func() { served <- w.host.ServeSocket(t.Context(), l) }()
	t.Cleanup(func() {
		w.host.Close()
		if err := <-served; err != nil {
			t.Error(err)
		}
	})
	return w, func() *socket {
		conn, err := net.Dial("unix", path)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { conn.Close() })
		s := &socket{t: t, conn: conn, in: bufio.NewScanner(conn)}
		s.in.Buffer(nil, 16<<20)
		return s
	}
}

func (s *socket) send(text string) {
	s.t.Helper()
	if _, err := s.conn.Write([]byte(text + "\n")); err != nil {
		s.t.Fatal(err)
	}
}

// next is the next line, "" at the end.
func (s *socket) next() string {
	s.t.Helper()
	_ = s.conn.SetReadDeadline(time.Now().Add(10 * time.Second))
	if s.in.Scan() {
		return s.in.Text()
	}
	return ""
}

// ask sends a request and returns its answer.
func (s *socket) ask(method, params string) string {
	s.t.Helper()
	s.id++
	s.send(fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":%q,"params":%s}`, s.id, method, params))
	return s.next()
}

func hello(token string) string {
	return fmt.Sprintf(`{"sdkVersion":"0","protocol":1,"handlers":["echo"],"token":%q}`, token)
}

// An extension that runs already attaches itself with a token, once.
func TestAttached_WithAToken(t *testing.T) {
	w, dial := listening(t, nil)
	token := must(w.host.Token(name))
	s := dial()
	if got := s.ask("host.ready", hello(token)); !strings.Contains(got, `"launch":"reloaded"`) {
		t.Fatalf("got %s", got)
	}
	answer := make(chan bridge.Result, 1)
	go func() {
		r, err := w.call(t.Context(), "echo", `{"text":"hi"}`)
		if err != nil {
			t.Error(err)
		}
		answer <- r
	}()
	var call struct{ Params struct{ CallID string } }
	if line := s.next(); json.Unmarshal([]byte(line), &call) != nil || !strings.Contains(line, `"tool":"echo"`) {
		t.Fatalf("got %s", line)
	}
	if got := s.ask("tools.respond", `{"callId":"`+call.Params.CallID+`","result":{"n":1}}`); !strings.Contains(got, `"result":null`) {
		t.Errorf("got %s", got)
	}
	if r := <-answer; r.Content[0].Text != "{\n  \"n\": 1\n}" {
		t.Errorf("got %+v", r)
	}
	// The same token is no good twice, and one that holds the place keeps it.
	for what, token := range map[string]string{"NOT_READY": token, "BUSY": must(w.host.Token(name))} {
		other := dial()
		if got := other.ask("host.ready", hello(token)); !strings.Contains(got, what) {
			t.Errorf("got %s, want %s", got, what)
		}
		if line := other.next(); line != "" {
			t.Errorf("it was not closed: %s", line)
		}
	}
	s.conn.Close()
	w.until(bridge.StateCrashed)
}

func TestAttached_TokenExpires(t *testing.T) {
	now := time.Unix(1_790_000_000, 0)
	w, dial := listening(t, func(o *Options, _ *bridge.Installed) { o.Now = func() time.Time { return now } })
	token := must(w.host.Token(name))
	now = now.Add(31 * time.Second)
	if got := dial().ask("host.ready", hello(token)); !strings.Contains(got, "NOT_READY") {
		t.Errorf("got %s", got)
	}
	if _, err := w.host.Token("other"); err == nil {
		t.Error("a token for nobody")
	}
}

// A card's own envelope is spoken as well; its SDK keeps calls for their handlers,
// and is not told why one was cancelled.
func TestAttached_CardEnvelope(t *testing.T) {
	w, dial := listening(t, nil)
	s := dial()
	s.send(`{"ns":"nscard","v":1,"kind":"req","id":1,"method":"host.ready","params":{"sdkVersion":"1.3.0","protocol":1,"token":"` + must(w.host.Token(name)) + `"}}`)
	if got := s.next(); !strings.HasPrefix(got, `{"ns":"nscard","v":1,"kind":"res","id":1,"ok":true,"result":{`) {
		t.Fatalf("got %s", got)
	}
	go func() { _, _ = w.call(t.Context(), "other", `{}`) }()
	if got := s.next(); !strings.HasPrefix(got, `{"ns":"nscard","v":1,"kind":"evt","event":"tools.call","data":{`) {
		t.Fatalf("got %s", got)
	}
	s.send(`{"ns":"nscard","v":1,"kind":"req","id":2,"method":"tools.respond","params":{"callId":"c-1","result":{"content":[{"type":"text","text":"x"}]}}}`)
	if got := s.next(); got != `{"ns":"nscard","v":1,"kind":"res","id":2,"ok":true}` {
		t.Errorf("got %s", got)
	}
	s.send(`{"ns":"nscard","v":2,"kind":"req","id":3,"method":"host.pong","params":{"seq":1}}`)
	if got := s.next(); !strings.Contains(got, "PROTOCOL_MISMATCH") {
		t.Errorf("another version: %s", got)
	}
	// The other envelope ends the connection.
	s.send(`{"jsonrpc":"2.0","id":4,"method":"host.pong","params":{"seq":1}}`)
	if got := s.next(); !strings.Contains(got, "BAD_REQUEST") {
		t.Errorf("got %s", got)
	}
	if got := s.next(); got != "" {
		t.Errorf("it goes on: %s", got)
	}
}

// Each fault of a message has its code, in the order of the protocol.
func TestDispatch_RefusesWithTheRightCode(t *testing.T) {
	w, dial := listening(t, nil)
	s := dial()
	s.send(`{"jsonrpc":"2.0","id":1,"method":"host.ready","params":` + hello(must(w.host.Token(name))) + `}`)
	s.next()
	for _, c := range []struct{ message, want string }{
		{`{"jsonrpc":"2.0","id":2,"method":"host.capabilities"}`, `"protocol":1`},
		{`{"jsonrpc":"2.0","id":2,"method":"host.capabilities","params":{}}`, "BAD_REQUEST"},
		{`{"jsonrpc":"2.0","id":3,"method":"host.ready","params":{"sdkVersion":"0","protocol":1}}`, "BAD_REQUEST"},
		{`{"jsonrpc":"2.0","id":4,"method":"ui.toast","params":{}}`, "METHOD_NOT_FOUND"},
		{`{"jsonrpc":"2.0","id":5,"method":"Ui.toast","params":{}}`, "METHOD_NOT_FOUND"},
		{`{"jsonrpc":"2.0","id":6,"method":"host.log","params":{"level":"loud","message":"x"}}`, "INVALID_PARAMS"},
		{`{"jsonrpc":"2.0","id":7,"method":"host.log","params":{"level":"info","message":"x","more":1}}`, "INVALID_PARAMS"},
		{`{"jsonrpc":"2.0","id":8,"method":"agents.list","params":{}}`, `"permission":"agents.read"`},
		{`{"jsonrpc":"2.0","id":9,"method":"host.log","params":[]}`, "BAD_REQUEST"},
		{`{"jsonrpc":"2.0","id":10,"method":"host.log","params":{},"extra":1}`, "BAD_REQUEST"},
		{`{"jsonrpc":"2.0","id":11,"id":12,"method":"host.log","params":{}}`, ""},
		{`[{"jsonrpc":"2.0","id":13,"method":"host.log","params":{}}]`, ""},
		{`{"jsonrpc":"2.0","id":14,"method":"tools.respond","params":{"callId":"c-99","result":1}}`, "NOT_FOUND"},
		{`{"jsonrpc":"2.0","id":15,"method":"tools.register","params":{"tool":"nothing"}}`, "NOT_FOUND"},
		{`{"jsonrpc":"2.0","id":16,"method":"tools.register","params":{"tool":"echo"}}`, "BAD_REQUEST"},
		{`{"jsonrpc":"2.0","id":17,"method":"storage.set","params":{"scope":"instance","key":"k","value":"` + strings.Repeat("x", 2<<20) + `"}}`, "TOO_LARGE"},
		{`{"jsonrpc":"2.0","id":18,"method":"storage.set","params":{"scope":"instance","key":"k","value":"` + strings.Repeat("x", 13<<20) + `"}}`, "TOO_LARGE"},
		{`{"jsonrpc":"2.0","id":19,"method":"storage.set","params":{"scope":"instance","key":"k","value":` + strings.Repeat("[", 70) + strings.Repeat("]", 70) + `}}`, ""},
		{`{"jsonrpc":"2.0","id":20,"method":"storage.usage","params":{"scope":"instance"}}`, `{"bytes":0,"keys":0,"quota":5242880}`},
	} {
		s.send(c.message)
		if c.want == "" {
			continue // nobody can be answered, and the connection goes on
		}
		if got := s.next(); !strings.Contains(got, c.want) {
			t.Errorf("%.120s\n got %.300s\nwant %s", c.message, got, c.want)
		}
	}
}

// What is stored is there after the extension came back, within its quota.
func TestStorage_IsKept(t *testing.T) {
	w, dial := listening(t, nil)
	s := dial()
	s.ask("host.ready", hello(must(w.host.Token(name))))
	for _, c := range []struct{ method, params, want string }{
		{"storage.get", `{"scope":"instance","key":"a"}`, `{"exists":false,"value":null}`},
		{"storage.set", `{"scope":"instance","key":"a","value":{"n":[1,null]}}`, `"result":null`},
		{"storage.set", `{"scope":"package","key":"ab","value":null}`, `"result":null`},
		{"storage.get", `{"scope":"instance","key":"a"}`, `{"exists":true,"value":{"n":[1,null]}}`},
		{"storage.keys", `{"scope":"package","prefix":"a"}`, `{"keys":["ab"]}`},
		{"storage.keys", `{"scope":"instance","prefix":"b"}`, `{"keys":[]}`},
		{"storage.usage", `{"scope":"instance"}`, `{"bytes":15,"keys":1,"quota":5242880}`},
		{"storage.delete", `{"scope":"package","key":"ab"}`, `"result":null`},
		{"storage.keys", `{"scope":"package"}`, `{"keys":[]}`},
	} {
		if got := s.ask(c.method, c.params); !strings.Contains(got, c.want) {
			t.Errorf("%s %s\n got %s\nwant %s", c.method, c.params, got, c.want)
		}
	}
	big := strings.Repeat("x", 1000<<10)
	for i := range 6 {
		got := s.ask("storage.set", fmt.Sprintf(`{"scope":"instance","key":"big%d","value":%q}`, i, big))
		if want := i < 5; strings.Contains(got, `"result":null`) != want {
			t.Errorf("value %d: %.200s", i, got)
		}
	}
	s.conn.Close()
	w.until(bridge.StateCrashed)
	s = dial()
	s.ask("host.ready", hello(must(w.host.Token(name))))
	if got := s.ask("storage.get", `{"scope":"instance","key":"a"}`); !strings.Contains(got, `{"exists":true,"value":{"n":[1,null]}}`) {
		t.Errorf("afterwards: %s", got)
	}
}
