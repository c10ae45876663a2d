package api

import (
	"context"

	"github.com/danielgtaylor/huma/v2"

	"meterbridge/analytics"
	"meterbridge/dashboard/query"
)

// SessionParam names a session in the path.
type SessionParam struct {
	ID string `path:"id" minLength:"1" maxLength:"4096" doc:"The harness's own id, a unique beginning of one, or HARNESS:ID. A / within it is written %2F." example:"claude-code:0f6c2c1e"`
}

type sessionPeriodInput struct {
	SessionParam
	query.Period
}

func (s *server) sessions(h huma.API) {
	ask(s, h, operation("sessions", "/sessions", "Sessions, the newest first",
		"The answer of `meterbridge sessions --json`, a page at a time: `nextCursor` is the `cursor` of the next page, null at the end. "+
			"Sub-agents are folded into the session that started them."), s.list)
	ask(s, h, operation("session", "/sessions/{id}", "One session in full",
		"The answer of `meterbridge sessions ID --json`. `since` and `until` bound what it spent and what happened, not what it is.", 404, 409), s.session)
	ask(s, h, operation("session-usage", "/sessions/{id}/usage", "What a session spent and did in a stretch of time",
		"Sub-agents included; times are epoch milliseconds.", 404, 409), s.window)
	ask(s, h, operation("session-timeline", "/sessions/{id}/timeline", "Requests, turns and tool calls of a session over time",
		"The answer of `meterbridge timeline ID --json`; times are epoch milliseconds. At most 2000 requests, the newest.", 404, 409), s.timeline)
	look(s, h, operation("session-explain", "/sessions/{id}/explain", "Why a session's numbers are what they are",
		"The answer of `meterbridge explain ID --json`: the session's logs are read again, and each record with usage is counted, merged or dropped by a rule. "+
			"The id may be a day (2026-11-29) in the zone. `limit` and `cursor` page through `records`; everything else is of all of them.", 404, 409), s.explain)
}

func (s *server) session(ctx context.Context, in *sessionPeriodInput) (analytics.SessionAnswer, error) {
	p, err := s.period(in.Period)
	if err != nil {
		return analytics.SessionAnswer{}, err
	}
	return s.meter.Session(ctx, in.ID, p.Since, p.Until)
}

func (s *server) window(ctx context.Context, in *sessionPeriodInput) (analytics.WindowUsage, error) {
	p, err := s.period(in.Period)
	if err != nil {
		return analytics.WindowUsage{}, err
	}
	return s.meter.Window(ctx, in.ID, p.Since, p.Until)
}

func (s *server) timeline(ctx context.Context, in *sessionPeriodInput) (analytics.Timeline, error) {
	p, err := s.period(in.Period)
	if err != nil {
		return analytics.Timeline{}, err
	}
	return s.meter.Timeline(ctx, in.ID, p.Since, p.Until)
}

type explainInput struct {
	SessionParam
	PageParams
	Timezone string `query:"timezone" maxLength:"64" doc:"IANA time zone of a day."`
}

// ExplainPage is an explanation with a page of its records.
type ExplainPage struct {
	analytics.ExplainReport
	NextCursor *string `json:"nextCursor" doc:"The cursor of the next records; null at the end."`
}

func (s *server) explain(ctx context.Context, in *explainInput) (ExplainPage, error) {
	p, err := s.period(query.Period{Timezone: in.Timezone})
	if err != nil {
		return ExplainPage{}, err
	}
	var skip int
	if err := query.ReadCursor(in.Cursor, &skip); err != nil || skip < 0 {
		return ExplainPage{}, query.ErrCursor
	}
	r, err := s.meter.Explain(ctx, in.ID, p.Zone)
	page := ExplainPage{ExplainReport: r}
	page.Records = r.Records[min(skip, len(r.Records)):]
	if len(page.Records) > in.Limit {
		page.Records, page.NextCursor = page.Records[:in.Limit], query.Cursor(skip+in.Limit)
	}
	return page, err
}
