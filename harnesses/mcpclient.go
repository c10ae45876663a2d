package harnesses

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
)

// MCPClient says how a harness is given an MCP server by hand. Nobody but the
// harness knows the form; nothing is ever written into its files.
type MCPClient struct {
	// File is where the entry goes, as a person names it.
	File string
	// Entry is what to add there for a server of that name that argv starts.
	Entry func(server string, argv []string) string
	// Command is a command of the harness that adds it; nil when it has none.
	Command func(server string, argv []string) []string
}

// MCPServers is the form that most harnesses read: an object mcpServers in a JSON
// file.
func MCPServers(file string) *MCPClient {
	return &MCPClient{File: file, Entry: func(server string, argv []string) string {
		return MCPJSON(map[string]any{"mcpServers": map[string]any{server: MCPCommand(argv)}})
	}}
}

// MCPTables is the form of those that keep a table mcp_servers in a TOML file.
func MCPTables(file string) *MCPClient {
	return &MCPClient{File: file, Entry: func(server string, argv []string) string {
		return fmt.Sprintf("[mcp_servers.%s]\ncommand = %q\nargs = [%s]\n", server, argv[0], MCPQuoted(argv[1:]))
	}}
}

// MCPQuoted is a list of strings, each in quotes, with commas between them: what
// TOML and YAML read within brackets.
func MCPQuoted(args []string) string {
	quoted := make([]string, len(args))
	for i, arg := range args {
		quoted[i] = strconv.Quote(arg)
	}
	return strings.Join(quoted, ", ")
}

// MCPTyped is the form of those that keep an object mcpServers in a JSON file and
// want each server's kind beside its command, and which of its tools may be called.
func MCPTyped(file, kind string, tools ...string) *MCPClient {
	type typed struct {
		Type    string   `json:"type"`
		Command string   `json:"command"`
		Args    []string `json:"args"`
		Tools   []string `json:"tools,omitempty"`
	}
	return &MCPClient{File: file, Entry: func(server string, argv []string) string {
		return MCPJSON(map[string]any{"mcpServers": map[string]any{server: typed{kind, argv[0], argv[1:], tools}}})
	}}
}

// AddedBy is c for a harness whose own command, followed by the server's name,
// "--" and its argv, adds the entry.
func (c *MCPClient) AddedBy(command ...string) *MCPClient {
	with := *c
	with.Command = func(server string, argv []string) []string {
		return append(append(append([]string{}, command...), server, "--"), argv...)
	}
	return &with
}

// mcpCommand is a program as most harnesses write it.
type mcpCommand struct {
	Command string   `json:"command"`
	Args    []string `json:"args"`
}

// MCPCommand is argv as an object with command and args.
func MCPCommand(argv []string) any { return mcpCommand{argv[0], argv[1:]} }

// MCPJSON is an entry as indented JSON.
func MCPJSON(entry any) string {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	if err := e.Encode(entry); err != nil {
		return "" // strings and lists of them can always be written
	}
	return b.String()
}
