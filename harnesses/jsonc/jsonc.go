// Package jsonc reads JSON with comments and trailing commas, as the settings of
// several harnesses are written. It imports nothing of the project; hooks of
// harnesses and internal/hooks call it.
package jsonc

import "bytes"

// Plain is the text as JSON: comments and trailing commas are blanks, so that
// every offset stays what it was. What is inside strings is untouched.
func Plain(text []byte) []byte {
	out := append([]byte(nil), text...)
	comma := -1 // a comma after which nothing but blanks came
	for i := 0; i < len(out); i++ {
		switch c := out[i]; {
		case c == '"':
			i = endOfString(out, i)
			comma = -1
		case c == '/' && i+1 < len(out) && (out[i+1] == '/' || out[i+1] == '*'):
			i = blankComment(out, i)
		case c == ',':
			comma = i
		case c == '}' || c == ']':
			if comma >= 0 {
				out[comma] = ' '
			}
			comma = -1
		case c != ' ' && c != '\t' && c != '\n' && c != '\r':
			comma = -1
		}
	}
	return out
}

// endOfString is where the string that begins at i ends.
func endOfString(text []byte, i int) int {
	for i++; i < len(text); i++ {
		switch text[i] {
		case '\\':
			i++
		case '"':
			return i
		}
	}
	return i
}

// blankComment makes the comment that begins at i blank and returns its last byte.
func blankComment(text []byte, i int) int {
	end := bytes.IndexByte(text[i:], '\n')
	if text[i+1] == '*' {
		if end = bytes.Index(text[i+2:], []byte("*/")); end >= 0 {
			end += 4
		}
	}
	if end < 0 {
		end = len(text) - i
	}
	for n := i; n < i+end; n++ {
		if text[n] != '\n' && text[n] != '\r' {
			text[n] = ' '
		}
	}
	return i + end - 1
}
