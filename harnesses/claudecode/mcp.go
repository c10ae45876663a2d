package claudecode

import "meterbridge/harnesses"

// mcpClient: servers of a user, of a project and of one run have the same form.
func mcpClient() *harnesses.MCPClient {
	return harnesses.MCPServers("~/.claude.json, or .mcp.json in a project").AddedBy("claude", "mcp", "add", "--scope", "user")
}
