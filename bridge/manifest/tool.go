package manifest

import (
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"meterbridge/bridge"
)

// maxTools is how many tools a manifest may declare.
const maxTools = 32

// tools reads the tools of a card or a process.
func (r *reader) tools(o object) []bridge.ExtensionTool {
	var list []bridge.ExtensionTool
	for i, v := range o.list("tools", 0, maxTools) {
		in := r.object(v, o.entry("tools", i), "name", "title", "description", "inputSchema", "readOnly", "timeoutMs")
		in.need("name", "description", "inputSchema")
		list = append(list, bridge.ExtensionTool{
			LocalID:  in.word("name", isTool, "1 to 40 of a-z, 0-9 and _, with a letter first"),
			Title:    in.text("title", 1, 80),
			Text:     in.text("description", 1, 2000),
			Input:    in.schema("inputSchema"),
			ReadOnly: in.flag("readOnly"),
			Timeout:  time.Duration(in.whole("timeoutMs", 1000, 120_000, 30_000)) * time.Millisecond,
		})
	}
	return list
}

// toolsMeaning looks at the names, texts and schemas of tools. The paths are those
// of the list, of an entry's input and of its output ("" for a dialect without).
func (r *reader) toolsMeaning(ext *bridge.Extension, list, input, output string) {
	seen := map[string]bool{}
	for i, t := range ext.Tools {
		path := fmt.Sprintf("%s/%d", list, i)
		if why := r.toolName(ext, t.LocalID, seen); why != "" {
			r.meaning(path, why)
		}
		seen[t.LocalID] = true
		r.readable(path+"/title", t.Title, oneLine)
		r.readable(path+"/description", t.Text, severalLines)
		r.schemaMeaning(path+input, t.Input)
		if why := inputFault(t.Input, ext.Dialect); why != "" {
			r.meaning(path+input, why)
		}
		if t.Output != nil && output != "" {
			r.schemaMeaning(path+output, t.Output)
		}
	}
}

// toolName is why a tool may not have its name, "" when it may. Two ids of one
// extension that become one name are a matter of the registry, which numbers them.
func (r *reader) toolName(ext *bridge.Extension, local string, seen map[string]bool) string {
	if seen[local] {
		return fmt.Sprintf("there are two tools named %s", local)
	}
	return NameFault(Exposed(ext.ShortName, local))
}

// inputFault is what is wrong with the schema of arguments besides its keywords.
func inputFault(text json.RawMessage, dialect bridge.Dialect) string {
	var in struct {
		Type       any                        `json:"type"`
		Properties map[string]json.RawMessage `json:"properties"`
	}
	if json.Unmarshal(text, &in) != nil {
		return "" // the subset has said so
	}
	if in.Type != "object" {
		return "its type must be object"
	}
	if _, has := in.Properties["card"]; has && dialect != bridge.DialectSwitchboard {
		return "may not define a property card: agents choose among several cards by it"
	}
	return ""
}

// noArguments is the schema of a tool that takes none.
const noArguments = `{"type":"object","additionalProperties":false}`

// longestName is the longest exposed name.
const longestName = 64

// Exposed is the name that a tool would have for agents, before it is known which
// names are taken: lower-case ASCII, up to 64 characters.
func Exposed(prefix, local string) string {
	name := strings.NewReplacer("-", "_", ".", "_").Replace(prefix + "_" + local)
	return name[:min(len(name), longestName)]
}
