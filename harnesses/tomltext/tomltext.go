// Package tomltext looks one text up in another program's TOML file: the value of
// a key at its top level. It knows as much of TOML as that takes (strings of all
// four kinds, comments, nested values to pass over) and answers nothing where the
// file is none. It imports nothing of the project; the harnesses call it.
package tomltext

import (
	"strconv"
	"strings"
	"unicode/utf8"
)

// Top is the text that a key has before the first table of a file; ok is false
// where there is none, where the value is no text, or where what stands before
// the first table is no TOML.
func Top(file []byte, key string) (value string, ok bool) {
	if !utf8.Valid(file) {
		return "", false
	}
	s := scan{rest: strings.ReplaceAll(strings.TrimPrefix(string(file), "\ufeff"), "\r\n", "\n")}
	found := false
	for s.skipLines(); s.rest != "" && s.rest[0] != '['; s.skipLines() {
		name, dotted, fine := s.key()
		if !fine || !s.take("=") {
			return "", false
		}
		s.blanks()
		text, isText, fine := s.value()
		if !fine || !s.endLine() {
			return "", false
		}
		if name == key && !dotted {
			if found { // a key twice is no TOML
				return "", false
			}
			value, ok, found = text, isText, true
		}
	}
	return value, ok
}

// scan is what is left to read.
type scan struct{ rest string }

func (s *scan) blanks() { s.rest = strings.TrimLeft(s.rest, " \t") }

func (s *scan) take(text string) bool {
	rest, ok := strings.CutPrefix(s.rest, text)
	if ok {
		s.rest = rest
	}
	return ok
}

// comment passes over a comment, up to its line's end.
func (s *scan) comment() {
	if strings.HasPrefix(s.rest, "#") {
		s.rest = s.rest[len(s.line()):]
	}
}

func (s *scan) line() string {
	line, _, _ := strings.Cut(s.rest, "\n")
	return line
}

// skipLines passes over blanks, empty lines and comments.
func (s *scan) skipLines() {
	for {
		before := len(s.rest)
		s.rest = strings.TrimLeft(s.rest, " \t\n")
		s.comment()
		if len(s.rest) == before {
			return
		}
	}
}

// endLine passes over what may follow a value on its line.
func (s *scan) endLine() bool {
	s.blanks()
	s.comment()
	return s.rest == "" || s.take("\n")
}

// key reads a key up to its "="; dotted: it names a key of a table.
func (s *scan) key() (name string, dotted, ok bool) {
	for {
		s.blanks()
		if name, ok = s.part(); !ok {
			return "", false, false
		}
		if s.blanks(); !s.take(".") {
			return name, dotted, true
		}
		dotted = true
	}
}

func (s *scan) part() (string, bool) {
	if s.rest != "" && (s.rest[0] == '"' || s.rest[0] == '\'') {
		return s.oneLine()
	}
	end := strings.IndexFunc(s.rest, func(r rune) bool {
		return !(r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || r == '_' || r == '-')
	})
	if end < 0 {
		end = len(s.rest)
	}
	name := s.rest[:end]
	s.rest = s.rest[end:]
	return name, name != ""
}

// value reads a value: a text, or another one, which is passed over.
func (s *scan) value() (text string, isText, ok bool) {
	switch {
	case s.rest == "":
		return "", false, false
	case strings.HasPrefix(s.rest, `"""`), strings.HasPrefix(s.rest, "'''"):
		text, ok = s.manyLines()
		return text, true, ok
	case s.rest[0] == '"', s.rest[0] == '\'':
		text, ok = s.oneLine()
		return text, true, ok
	case s.rest[0] == '[', s.rest[0] == '{':
		return "", false, s.nested()
	}
	end := strings.IndexAny(s.rest, "#,]}\n")
	if end < 0 {
		end = len(s.rest)
	}
	plain := strings.TrimSpace(s.rest[:end])
	s.rest = s.rest[end:]
	return "", false, plain != "" && !strings.ContainsAny(plain, `"'=`)
}

// nested passes over an array or an inline table with all that it holds.
func (s *scan) nested() bool {
	depth := 0
	for s.rest != "" {
		switch c := s.rest[0]; c {
		case '[', '{':
			depth++
		case ']', '}':
			if depth--; depth == 0 {
				s.rest = s.rest[1:]
				return true
			}
		case '"', '\'':
			if _, _, ok := s.value(); !ok {
				return false
			}
			continue
		case '#':
			s.comment()
			continue
		}
		s.rest = s.rest[1:]
	}
	return false
}

// oneLine reads a text in one pair of quotes.
func (s *scan) oneLine() (string, bool) {
	quote := s.rest[0]
	for i := 1; i < len(s.rest) && s.rest[i] != '\n'; i++ {
		switch {
		case s.rest[i] == '\\' && quote == '"':
			i++
		case s.rest[i] == quote:
			raw := s.rest[1:i]
			s.rest = s.rest[i+1:]
			if quote == '\'' {
				return raw, true
			}
			return unescape(raw)
		}
	}
	return "", false
}

// manyLines reads a text in three pairs of quotes. Up to two quotes may stand
// right before the end.
func (s *scan) manyLines() (string, bool) {
	marks := s.rest[:3]
	for i := 3; i+3 <= len(s.rest); i++ {
		if s.rest[i] == '\\' && marks[0] == '"' {
			i++
			continue
		}
		if s.rest[i:i+3] != marks {
			continue
		}
		for n := 0; n < 2 && i+3 < len(s.rest) && s.rest[i+3] == marks[0]; n++ {
			i++
		}
		raw := strings.TrimPrefix(s.rest[3:i], "\n")
		s.rest = s.rest[i+3:]
		if marks[0] == '\'' {
			return raw, true
		}
		return unescape(raw)
	}
	return "", false
}

// short are the escapes of one letter.
const short = "b\bt\tn\nf\fr\re\x1b\"\"\\\\"

// unescape resolves the escapes of a text.
func unescape(raw string) (string, bool) {
	var b strings.Builder
	for {
		before, after, more := strings.Cut(raw, `\`)
		b.WriteString(before)
		if !more {
			return b.String(), true
		}
		if after == "" {
			return "", false
		}
		if i := strings.IndexByte(short, after[0]); i >= 0 && i%2 == 0 {
			b.WriteByte(short[i+1])
			raw = after[1:]
			continue
		}
		digits := map[byte]int{'x': 2, 'u': 4, 'U': 8}[after[0]]
		if digits == 0 { // at a line's end it joins the lines
			line, rest, ends := strings.Cut(after, "\n")
			if !ends || strings.Trim(line, " \t") != "" {
				return "", false
			}
			raw = strings.TrimLeft(rest, " \t\n")
			continue
		}
		if len(after) <= digits {
			return "", false
		}
		r, err := strconv.ParseUint(after[1:1+digits], 16, 32)
		if err != nil || !utf8.ValidRune(rune(r)) {
			return "", false
		}
		b.WriteRune(rune(r))
		raw = after[1+digits:]
	}
}
