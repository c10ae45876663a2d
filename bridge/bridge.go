// Package bridge gives agents tools over MCP. This package holds the words that
// its rooms share: who calls (Identity), what is called (Tool), what comes back
// (Result, ToolError), and how a running call says how far it is (Progress).
// Its rooms: schema checks values, registry says which tools there are and who
// sees them, pipeline is the one way of a call, strictjson and edge are the HTTP
// door with mcp-go behind it, relay is the door on standard input and output.
// Nothing here may know a database, a log format or a terminal; internal/daemon
// hands in the tools and wires the rooms.
package bridge

// ServerName is the name under which clients have this server in their
// configuration. It is short, because clients put it before each tool's name.
const ServerName = "mbridge"

// Local is the agent of an Identity that is the user of this machine rather
// than an agent.
const Local = "local"

// Identity is who calls: the holder of a credential. Everything a caller may see
// depends on it and on nothing else.
type Identity struct {
	// Agent is the id of the calling agent, or Local.
	Agent string
}

// CancelHeader with the value CancelOnDisconnect makes the edge take a closed
// connection for a cancellation in every revision. Relays send it: the end of
// their client is the end of its calls.
const (
	CancelHeader       = "Meterbridge-Cancel"
	CancelOnDisconnect = "disconnect"
)
