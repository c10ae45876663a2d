package opencode

import "meterbridge/harnesses"

// mcpClient: a server's program is one list.
func mcpClient() *harnesses.MCPClient {
	type local struct {
		Type    string   `json:"type"`
		Command []string `json:"command"`
		Enabled bool     `json:"enabled"`
	}
	return &harnesses.MCPClient{File: "~/.config/opencode/opencode.json", Entry: func(server string, argv []string) string {
		return harnesses.MCPJSON(map[string]any{"mcp": map[string]any{server: local{"local", argv, true}}})
	}}
}
