package edge

import (
	"context"
	"encoding/json"
	"net/http"
	"strings"
	"testing"

	"github.com/mark3labs/mcp-go/mcp"

	"meterbridge/bridge"
)

// A caller with little room lists a short name and calls by it or by the whole one;
// a caller that may not see the tool is refused by either.
func TestEdge_ShortNames(t *testing.T) {
	w := newWorld(t, nil)
	long := strings.Repeat("abcdefghij", 6)
	w.tools.Room(func(bridge.Identity) int { return 50 })
	said := tool(long, anything, "", func(context.Context, bridge.Identity, json.RawMessage) (bridge.Result, error) {
		return bridge.Result{Text: "said"}, nil
	})
	if err := w.tools.Set([]bridge.Tool{said}, func(who bridge.Identity, _ string) bool { return who.Agent == "anna" }); err != nil {
		t.Fatal(err)
	}
	for _, version := range versions() {
		c := w.connect("anna", version)
		list, err := c.ListTools(t.Context(), mcp.ListToolsRequest{})
		if err != nil || len(list.Tools) != 1 || len(list.Tools[0].Name) != 50 {
			t.Fatalf("%s: listed %+v, %v", version, list, err)
		}
		for _, name := range []string{list.Tools[0].Name, long} {
			call := mcp.CallToolRequest{}
			call.Params.Name = name
			result, err := c.CallTool(t.Context(), call)
			if err != nil || result.IsError || result.Content[0].(mcp.TextContent).Text != "said" {
				t.Errorf("%s: %s: %+v, %v", version, name, result, err)
			}
			a := w.post("bert", w.open("bert", mcp.ProtocolVersion20251125), `{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"`+name+`"}}`)
			if a.status != http.StatusForbidden || a.code() != codeNotAllowed {
				t.Errorf("%s: who may not: %d %s", name, a.status, a.body)
			}
		}
	}
}

// An agent that several cards are linked to has one argument more, which the tool
// never sees; another agent has not.
func TestEdge_CardArgument(t *testing.T) {
	w := newWorld(t, nil)
	board := tool("board", `{"type":"object","additionalProperties":false}`, "", func(ctx context.Context, _ bridge.Identity, args json.RawMessage) (bridge.Result, error) {
		return bridge.Result{Text: bridge.ChosenCard(ctx) + string(args)}, nil
	})
	board.Foreign = true
	board.Cards = func(who bridge.Identity) []bridge.Card {
		if who.Agent == "anna" {
			return []bridge.Card{{ID: "c-1", Name: "Left"}, {ID: "c-2", Name: "Right"}}
		}
		return []bridge.Card{{ID: "c-1", Name: "Left"}}
	}
	if err := w.tools.Set([]bridge.Tool{board}, nil); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ who, args, want string }{
		{"anna", `{"card":"right"}`, "c-2{}"},
		{"anna", `{}`, "c-1{}"},
		{"anna", `{"card":"up"}`, "INVALID_PARAMS: `/card`: there is no such card; linked are c-1 (Left), c-2 (Right)"},
		{"bert", `{}`, "{}"},
		{"bert", `{"card":"right"}`, "INVALID_PARAMS: does not know `card`"},
	} {
		a := w.post(c.who, w.open(c.who, mcp.ProtocolVersion20251125), `{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"board","arguments":`+c.args+`}}`)
		if r := a.toolResult(); len(r.Content) != 1 || r.Content[0].Text != c.want {
			t.Errorf("%s %s: got %s, want %s", c.who, c.args, a.body, c.want)
		}
	}
	for who, want := range map[string]bool{"anna": true, "bert": false} {
		list, err := w.connect(who, mcp.ProtocolVersion20251125).ListTools(t.Context(), mcp.ListToolsRequest{})
		if err != nil {
			t.Fatal(err)
		}
		if text, _ := json.Marshal(list.Tools[0]); strings.Contains(string(text), "Which card answers") != want {
			t.Errorf("%s: listed %s", who, text)
		}
	}
}
