package host

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"

	"meterbridge/bridge"
	"meterbridge/bridge/edge"
	"meterbridge/bridge/pipeline"
	"meterbridge/bridge/registry"
)

// manyTools is how many tools are there beside the one that is called.
const manyTools = 200

// bridged is the edge with 200 tools that the extension of a world answers.
func bridged(t testing.TB, w *world) *edge.Edge {
	t.Helper()
	var list []bridge.Tool
	for i := range manyTools {
		list = append(list, bridge.Tool{
			Name: fmt.Sprintf("echo_%d", i), Description: "says it again", Annotations: bridge.ReadOnly(), From: &bridge.Source{By: "link", Package: name, Tool: "echo"},
			Input: json.RawMessage(`{"type":"object","additionalProperties":false,"properties":{"text":{"type":"string"}}}`),
			Call: func(ctx context.Context, who bridge.Identity, args json.RawMessage) (bridge.Result, error) {
				return w.host.Call(ctx, bridge.Invocation{Extension: name, Tool: "echo", Args: args, Agent: who.Agent, AgentName: "Lead"})
			},
		})
	}
	r, err := registry.New(list...)
	if err != nil {
		t.Fatal(err)
	}
	e, err := edge.New(edge.Options{
		Registry: r, Limits: edge.Limits{PerMinute: 1e9, Burst: 1e9, Limits: pipeline.Limits{Running: 64, Extension: 64, CallsPerMinute: 1e9, CallBurst: 1e9}},
		Identify: func(*http.Request) (bridge.Identity, bool) { return bridge.Identity{Agent: "ag-7"}, true },
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(e.Close)
	return e
}

// plain is mcp-go's own server with the same 200 tools.
func plain() http.Handler {
	s := server.NewMCPServer("plain", "1")
	for i := range manyTools {
		s.AddTool(mcp.NewTool(fmt.Sprintf("echo_%d", i), mcp.WithString("text")), func(_ context.Context, r mcp.CallToolRequest) (*mcp.CallToolResult, error) {
			return mcp.NewToolResultText(r.GetString("text", "") + " by Lead"), nil
		})
	}
	return server.NewStreamableHTTPServer(s)
}

// caller posts to an endpoint.
type caller struct {
	t       testing.TB
	client  *http.Client
	url     string
	session string
}

func newCaller(t testing.TB, h http.Handler) *caller {
	s := httptest.NewServer(h)
	over := &http.Transport{MaxIdleConnsPerHost: 16}
	t.Cleanup(func() {
		over.CloseIdleConnections()
		s.Close()
	})
	c := &caller{t: t, client: &http.Client{Transport: over}, url: s.URL}
	c.post(`{"jsonrpc":"2.0","id":"h","method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}`)
	return c
}

func (c *caller) post(text string) string {
	req, err := http.NewRequest(http.MethodPost, c.url, strings.NewReader(text))
	if err != nil {
		c.t.Fatal(err)
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Accept", "application/json, text/event-stream")
	if c.session != "" {
		req.Header.Set("Mcp-Session-Id", c.session)
	}
	resp, err := c.client.Do(req)
	if err != nil {
		c.t.Error(err)
		return ""
	}
	defer resp.Body.Close()
	if c.session == "" {
		c.session = resp.Header.Get("Mcp-Session-Id")
	}
	body, err := io.ReadAll(resp.Body)
	if err != nil {
		c.t.Error(err)
	}
	return string(body)
}

func (c *caller) call(i int) {
	text := c.post(fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":"echo_%d","arguments":{"text":"hello"}}}`, i, i%manyTools))
	if !strings.Contains(text, "hello by Lead") {
		c.t.Errorf("call %d: %s", i, text)
	}
}

// many calls n times by so many callers and returns how long each took, sorted.
func (c *caller) many(n, callers int) []time.Duration {
	took := make([]time.Duration, n)
	next := make(chan int)
	var all sync.WaitGroup
	for range callers {
		all.Go(func() {
			for i := range next {
				at := time.Now()
				c.call(i)
				took[i] = time.Since(at)
			}
		})
	}
	for i := range n {
		next <- i
	}
	close(next)
	all.Wait()
	slices.Sort(took)
	return took
}

// BenchmarkBridge_Added tells what the whole bridge (edge, pipeline, host and the
// hop to an extension's process) adds to plain mcp-go that serves the same 200
// tools over the same transport. Calls of both take turns, so that what else the
// machine does concerns both alike:
//
//	go test ./bridge/host -run '^$' -bench Added -benchtime 4000x
func BenchmarkBridge_Added(b *testing.B) {
	w := newWorld(b, "", nil)
	ours, theirs := newCaller(b, bridged(b, w)), newCaller(b, plain())
	ours.many(200, 8)
	theirs.many(200, 8)
	for _, callers := range []int{1, 8} {
		b.Run(fmt.Sprintf("%d_callers", callers), func(b *testing.B) {
			var mine, base []time.Duration
			for left := b.N; left > 0; left -= 100 {
				n := min(left, 100)
				mine, base = append(mine, ours.many(n, callers)...), append(base, theirs.many(n, callers)...)
			}
			slices.Sort(mine)
			slices.Sort(base)
			for name, at := range map[string]int{"p50": len(mine) / 2, "p99": len(mine) * 99 / 100} {
				b.ReportMetric(ms(mine[at]), name+"-ms")
				b.ReportMetric(ms(base[at]), name+"-plain-ms")
				b.ReportMetric(ms(mine[at]-base[at]), name+"-added-ms")
			}
		})
	}
}

func ms(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }

// TestHost_NoLeakAfter10kCalls: 10,000 calls leave goroutines, descriptors and
// memory as they were.
func TestHost_NoLeakAfter10kCalls(t *testing.T) {
	if testing.Short() {
		t.Skip("10,000 calls")
	}
	w := newWorld(t, "", nil)
	c := newCaller(t, bridged(t, w))
	c.many(1000, 8)
	goroutines, files, memory := usage(t)
	c.many(10_000, 8)
	g, f, m := usage(t)
	if g > goroutines+8 || f > files+8 || m > memory+4<<20 {
		t.Errorf("goroutines %d → %d, descriptors %d → %d, heap %d → %d bytes", goroutines, g, files, f, memory, m)
	}
}

// usage counts goroutines and open descriptors, and the bytes that live.
func usage(t *testing.T) (goroutines, files int, memory uint64) {
	t.Helper()
	runtime.GC()
	runtime.GC()
	var stats runtime.MemStats
	runtime.ReadMemStats(&stats)
	list, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		t.Fatal(err)
	}
	return runtime.NumGoroutine(), len(list), stats.HeapAlloc
}
