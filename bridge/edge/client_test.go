package edge

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/mark3labs/mcp-go/client"
	"github.com/mark3labs/mcp-go/client/transport"
	"github.com/mark3labs/mcp-go/mcp"
)

// connect connects mcp-go's own client.
func (w *world) connect(who, version string) *client.Client {
	w.t.Helper()
	over, err := transport.NewStreamableHTTP(w.url, transport.WithHTTPHeaders(map[string]string{"Authorization": "Bearer " + who}))
	if err != nil {
		w.t.Fatal(err)
	}
	c := client.NewClient(over, client.WithProtocolVersion(version))
	if err := c.Start(w.t.Context()); err != nil {
		w.t.Fatal(err)
	}
	w.t.Cleanup(func() { c.Close() })
	request := mcp.InitializeRequest{}
	request.Params.ProtocolVersion = version
	request.Params.ClientInfo = mcp.Implementation{Name: "test", Version: "1"}
	if _, err := c.Initialize(w.t.Context(), request); err != nil {
		w.t.Fatalf("%s: %v", version, err)
	}
	return c
}

// mcp-go's client lists and calls in every revision.
func TestEdge_OwnClient(t *testing.T) {
	w := newWorld(t, nil)
	for _, version := range versions() {
		c := w.connect("anna", version)
		if got := c.ProtocolVersion(); got != version {
			t.Errorf("%s: agreed on %q", version, got)
		}
		list, err := c.ListTools(t.Context(), mcp.ListToolsRequest{})
		if err != nil {
			t.Fatalf("%s: %v", version, err)
		}
		var names []string
		for _, tool := range list.Tools {
			names = append(names, tool.Name)
		}
		if d := cmp.Diff([]string{"echo", "fails", "panics", "slow", "steps"}, names); d != "" {
			t.Errorf("%s: tools (-want +got)\n%s", version, d)
		}
		call := mcp.CallToolRequest{}
		call.Params.Name, call.Params.Arguments = "echo", map[string]any{"text": "hi <&>"}
		result, err := c.CallTool(t.Context(), call)
		if err != nil {
			t.Fatalf("%s: %v", version, err)
		}
		var want any = map[string]any{"text": "hi <&>", "who": "anna"}
		if version < mcp.ProtocolVersion20250618 {
			want = nil
		}
		if d := cmp.Diff(want, result.StructuredContent); d != "" {
			t.Errorf("%s: structured (-want +got)\n%s", version, d)
		}
		var texts []string
		for _, item := range result.Content {
			texts = append(texts, item.(mcp.TextContent).Text)
		}
		if d := cmp.Diff([]string{"said", `{"text":"hi <&>","who":"anna"}`}, texts); d != "" {
			t.Errorf("%s: texts (-want +got)\n%s", version, d)
		}
	}
}
