package edge

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/mark3labs/mcp-go/client"
	"github.com/mark3labs/mcp-go/mcp"

	"meterbridge/bridge"
	"meterbridge/bridge/pipeline"
)

// asked calls a tool by mcp-go's own client and returns its texts.
func asked(t *testing.T, c *client.Client, name string, args map[string]any) (texts []string, failed bool) {
	t.Helper()
	call := mcp.CallToolRequest{}
	call.Params.Name, call.Params.Arguments = name, args
	result, err := c.CallTool(t.Context(), call)
	if err != nil {
		t.Fatalf("%s %v: %v", name, args, err)
	}
	for _, item := range result.Content {
		texts = append(texts, item.(mcp.TextContent).Text)
	}
	return texts, result.IsError
}

// With the pair, tools of extensions are found and called but not listed; a call by
// call_tool is held to the tool's own rules: who sees it, its schema, its trace.
func TestEdge_FindAndCall(t *testing.T) {
	var traced []bridge.CallRecord
	w := newWorld(t, func(o *Options) {
		o.Search = true
		o.Limits.Limits = pipeline.Limits{CallsPerMinute: 1e9, CallBurst: 1e9}
		o.Done = func(c bridge.CallRecord) { traced = append(traced, c) }
	})
	tools := SearchTools()
	for i := range 40 {
		x := tool(fmt.Sprintf("desk_tool_%02d", i), `{"type":"object","required":["title"],"properties":{"title":{"type":"string","maxLength":20}},"additionalProperties":false}`, "",
			func(_ context.Context, _ bridge.Identity, args json.RawMessage) (bridge.Result, error) {
				return bridge.Result{Text: "opened " + string(args)}, nil
			})
		x.Description = strings.Repeat("Does one thing of the desk at length. ", 10)
		x.From = &bridge.Source{By: "link", Package: "desk", Tool: x.Name}
		tools = append(tools, x)
	}
	tools[9].Description = "Opens a ticket."
	if err := w.tools.Set(tools, func(who bridge.Identity, name string) bool {
		return who.Agent == "anna" || !strings.HasPrefix(name, "desk")
	}); err != nil {
		t.Fatal(err)
	}
	for _, version := range []string{mcp.ProtocolVersion20250618, mcp.ProtocolVersion20260728} {
		c := w.connect("anna", version)
		list, err := c.ListTools(t.Context(), mcp.ListToolsRequest{})
		if err != nil {
			t.Fatal(err)
		}
		var names []string
		for _, x := range list.Tools {
			names = append(names, x.Name)
		}
		if d := cmp.Diff([]string{CallTool, FindTool}, names); d != "" {
			t.Errorf("%s: listed (-want +got)\n%s", version, d)
		}
		texts, _ := asked(t, c, FindTool, map[string]any{"query": "open a ticket", "limit": 1})
		if len(texts) != 2 || !strings.Contains(texts[1], `"name":"desk_tool_07"`) || !strings.Contains(texts[1], `"maxLength":20`) {
			t.Errorf("%s: found %q", version, texts)
		}
		all, _ := asked(t, c, FindTool, map[string]any{})
		if !strings.HasPrefix(all[0], "40 of 40") {
			t.Errorf("%s: all of them: %.80s", version, all)
		}
		texts, failed := asked(t, c, CallTool, map[string]any{"name": "desk_tool_07", "arguments": map[string]any{"title": "Login"}})
		if failed || texts[0] != `opened {"title":"Login"}` {
			t.Errorf("%s: called: %q", version, texts)
		}
		if last := traced[len(traced)-1]; last.Exposed != "desk_tool_07" || last.Package != "desk" {
			t.Errorf("%s: traced as %+v", version, last)
		}
		if texts, failed := asked(t, c, CallTool, map[string]any{"name": "desk_tool_07", "arguments": map[string]any{}}); !failed || !strings.HasPrefix(texts[0], "INVALID_PARAMS: needs `title`") {
			t.Errorf("%s: without the title: %q", version, texts)
		}
		if texts, failed := asked(t, c, "desk_tool_07", map[string]any{"title": "Login"}); failed {
			t.Errorf("%s: called by its name: %q", version, texts)
		}
		other := w.connect("bert", version)
		if texts, failed := asked(t, other, CallTool, map[string]any{"name": "desk_tool_07", "arguments": map[string]any{"title": "Login"}}); !failed || !strings.HasPrefix(texts[0], "PERMISSION_DENIED") {
			t.Errorf("%s: another agent: %q", version, texts)
		}
		if texts, _ := asked(t, other, FindTool, map[string]any{}); !strings.HasPrefix(texts[0], "0 of 0") {
			t.Errorf("%s: another agent found %q", version, texts)
		}
	}
}
