package goose

import (
	"fmt"

	"meterbridge/harnesses"
)

// mcpClient: a server is an extension in the YAML settings. A string in JSON's
// quotes is one in YAML too.
func mcpClient() *harnesses.MCPClient {
	return &harnesses.MCPClient{File: "~/.config/goose/config.yaml", Entry: func(server string, argv []string) string {
		return fmt.Sprintf("extensions:\n  %s:\n    type: stdio\n    name: %s\n    enabled: true\n    cmd: %q\n    args: [%s]\n    timeout: 60\n",
			server, server, argv[0], harnesses.MCPQuoted(argv[1:]))
	}}
}
