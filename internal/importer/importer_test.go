package importer

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"
	"go.uber.org/goleak"

	"meterbridge/bridge"
	"meterbridge/bridge/host"
	"meterbridge/bridge/imported"
	"meterbridge/bridge/manifest"
	"meterbridge/bridge/sandbox"
)

// serverCommand makes the test binary an MCP server.
const serverCommand = "__server"

// brokenCommand is a server that ends at once.
const brokenCommand = "__broken"

func TestMain(m *testing.M) {
	if len(os.Args) > 1 {
		switch os.Args[1] {
		case sandbox.Command:
			os.Exit(sandbox.Main(os.Args[2:]))
		case Command:
			os.Exit(Main(context.Background(), os.Args[2:], os.Stdin, os.Stdout))
		case brokenCommand:
			fmt.Fprintln(os.Stderr, "open /home/anna/.config/desk: permission denied")
			os.Exit(1)
		case serverCommand:
			// More than a pipe holds: somebody must take it.
			fmt.Fprintln(os.Stderr, strings.Repeat("x", 200<<10))
			if err := server.ServeStdio(deskServer()); err != nil && !errors.Is(err, context.Canceled) {
				os.Exit(1)
			}
			return
		}
	}
	goleak.VerifyTestMain(m)
}

// deskServer is a server of somebody else.
func deskServer() *server.MCPServer {
	s := server.NewMCPServer("desk", "1")
	s.AddTool(mcp.NewTool("openTicket", mcp.WithDescription("Opens a ticket."), mcp.WithString("title", mcp.Required())),
		func(ctx context.Context, r mcp.CallToolRequest) (*mcp.CallToolResult, error) {
			token := r.Params.Meta.ProgressToken
			_ = s.SendNotificationToClient(ctx, "notifications/progress", map[string]any{"progressToken": token, "progress": 1, "total": 2})
			<-time.After(100 * time.Millisecond) // mcp-go sends notifications when it finds the time
			return mcp.NewToolResultText("opened " + r.GetString("title", "")), nil
		})
	s.AddTool(mcp.NewTool("refuse"), func(context.Context, mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		return mcp.NewToolResultError("the desk is closed"), nil
	})
	s.AddTool(mcp.NewTool("die"), func(context.Context, mcp.CallToolRequest) (*mcp.CallToolResult, error) { os.Exit(3); return nil, nil })
	s.AddTool(mcp.NewTool("wait"), func(ctx context.Context, _ mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		<-ctx.Done()
		_ = os.WriteFile("cancelled", []byte("yes"), 0o600)
		return nil, ctx.Err()
	})
	return s
}

