package edge

import (
	"encoding/json"
	"net/http"
	"slices"

	"github.com/mark3labs/mcp-go/mcp"

	"meterbridge/bridge/registry"
	"meterbridge/bridge/strictjson"
)

// modernHeader tells whether a request without a body is of the era without
// sessions.
func modernHeader(r *http.Request) bool {
	return mcp.IsModernProtocol(r.Header.Get(mcp.HeaderProtocolVersion))
}

// versions are the revisions that are served, newest first.
func versions() []string {
	return []string{
		mcp.ProtocolVersion20260728, mcp.ProtocolVersion20251125, mcp.ProtocolVersion20250618, mcp.ProtocolVersion20250326,
		mcp.ProtocolVersion20241105,
	}
}

// mismatch is a fault of a request's era.
type mismatch struct {
	details mcp.JSONRPCErrorDetails
	reason  string
}

func (m *mismatch) Error() string { return m.details.Message }

func headerMismatch(text string) *mismatch {
	return &mismatch{mcp.JSONRPCErrorDetails{Code: mcp.HEADER_MISMATCH, Message: text}, "header"}
}

func unsupported(version string) *mismatch {
	return &mismatch{mcp.UnsupportedProtocolVersionError{Version: version, Supported: versions()}.JSONRPCError().Error, "version"}
}

// meta is what the message says of itself, as far as the era goes.
type meta struct {
	Version      string          `json:"io.modelcontextprotocol/protocolVersion"`
	Capabilities json.RawMessage `json:"io.modelcontextprotocol/clientCapabilities"`
}

// era finds which era a message belongs to and holds its headers against it. A
// message is modern when its header or its _meta says so; then both must agree.
func era(r *http.Request, m *strictjson.Message, tools *registry.Snapshot) (modern bool, err error) {
	header := r.Header.Get(mcp.HeaderProtocolVersion)
	var said meta
	if raw := m.Raw(m.Meta); raw != nil && json.Unmarshal(raw, &said) != nil {
		return false, &mismatch{mcp.JSONRPCErrorDetails{Code: codeInvalidParams, Message: "_meta is malformed"}, "meta"}
	}
	if !mcp.IsModernProtocol(header) && !mcp.IsModernProtocol(said.Version) {
		if header != "" && !slices.Contains(versions(), header) {
			return false, unsupported(header)
		}
		return false, nil
	}
	if !m.Has(m.ID) {
		return true, nil
	}
	switch {
	case r.Header.Get(mcp.HeaderLastEventID) != "":
		return true, headerMismatch("streams cannot be resumed; send the request again")
	case header == "":
		return true, headerMismatch("the header " + mcp.HeaderProtocolVersion + " is missing")
	case said.Version == "":
		return true, &mismatch{mcp.JSONRPCErrorDetails{Code: codeInvalidParams, Message: mcp.MetaKeyProtocolVersion + " is missing in _meta"}, "meta"}
	case header != said.Version:
		return true, headerMismatch("the header " + mcp.HeaderProtocolVersion + " and _meta name different revisions")
	case !slices.Contains(versions(), header):
		return true, unsupported(header)
	case !m.Has(m.Method):
		return true, &mismatch{mcp.JSONRPCErrorDetails{Code: codeInvalidRequest, Message: "this revision has no requests to the client"}, "header"}
	case len(said.Capabilities) == 0 || said.Capabilities[0] != '{':
		return true, &mismatch{mcp.JSONRPCErrorDetails{Code: codeInvalidParams, Message: mcp.MetaKeyClientCapabilities + " is missing in _meta"}, "meta"}
	}
	return true, standardHeaders(r, m, header, tools)
}

// standardHeaders holds Mcp-Method, Mcp-Name and Mcp-Param-* against the body.
func standardHeaders(r *http.Request, m *strictjson.Message, version string, tools *registry.Snapshot) error {
	method := mcp.MCPMethod(m.Text(m.Method))
	if err := mcp.ValidateStandardHeaders(r.Header.Get, version, method, m.Raw(m.Params)); err != nil {
		return headerMismatch(err.Error())
	}
	if method != mcp.MethodToolsCall {
		return nil
	}
	tool := tools.Find(m.Text(m.Name))
	if tool == nil {
		return nil
	}
	look := func(name string) (string, bool) {
		values := r.Header.Values(name)
		if len(values) == 0 {
			return "", false
		}
		return values[0], true
	}
	if err := mcp.ValidateParamHeadersLookup(look, &mcp.Tool{Name: tool.Name, RawInputSchema: tool.Input}, m.Raw(m.Params)); err != nil {
		return headerMismatch(err.Error())
	}
	return nil
}
