package pricing

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
)

// errSyntax is JSON that the scanner cannot follow.
var errSyntax = errors.New("malformed json")

// members calls f for each member of the object at the start of b, in order,
// with the raw bytes of its value. It only follows brackets and strings: what
// a value holds is checked by whoever decodes it. That makes it cheap enough to
// find one provider among all of them without decoding the rest.
func members(b []byte, f func(key string, value []byte) error) error {
	i := skipSpace(b, 0)
	if i >= len(b) || b[i] != '{' {
		return fmt.Errorf("%w: no object at offset %d", errSyntax, i)
	}
	for i = skipSpace(b, i+1); i < len(b) && b[i] != '}'; {
		key, next, err := readKey(b, i)
		if err != nil {
			return err
		}
		end, err := skipValue(b, next)
		if err != nil {
			return err
		}
		if err := f(key, b[next:end]); err != nil {
			return err
		}
		if i = skipSpace(b, end); i < len(b) && b[i] == ',' {
			i = skipSpace(b, i+1)
		}
	}
	if i >= len(b) {
		return fmt.Errorf("%w: object without end", errSyntax)
	}
	return nil
}

// readKey reads a key and its colon; next is the start of the value.
func readKey(b []byte, i int) (key string, next int, err error) {
	if b[i] != '"' {
		return "", 0, fmt.Errorf("%w: no key at offset %d", errSyntax, i)
	}
	end, err := skipString(b, i)
	if err != nil {
		return "", 0, err
	}
	key = string(b[i+1 : end-1])
	if strings.IndexByte(key, '\\') >= 0 {
		if err := json.Unmarshal(b[i:end], &key); err != nil {
			return "", 0, fmt.Errorf("%w: key at offset %d", errSyntax, i)
		}
	}
	if i = skipSpace(b, end); i >= len(b) || b[i] != ':' {
		return "", 0, fmt.Errorf("%w: no colon at offset %d", errSyntax, i)
	}
	return key, skipSpace(b, i+1), nil
}

// skipValue is the end of the value that begins at i.
func skipValue(b []byte, i int) (int, error) {
	if i >= len(b) {
		return 0, fmt.Errorf("%w: value missing at the end", errSyntax)
	}
	switch b[i] {
	case '"':
		return skipString(b, i)
	case '{', '[':
		return skipNested(b, i)
	}
	n := bytes.IndexAny(b[i:], ",}] \t\r\n")
	if n == 0 {
		return 0, fmt.Errorf("%w: value missing at offset %d", errSyntax, i)
	}
	if n < 0 {
		return len(b), nil
	}
	return i + n, nil
}

func skipNested(b []byte, i int) (int, error) {
	for depth := 0; i < len(b); {
		switch b[i] {
		case '"':
			end, err := skipString(b, i)
			if err != nil {
				return 0, err
			}
			i = end
			continue
		case '{', '[':
			depth++
		case '}', ']':
			if depth--; depth == 0 {
				return i + 1, nil
			}
		}
		i++
	}
	return 0, fmt.Errorf("%w: value without end", errSyntax)
}

// skipString is the offset behind the closing quote of the string at i.
func skipString(b []byte, i int) (int, error) {
	for i++; i < len(b); {
		n := bytes.IndexByte(b[i:], '"')
		if n < 0 {
			break
		}
		i += n + 1
		if !escaped(b, i-1) {
			return i, nil
		}
	}
	return 0, fmt.Errorf("%w: string without end", errSyntax)
}

// escaped reports whether an odd number of backslashes stands before i.
func escaped(b []byte, i int) bool {
	n := 0
	for i--; i >= 0 && b[i] == '\\'; i-- {
		n++
	}
	return n%2 == 1
}

func skipSpace(b []byte, i int) int {
	for i < len(b) && (b[i] == ' ' || b[i] == '\n' || b[i] == '\t' || b[i] == '\r') {
		i++
	}
	return i
}
