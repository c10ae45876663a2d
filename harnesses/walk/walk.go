// Package walk reads JSON in place: a cursor over one value's bytes that hands
// out members and scalars and skips the rest structurally, without allocating.
// It checks structure (brackets, commas, colons, string ends, literals), so a
// text inside a string can never be taken for a member. What stands inside of
// strings it leaves alone: control characters and wrong escapes pass. It imports
// the standard library, and what tells of the processor; the parsers of harnesses call it, and turn to
// encoding/json where it gives up.
package walk

import (
	"bytes"
	"errors"
	"math"
	"strconv"
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
	// long is the content of the last long string; see skipString.
	long []byte
}

// Over returns a cursor that stands before the value in b.
func Over(b []byte) Cursor { return Cursor{b: b} }

// Err is ErrSyntax after a fault, else nil.
func (c *Cursor) Err() error { return c.err }

// Key is the current member's name, escapes resolved.
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
	if c.i < len(c.b) && c.b[c.i] > ' ' {
		return
	}
	c.white()
}

// white moves over white space.
func (c *Cursor) white() {
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
	if c.i < len(c.b) {
		if b := c.b[c.i]; b > ' ' {
			return b
		}
	}
	return c.peekBehindSpace()
}

func (c *Cursor) peekBehindSpace() byte {
	c.white()
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
	i := c.i
	if !*first && i < len(c.b) && c.b[i] == ',' {
		i++
	}
	if end := plainName(c.b, i); end > 0 && (*first || i > c.i) {
		*first = false
		c.key = c.b[i+1 : end]
		c.i = end + 2
		return true
	}
	return c.anyMember(first)
}

// anyMember is Member for names of any form: with white space around them, with
// escapes, or very long.
func (c *Cursor) anyMember(first *bool) bool {
	if !c.next('}', first) {
		return false
	}
	end := stringEnd(c.b, c.i)
	if end < 0 {
		c.fail()
		return false
	}
	c.key = c.b[c.i+1 : end-1]
	c.i = end
	if !c.colon() {
		return false
	}
	if bytes.IndexByte(c.key, '\\') >= 0 {
		c.key = []byte(Unquote(c.key, 0))
	}
	return true
}

// colon moves behind the colon that follows a name.
func (c *Cursor) colon() bool {
	if c.Peek() != ':' {
		c.fail()
		return false
	}
	c.i++
	return true
}

// Element moves to the next element of the array that the cursor is in.
func (c *Cursor) Element(first *bool) bool { return c.next(']', first) }

func (c *Cursor) next(end byte, first *bool) bool {
	b := c.Peek()
	if b == end && b != 0 {
		c.i++
		return false
	}
	if *first {
		*first = false
		return c.begins(b)
	}
	if b != ',' {
		c.fail()
		return false
	}
	c.i++
	return c.begins(c.Peek())
}

// begins reports whether b can begin a member or an element; what it can not
// begin exactly is found when it is read.
func (c *Cursor) begins(b byte) bool {
	if b == 0 || b == ',' || b == '}' || b == ']' || b == ':' {
		c.fail()
		return false
	}
	return true
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
	if b := c.Peek(); b < '1' || b > '9' {
		return Integer(c.Raw())
	}
	i := c.i
	for i < len(c.b) && i-c.i < 18 && c.b[i]-'0' <= 9 {
		n = n*10 + int64(c.b[i]-'0')
		i++
	}
	if i >= len(c.b) || c.b[i] != ',' && c.b[i] != '}' {
		return Integer(c.Raw())
	}
	c.i = i
	return n, true
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
