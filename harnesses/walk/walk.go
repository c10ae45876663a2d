// Package walk reads JSON in place: a cursor over one value's bytes that hands
// out members and scalars and skips the rest structurally, without allocating.
// It checks structure (brackets, commas, colons, string ends, literals), so a
// text inside a string can never be taken for a member. It imports only the
// standard library; the parsers of harnesses call it, and turn to encoding/json
// where it gives up.
package walk

import (
	"bytes"
	"errors"
	"math"
	"strconv"
	"unicode/utf16"
	"unicode/utf8"
)

// ErrSyntax is the error of input that is no JSON.
var ErrSyntax = errors.New("not valid JSON")

// maxDepth bounds nesting, as encoding/json does.
const maxDepth = 10000

// Cursor stands before a value, or between the members of a container. After
// the first error every call is a no-op that returns zero values.
type Cursor struct {
	b   []byte
	i   int
	key []byte
	err error
}

// Over returns a cursor that stands before the value in b.
func Over(b []byte) Cursor { return Cursor{b: b} }

// Err is ErrSyntax after a fault, else nil.
func (c *Cursor) Err() error { return c.err }

// Key is the raw text between the quotes of the current member's name.
func (c *Cursor) Key() []byte { return c.key }

// Pos is the offset of the next byte to be read.
func (c *Cursor) Pos() int { return c.i }

// End reports whether only white space follows.
func (c *Cursor) End() bool {
	c.space()
	return c.err == nil && c.i >= len(c.b)
}

func (c *Cursor) fail() {
	c.err = ErrSyntax
	c.i = len(c.b)
}

func (c *Cursor) space() {
	for c.i < len(c.b) {
		switch c.b[c.i] {
		case ' ', '\t', '\n', '\r':
			c.i++
		default:
			return
		}
	}
}

// Peek is the first byte of the next value, 0 at the end.
func (c *Cursor) Peek() byte {
	c.space()
	if c.i >= len(c.b) {
		return 0
	}
	return c.b[c.i]
}

// Object enters an object; false (without an error) when the value is none,
// which then still stands to be read or skipped.
func (c *Cursor) Object() bool { return c.enter('{') }

// Array enters an array, likewise.
func (c *Cursor) Array() bool { return c.enter('[') }

func (c *Cursor) enter(open byte) bool {
	if c.Peek() != open {
		return false
	}
	c.i++
	return true
}

// Member moves to the next member of the object that the cursor is in and
// leaves the cursor before its value; false at the object's end.
//
//	for first := true; c.Member(&first); { switch string(c.Key()) { … default: c.Skip() } }
func (c *Cursor) Member(first *bool) bool {
	if !c.next('}', first) {
		return false
	}
	if c.i >= len(c.b) || c.b[c.i] != '"' {
		c.fail()
		return false
	}
	start := c.i + 1
	if !c.skipString() {
		return false
	}
	c.key = c.b[start : c.i-1]
	c.space()
	if c.i >= len(c.b) || c.b[c.i] != ':' {
		c.fail()
		return false
	}
	c.i++
	return true
}

// Element moves to the next element of the array that the cursor is in.
func (c *Cursor) Element(first *bool) bool { return c.next(']', first) }

func (c *Cursor) next(end byte, first *bool) bool {
	switch c.Peek() {
	case end:
		c.i++
		return false
	case ',':
		if *first {
			c.fail()
			return false
		}
		c.i++
		if c.Peek() == end {
			c.fail()
			return false
		}
	default:
		if !*first {
			c.fail()
			return false
		}
	}
	*first = false
	if c.i >= len(c.b) {
		c.fail()
	}
	return c.err == nil
}

// skipString moves behind the string that starts at the cursor.
func (c *Cursor) skipString() bool {
	i := c.i + 1
	for {
		k := bytes.IndexByte(c.b[i:], '"')
		if k < 0 {
			c.fail()
			return false
		}
		i += k
		n := 0
		for i-1-n > c.i && c.b[i-1-n] == '\\' {
			n++
		}
		i++
		if n%2 == 0 {
			c.i = i
			return true
		}
	}
}

// Skip moves behind the next value.
func (c *Cursor) Skip() {
	switch c.Peek() {
	case 0:
		c.fail()
	case '"':
		c.skipString()
	case '{', '[':
		c.skipContainer()
	default:
		c.skipLiteral()
	}
}

// skipContainer moves behind the container that starts at the cursor.
func (c *Cursor) skipContainer() bool {
	var stack [64]byte
	open := stack[:0]
	first := false
	for {
		b := c.Peek()
		switch {
		case b == '{' || b == '[':
			if len(open) >= maxDepth {
				c.fail()
				return false
			}
			open = append(open, b+2) // '{'+2 = '}', '['+2 = ']'
			c.i++
			first = true
		case b == '"':
			if !c.skipString() {
				return false
			}
			first = false
		case b == 0:
			c.fail()
			return false
		default:
			c.skipLiteral()
			first = false
		}
		// After a value: ends and separators.
		if first && c.Peek() == open[len(open)-1] {
			first = false
			c.i++
			open = open[:len(open)-1]
		} else if first {
			if !c.memberName(open[len(open)-1]) {
				return false
			}
			continue
		}
		for len(open) > 0 && c.Peek() == open[len(open)-1] {
			c.i++
			open = open[:len(open)-1]
		}
		if len(open) == 0 {
			return c.err == nil
		}
		if c.Peek() != ',' {
			c.fail()
			return false
		}
		c.i++
		if !c.memberName(open[len(open)-1]) {
			return false
		}
	}
}

