package walk

import (
	"bytes"
	"encoding/binary"
	"math/bits"
)

// longString is the length from which a string is worth remembering.
const longString = 128

// skipString moves behind the string that starts at the cursor. Logs write long
// outputs twice in one line: where the bytes of the last long string follow,
// and a quote behind them, the string ends there, and a comparison finds that
// several times faster than a search for quotes.
func (c *Cursor) skipString() bool {
	if n := len(c.long); n > 0 {
		if end := c.i + 1 + n; end < len(c.b) && c.b[end] == '"' && c.b[c.i+1] == c.long[0] && bytes.Equal(c.b[c.i+1:end], c.long) {
			c.i = end + 1
			return true
		}
	}
	end := stringEnd(c.b, c.i)
	if end < 0 {
		c.fail()
		return false
	}
	if end-c.i > longString {
		c.long = c.b[c.i+1 : end-1]
	}
	c.i = end
	return true
}

// stringEnd is the place behind the string whose opening quote is at b[i]; -1
// when it never ends, or when there is no quote at i. Most strings are short: two
// words are looked at before anything that is called.
func stringEnd(b []byte, i int) int {
	if i >= len(b) || b[i] != '"' {
		return -1
	}
	start := i
	i++
	if i+16 <= len(b) {
		low, high := binary.LittleEndian.Uint64(b[i:]), binary.LittleEndian.Uint64(b[i+8:])
		if m := marks(low, '"') | marks(low, '\\'); m != 0 {
			if end := i + bits.TrailingZeros64(m)>>3; b[end] == '"' {
				return end + 1
			}
		} else if m := marks(high, '"') | marks(high, '\\'); m != 0 {
			if end := i + 8 + bits.TrailingZeros64(m)>>3; b[end] == '"' {
				return end + 1
			}
		} else {
			i += 16
		}
	}
	if n := (len(b) - i) &^ 63; wide && n > 0 {
		if at := quote64(&b[i], n); at >= 0 {
			return i + at + 1
		}
		i += n
	}
	return plainStringEnd(b, i, start)
}

// plainStringEnd is stringEnd from b[i] on, without vectors: a quote ends the
// string unless an odd number of backslashes stands before it.
func plainStringEnd(b []byte, i, start int) int {
	for {
		k := bytes.IndexByte(b[i:], '"')
		if k < 0 {
			return -1
		}
		i += k
		if escapes(b, i, start)%2 == 0 {
			return i + 1
		}
		i++
	}
}

// escapes counts the backslashes before b[i], back to the quote at start.
func escapes(b []byte, i, start int) (n int) {
	for i-1-n > start && b[i-1-n] == '\\' {
		n++
	}
	return n
}

// marks marks the first of eight bytes that is c by its high bit; marks above the
// first mean nothing.
func marks(w uint64, c byte) uint64 {
	const ones, highs = 0x0101010101010101, 0x8080808080808080
	x := w ^ uint64(c)*ones
	return (x - ones) &^ x & highs
}

// plainName is the place of the closing quote of the name whose opening quote is
// at b[i] and that a colon follows at once; 0 when the name has escapes, is
// longer than four words, or is none.
func plainName(b []byte, i int) int {
	if i+35 > len(b) || b[i] != '"' {
		return 0
	}
	for at := i + 1; at < i+33; at += 8 {
		w := binary.LittleEndian.Uint64(b[at:])
		if m := marks(w, '"') | marks(w, '\\'); m != 0 {
			end := at + bits.TrailingZeros64(m)>>3
			if b[end] == '"' && b[end+1] == ':' {
				return end
			}
			return 0
		}
	}
	return 0
}

// skipContainer moves behind the container that starts at the cursor. It keeps
// the ends of the containers that are open, and checks commas and colons.
func (c *Cursor) skipContainer() bool {
	var stack [64]byte
	open := stack[:0]
	for {
		// Before a value.
		switch b := c.Peek(); b {
		case '"':
			if !c.skipString() {
				return false
			}
		case '{', '[':
			if len(open) >= maxDepth {
				c.fail()
				return false
			}
			end := b + 2 // '{'+2 = '}', '['+2 = ']'
			c.i++
			if c.Peek() != end {
				open = append(open, end)
				if !c.memberName(end) {
					return false
				}
				continue
			}
			c.i++
		case 0:
			c.fail()
			return false
		default:
			c.skipLiteral()
		}
		// Behind a value: ends, then a comma.
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
