package edge

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"
)

// The tests of this file hold plain mcp-go to the defects that the edge is there
// for. One that fails tells of a repair: then the way around it may go, and the
// test of the same name against the edge stays.

const repaired = "mcp-go has repaired this: the edge need not work around it any more"

// plain is mcp-go's own Streamable HTTP server, as a world.
func plain(t *testing.T, o ...server.ServerOption) (*world, *server.MCPServer) {
	t.Helper()
	w := &world{t: t, slow: make(chan context.Context, 100), release: make(chan struct{})}
	s := server.NewMCPServer("plain", "1", append([]server.ServerOption{server.WithToolCapabilities(true)}, o...)...)
	s.AddTool(mcp.NewTool("slow"), func(ctx context.Context, _ mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		w.slow <- ctx
		select {
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-w.release:
			return mcp.NewToolResultText("released"), nil
		}
	})
	s.AddTool(mcp.NewTool("steps"), func(ctx context.Context, r mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		for i := range r.GetInt("n", 0) {
			_ = s.SendNotificationToClient(ctx, "notifications/progress", map[string]any{"progressToken": "t", "progress": i + 1, "message": r.GetString("who", "")})
		}
		return mcp.NewToolResultText("done"), nil
	})
	s.AddTool(mcp.NewTool("fails"), func(context.Context, mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		return nil, errors.New("the disk is full")
	})
	s.AddTool(mcp.NewTool("echo", mcp.WithString("text", mcp.Required())), func(context.Context, mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		return mcp.NewToolResultText("said"), nil
	})
	h := httptest.NewServer(server.NewStreamableHTTPServer(s))
	w.url = h.URL + "/mcp"
	t.Cleanup(func() {
		h.CloseClientConnections()
		h.Close()
		http.DefaultClient.CloseIdleConnections()
	})
	return w, s
}

func TestPlain_1_ForeignOrigin(t *testing.T) {
	w, _ := plain(t)
	h := w.plainSession()
	h["Origin"] = "https://evil.example"
	if a := w.post("anna", h, `{"jsonrpc":"2.0","id":1,"method":"ping"}`); a.status != http.StatusOK {
		t.Errorf("%d %s: %s", a.status, a.body, repaired)
	}
}

func TestPlain_2_BodyCap(t *testing.T) {
	w, _ := plain(t)
	if a := w.post("anna", w.plainSession(), `{"jsonrpc":"2.0","id":1,"method":"ping"}`+strings.Repeat(" ", 16<<20)); a.status != http.StatusOK {
		t.Errorf("%d %s: %s", a.status, a.body, repaired)
	}
}

func TestPlain_3_CrossClientCancel(t *testing.T) {
	w, _ := plain(t)
	h, body := modernly("7", "tools/call", `"name":"slow","arguments":{}`, "slow")
	got := make(chan answer, 1)
	go func() { got <- w.post("anna", h, body) }()
	ctx := <-w.slow
	bens, _ := modernly("1", "notifications/cancelled", "", "")
	w.post("ben", bens, `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":7,"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28"}}}`)
	select {
	case <-ctx.Done():
	case w.release <- struct{}{}:
		t.Error(repaired)
	}
	<-got
}

func TestPlain_4_NotificationsBeforeResponse(t *testing.T) {
	w, _ := plain(t)
	h := w.plainSession()
	for range 2000 {
		if a := w.post("anna", h, called("1", "steps", `{"n":8}`, `"t"`)); len(a.messages) != 9 {
			return
		}
	}
	t.Error(repaired)
}

// plainSession is a session as mcp-go opens it.
func (w *world) plainSession() headers {
	w.t.Helper()
	a := w.post("anna", nil, `{"jsonrpc":"2.0","id":"i","method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}`)
	return headers{"Mcp-Session-Id": a.header.Get("Mcp-Session-Id")}
}

func TestPlain_5_ConcurrentProgressIsolated(t *testing.T) {
	w, _ := plain(t)
	h := w.plainSession()
	for range 50 {
		var all sync.WaitGroup
		mixed := make(chan bool, 3)
		for i := range 3 {
			all.Go(func() {
				who := fmt.Sprint("call", i)
				a := w.post("anna", h, called(fmt.Sprint(i), "steps", fmt.Sprintf(`{"n":8,"who":%q}`, who), `"t"`))
				mixed <- strings.Count(a.body, who) != 8
			})
		}
		all.Wait()
		for range 3 {
			if <-mixed {
				return
			}
		}
	}
	t.Error(repaired)
}