// hosted is a host with the imported server.
func hosted(t *testing.T, s manifest.ImportServer, granted ...bridge.Permission) (*host.Host, bridge.Installed) {
	t.Helper()
	dir := t.TempDir()
	x := bridge.Installed{Runs: true, Folder: filepath.Join(dir, "package"), Data: filepath.Join(dir, "data"), Granted: granted}
	x.Name, x.Dialect, x.Command, x.URL = "desk", bridge.DialectMCP, s.Command, s.URL
	m := manifest.Import{ManifestVersion: 1, Protocol: 1, Name: "desk", Server: s}
	for local, name := range map[string]string{"open_ticket": "openTicket", "refuse": "refuse", "die": "die", "wait": "wait", "gone": "gone"} {
		m.Tools = append(m.Tools, manifest.ImportTool{Name: local, ServerName: name, Description: "x", InputSchema: json.RawMessage(`{"type":"object"}`)})
		x.Tools = append(x.Tools, bridge.ExtensionTool{LocalID: local})
	}
	text, err := json.Marshal(m)
	if err = errors.Join(err, os.MkdirAll(x.Folder, 0o700), os.WriteFile(filepath.Join(x.Folder, manifest.ImportFile), text, 0o600)); err != nil {
		t.Fatal(err)
	}
	h, err := host.New(host.Options{Sandbox: os.Args[0], Importer: []string{os.Args[0], Command}, Times: host.Times{Backoff: time.Millisecond}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(h.Close)
	h.Sync([]bridge.Installed{x})
	return h, x
}

func call(ctx context.Context, h *host.Host, tool, args string) (string, error) {
	r, err := h.Call(ctx, bridge.Invocation{Extension: "desk", Tool: tool, Args: json.RawMessage(args), Agent: "ag-7"})
	if err != nil {
		return "", err
	}
	text := r.Content[0].Text
	if r.IsError {
		text = "error: " + text
	}
	return text, nil
}

// A server on standard streams is started inside the fence, called with progress
// and cancel, and its end is UNAVAILABLE.
func TestImport_Stdio(t *testing.T) {
	h, x := hosted(t, manifest.ImportServer{Command: []string{os.Args[0], serverCommand}})
	var steps []string
	ctx := bridge.WithProgress(t.Context(), func(text string) { steps = append(steps, text) })
	if got, err := call(ctx, h, "open_ticket", `{"title":"Login fails"}`); err != nil || got != "opened Login fails" {
		log, _ := h.Log("desk")
		t.Fatalf("%q, %v\n%s", got, err, log)
	}
	if len(steps) != 1 || steps[0] != "1 of 2" {
		t.Errorf("progress %q", steps)
	}
	if got, err := call(t.Context(), h, "refuse", `{}`); err != nil || got != "error: the desk is closed" {
		t.Errorf("%q, %v", got, err)
	}
	if got, err := call(t.Context(), h, "gone", `{}`); err != nil || !strings.HasPrefix(got, "error: the MCP server: ") {
		t.Errorf("%q, %v", got, err)
	}
	limited, cancel := context.WithTimeout(t.Context(), 300*time.Millisecond)
	defer cancel()
	if _, err := call(limited, h, "wait", `{}`); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("got %v", err)
	}
	waitFor(t, filepath.Join(x.Data, "cancelled"))
	_, err := call(t.Context(), h, "die", `{}`)
	var coded *bridge.ToolError
	if err == nil {
		t.Error("the call went well")
	} else if errors.As(err, &coded) && coded.Code != bridge.CodeUnavailable {
		t.Errorf("got %v", err)
	}
	if got, err := call(t.Context(), h, "open_ticket", `{"title":"again"}`); err != nil || got != "opened again" {
		t.Errorf("afterwards: %q, %v", got, err)
	}
}

func waitFor(t *testing.T, path string) {
	t.Helper()
	for limit := time.Now().Add(10 * time.Second); time.Now().Before(limit); <-time.After(5 * time.Millisecond) {
		if _, err := os.Stat(path); err == nil {
			return
		}
	}
	t.Errorf("%s is not there", path)
}

// A server that cannot be reached leaves its tools to be UNAVAILABLE.
func TestImport_HTTP(t *testing.T) {
	s := httptest.NewServer(server.NewStreamableHTTPServer(deskServer()))
	defer http.DefaultClient.CloseIdleConnections()
	defer s.Close()
	defer s.CloseClientConnections()
	h, _ := hosted(t, manifest.ImportServer{URL: s.URL + "/mcp"}, bridge.Permission{ID: "network.local"})
	if got, err := call(t.Context(), h, "open_ticket", `{"title":"x"}`); err != nil || got != "opened x" {
		log, _ := h.Log("desk")
		t.Fatalf("%q, %v\n%s", got, err, log)
	}
	if sandbox.Level() >= 4 {
		h, _ := hosted(t, manifest.ImportServer{URL: s.URL + "/mcp"})
		var coded *bridge.ToolError
		if _, err := call(t.Context(), h, "open_ticket", `{"title":"x"}`); !errors.As(err, &coded) || coded.Code != bridge.CodeUnavailable {
			t.Errorf("without the permission: %v", err)
		}
	}
}

func TestImport_RefusesAddresses(t *testing.T) {
	for address, good := range map[string]bool{
		"https://tickets.example.com/mcp": true, "http://127.0.0.1:1/mcp": true, "http://localhost/mcp": true, "http://[::1]:7/": true,
		"http://tickets.example.com/mcp": false, "https://user:pw@example.com": false, "file:///etc/passwd": false, "": false, "https://": false,
	} {
		if err := imported.CheckURL(address); (err == nil) != good {
			t.Errorf("%q: %v", address, err)
		}
	}
}
