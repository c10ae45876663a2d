package schema

import (
	"strings"
	"time"
	"unicode"
	"unicode/utf8"
)

// formats are those of the subset. Each tells whether a string is one.
func formats() map[string]func(string) bool {
	return map[string]func(string) bool{
		"uri": isURI, "date-time": isDateTime, "date": isDate, "email": isEmail, "color": isColor, "uuid": isUUID,
	}
}

// isURI: a scheme, a colon, no white space, at most 8,192 characters.
func isURI(s string) bool {
	scheme, rest, found := strings.Cut(s, ":")
	if !found || rest == "" || utf8.RuneCountInString(s) > 8192 || strings.ContainsFunc(s, unicode.IsSpace) {
		return false
	}
	for i, c := range []byte(scheme) {
		letter := c|0x20 >= 'a' && c|0x20 <= 'z'
		if !letter && (i == 0 || !strings.ContainsRune("0123456789+-.", rune(c))) {
			return false
		}
	}
	return scheme != ""
}

// isDateTime: RFC 3339 with an offset, at most 9 digits of a fraction, a real day.
func isDateTime(s string) bool {
	if len(s) > len("2006-01-02T15:04:05.123456789+00:00") || len(s) < len("2006-01-02T15:04:05Z") {
		return false
	}
	if s[10] != 'T' && s[10] != 't' || s[19] == ',' {
		return false
	}
	if fraction, found := strings.CutPrefix(s[19:], "."); found && strings.IndexAny(fraction, "Zz+-") > 9 {
		return false
	}
	// RFC 3339 takes both letters in either case, time.Parse the great ones.
	_, err := time.Parse(time.RFC3339Nano, strings.ToUpper(s))
	return err == nil
}

func isDate(s string) bool {
	_, err := time.Parse(time.DateOnly, s)
	return err == nil
}

// isEmail: one @, 1 to 64 bytes before it, 1 to 255 after it, no white space.
func isEmail(s string) bool {
	before, after, found := strings.Cut(s, "@")
	return found && !strings.Contains(after, "@") && !strings.ContainsFunc(s, unicode.IsSpace) &&
		before != "" && utf8.RuneCountInString(before) <= 64 && after != "" && utf8.RuneCountInString(after) <= 255
}

// isColor: # and 3, 4, 6 or 8 hexadecimal digits.
func isColor(s string) bool {
	digits, found := strings.CutPrefix(s, "#")
	if !found || strings.ContainsFunc(digits, notHex) {
		return false
	}
	switch len(digits) {
	case 3, 4, 6, 8:
		return true
	}
	return false
}

// isUUID: 8-4-4-4-12 hexadecimal digits.
func isUUID(s string) bool {
	parts := strings.Split(s, "-")
	if len(parts) != 5 {
		return false
	}
	for i, n := range []int{8, 4, 4, 4, 12} {
		if len(parts[i]) != n || strings.ContainsFunc(parts[i], notHex) {
			return false
		}
	}
	return true
}

func notHex(c rune) bool {
	return (c < '0' || c > '9') && (c < 'a' || c > 'f') && (c < 'A' || c > 'F')
}
