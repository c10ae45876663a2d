package relay

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"

	"github.com/mark3labs/mcp-go/mcp"

	"meterbridge/bridge/strictjson"
)

// exchange sends a request and writes everything that comes back.
func (r *relay) exchange(ctx context.Context, f *flight, m *strictjson.Message, text []byte) {
	h := r.headers(m)
	resp, err := r.post(ctx, text, h)
	if lost := h.Get(mcp.HeaderSessionID); err == nil && resp.StatusCode == http.StatusNotFound && lost != "" && r.reopenAfter(ctx, resp, lost) {
		resp, err = r.post(ctx, text, r.headers(m))
	}
	if err == nil {
		defer resp.Body.Close()
		var answered bool
		if answered, err = r.pass(resp, f, m.Raw(m.ID)); answered {
			return
		}
	}
	if r.dropped(f) {
		return
	}
	r.refuse(m.Raw(m.ID), codeGone, gone(err))
}

// reopenAfter opens a new session after an answer that knows the old one no more.
func (r *relay) reopenAfter(ctx context.Context, resp *http.Response, lost string) bool {
	if !r.reopen(ctx, lost) {
		return false
	}
	_ = resp.Body.Close()
	return true
}

// pass writes an answer, and what comes before it. It returns whether there was
// one that the client understands.
func (r *relay) pass(resp *http.Response, f *flight, id json.RawMessage) (bool, error) {
	if strings.HasPrefix(resp.Header.Get("Content-Type"), "text/event-stream") {
		answered := false
		err := eachEvent(resp.Body, func(data []byte) {
			if r.dropped(f) {
				return
			}
			r.write(data)
			answered = answered || read(data).ends()
		})
		return answered, err
	}
	body, err := io.ReadAll(resp.Body)
	if err != nil {
		return false, err
	}
	m := read(body)
	switch {
	case !m.ends():
		return false, fmt.Errorf("the daemon answered %s", resp.Status)
	case r.dropped(f):
	case m.Error != nil && (m.ID == nil || string(m.ID) == "null"):
		// What is turned away unread is not told whose it was; the line is.
		r.refuse(id, m.Error.Code, m.Error.Message)
	default:
		r.write(body)
	}
	return true, nil
}

// response is a message as far as the relay looks into it.
type response struct {
	JSONRPC string                   `json:"jsonrpc"`
	ID      json.RawMessage          `json:"id"`
	Result  json.RawMessage          `json:"result"`
	Error   *mcp.JSONRPCErrorDetails `json:"error"`
}

func read(text []byte) (m response) {
	if json.Unmarshal(text, &m) != nil {
		return response{}
	}
	return m
}

// ends tells whether a message is a response.
func (m response) ends() bool {
	return m.JSONRPC == mcp.JSONRPC_VERSION && (m.Result != nil || m.Error != nil)
}

// eachEvent hears of the data of each event of a stream.
func eachEvent(stream io.Reader, hear func(data []byte)) error {
	in := bufio.NewReaderSize(stream, 64<<10)
	var data []byte
	for {
		text, err := in.ReadBytes('\n')
		if err != nil {
			if errors.Is(err, io.EOF) {
				return nil
			}
			return err
		}
		text = bytes.TrimRight(text, "\r\n")
		if part, ok := bytes.CutPrefix(text, []byte("data:")); ok {
			data = append(data, bytes.TrimPrefix(part, []byte(" "))...)
		}
		if len(text) == 0 && len(data) > 0 {
			hear(data)
			data = nil
		}
	}
}

// unconnected tells whether a request failed before there was a connection, so
// that it was surely not carried out.
func unconnected(err error) bool {
	var op *net.OpError
	return errors.As(err, &op) && op.Op == "dial"
}

// gone is what a client is told when there is no answer.
func gone(err error) string {
	if err == nil {
		return "the connection to meterbridge ended before the answer; the call may have been carried out"
	}
	if unconnected(err) {
		return "meterbridge does not answer; start it with `meterbridge serve`, or start this client's server again"
	}
	return "meterbridge did not answer: " + err.Error()
}