func TestPlain_6_NoAnswerAfterCancel(t *testing.T) {
	w, _ := plain(t)
	h := w.plainSession()
	got := make(chan answer, 1)
	go func() { got <- w.post("anna", h, called("1", "slow", "{}", "")) }()
	<-w.slow
	w.post("anna", h, `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}`)
	if a := <-got; a.code() != mcp.INTERNAL_ERROR {
		t.Errorf("%d %s: %s", a.status, a.body, repaired)
	}
}

func TestPlain_7_HandlerErrorIsToolError(t *testing.T) {
	w, _ := plain(t)
	if a := w.post("anna", w.plainSession(), called("1", "fails", "{}", "")); a.code() != mcp.INTERNAL_ERROR {
		t.Errorf("%s: %s", a.body, repaired)
	}
}

func TestPlain_8_ReadableValidation(t *testing.T) {
	w, s := plain(t, server.WithInputSchemaValidation())
	h := w.plainSession()
	a := w.post("anna", h, called("1", "echo", `{"text":7}`, ""))
	if text := a.toolResult().Content[0].Text; !strings.Contains(text, "&{") && !strings.Contains(text, "map[") {
		t.Logf("the text is now %q", text)
	}
	broken := mcp.NewToolWithRawSchema("broken", "", []byte(`{"type":"objekt"}`))
	s.AddTool(broken, func(context.Context, mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		return mcp.NewToolResultText("ran"), nil
	})
	if a := w.post("anna", h, called("1", "broken", `{}`, "")); a.toolResult().IsError || a.code() != 0 {
		t.Errorf("a schema that does not compile is not skipped: %s: %s", a.body, repaired)
	}
}

func TestPlain_9_OddCaseAndDuplicateKeys(t *testing.T) {
	w, _ := plain(t)
	h := w.plainSession()
	for _, body := range []string{
		`{"jsonrpc":"2.0","id":1,"METHOD":"ping"}`,
		`{"jsonrpc":"2.0","id":1,"method":"nothing","method":"ping"}`,
	} {
		if a := w.post("anna", h, body); a.code() != 0 || a.status != http.StatusOK {
			t.Errorf("%s: %s: %s", body, a.body, repaired)
		}
	}
}

func TestPlain_10_NotificationFloodAndClash(t *testing.T) {
	w, s := plain(t)
	a := w.post("anna", w.plainSession(), called("1", "steps", `{"n":5000}`, `"t"`))
	if len(a.messages) == 5001 {
		t.Error("nothing is dropped: " + repaired)
	}
	defer func() {
		if recover() == nil {
			t.Error("no panic: " + repaired)
		}
	}()
	s.AddTaskTool(mcp.NewTool("slow"), nil)
}

func TestPlain_12_SessionLifecycle(t *testing.T) {
	w, _ := plain(t)
	ping := `{"jsonrpc":"2.0","id":1,"method":"ping"}`
	h := w.plainSession()
	never := headers{"Mcp-Session-Id": "mcp-session-00000000-0000-4000-8000-000000000000"}
	if a := w.post("anna", never, ping); a.status != http.StatusOK {
		t.Errorf("a session that was never opened: %d: %s", a.status, repaired)
	}
	w.do(w.request(t.Context(), http.MethodDelete, "anna", h, nil))
	if a := w.post("anna", h, ping); a.status != http.StatusOK {
		t.Errorf("after DELETE: %d: %s", a.status, repaired)
	}
}

func TestPlain_14_Annotations(t *testing.T) {
	a := mcp.NewTool("reads", mcp.WithReadOnlyHintAnnotation(true)).Annotations
	if !*a.DestructiveHint || !*a.OpenWorldHint {
		t.Error(repaired)
	}
}

func TestPlain_15_ListChangedPerAgent(t *testing.T) {
	w, s := plain(t, server.WithToolFilter(func(context.Context, []mcp.Tool) []mcp.Tool { return nil }))
	h, body := modernly(`"s"`, "subscriptions/listen", `"notifications":{"toolsListChanged":true}`, "")
	told := w.listen(w.request(t.Context(), http.MethodPost, "anna", h, strings.NewReader(body)))
	<-told
	s.AddTool(mcp.NewTool("unseen"), nil)
	if m := <-told; m.Method != mcp.MethodNotificationToolsListChanged {
		t.Errorf("a change that this caller cannot see: %+v: %s", m, repaired)
	}
}
