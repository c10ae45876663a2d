package host

import (
	"bytes"
	"encoding/json"
	"errors"
	"strconv"
	"unicode/utf16"
	"unicode/utf8"

	"meterbridge/bridge"
	"meterbridge/bridge/strictjson"
)

// request is a message of an extension.
type request struct {
	id     int64
	method string
	params json.RawMessage
	// size is that of the message as its envelope counts it.
	size int
}

// envelope is how messages are wrapped on a connection.
type envelope interface {
	// read takes a message apart. The id is that to answer, 0 when nobody can be
	// answered; it is there beside a fault too.
	read(text []byte) (request, *fault)
	result(id int64, value any) ([]byte, error)
	failure(id int64, f *fault) ([]byte, error)
	event(name string, data any) ([]byte, error)
}

// envelopeOf tells which envelope the first message of a connection has; nil for
// neither.
func envelopeOf(text []byte) envelope {
	members, err := strictjson.Object(text)
	if err != nil {
		return nil
	}
	switch {
	case string(members["jsonrpc"]) == `"2.0"`:
		return rpc{}
	case string(members["ns"]) == `"nscard"`:
		return cards{}
	}
	return nil
}

// encode is JSON without escapes that only browsers need.
func encode(v any) ([]byte, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	err := e.Encode(v)
	return bytes.TrimRight(b.Bytes(), "\n"), err
}

// members takes a message apart, none but the known keys allowed.
func members(text []byte, known ...string) (map[string]json.RawMessage, *fault) {
	list, err := strictjson.Object(text)
	if err != nil {
		f := faulty(codeBadRequest, "%v", err)
		if errors.Is(err, strictjson.ErrShape) {
			f.data = map[string]any{"path": "", "keyword": "json", "message": err.Error()}
		}
		return nil, f
	}
	for key := range list {
		if !contains(known, key) {
			return list, faulty(codeBadRequest, "the message has a key %q that its envelope does not know", key)
		}
	}
	return list, nil
}

func contains(list []string, wanted string) bool {
	for _, s := range list {
		if s == wanted {
			return true
		}
	}
	return false
}

// mostSafe is the largest integer that JavaScript keeps exactly.
const mostSafe = 1<<53 - 1

// number is an id: a positive safe integer, else 0.
func number(raw json.RawMessage) int64 {
	n, err := strconv.ParseInt(string(raw), 10, 64)
	if err != nil || n < 1 || n > mostSafe {
		return 0
	}
	return n
}

func text(raw json.RawMessage) string {
	var s string
	if json.Unmarshal(raw, &s) != nil {
		return ""
	}
	return s
}

// parts are what both envelopes hold under other names.
func parts(list map[string]json.RawMessage, r *request) *fault {
	if r.id = number(list["id"]); r.id == 0 {
		return faulty(codeBadRequest, "the id must be a positive integer")
	}
	if r.method = text(list["method"]); !methodName(r.method) {
		return faulty(codeMethodNotFound, "there is no method of that name")
	}
	if r.params = list["params"]; len(r.params) == 0 || r.params[0] != '{' {
		return faulty(codeBadRequest, "params must be an object")
	}
	return nil
}

// methodName tells whether a name is family.verb.
func methodName(s string) bool {
	dot := 0
	for i, c := range s {
		switch {
		case c == '.' && i > 0 && i < len(s)-1:
			dot++
		case c >= 'a' && c <= 'z':
		case (c >= 'A' && c <= 'Z' || c >= '0' && c <= '9') && i > 0 && s[i-1] != '.':
		default:
			return false
		}
	}
	return dot == 1 && len(s) <= 64
}

// rpc is JSON-RPC 2.0.
type rpc struct{}

func (rpc) read(text []byte) (request, *fault) {
	r := request{size: len(text)}
	list, f := members(text, "jsonrpc", "id", "method", "params")
	if string(list["jsonrpc"]) != `"2.0"` && f == nil {
		f = faulty(codeBadRequest, "jsonrpc must be \"2.0\"")
	}
	if f != nil {
		r.id = number(list["id"])
		return r, f
	}
	if list["params"] == nil {
		list["params"] = json.RawMessage("{}")
	}
	return r, parts(list, &r)
}

func (rpc) result(id int64, value any) ([]byte, error) {
	return encode(struct {
		JSONRPC string `json:"jsonrpc"`
		ID      int64  `json:"id"`
		Result  any    `json:"result"`
	}{"2.0", id, value})
}

func (rpc) failure(id int64, f *fault) ([]byte, error) {
	data := map[string]any{"code": f.code}
	switch d := f.data.(type) {
	case nil:
	case map[string]any:
		for key, value := range d {
			data[key] = value
		}
	default:
		data["issues"] = d
	}
	return encode(map[string]any{
		"jsonrpc": "2.0", "id": id, "error": map[string]any{"code": rpcCode(f.code), "message": f.message, "data": data},
	})
}

func rpcCode(code string) int {
	switch code {
	case codeBadRequest:
		return -32600
	case codeMethodNotFound:
		return -32601
	case bridge.CodeInvalidParams:
		return -32602
	case bridge.CodeInternal:
		return -32603
	}
	return -32000
}

func (rpc) event(name string, data any) ([]byte, error) {
	return encode(struct {
		JSONRPC string `json:"jsonrpc"`
		Method  string `json:"method"`
		Params  any    `json:"params"`
	}{"2.0", name, data})
}

// cards is the envelope of the card protocol.
type cards struct{}

func (cards) read(text []byte) (request, *fault) {
	r := request{size: utf16Units(text)}
	list, f := members(text, "ns", "v", "kind", "id", "method", "params")
	r.id = number(list["id"])
	if list != nil && (string(list["ns"]) != `"nscard"` || string(list["kind"]) != `"req"`) {
		return r, faulty(codeBadRequest, "ns must be \"nscard\" and kind \"req\"")
	}
	if r.id == 0 {
		return r, faulty(codeBadRequest, "the id must be a positive integer")
	}
	if string(list["v"]) != "1" {
		return r, faulty(codeProtocolMismatch, "only version 1 of the protocol is known here")
	}
	if f != nil {
		return r, f
	}
	return r, parts(list, &r)
}

func (cards) result(id int64, value any) ([]byte, error) {
	return encode(struct {
		NS     string `json:"ns"`
		V      int    `json:"v"`
		Kind   string `json:"kind"`
		ID     int64  `json:"id"`
		OK     bool   `json:"ok"`
		Result any    `json:"result,omitempty"`
	}{"nscard", 1, "res", id, true, value})
}

func (cards) failure(id int64, f *fault) ([]byte, error) {
	e := map[string]any{"code": f.code, "message": f.message}
	if f.data != nil {
		e["data"] = f.data
	}
	return encode(map[string]any{"ns": "nscard", "v": 1, "kind": "res", "id": id, "ok": false, "error": e})
}

func (cards) event(name string, data any) ([]byte, error) {
	return encode(struct {
		NS    string `json:"ns"`
		V     int    `json:"v"`
		Kind  string `json:"kind"`
		Event string `json:"event"`
		Data  any    `json:"data,omitempty"`
	}{"nscard", 1, "evt", name, data})
}

// utf16Units is the length of a text as JavaScript counts it.
func utf16Units(text []byte) (n int) {
	for len(text) > 0 {
		c, size := utf8.DecodeRune(text)
		n += max(utf16.RuneLen(c), 1)
		text = text[size:]
	}
	return n
}
