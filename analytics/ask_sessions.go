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
}

// SessionList is the answer of `sessions`, newest first.
type SessionList struct {
	SchemaVersion int              `json:"schemaVersion"`
	Sessions      []SessionSummary `json:"sessions"`
}

// SessionSummary is one session of a list, its sub-agents folded in. Prompts
// are those that the log holds.
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
	list := SessionList{SchemaVersion: SchemaVersion}
	from, to := bounds(f.Since, f.Until)
	last := int64(math.MaxInt64)
	if f.Last > 0 {
		last = int64(f.Last)
	}
	open := f.Since.IsZero() && f.Until.IsZero()
	err := l.reading(ctx, func(q *sql.Conn) (err error) {
		list.Sessions, err = collect(ctx, q, "sessions", scanSummary, from, to, f.Harness, f.Project, strings.ToLower(f.Search), last, open)
		return err
	})
	return list, err
}

func scanSummary(rows *sql.Rows, s *SessionSummary) error {
	var prompts int64
	var f figures
	to := []any{
		&s.Session, &s.Harness, text{&s.Title}, text{&s.Project}, text{&s.Branch}, text{&s.ParentSession}, text{&s.Relation},
		moment{&s.FirstAt}, moment{&s.LastAt}, &s.Subagents, &prompts,
	}
	if err := rows.Scan(append(to, f.targets()...)...); err != nil {
		return err
	}
	s.Numbers, s.Models = f.numbers(&prompts), some(f.models)
	return nil
}
