package walk

import (
	"bytes"
	"strconv"
	"unicode/utf16"
	"unicode/utf8"
)

// Unquote turns the raw text between quotes into a string, escapes resolved and
// invalid UTF-8 replaced, as encoding/json does. max > 0 bounds the number of
// characters that are kept.
func Unquote(raw []byte, max int) string {
	if max <= 0 && bytes.IndexByte(raw, '\\') < 0 && utf8.Valid(raw) {
		return string(raw)
	}
	if max <= 0 || max > len(raw) {
		max = len(raw)
	}
	out := make([]byte, 0, min(len(raw), 4*max))
	for n := 0; len(raw) > 0 && n < max; n++ {
		if k := plain(raw, max-n); k > 0 {
			out, raw, n = append(out, raw[:k]...), raw[k:], n+k-1
			continue
		}
		var r rune
		r, raw = nextRune(raw)
		out = utf8.AppendRune(out, r)
	}
	return string(out)
}

// plain is the number of bytes at the start of raw, at most max, that stand for
// themselves.
func plain(raw []byte, max int) (n int) {
	for n < len(raw) && n < max && raw[n] < utf8.RuneSelf && raw[n] != '\\' {
		n++
	}
	return n
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
