package main

import (
	"strings"
	"unicode"
)

// longestCell is the most characters of a text from a log that a person is
// shown, so that no name of a model can make a table endless.
const longestCell = 300

// plain makes a text from a log fit for a terminal: what would move the cursor,
// change colours or turn the direction of writing is replaced, and what is too
// long to read is cut. Logs are not trusted.
func plain(s string) string {
	if harmless(s) {
		return s
	}
	var b strings.Builder
	n := 0
	for _, r := range s {
		if n == longestCell {
			b.WriteRune('…')
			break
		}
		b.WriteRune(plainRune(r))
		n++
	}
	return b.String()
}

func harmless(s string) bool {
	if len(s) > longestCell {
		return false
	}
	for _, r := range s {
		if plainRune(r) != r {
			return false
		}
	}
	return true
}

func plainRune(r rune) rune {
	switch {
	case r == '\n' || r == '\t' || r == '\r':
		return ' '
	case unicode.IsControl(r), unicode.Is(unicode.Cf, r), r == unicode.ReplacementChar:
		return '\uFFFD'
	}
	return r
}
