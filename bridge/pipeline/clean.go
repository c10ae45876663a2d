package pipeline

import (
	"bytes"
	"encoding/json"
	"regexp"
	"strings"
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

// clean removes what deceives from a text, and tells whether there was any.
func clean(text string) (string, bool) {
	if !strings.ContainsFunc(text, deceives) {
		return text, false
	}
	text = sequences().ReplaceAllString(text, "")
	return strings.Map(func(c rune) rune {
		if deceives(c) {
			return -1
		}
		return c
	}, text), true
}

// cleanJSON cleans the strings of a JSON text that encoding/json wrote: its
// strings hold no raw control character below a space.
func cleanJSON(text []byte) []byte {
	if !bytes.Contains(text, []byte(`\u00`)) && !bytes.ContainsFunc(text, deceives) {
		return text
	}
	var out bytes.Buffer
	for at := 0; at < len(text); {
		if text[at] != '"' {
			out.WriteByte(text[at])
			at++
			continue
		}
		end := stringEnd(text, at)
		out.Write(cleanString(text[at:end]))
		at = end
	}
	return out.Bytes()
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

func cleanString(quoted []byte) []byte {
	var s string
	if json.Unmarshal(quoted, &s) != nil {
		return quoted
	}
	cleaned, changed := clean(s)
	if !changed {
		return quoted
	}
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	_ = e.Encode(cleaned) // a string can always be written
	return bytes.TrimRight(b.Bytes(), "\n")
}