// memberName reads a name and its colon when the container is an object.
func (c *Cursor) memberName(end byte) bool {
	if end != '}' {
		return c.err == nil
	}
	if c.Peek() != '"' || !c.skipString() || c.Peek() != ':' {
		c.fail()
		return false
	}
	c.i++
	return true
}

// skipLiteral moves behind a number, true, false or null.
func (c *Cursor) skipLiteral() {
	start := c.i
	for c.i < len(c.b) && !ends(c.b[c.i]) {
		c.i++
	}
	if !literal(c.b[start:c.i]) {
		c.fail()
	}
}

func ends(b byte) bool {
	switch b {
	case ',', '}', ']', ' ', '\t', '\n', '\r', ':', '"', '{', '[':
		return true
	}
	return false
}

func literal(b []byte) bool {
	switch string(b) {
	case "true", "false", "null":
		return true
	}
	return number(b)
}

// number reports whether b is a number by JSON's grammar.
func number(b []byte) bool {
	i := 0
	if i < len(b) && b[i] == '-' {
		i++
	}
	switch {
	case i < len(b) && b[i] == '0':
		i++
	default:
		n := digits(b[i:])
		if n == 0 {
			return false
		}
		i += n
	}
	if i < len(b) && b[i] == '.' {
		n := digits(b[i+1:])
		if n == 0 {
			return false
		}
		i += 1 + n
	}
	if i < len(b) && (b[i] == 'e' || b[i] == 'E') {
		i++
		if i < len(b) && (b[i] == '+' || b[i] == '-') {
			i++
		}
		n := digits(b[i:])
		if n == 0 {
			return false
		}
		i += n
	}
	return i == len(b)
}

func digits(b []byte) int {
	n := 0
	for n < len(b) && b[n] >= '0' && b[n] <= '9' {
		n++
	}
	return n
}

// Raw moves behind the next value and returns its bytes, white space around it left off.
func (c *Cursor) Raw() []byte {
	c.space()
	start := c.i
	c.Skip()
	if c.err != nil {
		return nil
	}
	return c.b[start:c.i]
}

// Text moves behind the next value and returns the raw text between its quotes;
// ok is false when it is no string. The text still holds its escapes: compare
// it as it is, or take Unquote's.
func (c *Cursor) Text() (raw []byte, ok bool) {
	if c.Peek() != '"' {
		c.Skip()
		return nil, false
	}
	start := c.i + 1
	if !c.skipString() {
		return nil, false
	}
	return c.b[start : c.i-1], true
}

// Int moves behind the next value and returns it as an integer; ok is false for
// null, for what is no number, and for a number that is no integer of 63 bits.
func (c *Cursor) Int() (n int64, ok bool) {
	raw := c.Raw()
	return Integer(raw)
}

// Integer reads the text of a JSON number.
func Integer(raw []byte) (n int64, ok bool) {
	if len(raw) == 0 || len(raw) > 18 {
		return slowInteger(raw)
	}
	for _, b := range raw {
		if b < '0' || b > '9' {
			return slowInteger(raw)
		}
		n = n*10 + int64(b-'0')
	}
	return n, true
}

func slowInteger(raw []byte) (int64, bool) {
	if !number(raw) {
		return 0, false
	}
	if n, err := strconv.ParseInt(string(raw), 10, 64); err == nil {
		return n, true
	}
	f, err := strconv.ParseFloat(string(raw), 64)
	if err != nil || f != math.Trunc(f) || math.Abs(f) >= 1<<53 {
		return 0, false
	}
	return int64(f), true
}

// Bool moves behind the next value; ok is false when it is neither true nor false.
func (c *Cursor) Bool() (v, ok bool) {
	switch string(c.Raw()) {
	case "true":
		return true, true
	case "false":
		return false, true
	}
	return false, false
}

// Unquote turns the raw text between quotes into a string, escapes resolved and
// invalid UTF-8 replaced, as encoding/json does. max > 0 bounds the number of
// characters that are kept.
func Unquote(raw []byte, max int) string {
	if max <= 0 && bytes.IndexByte(raw, '\\') < 0 && utf8.Valid(raw) {
		return string(raw)
	}
	out := make([]byte, 0, min(len(raw), 4*max+4))
	for n := 0; len(raw) > 0 && (max <= 0 || n < max); n++ {
		var r rune
		r, raw = nextRune(raw)
		out = utf8.AppendRune(out, r)
	}
	return string(out)
}

func nextRune(raw []byte) (rune, []byte) {
	if raw[0] != '\\' {
		r, n := utf8.DecodeRune(raw)
		return r, raw[n:]
	}
	if len(raw) < 2 {
		return utf8.RuneError, nil
	}
	switch raw[1] {
	case 'b':
		return '\b', raw[2:]
	case 'f':
		return '\f', raw[2:]
	case 'n':
		return '\n', raw[2:]
	case 'r':
		return '\r', raw[2:]
	case 't':
		return '\t', raw[2:]
	case 'u':
		return unicodeEscape(raw)
	}
	return rune(raw[1]), raw[2:]
}

func unicodeEscape(raw []byte) (rune, []byte) {
	r, ok := hex4(raw)
	if !ok {
		return utf8.RuneError, raw[2:]
	}
	raw = raw[6:]
	if !utf16.IsSurrogate(r) {
		return r, raw
	}
	if low, ok := hex4(raw); ok {
		if pair := utf16.DecodeRune(r, low); pair != utf8.RuneError {
			return pair, raw[6:]
		}
	}
	return utf8.RuneError, raw
}

func hex4(raw []byte) (rune, bool) {
	if len(raw) < 6 || raw[0] != '\\' || raw[1] != 'u' {
		return 0, false
	}
	n, err := strconv.ParseUint(string(raw[2:6]), 16, 32)
	return rune(n), err == nil
}
