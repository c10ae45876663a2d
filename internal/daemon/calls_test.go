package daemon

import (
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"meterbridge/dashboard/guard"
	"meterbridge/internal/credentials"
)

// A call of a tool is in the log at once and counted in the metrics, without a
// value of its arguments.
func TestToolCalls_AreTraced(t *testing.T) {
	m, err := Open(t.Context(), demoMachine(t))
	if err != nil {
		t.Fatal(err)
	}
	c, stop := startDaemon(t, m)
	defer c.Close()
	s, err := c.Status(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	token, _, err := credentials.Open(m.paths.Tokens(), time.Now).Create("agents", []guard.Scope{guard.ScopeMCP, guard.ScopeMetrics})
	if err != nil {
		t.Fatal(err)
	}
	h := map[string]string{"Authorization": "Bearer " + token}
	_, answer, _ := postMCP(t, s.Addresses[0]+"/mcp", h, helloMCP)
	h["Mcp-Session-Id"] = answer.Get("Mcp-Session-Id")
	for _, args := range []string{`{"by":"month"}`, `{"by":"canary"}`} {
		body := `{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"meter_usage","arguments":` + args + `}}`
		if status, _, text := postMCP(t, s.Addresses[0]+"/mcp", h, body); status != 200 {
			t.Fatalf("%d %s", status, text)
		}
	}
	list, err := m.ToolCalls(t.Context(), ToolCallQuery{})
	if err != nil || len(list.Rows) != 2 {
		t.Fatalf("%v: %+v", err, list)
	}
	for i, want := range []string{"INVALID_PARAMS", "ok"} {
		r := list.Rows[i]
		if r.Tool != "meter_usage" || r.Outcome != want || r.Agent != "local" || r.Via != "built-in" || r.Package != nil || string(r.ArgumentShape) != `{"by":"string"}` || r.Era == nil || *r.Era != "2025-06-18" {
			t.Errorf("row %d: %+v", i, r)
		}
	}
	stats, err := m.ToolStats(t.Context(), time.Time{}, time.Time{})
	if err != nil || len(stats.Rows) != 1 {
		t.Fatalf("%v: %+v", err, stats)
	}
	if r := stats.Rows[0]; r.Calls != 2 || r.OK != 1 || r.Failed != 1 || r.DefinitionTokens == nil || *r.DefinitionTokens < 50 || r.Requests != 0 || r.CostMicroUSD != nil {
		t.Errorf("stats: %+v", r)
	}
	scrape, err := http.NewRequestWithContext(t.Context(), http.MethodGet, s.Addresses[0]+"/metrics", nil)
	if err != nil {
		t.Fatal(err)
	}
	scrape.Header.Set("Authorization", "Bearer "+token)
	resp, err := http.DefaultClient.Do(scrape)
	if err != nil {
		t.Fatal(err)
	}
	shown, err := io.ReadAll(resp.Body)
	if err = errors.Join(err, resp.Body.Close()); err != nil {
		t.Fatal(err)
	}
	text := string(shown)
	for _, want := range []string{`meterbridge_tool_calls_total{outcome="ok",tool="meter_usage"} 1`, "meterbridge_mcp_sessions 1"} {
		if !strings.Contains(text, want) {
			t.Errorf("metrics lack %s", want)
		}
	}
	if err := stop(); err != nil {
		t.Error(err)
	}
	if err := m.Close(); err != nil {
		t.Error(err)
	}
	http.DefaultClient.CloseIdleConnections()
}
