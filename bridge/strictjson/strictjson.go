// Package strictjson reads one JSON-RPC message as strictly as two parsers must
// for them to agree: valid UTF-8, one object, no key twice, no key of the
// protocol in another case, bounded depth. encoding/json (and so mcp-go behind
// the edge) forgives all of that, which lets a message mean one thing to a guard
// and another to the library. It imports nothing of the project; edge and relay
// call it.
package strictjson

import (
	"errors"
	"fmt"
	"strconv"
	"unicode/utf8"
)

// MaxDepth is how deep arrays and objects may be nested.
const MaxDepth = 64

// ErrSyntax says that the text is not JSON. ErrShape says that it is, and that it
// is not one strict JSON-RPC message.
var (
	ErrSyntax = errors.New("not valid JSON")
	ErrShape  = errors.New("not strict JSON")
)

// Span is a stretch of the message, in bytes; From == To means that it is absent.
type Span struct{ From, To int }

// Message is where the parts of a message lie.
type Message struct {
	text []byte
	// JSONRPC, ID, Method, Params, Result and Error are the values of those keys.
	JSONRPC, ID, Method, Params, Result, Error Span
	// Name and Meta are params.name and params._meta, Arguments params.arguments.
	Name, Meta, Arguments Span
}

// Has tells whether a part is there.
func (m *Message) Has(s Span) bool { return s.To > s.From }

// Raw is the text of a part, nil when it is absent.
func (m *Message) Raw(s Span) []byte {
	if !m.Has(s) {
		return nil
	}
	return m.text[s.From:s.To]
}

// Text is the text of a part that is a string, "" for anything else.
func (m *Message) Text(s Span) string {
	raw := m.Raw(s)
	if len(raw) == 0 || raw[0] != '"' {
		return ""
	}
	return unquote(raw)
}

// WithID is the message with another id.
func (m *Message) WithID(id []byte) []byte {
	out := make([]byte, 0, len(m.text)+len(id))
	out = append(out, m.text[:m.ID.From]...)
	out = append(out, id...)
	return append(out, m.text[m.ID.To:]...)
}

// With is the message with another id, and with another params.name unless that
// is empty.
func (m *Message) With(id []byte, name string) []byte {
	if name == "" || !m.Has(m.Name) {
		return m.WithID(id)
	}
	quoted := strconv.AppendQuote(nil, name) // names are of a-z, 0-9 and _
	first, then := splice{m.ID, id}, splice{m.Name, quoted}
	if m.Name.From < m.ID.From {
		first, then = then, first
	}
	out := make([]byte, 0, len(m.text)+len(id)+len(quoted))
	out = append(append(out, m.text[:first.at.From]...), first.text...)
	out = append(append(out, m.text[first.at.To:then.at.From]...), then.text...)
	return append(out, m.text[then.at.To:]...)
}

// splice is a stretch and what is to stand there.
type splice struct {
	at   Span
	text []byte
}

// Parse reads a message. The text is kept, not copied.
func Parse(text []byte) (*Message, error) {
	if !utf8.Valid(text) {
		return nil, fmt.Errorf("%w: invalid UTF-8", ErrSyntax)
	}
	r := reader{text: text}
	m := &Message{text: text}
	r.space()
	if r.peek() != '{' {
		return nil, r.notAnObject()
	}
	err := r.object(1, m.top())
	if err != nil {
		return nil, err
	}
	r.space()
	if r.at != len(text) {
		return nil, fmt.Errorf("%w: something follows the message", ErrSyntax)
	}
	return m, m.check()
}

// check holds the message against JSON-RPC 2.0.
func (m *Message) check() error {
	if m.Text(m.JSONRPC) != "2.0" {
		return fmt.Errorf("%w: jsonrpc must be \"2.0\"", ErrShape)
	}
	if m.Has(m.Method) == (m.Has(m.Result) || m.Has(m.Error)) {
		return fmt.Errorf("%w: it must be a request, a notification or a response", ErrShape)
	}
	if m.Has(m.Method) && m.text[m.Method.From] != '"' {
		return fmt.Errorf("%w: method must be a string", ErrShape)
	}
	if m.Has(m.ID) {
		switch c := m.text[m.ID.From]; {
		case c == '"', c == '-', c >= '0' && c <= '9':
		default:
			return fmt.Errorf("%w: id must be a string or a number", ErrShape)
		}
	}
	if m.Has(m.Params) && m.text[m.Params.From] != '{' {
		return fmt.Errorf("%w: params must be an object", ErrShape)
	}
	return nil
}

// notAnObject tells a batch from other values and from what is no JSON.
func (r *reader) notAnObject() error {
	batch := r.peek() == '['
	if err := r.value(1, nil); err != nil {
		return err
	}
	if r.space(); r.at != len(r.text) {
		return fmt.Errorf("%w: something follows the message", ErrSyntax)
	}
	if batch {
		return fmt.Errorf("%w: batches are not accepted, send one message at a time", ErrShape)
	}
	return fmt.Errorf("%w: it must be an object", ErrShape)
}
