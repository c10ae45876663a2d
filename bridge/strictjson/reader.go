package strictjson

import (
	"encoding/json"
	"fmt"
)

// reader reads JSON values and keeps none.
type reader struct {
	text []byte
	at   int
	// nodes counts values, most bounds them; 0 does not.
	nodes, most int
}

func (r *reader) wrong(what string) error {
	return fmt.Errorf("%w: %s at byte %d", ErrSyntax, what, r.at)
}

// peek is the next byte, 0 at the end.
func (r *reader) peek() byte {
	if r.at < len(r.text) {
		return r.text[r.at]
	}
	return 0
}

func (r *reader) space() {
	for r.at < len(r.text) {
		switch r.text[r.at] {
		case ' ', '\t', '\n', '\r':
			r.at++
		default:
			return
		}
	}
}

// value reads one value; inside hears of the members when it is an object.
func (r *reader) value(depth int, inside member) error {
	if r.nodes++; r.most > 0 && r.nodes > r.most {
		return fmt.Errorf("%w: more than %d values", ErrShape, r.most)
	}
	switch c := r.peek(); {
	case c == '{':
		return r.object(depth, inside)
	case c == '[':
		return r.array(depth)
	case c == '"':
		return r.str()
	case c == '-' || c >= '0' && c <= '9':
		return r.number()
	case c == 't':
		return r.word("true")
	case c == 'f':
		return r.word("false")
	case c == 'n':
		return r.word("null")
	}
	return r.wrong("a value is missing")
}

func (r *reader) object(depth int, hears member) error {
	if depth > MaxDepth {
		return fmt.Errorf("%w: nested deeper than %d", ErrShape, MaxDepth)
	}
	r.at++
	if r.space(); r.peek() == '}' {
		r.at++
		return nil
	}
	var seen keys
	for {
		if err := r.member(depth, hears, &seen); err != nil {
			return err
		}
		switch r.space(); r.peek() {
		case ',':
			r.at++
			r.space()
		case '}':
			r.at++
			return nil
		default:
			return r.wrong("a comma or the end of the object is missing")
		}
	}
}

// member reads a key and its value.
func (r *reader) member(depth int, hears member, seen *keys) error {
	from := r.at
	if r.peek() != '"' {
		return r.wrong("a key is missing")
	}
	if err := r.str(); err != nil {
		return err
	}
	key := unquote(r.text[from:r.at])
	if !seen.add(key) {
		return fmt.Errorf("%w: the key %q comes twice", ErrShape, key)
	}
	var inside member
	var place *Span
	if hears != nil {
		var err error
		if inside, place, err = hears(key); err != nil {
			return err
		}
	}
	if r.space(); r.peek() != ':' {
		return r.wrong("a colon is missing")
	}
	r.at++
	r.space()
	from = r.at
	err := r.value(depth+1, inside)
	if place != nil {
		*place = Span{from, r.at}
	}
	return err
}

func (r *reader) array(depth int) error {
	if depth > MaxDepth {
		return fmt.Errorf("%w: nested deeper than %d", ErrShape, MaxDepth)
	}
	r.at++
	if r.space(); r.peek() == ']' {
		r.at++
		return nil
	}
	for {
		if err := r.value(depth+1, nil); err != nil {
			return err
		}
		switch r.space(); r.peek() {
		case ',':
			r.at++
			r.space()
		case ']':
			r.at++
			return nil
		default:
			return r.wrong("a comma or the end of the array is missing")
		}
	}
}

func (r *reader) word(word string) error {
	if len(r.text)-r.at < len(word) || string(r.text[r.at:r.at+len(word)]) != word {
		return r.wrong("an unknown word")
	}
	r.at += len(word)
	return nil
}

// str reads a string; its escapes are checked, not resolved.
func (r *reader) str() error {
	for r.at++; r.at < len(r.text); r.at++ {
		switch c := r.text[r.at]; {
		case c == '"':
			r.at++
			return nil
		case c < ' ':
			return r.wrong("a control character in a string")
		case c == '\\':
			if err := r.escape(); err != nil {
				return err
			}
		}
	}
	return r.wrong("a string does not end")
}

// escape reads what follows a backslash, and stays on its last byte.
func (r *reader) escape() error {
	r.at++
	switch r.peek() {
	case '"', '\\', '/', 'b', 'f', 'n', 'r', 't':
		return nil
	case 'u':
		for range 4 {
			if r.at++; !hex(r.peek()) {
				return r.wrong("a wrong escape")
			}
		}
		return nil
	}
	return r.wrong("a wrong escape")
}

func hex(c byte) bool {
	return c >= '0' && c <= '9' || c >= 'a' && c <= 'f' || c >= 'A' && c <= 'F'
}

func (r *reader) number() error {
	if r.peek() == '-' {
		r.at++
	}
	if r.peek() == '0' {
		r.at++
	} else if !r.digits() {
		return r.wrong("a digit is missing")
	}
	if r.peek() == '.' {
		if r.at++; !r.digits() {
			return r.wrong("a digit is missing")
		}
	}
	if c := r.peek(); c == 'e' || c == 'E' {
		r.at++
		if c := r.peek(); c == '+' || c == '-' {
			r.at++
		}
		if !r.digits() {
			return r.wrong("a digit is missing")
		}
	}
	return nil
}

func (r *reader) digits() bool {
	from := r.at
	for c := r.peek(); c >= '0' && c <= '9'; c = r.peek() {
		r.at++
	}
	return r.at > from
}

// unquote is the value of a string that was read.
func unquote(raw []byte) string {
	inner := raw[1 : len(raw)-1]
	for _, c := range inner {
		if c == '\\' {
			var s string
			if json.Unmarshal(raw, &s) != nil {
				return ""
			}
			return s
		}
	}
	return string(inner)
}
