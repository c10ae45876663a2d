package strictjson

import (
	"encoding/json"
	"fmt"
	"unicode/utf8"
)

// MaxNodes is how many values one message of Object may hold.
const MaxNodes = 200_000

// Object reads one JSON object as strictly as Parse reads a message, whatever
// its keys are, and returns the texts of its members. The text is not copied.
func Object(text []byte) (map[string]json.RawMessage, error) {
	if !utf8.Valid(text) {
		return nil, fmt.Errorf("%w: invalid UTF-8", ErrSyntax)
	}
	r := reader{text: text, most: MaxNodes}
	r.space()
	if r.peek() != '{' {
		return nil, r.notAnObject()
	}
	places := map[string]*Span{}
	err := r.object(1, func(key string) (member, *Span, error) {
		place := &Span{}
		places[key] = place
		return nil, place, nil
	})
	if err != nil {
		return nil, err
	}
	if r.space(); r.at != len(text) {
		return nil, fmt.Errorf("%w: something follows the message", ErrSyntax)
	}
	members := make(map[string]json.RawMessage, len(places))
	for key, place := range places {
		members[key] = text[place.From:place.To]
	}
	return members, nil
}
