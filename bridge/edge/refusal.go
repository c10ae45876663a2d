package edge

import (
	"encoding/json"
	"net/http"

	"github.com/mark3labs/mcp-go/mcp"
)

// The codes of JSON-RPC errors. The protocol owns those from -32020 on.
const (
	codeParse          = mcp.PARSE_ERROR
	codeInvalidRequest = mcp.INVALID_REQUEST
	codeInvalidParams  = mcp.INVALID_PARAMS
	codeCredential     = -32001
	codeForbidden      = -32003
	codeTooLarge       = -32004
	codeRate           = -32005
	codeNotAllowed     = -32010
	codeStopping       = -32011
)

// refusal is a request that is turned away.
type refusal struct {
	status  int
	code    int
	message string
	// reason is the word that metrics have for it.
	reason string
}

func stopping() refusal {
	return refusal{http.StatusServiceUnavailable, codeStopping, "meterbridge is stopping", "stopping"}
}

// wireError is a JSON-RPC error as it is sent; a nil id is null.
type wireError struct {
	JSONRPC string                  `json:"jsonrpc"`
	ID      json.RawMessage         `json:"id"`
	Error   mcp.JSONRPCErrorDetails `json:"error"`
}

type wireResult struct {
	JSONRPC string          `json:"jsonrpc"`
	ID      json.RawMessage `json:"id"`
	Result  any             `json:"result"`
}

// RefuseHTTP writes what was refused before the edge saw it as a JSON-RPC error,
// which is all that clients of the protocol read.
func RefuseHTTP(w http.ResponseWriter, status int, message string) {
	code := codeInvalidRequest
	switch status {
	case http.StatusUnauthorized:
		code = codeCredential
	case http.StatusForbidden:
		code = codeForbidden
	case http.StatusRequestEntityTooLarge:
		code = codeTooLarge
	}
	writeJSON(w, status, wireError{mcp.JSONRPC_VERSION, nil, mcp.JSONRPCErrorDetails{Code: code, Message: message}})
}

func (e *Edge) refuse(w http.ResponseWriter, id json.RawMessage, x refusal) {
	e.refuseWith(w, id, x.status, mcp.JSONRPCErrorDetails{Code: x.code, Message: x.message}, x.reason)
}

func (e *Edge) refuseWith(w http.ResponseWriter, id json.RawMessage, status int, details mcp.JSONRPCErrorDetails, reason string) {
	e.refused(reason)
	writeJSON(w, status, wireError{mcp.JSONRPC_VERSION, id, details})
}

func writeJSON(w http.ResponseWriter, status int, v any) {
	h := w.Header()
	h.Set("Content-Type", "application/json")
	h.Set("Cache-Control", "no-store")
	h.Set("X-Content-Type-Options", "nosniff")
	w.WriteHeader(status)
	_ = encode(w, v) // a client that went away needs no answer
}
