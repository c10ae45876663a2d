package messagestore

import (
	"bytes"

	"meterbridge/harnesses/walk"
)

// wordLimit bounds how many words are kept.
const wordLimit = 10_000

// words keeps one copy of the strings that every record repeats: roles, models,
// sessions, folders. A nil set keeps nothing.
type words map[string]string

// of is the string of a raw text.
func (w words) of(raw []byte) string {
	if s, ok := w[string(raw)]; ok {
		return s
	}
	s := walk.Unquote(raw, 0)
	if w != nil && len(w) < wordLimit && bytes.IndexByte(raw, '\\') < 0 {
		w[string(raw)] = s
	}
	return s
}

// plain is the string of a text that holds no escapes.
func (w words) plain(text []byte) string {
	if s, ok := w[string(text)]; ok {
		return s
	}
	s := string(text)
	if w != nil && len(w) < wordLimit && bytes.IndexByte(text, '\\') < 0 {
		w[s] = s
	}
	return s
}

// text reads a string; empty for anything else.
func (w words) text(c *walk.Cursor) string {
	raw, ok := c.Text()
	if !ok {
		return ""
	}
	return w.of(raw)
}
