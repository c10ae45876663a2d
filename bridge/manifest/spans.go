package manifest

import (
	"bytes"
	"encoding/json"
	"strconv"
	"strings"
)

// spans are the texts of all objects in a JSON text that is valid, by pointer.
// A schema must reach clients as its author wrote it, so it is not written anew.
func spans(text []byte) map[string]json.RawMessage {
	s := &spanner{d: json.NewDecoder(bytes.NewReader(text)), text: text, of: map[string]json.RawMessage{}}
	s.d.UseNumber()
	s.value("")
	return s.of
}

type spanner struct {
	d    *json.Decoder
	text []byte
	of   map[string]json.RawMessage
}

// value reads the next value.
func (s *spanner) value(path string) {
	token, err := s.d.Token()
	if err != nil {
		return
	}
	switch token {
	case json.Delim('{'):
		from := s.d.InputOffset() - 1
		for s.d.More() {
			key, err := s.d.Token()
			name, ok := key.(string)
			if err != nil || !ok {
				return
			}
			s.value(path + "/" + strings.NewReplacer("~", "~0", "/", "~1").Replace(name))
		}
		_, _ = s.d.Token() // the closing brace
		s.of[path] = s.text[from:s.d.InputOffset()]
	case json.Delim('['):
		for i := 0; s.d.More(); i++ {
			s.value(path + "/" + strconv.Itoa(i))
		}
		_, _ = s.d.Token()
	}
}
