package analytics

import (
	"context"
	"database/sql"
	"math"
	"strings"
	"time"
)

// SessionFilter narrows the list of sessions. Zero values do not filter.
type SessionFilter struct {
	// Harness and Project keep exact matches.
	Harness, Project string
	// Since is inclusive, Until exclusive: a session is listed when it has a
	// request or a prompt in the window, with the numbers of the window.
	Since, Until time.Time
	// Last keeps the newest N.
	Last int
	// Search keeps sessions whose id, title, project, last reply or a prompt's
	// preview contains the text, whatever its case.
	Search string
	// After lists only what comes after that session, with the same filter; nil
	// begins with the newest.
	After *SessionPlace
}

// SessionPlace is a place in the list of sessions: that of the session with
// these values.
type SessionPlace struct {
	LastAt           *time.Time
	Harness, Session string
}

// Place is where the session stands in its list.
func (s SessionSummary) Place() SessionPlace { return SessionPlace{s.LastAt, s.Harness, s.Session} }

// after are the arguments that both questions end with.
func (f SessionFilter) after() []any {
	if f.After == nil {
		return []any{false, int64(0), "", ""}
	}
	at := int64(math.MinInt64)
	if f.After.LastAt != nil {
		at = f.After.LastAt.UnixMilli()
	}
	return []any{true, at, f.After.Harness, f.After.Session}
}

// SessionList is the answer of `sessions`, newest first.
type SessionList struct {
	SchemaVersion int              `json:"schemaVersion"`
	Sessions      []SessionSummary `json:"sessions"`
}

// SessionSummary is one session of a list, its sub-agents folded in.
type SessionSummary struct {
	Session       string     `json:"session"`
	Harness       string     `json:"harness"`
	Title         *string    `json:"title"`
	Project       *string    `json:"project"`
	Branch        *string    `json:"branch"`
	ParentSession *string    `json:"parentSession"`
	Relation      *string    `json:"relation"`
	FirstAt       *time.Time `json:"firstAt"`
	LastAt        *time.Time `json:"lastAt"`
	Subagents     int64      `json:"subagents"`
	Numbers
	Models []string `json:"models"`
}

// Sessions lists sessions. Sub-agents are part of their root session.
func (l *Ledger) Sessions(ctx context.Context, f SessionFilter) (SessionList, error) {
	list := SessionList{SchemaVersion: SchemaVersion, Sessions: []SessionSummary{}}
	if err := l.freshen(ctx); err != nil {
		return list, err
	}
	err := l.reading(ctx, func(q *sql.Conn) (err error) {
		list.Sessions, err = f.list(ctx, q)
		return err
	})
	return list, err
}

func (f SessionFilter) list(ctx context.Context, q querier) ([]SessionSummary, error) {
	only, life, err := f.newest(ctx, q)
	if err != nil || only != nil && len(only) == 0 {
		return []SessionSummary{}, err
	}
	from, to := bounds(f.Since, f.Until)
	last := int64(math.MaxInt64)
	if f.Last > 0 {
		last = int64(f.Last)
	}
	args := []any{from, to, f.Harness, f.Project, strings.ToLower(f.Search), last, f.open(), append([]int32{}, only...), life.from, life.to}
	return collect(ctx, q, "sessions", scanSummary, append(args, f.after()...)...)
}

// open: there is no window.
func (f SessionFilter) open() bool { return f.Since.IsZero() && f.Until.IsZero() }

// newest chooses the newest sessions by what the small tables know of their
// times, so that only their requests are read; nil when there is nothing to
// choose by: which folder a session is of, its requests say.
func (f SessionFilter) newest(ctx context.Context, q querier) ([]int32, window, error) {
	life := window{math.MinInt64, math.MaxInt64}
	if f.Last <= 0 || !f.open() || f.Project != "" || f.Search != "" {
		return nil, life, nil
	}
	life = window{math.MaxInt64, math.MinInt64}
	ids, err := collect(ctx, q, "sessions_newest", func(rows *sql.Rows, id *int32) error {
		var first, last *int64
		err := rows.Scan(id, &first, &last)
		if first != nil && last != nil {
			life = window{min(life.from, *first), max(life.to, *last+1)}
		}
		return err
	}, append([]any{int64(f.Last), f.Harness}, f.after()...)...)
	return ids, life, err
}

func scanSummary(rows *sql.Rows, s *SessionSummary) error {
	var prompts *int64
	var f figures
	to := []any{
		&s.Session, &s.Harness,
		text{&s.Title},
		text{&s.Project},
		text{&s.Branch},
		text{&s.ParentSession},
		text{&s.Relation},
		moment{&s.FirstAt},
		moment{&s.LastAt},
		&s.Subagents, &prompts,
	}
	if err := rows.Scan(append(to, f.targets()...)...); err != nil {
		return err
	}
	s.Numbers, s.Models = f.numbers(prompts), some(f.models)
	return nil
}
