package api

import (
	"context"

	"meterbridge/analytics"
	"meterbridge/dashboard/query"
)

// PageParams are the parameters of a list that comes in pages.
type PageParams struct {
	Limit  int    `query:"limit" minimum:"1" maximum:"1000" default:"100" doc:"Most items of a page."`
	Cursor string `query:"cursor" maxLength:"8192" doc:"The nextCursor of the page before, with the same other parameters."`
}

type sessionsInput struct {
	query.Period
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

func (s *server) list(ctx context.Context, in *sessionsInput) (SessionPage, error) {
	p, err := s.period(in.Period)
	if err != nil {
		return SessionPage{}, err
	}
	if err := s.harness(in.Harness); err != nil {
		return SessionPage{}, err
	}
	f := analytics.SessionFilter{
		Harness: in.Harness, Project: in.Project, Search: in.Search, Since: p.Since, Until: p.Until, Last: in.Limit + 1,
	}
	if f.After, err = query.SessionPlace(in.Cursor); err != nil {
		return SessionPage{}, err
	}
	list, err := s.meter.Sessions(ctx, f)
	page := SessionPage{SessionList: list}
	if n := in.Limit; len(list.Sessions) > n {
		page.Sessions, page.NextCursor = list.Sessions[:n], query.SessionCursor(list.Sessions[n-1].Place())
	}
	return page, err
}
