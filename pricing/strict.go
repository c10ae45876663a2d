package pricing

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"unicode/utf8"
)

// Limits of a file that is to become the price table.
const (
	maxDepth  = 16
	maxTokens = 8_000_000
)

// strictJSON refuses what a lenient decoder would let pass: two members of one
// name, floats, deep nesting, invalid UTF-8, anything behind the value.
func strictJSON(data []byte) error {
	if !utf8.Valid(data) {
		return fmt.Errorf("%w: invalid utf-8", errSyntax)
	}
	s := strictReader{dec: json.NewDecoder(bytes.NewReader(data))}
	s.dec.UseNumber()
	if err := s.value(0); err != nil {
		return fmt.Errorf("offset %d: %w", s.dec.InputOffset(), err)
	}
	if _, err := s.dec.Token(); !errors.Is(err, io.EOF) {
		return fmt.Errorf("%w: something behind the table", errSyntax)
	}
	return nil
}

type strictReader struct {
	dec    *json.Decoder
	tokens int
}

func (s *strictReader) next() (json.Token, error) {
	if s.tokens++; s.tokens > maxTokens {
		return nil, fmt.Errorf("%w: more than %d values", errSyntax, maxTokens)
	}
	return s.dec.Token()
}

func (s *strictReader) value(depth int) error {
	tok, err := s.next()
	if err != nil {
		return err
	}
	if depth > maxDepth {
		return fmt.Errorf("%w: nested deeper than %d", errSyntax, maxDepth)
	}
	switch tok := tok.(type) {
	case json.Delim:
		if tok == '{' {
			return s.object(depth)
		}
		return s.array(depth)
	case json.Number:
		if strings.ContainsAny(tok.String(), ".eE") {
			return fmt.Errorf("%w: %s is no integer", errSyntax, tok)
		}
	}
	return nil
}

func (s *strictReader) object(depth int) error {
	seen := map[string]bool{}
	for s.dec.More() {
		tok, err := s.next()
		if err != nil {
			return err
		}
		key, _ := tok.(string)
		if seen[key] {
			return fmt.Errorf("%w: %.80q is there twice", errSyntax, key)
		}
		seen[key] = true
		if err := s.value(depth + 1); err != nil {
			return err
		}
	}
	_, err := s.next()
	return err
}

func (s *strictReader) array(depth int) error {
	for s.dec.More() {
		if err := s.value(depth + 1); err != nil {
			return err
		}
	}
	_, err := s.next()
	return err
}
