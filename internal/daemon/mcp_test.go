package daemon

import (
	"context"
	"errors"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/mark3labs/mcp-go/client"
	"github.com/mark3labs/mcp-go/client/transport"
	"github.com/mark3labs/mcp-go/mcp"

	"meterbridge/bridge"
	"meterbridge/dashboard/guard"
	"meterbridge/internal/credentials"
	"meterbridge/internal/demo"
)

// demoMachine is a machine that has the bundled example's logs.
func demoMachine(t *testing.T) Options {
	t.Helper()
	dir := t.TempDir()
	home := filepath.Join(dir, "home")
	if err := os.CopyFS(home, demo.Home()); err != nil {
		t.Fatal(err)
	}
	env := func(name string) string {
		return map[string]string{"METERBRIDGE_HOME": filepath.Join(dir, "m"), "TZ": "UTC"}[name]
	}
	return Options{Getenv: env, Home: home, OS: "linux", Now: time.Now, Version: "test"}
}

// relayed connects mcp-go's client to a relay of the machine.
func relayed(t *testing.T, o Options, version string) *client.Client {
	t.Helper()
	fromClient, in := io.Pipe()
	out, toClient := io.Pipe()
	ended := make(chan error, 1)
	go func() {
		ended <- RelayMCP(t.Context(), o, "", fromClient, toClient)
		toClient.Close()
	}()
	c := client.NewClient(transport.NewIO(out, in, io.NopCloser(strings.NewReader(""))), client.WithProtocolVersion(version))
	if err := c.Start(t.Context()); err != nil {
		t.Fatal(err)
	}
	request := mcp.InitializeRequest{}
	request.Params.ProtocolVersion = version
	if _, err := c.Initialize(t.Context(), request); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		c.Close()
		in.Close()
		if err := <-ended; err != nil {
			t.Error(err)
		}
	})
	return c
}

