package manifest

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// letters tells whether every character of s is a-z or one of more.
func letters(s, more string) bool {
	return !strings.ContainsFunc(s, func(c rune) bool { return (c < 'a' || c > 'z') && !strings.ContainsRune(more, c) })
}

const digits = "0123456789"

// word tells whether s has least to most characters, begins with a letter of a-z
// and goes on with letters, digits and more.
func word(s string, least, most int, more string) bool {
	return len(s) >= least && len(s) <= most && letters(s[:min(1, len(s))], "") && letters(s, digits+more)
}

func isName(s string) bool      { return word(s, 2, 48, "-") }
func isTool(s string) bool      { return word(s, 1, 40, "_") }
func isPort(s string) bool      { return word(s, 1, 32, "-") }
func isID(s string) bool        { return word(s, 1, 128, "._-") }
func isEntry(s string) bool     { return word(s, 1, 64, "._-") }
func isShortName(s string) bool { return word(s, 1, 32, "-") }

// isKey: a letter of either case, then letters, digits, _ and -, up to 64.
func isKey(s string) bool {
	return s != "" && len(s) <= 64 && letters(strings.ToLower(s[:1]), "") && letters(asciiLower(s), digits+"_-")
}

// asciiLower lowers A-Z alone: strings.ToLower makes letters of others too.
func asciiLower(s string) string {
	return strings.Map(func(c rune) rune {
		if c >= 'A' && c <= 'Z' {
			return c + 'a' - 'A'
		}
		return c
	}, s)
}

// isVariable: the name of a variable of the environment.
func isVariable(s string) bool {
	if s == "" || len(s) > 64 || s != strings.ToUpper(s) || strings.ContainsRune(digits, rune(s[0])) {
		return false
	}
	return letters(asciiLower(s), digits+"_")
}

// isColor: #rrggbb.
func isColor(s string) bool {
	hex, found := strings.CutPrefix(s, "#")
	return found && len(hex) == 6 && !strings.ContainsFunc(hex, func(c rune) bool {
		return !strings.ContainsRune("0123456789abcdefABCDEF", c)
	})
}

// isPortType: ns:NAME of the list, or PACKAGE/TYPE.
func isPortType(s string) bool {
	if strings.HasPrefix(s, "ns:") {
		return isBuiltInType(s)
	}
	pack, kind, found := strings.Cut(s, "/")
	return found && isTypePart(pack) && isTypePart(kind)
}

func isTypePart(s string) bool {
	return s != "" && len(s) <= 48 && s[0] != '-' && letters(s, digits+"-")
}

func isBuiltInType(s string) bool {
	switch s {
	case "ns:any", "ns:text", "ns:markdown", "ns:number", "ns:boolean", "ns:json", "ns:url", "ns:image", "ns:file-ref", "ns:task",
		"ns:tasks", "ns:task-patch", "ns:table", "ns:event", "ns:trigger":
		return true
	}
	return false
}

// hidden is the first character of a text that people do not see or that turns
// around what they see: controls, marks of direction, joiners, tags, separators of
// lines and paragraphs, blanks that are letters, selectors that can carry a text of
// their own. A text of several lines may have tabs and newlines.
func hidden(s string, lines bool) (rune, bool) {
	for _, c := range s {
		if lines && (c == '\t' || c == '\n') {
			continue
		}
		if unicode.In(c, unicode.Cc, unicode.Cf, unicode.Zl, unicode.Zp) || isBlankLetter(c) || c == utf8.RuneError {
			return c, true
		}
	}
	return 0, false
}

func isBlankLetter(c rune) bool {
	switch c {
	case 0x034f, 0x115f, 0x1160, 0x17b4, 0x17b5, 0x3164, 0xffa0:
		return true
	}
	return c >= 0xe0100 && c <= 0xe01ef || c >= 0xfe00 && c <= 0xfe0d
}
