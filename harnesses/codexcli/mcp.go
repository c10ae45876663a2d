package codexcli

import (
	"fmt"
	"strconv"
	"strings"

	"meterbridge/harnesses"
)

// mcpClient: servers are tables of the TOML settings.
func mcpClient() *harnesses.MCPClient {
	c := &harnesses.MCPClient{File: "~/.codex/config.toml", Entry: func(server string, argv []string) string {
		args := make([]string, len(argv)-1)
		for i, arg := range argv[1:] {
			args[i] = strconv.Quote(arg)
		}
		return fmt.Sprintf("[mcp_servers.%s]\ncommand = %q\nargs = [%s]\n", server, argv[0], strings.Join(args, ", "))
	}}
	return c.AddedBy("codex", "mcp", "add")
}
