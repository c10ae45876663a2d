package codexcli

import "meterbridge/harnesses"

// mcpClient: servers are tables of the TOML settings.
func mcpClient() *harnesses.MCPClient {
	return harnesses.MCPTables("~/.codex/config.toml").AddedBy("codex", "mcp", "add")
}
