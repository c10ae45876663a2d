package edge

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"meterbridge/bridge"
	"meterbridge/bridge/registry"
)

// The pair that stands for the tools of extensions where those are not listed: for
// clients that take many tools badly, or do not hear of new ones.
const (
	FindTool = "find_tool"
	CallTool = "call_tool"
)

// mostFound is how many tools one search answers unless it asks for more or fewer.
const mostFound = 5

// SearchTools are the two tools, for the registry of an edge with Options.Search.
func SearchTools() []bridge.Tool {
	return []bridge.Tool{
		{
			Name: FindTool, Title: "Find a tool",
			Description: "Finds tools of extensions by words of their names and descriptions, and answers with their names, descriptions and argument schemas. Call them with call_tool. Without a query it names all of them.",
			Input:       json.RawMessage(`{"type":"object","properties":{"query":{"type":"string","maxLength":500},"limit":{"type":"integer","minimum":1,"maximum":50}},"additionalProperties":false}`),
			Annotations: bridge.ReadOnly(), Call: find,
		},
		{
			Name: CallTool, Title: "Call a found tool",
			Description: "Calls a tool that find_tool found, by its name, with arguments that fit its schema.",
			Input:       json.RawMessage(`{"type":"object","required":["name"],"properties":{"name":{"type":"string","maxLength":128},"arguments":{"type":"object"}},"additionalProperties":false}`),
			Annotations: bridge.Annotations{Destructive: true, OpenWorld: true},
			Call: func(context.Context, bridge.Identity, json.RawMessage) (bridge.Result, error) {
				return bridge.Result{}, &bridge.ToolError{Code: bridge.CodeInvalidParams, Message: "name a tool that find_tool found"}
			},
		},
	}
}

// found is a tool as find_tool tells of it.
type found struct {
	Name        string          `json:"name"`
	Description string          `json:"description"`
	Input       json.RawMessage `json:"inputSchema,omitempty"`
}

// find answers find_tool out of what its caller sees.
func find(ctx context.Context, who bridge.Identity, args json.RawMessage) (bridge.Result, error) {
	var in struct {
		Query string
		Limit int
	}
	c, ok := ctx.Value(callKey{}).(*call)
	if err := json.Unmarshal(args, &in); err != nil || !ok {
		return bridge.Result{}, &bridge.ToolError{Code: bridge.CodeInvalidParams, Message: "query must be a text"}
	}
	list, all := search(c.tools, who, in.Query), in.Query == ""
	most := cmp.Or(in.Limit, mostFound)
	if all {
		most = cmp.Or(in.Limit, 50)
	}
	rows := []found{}
	for _, e := range list[:min(most, len(list))] {
		row := found{Name: c.tools.Shown(who, e.Name), Description: e.Description}
		if !all {
			row.Input = e.InputFor(who)
		}
		rows = append(rows, row)
	}
	var text bytes.Buffer
	if err := encode(&text, rows); err != nil {
		return bridge.Result{}, fmt.Errorf("write what was found: %w", err)
	}
	said := fmt.Sprintf("%d of %d tools. call_tool calls them.", len(rows), len(list))
	return bridge.Result{Content: []bridge.Content{bridge.TextContent(said), bridge.TextContent(strings.TrimSpace(text.String()))}}, nil
}

// search are the tools of extensions that a caller sees and that have a word of the
// query, the best first: a word of the name weighs more than one of the description.
func search(tools *registry.Snapshot, who bridge.Identity, query string) []*registry.Entry {
	words := strings.FieldsFunc(strings.ToLower(query), func(c rune) bool { return c == ' ' || c == '_' || c == '-' || c == ',' || c == '\n' })
	weight := map[*registry.Entry]int{}
	var list []*registry.Entry
	for _, e := range tools.Entries() {
		if e.From == nil || !tools.Visible(who, e.Name) {
			continue
		}
		name, text := e.Name+" "+strings.ToLower(e.Title), strings.ToLower(e.Description)
		for _, w := range words {
			if strings.Contains(name, w) {
				weight[e] += 3
			}
			if strings.Contains(text, w) {
				weight[e]++
			}
		}
		if weight[e] > 0 || len(words) == 0 {
			list = append(list, e)
		}
	}
	slices.SortStableFunc(list, func(a, b *registry.Entry) int { return weight[b] - weight[a] })
	return list
}

// meant is the tool and the arguments that a call of call_tool means; an error of it is
// for the model.
func (c *call) meant(args json.RawMessage) (*registry.Entry, json.RawMessage, error) {
	var in struct {
		Name      string
		Arguments json.RawMessage
	}
	if err := json.Unmarshal(args, &in); err != nil || in.Name == "" {
		return nil, nil, &bridge.ToolError{Code: bridge.CodeInvalidParams, Message: "`/name`: must be the name of a tool"}
	}
	e := c.tools.Resolve(c.who, in.Name)
	switch {
	case e == nil || e.Name == CallTool:
		return nil, nil, &bridge.ToolError{Code: bridge.CodeNotFound, Message: "there is no tool " + in.Name + "; find_tool finds them"}
	case !c.tools.Visible(c.who, e.Name):
		return nil, nil, &bridge.ToolError{Code: bridge.CodePermissionDenied, Message: "the tool " + e.Name + " is not turned on for you"}
	}
	return e, in.Arguments, nil
}
