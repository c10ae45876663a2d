package api

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"time"

	"meterbridge/analytics"
	"meterbridge/dashboard/problem"
)

// PageParams are the parameters of a list that comes in pages.
type PageParams struct {
	Limit  int    `query:"limit" minimum:"1" maximum:"1000" default:"100" doc:"Most items of a page."`
	Cursor string `query:"cursor" maxLength:"8192" doc:"The nextCursor of the page before, with the same other parameters."`
}

// cursor is a place in a list as text that clients pass on unread.
func cursor(place any) *string {
	text, err := json.Marshal(place)
	if err != nil {
		return nil
	}
	out := base64.RawURLEncoding.EncodeToString(text)
	return &out
}

var errCursor = errors.New("no cursor")

// readCursor reads a cursor into place; the empty text is the beginning.
func readCursor(text string, place any) error {
	if text == "" {
		return nil
	}
	plain, err := base64.RawURLEncoding.DecodeString(text)
	if err != nil || json.Unmarshal(plain, place) != nil {
		return errCursor
	}
	return nil
}

func badCursor() *problem.Problem {
	return invalid("cursor", "is not one of this list", "take it from nextCursor, or leave it out to begin anew")
}

type sessionsInput struct {
	PeriodParams
	PageParams
	Harness string `query:"harness" maxLength:"100" doc:"Only this harness."`
	Project string `query:"project" maxLength:"4096" doc:"Only this project (its working directory)."`
	Search  string `query:"search" maxLength:"400" doc:"Only sessions whose id, title, project, last reply or a prompt's preview contains this, whatever its case."`
}

// SessionPage is a page of the list of sessions.
type SessionPage struct {
	analytics.SessionList
	NextCursor *string `json:"nextCursor" doc:"The cursor of the next page; null at the end."`
}

// sessionPlace is analytics.SessionPlace as a cursor has it.
type sessionPlace struct {
	LastAt  *int64 `json:"a"`
	Harness string `json:"h"`
	Session string `json:"s"`
}

func (s *server) list(ctx context.Context, in *sessionsInput) (SessionPage, error) {
	p, err := s.period(in.PeriodParams)
	if err != nil {
		return SessionPage{}, err
	}
	if err := s.harness(in.Harness); err != nil {
		return SessionPage{}, err
	}
	f := analytics.SessionFilter{
		Harness: in.Harness, Project: in.Project, Search: in.Search, Since: p.Since, Until: p.Until, Last: in.Limit + 1,
	}
	if f.After, err = placeOf(in.Cursor); err != nil {
		return SessionPage{}, err
	}
	list, err := s.meter.Sessions(ctx, f)
	page := SessionPage{SessionList: list}
	if n := in.Limit; len(list.Sessions) > n {
		page.Sessions, page.NextCursor = list.Sessions[:n], cursorOf(list.Sessions[n-1].Place())
	}
	return page, err
}

func placeOf(text string) (*analytics.SessionPlace, error) {
	if text == "" {
		return nil, nil
	}
	var at sessionPlace
	if err := readCursor(text, &at); err != nil || at.Session == "" {
		return nil, badCursor()
	}
	place := &analytics.SessionPlace{Harness: at.Harness, Session: at.Session}
	if at.LastAt != nil {
		t := time.UnixMilli(*at.LastAt).UTC()
		place.LastAt = &t
	}
	return place, nil
}

func cursorOf(p analytics.SessionPlace) *string {
	at := sessionPlace{Harness: p.Harness, Session: p.Session}
	if p.LastAt != nil {
		ms := p.LastAt.UnixMilli()
		at.LastAt = &ms
	}
	return cursor(at)
}
