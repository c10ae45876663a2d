package query

import (
	"encoding/base64"
	"encoding/json"
	"errors"
	"time"

	"meterbridge/analytics"
)

// ErrCursor says that a text is no cursor of the list.
var ErrCursor = errors.New("no cursor")

// Cursor is a place in a list as text that clients pass on unread; nil where it
// cannot be written.
func Cursor(place any) *string {
	text, err := json.Marshal(place)
	if err != nil {
		return nil
	}
	out := base64.RawURLEncoding.EncodeToString(text)
	return &out
}

// ReadCursor reads a cursor into place; the empty text is the beginning.
func ReadCursor(text string, place any) error {
	if text == "" {
		return nil
	}
	plain, err := base64.RawURLEncoding.DecodeString(text)
	if err != nil || json.Unmarshal(plain, place) != nil {
		return ErrCursor
	}
	return nil
}

// sessionPlace is analytics.SessionPlace as a cursor has it.
type sessionPlace struct {
	LastAt  *int64 `json:"a"`
	Harness string `json:"h"`
	Session string `json:"s"`
}

// SessionPlace reads a cursor of the list of sessions; nil is the beginning.
func SessionPlace(text string) (*analytics.SessionPlace, error) {
	if text == "" {
		return nil, nil
	}
	var at sessionPlace
	if err := ReadCursor(text, &at); err != nil || at.Session == "" {
		return nil, ErrCursor
	}
	place := &analytics.SessionPlace{Harness: at.Harness, Session: at.Session}
	if at.LastAt != nil {
		t := time.UnixMilli(*at.LastAt).UTC()
		place.LastAt = &t
	}
	return place, nil
}

// SessionCursor is the cursor of a place in the list of sessions.
func SessionCursor(p analytics.SessionPlace) *string {
	at := sessionPlace{Harness: p.Harness, Session: p.Session}
	if p.LastAt != nil {
		ms := p.LastAt.UnixMilli()
		at.LastAt = &ms
	}
	return Cursor(at)
}
