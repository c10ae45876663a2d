package relay

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/mark3labs/mcp-go/client"
	"github.com/mark3labs/mcp-go/client/transport"
	"github.com/mark3labs/mcp-go/mcp"
	"go.uber.org/goleak"

	"meterbridge/bridge"
	"meterbridge/bridge/edge"
	"meterbridge/bridge/pipeline"
	"meterbridge/bridge/registry"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// daemon is an edge on a Unix socket.
type daemon struct {
	t      *testing.T
	tools  *registry.Registry
	socket string
	stop   func()
	slow   chan context.Context
	// release, closed, ends all calls of slow.
	release chan struct{}
}

func newDaemon(t *testing.T) *daemon {
	t.Helper()
	d := &daemon{t: t, socket: filepath.Join(t.TempDir(), "s"), slow: make(chan context.Context, 1000), release: make(chan struct{})}
	in := json.RawMessage(`{"type":"object"}`)
	var err error
	d.tools, err = registry.New(bridge.Tool{
		Name: "echo", Description: "says it again", Input: in, Annotations: bridge.ReadOnly(),
		Call: func(ctx context.Context, _ bridge.Identity, args json.RawMessage) (bridge.Result, error) {
			bridge.Progress(ctx, "thinking")
			return bridge.Result{Text: string(args)}, nil
		},
	}, bridge.Tool{
		Name: "slow", Description: "takes its time", Input: in, Annotations: bridge.ReadOnly(),
		Call: func(ctx context.Context, _ bridge.Identity, _ json.RawMessage) (bridge.Result, error) {
			d.slow <- ctx
			select {
			case <-ctx.Done():
				return bridge.Result{}, ctx.Err()
			case <-d.release:
				return bridge.Result{Text: "released"}, nil
			}
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	d.start()
	t.Cleanup(func() { d.stop() })
	return d
}

// start serves on the socket until d.stop.
func (d *daemon) start() {
	d.t.Helper()
	e, err := edge.New(edge.Options{
		Registry: d.tools,
		Identify: func(r *http.Request) (bridge.Identity, bool) {
			return bridge.Identity{Agent: bridge.Local}, r.Header.Get("Authorization") != "Bearer wrong"
		},
		Limits: edge.Limits{Limits: pipeline.Limits{Running: 200, CallsPerMinute: 1e9, CallBurst: 1e9}, PerMinute: 1e9, Burst: 1e9},
	})
	if err != nil {
		d.t.Fatal(err)
	}
	l, err := net.Listen("unix", d.socket)
	if err != nil {
		d.t.Fatal(err)
	}
	s := &httptest.Server{Listener: l, Config: &http.Server{Handler: e}}
	s.Start()
	d.stop = func() {
		e.Close()
		s.CloseClientConnections()
		s.Close()
	}
}

// client is one end of a relay.
type lineClient struct {
	t   *testing.T
	in  *io.PipeWriter
	out *bufio.Reader
	// ended has what Run returned.
	ended chan error
}

func (d *daemon) relay(change func(*Options)) *lineClient {
	d.t.Helper()
	over := &http.Transport{DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
		return (&net.Dialer{}).DialContext(ctx, "unix", d.socket)
	}}
	fromClient, in := io.Pipe()
	out, toClient := io.Pipe()
	o := Options{In: fromClient, Out: toClient, Client: &http.Client{Transport: over}, URL: "http://localhost/mcp", Patience: time.Millisecond}
	if change != nil {
		change(&o)
	}
	c := &lineClient{t: d.t, in: in, out: bufio.NewReader(out), ended: make(chan error, 1)}
	go func() {
		c.ended <- Run(d.t.Context(), o)
		toClient.Close()
		over.CloseIdleConnections()
	}()
	d.t.Cleanup(func() {
		in.Close()
		go io.Copy(io.Discard, out)
		<-c.ended
	})
	return c
}

func (c *lineClient) send(lines ...string) {
	c.t.Helper()
	for _, l := range lines {
		if _, err := io.WriteString(c.in, l+"\n"); err != nil {
			c.t.Fatal(err)
		}
	}
}

func (c *lineClient) receive() string {
	c.t.Helper()
	text, err := c.out.ReadString('\n')
	if err != nil {
		c.t.Fatalf("%q: %v", text, err)
	}
	return strings.TrimSpace(text)
}

// expect reads one line that contains want.
func (c *lineClient) expect(want string) {
	c.t.Helper()
	if got := c.receive(); !strings.Contains(got, want) {
		c.t.Fatalf("got  %s\nwant %s in it", got, want)
	}
}

const (
	hello       = `{"jsonrpc":"2.0","id":"hello","method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}`
	initialized = `{"jsonrpc":"2.0","method":"notifications/initialized"}`
)

func call(id int, tool, arguments string) string {
	return fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":%q,"arguments":%s}}`, id, tool, arguments)
}

// A script that writes all its lines at once and closes gets all answers.
func TestRelay_PipedScript(t *testing.T) {
	d := newDaemon(t)
	c := d.relay(nil)
	go func() {
		c.send(hello, initialized, "", call(1, "echo", `{"a":1}`))
		c.in.Close()
	}()
	c.expect(`"protocolVersion":"2025-06-18"`)
	c.expect(`"text":"{\"a\":1}"`)
	if rest, err := io.ReadAll(c.out); len(rest) > 0 || err != nil {
		t.Errorf("more was written: %q %v", rest, err)
	}
}

// mcp-go's client lists, calls, and hears progress and changes in every revision.
func TestRelay_OwnClient(t *testing.T) {
	d := newDaemon(t)
	for _, version := range []string{"2026-07-28", "2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05"} {
		lines := d.relay(nil)
		c := client.NewClient(transport.NewIO(lines.out, lines.in, io.NopCloser(strings.NewReader(""))), client.WithProtocolVersion(version))
		if err := c.Start(t.Context()); err != nil {
			t.Fatal(err)
		}
		told := make(chan mcp.JSONRPCNotification, 10)
		c.OnNotification(func(n mcp.JSONRPCNotification) { told <- n })
		request := mcp.InitializeRequest{}
		request.Params.ProtocolVersion = version
		if _, err := c.Initialize(t.Context(), request); err != nil || c.ProtocolVersion() != version {
			t.Fatalf("%s: agreed on %q, %v", version, c.ProtocolVersion(), err)
		}
		list, err := c.ListTools(t.Context(), mcp.ListToolsRequest{})
		if err != nil || len(list.Tools) != 2 {
			t.Fatalf("%s: %+v %v", version, list, err)
		}
		ask := mcp.CallToolRequest{}
		ask.Params.Name, ask.Params.Arguments = "echo", map[string]any{"x": "y"}
		ask.Params.Meta = &mcp.Meta{ProgressToken: "p"}
		result, err := c.CallTool(t.Context(), ask)
		if err != nil || result.Content[0].(mcp.TextContent).Text != `{"x":"y"}` {
			t.Errorf("%s: %+v %v", version, result, err)
		}
		if n := <-told; n.Method != "notifications/progress" {
			t.Errorf("%s: told %+v", version, n)
		}
		c.Close()
	}
}

func TestRelay_LineCap(t *testing.T) {
	d := newDaemon(t)
	c := d.relay(func(o *Options) { o.Line = 1000 })
	line := `{"jsonrpc":"2.0","id":1,"method":"ping"}`
	c.send(hello)
	c.receive()
	c.send(line + strings.Repeat(" ", 1000-len(line)))
	c.expect(`"id":1,"result"`)
	c.send(line + strings.Repeat(" ", 1001-len(line)))
	c.expect(`"id":null,"error":{"code":-32004`)
	c.send(strings.Repeat("x", 1<<20))
	c.expect(`-32004`)
	c.send(line) // what follows is read as if nothing had been
	c.expect(`"id":1,"result"`)
	c.send(`{"jsonrpc":"2.0","id":1,"METHOD":"ping"}`, `{`)
	c.expect(`-32600`)
	c.expect(`-32700`)
}

// A cancellation gets through however much is under way, ends that call alone,
// and takes its answer away.
func TestRelay_CancelUnderLoad(t *testing.T) {
	d := newDaemon(t)
	for _, modern := range []bool{false, true} {
		c := d.relay(nil)
		c.send(hello)
		c.receive()
		c.send(initialized)
		const n = 150
		for i := range n {
			text := call(i, "slow", "{}")
			if modern {
				text = strings.Replace(text, `"name"`, `"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}},"name"`, 1)
			}
			c.send(text)
		}
		var running []context.Context
		for range n {
			running = append(running, <-d.slow)
		}
		c.send(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":77}}`)
		ended := firstEnded(running)
		for i, ctx := range running {
			if i != ended && ctx.Err() != nil {
				t.Errorf("another call was cancelled too")
			}
		}
		close(d.release)
		got := map[string]bool{}
		for range n - 1 {
			got[string(read([]byte(c.receive())).ID)] = true
		}
		if got["77"] || len(got) != n-1 {
			t.Errorf("%d answers, one of them to the cancelled call: %v", len(got), got["77"])
		}
		d.release = make(chan struct{})
	}
}

// firstEnded waits until one of the contexts ends and returns which.
func firstEnded(list []context.Context) int {
	first := make(chan int, len(list))
	for i, ctx := range list {
		defer context.AfterFunc(ctx, func() { first <- i })()
	}
	return <-first
}

// The end of the input gives what runs a while, and no more; the session and its
// calls end with it.
func TestRelay_EndOfInput(t *testing.T) {
	d := newDaemon(t)
	c := d.relay(func(o *Options) { o.Grace = time.Millisecond })
	c.send(hello)
	c.receive()
	c.send(call(1, "slow", "{}"))
	ctx := <-d.slow
	c.in.Close()
	<-ctx.Done()
	if rest, err := io.ReadAll(c.out); err != nil {
		t.Errorf("%q %v", rest, err)
	}
}

// A daemon that was started again knows the session no more; the client does not
// notice, but hears that the tools may be others.
func TestRelay_ReconnectsOnce(t *testing.T) {
	d := newDaemon(t)
	c := d.relay(nil)
	c.send(hello)
	c.receive()
	c.send(initialized, call(1, "echo", "{}"))
	c.expect(`"id":1,"result"`)
	d.stop()
	c.send(call(2, "echo", "{}"))
	c.expect(`"id":2,"error":{"code":-32011,"message":"meterbridge does not answer; start it with`)
	d.start()
	c.send(call(3, "echo", "{}"))
	c.expect(`notifications/tools/list_changed`)
	c.expect(`"id":3,"result"`)
}

// A call that was under way when the daemon ended is not carried out twice.
func TestRelay_LostCallIsNotRepeated(t *testing.T) {
	d := newDaemon(t)
	c := d.relay(nil)
	c.send(hello)
	c.receive()
	c.send(call(1, "slow", "{}"))
	<-d.slow
	d.stop()
	d.start()
	got := read([]byte(c.receive()))
	if string(got.ID) != "1" || got.Error == nil {
		t.Errorf("answered %+v", got)
	}
	if len(d.slow) > 0 {
		t.Error("called again")
	}
}

// A list that changes reaches the client.
func TestRelay_ListChanged(t *testing.T) {
	d := newDaemon(t)
	c := d.relay(nil)
	c.send(hello)
	c.receive()
	c.send(initialized, call(1, "echo", "{}"))
	c.receive()
	// The stream is opened beside what follows, so the list changes until it is heard.
	heard := make(chan string)
	go func() { heard <- c.receive() }()
	for {
		hide := func(bridge.Identity, string) bool { return false }
		all := []bridge.Tool{}
		for _, e := range d.tools.Snapshot().Entries() {
			all = append(all, e.Tool)
		}
		if err := errors.Join(d.tools.Set(all, hide), d.tools.Set(all, nil)); err != nil {
			t.Fatal(err)
		}
		select {
		case got := <-heard:
			if d := cmp.Diff(`{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}`, got); d != "" {
				t.Errorf("told (-want +got)\n%s", d)
			}
			go io.Copy(io.Discard, c.out)
			return
		default:
		}
	}
}

// A refusal that does not know the request's id is told under it.
func TestRelay_WrongToken(t *testing.T) {
	d := newDaemon(t)
	c := d.relay(func(o *Options) { o.Token = "wrong" })
	c.send(`{"jsonrpc":"2.0","id":"x","method":"tools/list"}`)
	c.expect(`"id":"x","error":{"code":-32001`)
}

type brokenPipe struct{}

func (brokenPipe) Write([]byte) (int, error) { return 0, errors.New("broken pipe") }

// Without anybody who reads the answers the relay ends.
func TestRelay_BrokenOutput(t *testing.T) {
	d := newDaemon(t)
	c := d.relay(func(o *Options) { o.Out = brokenPipe{} })
	c.send(hello)
	err := <-c.ended
	if err == nil || !strings.Contains(err.Error(), "broken pipe") {
		t.Errorf("ended with %v", err)
	}
	c.ended <- nil
}
