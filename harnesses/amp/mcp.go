package amp

import "meterbridge/harnesses"

// mcpClient: the settings are one flat object.
func mcpClient() *harnesses.MCPClient {
	return &harnesses.MCPClient{File: "~/.config/amp/settings.json", Entry: func(server string, argv []string) string {
		return harnesses.MCPJSON(map[string]any{"amp.mcpServers": map[string]any{server: harnesses.MCPCommand(argv)}})
	}}
}
