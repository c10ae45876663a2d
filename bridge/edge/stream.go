package edge

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"time"

	"github.com/mark3labs/mcp-go/mcp"
)

// encode writes JSON without escapes that only browsers need.
func encode(w io.Writer, v any) error {
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false)
	return e.Encode(v)
}

// wire is a response as it is sent, with the client's own id.
func (e *Edge) wire(q request, response mcp.JSONRPCMessage) any {
	switch r := response.(type) {
	case mcp.JSONRPCResponse:
		return wireResult{mcp.JSONRPC_VERSION, q.id, r.Result}
	case mcp.JSONRPCError:
		return wireError{mcp.JSONRPC_VERSION, q.id, r.Error}
	}
	return wireError{mcp.JSONRPC_VERSION, q.id, mcp.JSONRPCErrorDetails{Code: mcp.INTERNAL_ERROR, Message: "there is no answer"}}
}

// respond writes a response as one JSON document.
func (e *Edge) respond(w http.ResponseWriter, q request, response mcp.JSONRPCMessage) {
	status := http.StatusOK
	if r, ok := response.(mcp.JSONRPCError); ok && q.modern {
		status = modernStatus(r.Error.Code)
	}
	writeJSON(w, status, e.wire(q, response))
}

// modernStatus is the HTTP status of an error in the era without sessions.
func modernStatus(code int) int {
	switch code {
	case mcp.METHOD_NOT_FOUND:
		return http.StatusNotFound
	case mcp.HEADER_MISMATCH, mcp.MISSING_REQUIRED_CLIENT_CAPABILITY, mcp.UNSUPPORTED_PROTOCOL_VERSION, codeInvalidRequest, codeParse:
		return http.StatusBadRequest
	}
	return http.StatusOK
}

// stream is a response that is a stream of server-sent events from its first
// event on.
type stream struct {
	w       http.ResponseWriter
	limit   time.Duration
	started bool
}

// start sends the headers, once.
func (s *stream) start() error {
	if s.started {
		return nil
	}
	s.started = true
	h := s.w.Header()
	h.Set("Content-Type", streamType)
	h.Set("Cache-Control", "no-store")
	h.Set("X-Accel-Buffering", "no")
	s.w.WriteHeader(http.StatusOK)
	return s.flush()
}

// event sends a message.
func (s *stream) event(v any) error {
	var b bytes.Buffer
	b.WriteString("event: message\ndata: ")
	if err := encode(&b, v); err != nil {
		return fmt.Errorf("write an event: %w", err)
	}
	b.WriteByte('\n')
	return s.send(b.Bytes())
}

// alive sends a comment, which clients ignore.
func (s *stream) alive() error { return s.send([]byte(": alive\n\n")) }

func (s *stream) send(text []byte) error {
	// A writer without deadlines (a test's recorder) has no slow clients.
	_ = http.NewResponseController(s.w).SetWriteDeadline(time.Now().Add(s.limit))
	if err := s.start(); err != nil {
		return err
	}
	if _, err := s.w.Write(text); err != nil {
		return fmt.Errorf("write to the stream: %w", err)
	}
	return s.flush()
}

func (s *stream) flush() error {
	if err := http.NewResponseController(s.w).Flush(); err != nil {
		return fmt.Errorf("write to the stream: %w", err)
	}
	return nil
}

// end lifts the deadline off the connection, which serves other requests too.
func (s *stream) end() {
	if s.started {
		_ = http.NewResponseController(s.w).SetWriteDeadline(time.Time{})
	}
}
