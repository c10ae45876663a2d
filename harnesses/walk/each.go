package walk

import "unsafe"

// Each calls f with each member's name and the cursor before its value. f reads
// the value with a call that consumes it, or returns false to have it skipped. A
// value that is no object is skipped whole. The name points into the
// input: what outlives the input must be cloned.
func (c *Cursor) Each(f func(key string) bool) {
	if !c.Object() {
		c.Skip()
		return
	}
	for first := true; c.Member(&first); {
		key := c.Key()
		if !f(unsafe.String(unsafe.SliceData(key), len(key))) {
			c.Skip()
		}
	}
}

// Elements calls f before each element of an array; f must read or skip it. A
// value that is no array is skipped whole.
func (c *Cursor) Elements(f func()) {
	if !c.Array() {
		c.Skip()
		return
	}
	for first := true; c.Element(&first); {
		f()
	}
}

// String moves behind the next value and returns it, escapes resolved; empty for
// what is no string.
func (c *Cursor) String() string {
	raw, ok := c.Text()
	if !ok {
		return ""
	}
	return Unquote(raw, 0)
}
