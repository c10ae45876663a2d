package pipeline

import (
	"bytes"
	"encoding/json"
	"regexp"
	"strings"
	"unicode/utf8"
)

// sequences are the terminal's control sequences: CSI, OSC and its kin up to
// their terminator, and two-byte escapes.
func sequences() *regexp.Regexp {
	return regexp.MustCompile("(?:\x1b\\[|\u009b)[0-?]*[ -/]*[@-~]|(?:\x1b[\\]PX^_]|[\u0090\u0098\u009d-\u009f])[^\x07\x1b\u009c]*(?:\x07|\x1b\\\\|\u009c)?|\x1b[ -/]*[0-~]?")
}

// deceives tells whether a character hides or turns around what stands beside
// it: controls but tab and line ends, marks of direction, invisible characters.
// Joiners stay, as scripts and emoji need them.
func deceives(c rune) bool {
	switch {
	case c == '\t', c == '\n', c == '\r':
		return false
	case c < ' ', c >= 0x7f && c <= 0x9f:
		return true
	case c == 0x061c, c == 0x200e, c == 0x200f, c == 0xfeff:
		return true
	}
	return c >= 0x202a && c <= 0x202e || c >= 0x2060 && c <= 0x2069 || c >= 0xe0000 && c <= 0xe007f
}

// clean removes what deceives from a text, and tells how many characters that
// were.
func clean(text string) (string, int) {
	if !strings.ContainsFunc(text, deceives) {
		return text, 0
	}
	before := utf8.RuneCountInString(text)
	text = sequences().ReplaceAllString(text, "")
	text = strings.Map(func(c rune) rune {
		if deceives(c) {
			return -1
		}
		return c
	}, text)
	return text, before - utf8.RuneCountInString(text)
}

// cleanJSON cleans the strings of a JSON text that encoding/json wrote: its
// strings hold no raw control character below a space. It tells how many
// characters went.
func cleanJSON(text []byte) ([]byte, int) {
	if !bytes.Contains(text, []byte(`\u00`)) && !bytes.ContainsFunc(text, deceives) {
		return text, 0
	}
	var out bytes.Buffer
	removed := 0
	for at := 0; at < len(text); {
		if text[at] != '"' {
			out.WriteByte(text[at])
			at++
			continue
		}
		end := stringEnd(text, at)
		cleaned, n := cleanString(text[at:end])
		out.Write(cleaned)
		removed += n
		at = end
	}
	return out.Bytes(), removed
}

// stringEnd is the place after the string that begins at from.
func stringEnd(text []byte, from int) int {
	for at := from + 1; at < len(text); at++ {
		switch text[at] {
		case '\\':
			at++
		case '"':
			return at + 1
		}
	}
	return len(text)
}

func cleanString(quoted []byte) ([]byte, int) {
	var s string
	if json.Unmarshal(quoted, &s) != nil {
		return quoted, 0
	}
	cleaned, removed := clean(s)
	if removed == 0 {
		return quoted, 0
	}
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	_ = e.Encode(cleaned) // a string can always be written
	return bytes.TrimRight(b.Bytes(), "\n"), removed
}
