package daemon

import (
	"fmt"
	"strings"

	"meterbridge/bridge"
	"meterbridge/harnesses/all"
)

// MCPConfig says how a user adds the MCP server to a harness by hand; program is
// what starts this one.
func MCPConfig(harness, program string) (MCPEntry, error) {
	var able []string
	for _, h := range all.Harnesses() {
		c := h.Declaration.MCP
		if c == nil {
			continue
		}
		able = append(able, h.ID)
		if h.ID != harness {
			continue
		}
		argv := []string{program, "mcp"}
		e := MCPEntry{SchemaVersion: 1, Harness: h.ID, File: c.File, Entry: c.Entry(bridge.ServerName, argv)}
		if c.Command != nil {
			e.Command = c.Command(bridge.ServerName, argv)
		}
		return e, nil
	}
	err := fmt.Errorf("%s: %w", harness, ErrNoMCP)
	return MCPEntry{}, &Fault{Err: err, Hint: "it is known of " + strings.Join(able, ", "), Nothing: true}
}