func callTool(t *testing.T, c *client.Client, name string, args map[string]any) *mcp.CallToolResult {
	t.Helper()
	ask := mcp.CallToolRequest{}
	ask.Params.Name, ask.Params.Arguments = name, args
	r, err := c.CallTool(t.Context(), ask)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func textOf(r *mcp.CallToolResult) string { return r.Content[0].(mcp.TextContent).Text }

// Without a daemon the program answers itself, in both eras, and gives the
// ledger back between questions.
func TestRelayMCP_WithoutADaemon(t *testing.T) {
	o := demoMachine(t)
	for _, version := range []string{"2025-06-18", "2026-07-28"} {
		c := relayed(t, o, version)
		list, err := c.ListTools(t.Context(), mcp.ListToolsRequest{})
		if err != nil {
			t.Fatal(err)
		}
		var names []string
		for _, tool := range list.Tools {
			names = append(names, tool.Name)
		}
		want := []string{"meter_budget", "meter_explain", "meter_pricing", "meter_sessions", "meter_timeline", "meter_usage"}
		if d := cmp.Diff(want, names); d != "" {
			t.Errorf("%s: tools (-want +got)\n%s", version, d)
		}
		r := callTool(t, c, "meter_usage", map[string]any{"by": "month"})
		if want := "4 rows by month (UTC): 16 requests, 64940 tokens"; r.IsError || !strings.HasPrefix(textOf(r), want) {
			t.Errorf("%s: got %s, want %s", version, textOf(r), want)
		}
	}
}

// With a daemon the program asks it, and the daemon may come and go.
func TestRelayMCP_WithADaemon(t *testing.T) {
	o := demoMachine(t)
	c := relayed(t, o, "2025-11-25")
	m, err := Open(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	control, end := startDaemon(t, m)
	defer control.Close()
	// The daemon has the ledger, so an answer can only come from it.
	if r := callTool(t, c, "meter_usage", map[string]any{"by": "month"}); r.IsError || !strings.HasPrefix(textOf(r), "4 rows by month") {
		t.Errorf("with a daemon: %s", textOf(r))
	}
	if err := errors.Join(end(), m.Close()); err != nil {
		t.Fatal(err)
	}
	if r := callTool(t, c, "meter_usage", map[string]any{"by": "month"}); r.IsError || !strings.HasPrefix(textOf(r), "4 rows by month") {
		t.Errorf("when it has ended: %s", textOf(r))
	}
}

// servedMCP is a daemon's endpoint on its TCP address, with a token.
func servedMCP(t *testing.T) (url, token string, end func() error) {
	t.Helper()
	o := demoMachine(t)
	m, err := Open(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	c, stop := startDaemon(t, m)
	defer c.Close()
	s, err := c.Status(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	token, _, err = credentials.Open(m.paths.Tokens(), time.Now).Create("agents", []guard.Scope{guard.ScopeMCP})
	if err != nil {
		t.Fatal(err)
	}
	end = sync.OnceValue(func() error { return errors.Join(stop(), m.Close()) })
	t.Cleanup(func() {
		if err := end(); err != nil {
			t.Error(err)
		}
		http.DefaultClient.CloseIdleConnections()
	})
	return s.Addresses[0] + "/mcp", token, end
}

func postMCP(t *testing.T, url string, h map[string]string, body string) (int, http.Header, string) {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, url, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Accept", "application/json, text/event-stream")
	for name, value := range h {
		if name == "Host" {
			r.Host = value
		}
		r.Header.Set(name, value)
	}
	resp, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	return resp.StatusCode, resp.Header, string(text)
}

const helloMCP = `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}`

// Defect 1 of mcp-go: a page of another origin may call, as only Host is checked.
// Here both are, before the credential, and the credential always.
func TestEdge_HostOriginMatrix(t *testing.T) {
	url, token, _ := servedMCP(t)
	own := strings.TrimSuffix(url, "/mcp")
	good := "Bearer " + token
	for _, c := range []struct {
		name   string
		h      map[string]string
		status int
	}{
		{"good", map[string]string{"Authorization": good}, 200},
		{"its own origin", map[string]string{"Authorization": good, "Origin": own}, 200},
		{"a foreign origin", map[string]string{"Authorization": good, "Origin": "https://evil.example"}, 403},
		{"a foreign loopback origin", map[string]string{"Authorization": good, "Origin": "http://127.0.0.1:1"}, 403},
		{"no origin at all", map[string]string{"Authorization": good, "Origin": "null"}, 403},
		{"a foreign host", map[string]string{"Authorization": good, "Host": "evil.example"}, 403},
		{"a rebound host", map[string]string{"Authorization": good, "Host": "evil.example:" + own[strings.LastIndexByte(own, ':')+1:]}, 403},
		{"a foreign origin without credential", map[string]string{"Origin": "https://evil.example"}, 403},
		{"no credential", nil, 401},
		{"a wrong credential", map[string]string{"Authorization": "Bearer x"}, 401},
		{"another content type", map[string]string{"Authorization": good, "Content-Type": "text/plain"}, 415},
		{"another Accept", map[string]string{"Authorization": good, "Accept": "text/html"}, 406},
	} {
		status, h, body := postMCP(t, url, c.h, helloMCP)
		if status != c.status || h.Get("Access-Control-Allow-Origin") != "" {
			t.Errorf("%s: %d %s, want %d", c.name, status, body, c.status)
		}
		if c.status != 200 && c.status != 406 && (h.Get("Content-Type") != "application/json" || !strings.Contains(body, `{"jsonrpc":"2.0","id":null,"error":{"code":-32`)) {
			t.Errorf("%s: %s %s, want an error of JSON-RPC", c.name, h.Get("Content-Type"), body)
		}
	}
	if status, _, body := postMCP(t, url, map[string]string{"Authorization": good}, strings.Repeat(" ", 4<<20)+helloMCP); status != 413 {
		t.Errorf("a large body: %d %s", status, body)
	}
}

// mcp-go checks the Host alone (its defect 1): here a foreign page is refused by its
// Origin, with the code of that, although it has the credential.
func TestEdge_ForeignOrigin(t *testing.T) {
	url, token, _ := servedMCP(t)
	status, _, body := postMCP(t, url, map[string]string{"Authorization": "Bearer " + token, "Origin": "https://evil.example"}, helloMCP)
	if status != http.StatusForbidden || !strings.Contains(body, `"code":-32003`) {
		t.Errorf("%d %s, want 403 and -32003", status, body)
	}
}

// A daemon that ends does not wait for streams.
func TestServe_EndsWithOpenStreams(t *testing.T) {
	url, token, end := servedMCP(t)
	_, h, body := postMCP(t, url, map[string]string{"Authorization": "Bearer " + token}, helloMCP)
	r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, url, http.NoBody)
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Authorization", "Bearer "+token)
	r.Header.Set("Accept", "text/event-stream")
	r.Header.Set("Mcp-Session-Id", h.Get("Mcp-Session-Id"))
	resp, err := http.DefaultClient.Do(r)
	if err != nil || resp.StatusCode != http.StatusOK {
		t.Fatalf("%v %v: %s", resp, err, body)
	}
	defer resp.Body.Close()
	if err := end(); err != nil {
		t.Error(err)
	}
	if _, err := io.ReadAll(resp.Body); err != nil {
		t.Errorf("the stream did not end well: %v", err)
	}
}

// Another process that has the ledger is named.
func TestRelayMCP_LedgerInUse(t *testing.T) {
	l := newLease(func(context.Context) (*Meter, error) {
		return nil, &Fault{Err: errors.New("the ledger is in use by process 7 (other)"), Hint: "wait until it has finished"}
	}, time.Hour)
	defer l.close()
	err := l.lend(t.Context(), nil)
	var coded *bridge.ToolError
	if !errors.As(err, &coded) || err.Error() != "UNAVAILABLE: the ledger is in use by process 7 (other); wait until it has finished" {
		t.Errorf("got %v", err)
	}
	if err := l.refresh(t.Context()); !errors.As(err, &coded) {
		t.Errorf("refresh: %v", err)
	}
}

// A lease opens once for all who ask at once, and closes when nobody does.
func TestLease_OpensAndCloses(t *testing.T) {
	o := demoMachine(t)
	opened := 0
	l := newLease(func(ctx context.Context) (*Meter, error) {
		opened++
		return Open(ctx, o)
	}, time.Millisecond)
	defer l.close()
	for round := 1; round <= 2; round++ {
		var all sync.WaitGroup
		hold, inside := make(chan struct{}), make(chan struct{}, 10)
		for range 10 {
			all.Go(func() {
				err := l.lend(t.Context(), func(*Meter) error {
					inside <- struct{}{}
					<-hold
					return nil
				})
				if err != nil {
					t.Error(err)
				}
			})
		}
		for range 10 {
			<-inside
		}
		if opened != round {
			t.Errorf("round %d: opened %d times", round, opened)
		}
		close(hold)
		all.Wait()
		// Another process gets the ledger once the lease is over.
		m, err := Open(t.Context(), o)
		if err != nil {
			t.Fatal(err)
		}
		m.Close()
	}
}

// A scan that a question did not wait for goes on, and one that began before a
// question is not the one it waits for.
func TestLease_ScansGoOn(t *testing.T) {
	o := demoMachine(t)
	begun, proceed := make(chan struct{}, 10), make(chan struct{})
	l := newLease(func(ctx context.Context) (*Meter, error) {
		begun <- struct{}{}
		<-proceed
		return Open(ctx, o)
	}, time.Hour)
	defer l.close()
	impatient, leave := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- l.refresh(impatient) }()
	<-begun
	leave()
	if err := <-ended; !errors.Is(err, context.Canceled) {
		t.Errorf("left with %v", err)
	}
	go func() { ended <- l.refresh(t.Context()) }()
	close(proceed)
	if err := <-ended; err != nil {
		t.Error(err)
	}
	if l.scans < 1 || l.scans > 2 {
		t.Errorf("%d scans", l.scans)
	}
	err := l.lend(t.Context(), func(m *Meter) error {
		r, err := m.Usage(t.Context(), UsageQuery{By: "day", Zone: time.UTC})
		if len(r.Rows) == 0 {
			t.Error("nothing was read")
		}
		return err
	})
	if err != nil {
		t.Error(err)
	}
}

// What an entry holds is what its harness reads.
func TestMCPConfig(t *testing.T) {
	for harness, want := range map[string]string{
		"claude-code": "{\n  \"mcpServers\": {\n    \"mbridge\": {\n      \"command\": \"/opt/my tools/meterbridge\",\n      \"args\": [\n        \"mcp\"\n      ]\n    }\n  }\n}\n",
		"codex-cli":   "[mcp_servers.mbridge]\ncommand = \"/opt/my tools/meterbridge\"\nargs = [\"mcp\"]\n",
		"opencode":    "{\n  \"mcp\": {\n    \"mbridge\": {\n      \"type\": \"local\",\n      \"command\": [\n        \"/opt/my tools/meterbridge\",\n        \"mcp\"\n      ],\n      \"enabled\": true\n    }\n  }\n}\n",
	} {
		got, err := MCPConfig(harness, "/opt/my tools/meterbridge")
		if err != nil {
			t.Fatal(err)
		}
		if d := cmp.Diff(want, got.Entry); d != "" || got.File == "" {
			t.Errorf("%s (-want +got)\n%s", harness, d)
		}
	}
	var f *Fault
	if _, err := MCPConfig("nothing", "m"); !errors.As(err, &f) || !f.Nothing {
		t.Errorf("an unknown harness: %v", err)
	}
}
