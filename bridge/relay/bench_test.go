package relay

import (
	"bufio"
	"context"
	"encoding/json"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
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

// The benchmarks hold the edge and the relay against plain mcp-go with the same
// 200 tools over the same transport:
//
//	go test ./bridge/relay -run '^$' -bench Bridge

const manyTools = 200

func benchTools(b *testing.B) *registry.Registry {
	b.Helper()
	var list []bridge.Tool
	for i := range manyTools {
		list = append(list, bridge.Tool{
			Name: benchName(i), Description: "says it again", Annotations: bridge.ReadOnly(),
			Input: json.RawMessage(`{"type":"object","additionalProperties":false,"properties":{"text":{"type":"string"}}}`),
			Call: func(_ context.Context, _ bridge.Identity, args json.RawMessage) (bridge.Result, error) {
				return bridge.Result{Text: string(args)}, nil
			},
		})
	}
	r, err := registry.New(list...)
	if err != nil {
		b.Fatal(err)
	}
	return r
}

func benchName(i int) string { return "echo_" + string(rune('a'+i/26)) + string(rune('a'+i%26)) }

func benchEdge(b *testing.B) *edge.Edge {
	b.Helper()
	e, err := edge.New(edge.Options{
		Registry: benchTools(b), Limits: edge.Limits{PerMinute: 1e9, Burst: 1e9, Limits: pipeline.Limits{Running: 64, CallsPerMinute: 1e9, CallBurst: 1e9}},
		Identify: func(*http.Request) (bridge.Identity, bool) { return bridge.Identity{Agent: bridge.Local}, true },
	})
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(e.Close)
	return e
}

func benchPlain() *server.MCPServer {
	s := server.NewMCPServer("plain", "1")
	for i := range manyTools {
		s.AddTool(mcp.NewTool(benchName(i), mcp.WithString("text")), func(_ context.Context, r mcp.CallToolRequest) (*mcp.CallToolResult, error) {
			return mcp.NewToolResultText(string(r.Params.RawArguments)), nil
		})
	}
	return s
}

const benchCall = `{"jsonrpc":"2.0","id":%ID%,"method":"tools/call","params":{"name":"echo_bb","arguments":{"text":"hello"}}}`

func BenchmarkBridge_HTTP(b *testing.B) {
	for name, h := range map[string]http.Handler{"edge": benchEdge(b), "plain": server.NewStreamableHTTPServer(benchPlain())} {
		for _, callers := range []int{1, 8} {
			b.Run(name+"/"+string(rune('0'+callers))+"callers", func(b *testing.B) {
				s := httptest.NewServer(h)
				defer s.Close()
				over := &http.Transport{MaxIdleConnsPerHost: callers}
				defer over.CloseIdleConnections()
				c := &http.Client{Transport: over}
				session := ""
				post := func(text string) {
					req, _ := http.NewRequestWithContext(b.Context(), http.MethodPost, s.URL, strings.NewReader(text))
					req.Header.Set("Content-Type", "application/json")
					req.Header.Set("Accept", "application/json, text/event-stream")
					if session != "" {
						req.Header.Set("Mcp-Session-Id", session)
					}
					resp, err := c.Do(req)
					if err != nil {
						b.Error(err)
						return
					}
					defer resp.Body.Close()
					if session == "" {
						session = resp.Header.Get("Mcp-Session-Id")
					}
					if _, err := io.Copy(io.Discard, resp.Body); err != nil || resp.StatusCode != http.StatusOK {
						b.Errorf("%v: %s", err, resp.Status)
					}
				}
				post(hello)
				measure(b, callers, func(id string) { post(strings.Replace(benchCall, "%ID%", id, 1)) })
			})
		}
	}
}

func BenchmarkBridge_Stdio(b *testing.B) {
	b.Run("relay", func(b *testing.B) {
		s := httptest.NewUnstartedServer(benchEdge(b))
		l, err := net.Listen("unix", b.TempDir()+"/s")
		if err != nil {
			b.Fatal(err)
		}
		s.Listener.Close()
		s.Listener = l
		s.Start()
		defer s.Close()
		over := &http.Transport{MaxIdleConnsPerHost: 16, DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
			return (&net.Dialer{}).DialContext(ctx, "unix", l.Addr().String())
		}}
		defer over.CloseIdleConnections()
		lines(b, func(in io.Reader, out io.Writer) {
			_ = Run(b.Context(), Options{In: in, Out: out, Client: &http.Client{Transport: over}, URL: "http://localhost/mcp"})
		})
	})
	b.Run("plain", func(b *testing.B) {
		lines(b, func(in io.Reader, out io.Writer) {
			_ = server.NewStdioServer(benchPlain()).Listen(b.Context(), in, out)
		})
	})
}

// lines measures calls over lines, one after the other.
func lines(b *testing.B, run func(io.Reader, io.Writer)) {
	in, toServer := io.Pipe()
	fromServer, out := io.Pipe()
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		run(in, out)
		out.Close()
	}()
	answers := bufio.NewReader(fromServer)
	ask := func(text string) {
		if _, err := io.WriteString(toServer, text+"\n"); err != nil {
			b.Fatal(err)
		}
		if _, err := answers.ReadString('\n'); err != nil {
			b.Fatal(err)
		}
	}
	ask(hello)
	measure(b, 1, func(id string) { ask(strings.Replace(benchCall, "%ID%", id, 1)) })
	toServer.Close()
	<-ended
}

// measure calls b.N times and reports the middle and the slow end.
func measure(b *testing.B, callers int, call func(id string)) {
	took := make([]time.Duration, b.N)
	next := make(chan int)
	var all sync.WaitGroup
	b.ResetTimer()
	began := time.Now()
	for range callers {
		all.Go(func() {
			for i := range next {
				at := time.Now()
				call(`"` + time.Duration(i).String() + `"`)
				took[i] = time.Since(at)
			}
		})
	}
	for i := range b.N {
		next <- i
	}
	close(next)
	all.Wait()
	b.StopTimer()
	whole := time.Since(began)
	slices.Sort(took)
	b.ReportMetric(float64(took[b.N/2].Microseconds())/1000, "p50-ms")
	b.ReportMetric(float64(took[b.N*99/100].Microseconds())/1000, "p99-ms")
	b.ReportMetric(float64(b.N)/whole.Seconds(), "calls/s")
}
