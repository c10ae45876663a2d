package pricing

import (
	"bytes"
	"encoding/json"
	"fmt"
	"unicode/utf8"
)

// maxDepth bounds the nesting of a file that is to become the price table.
const maxDepth = 16

// strictJSON refuses what a lenient decoder would let pass: two members of one
// name, floats, deep nesting, invalid UTF-8, anything behind the value.
func strictJSON(data []byte) error {
	if !utf8.Valid(data) || !json.Valid(data) {
		return errSyntax
	}
	return strictValue(bytes.TrimSpace(data), 0)
}

func strictValue(value []byte, depth int) error {
	switch {
	case depth > maxDepth:
		return fmt.Errorf("%w: nested deeper than %d", errSyntax, maxDepth)
	case value[0] == '{':
		return strictObject(value, depth)
	case value[0] == '[':
		return elements(value, func(element []byte) error { return strictValue(element, depth+1) })
	case value[0] != '"' && value[0] != 't' && value[0] != 'f' && value[0] != 'n' && bytes.ContainsAny(value, ".eE"):
		return fmt.Errorf("%w: %s is no integer", errSyntax, value)
	}
	return nil
}

func strictObject(value []byte, depth int) error {
	seen := map[string]bool{}
	return members(value, func(key string, member []byte) error {
		if seen[key] {
			return fmt.Errorf("%w: %.80q is there twice", errSyntax, key)
		}
		seen[key] = true
		if err := strictValue(member, depth+1); err != nil {
			return fmt.Errorf("%.80s: %w", key, err)
		}
		return nil
	})
}

// elements calls f for each element of the array at the start of b, which is
// known to be well formed.
func elements(b []byte, f func(element []byte) error) error {
	for i := skipSpace(b, 1); i < len(b) && b[i] != ']'; {
		end, err := skipValue(b, i)
		if err != nil {
			return err
		}
		if err := f(b[i:end]); err != nil {
			return err
		}
		if i = skipSpace(b, end); i < len(b) && b[i] == ',' {
			i = skipSpace(b, i+1)
		}
	}
	return nil
}
