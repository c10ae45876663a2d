package analytics

import (
	"context"
	"database/sql"
	"fmt"
	"strings"
	"time"
)

// Candidate is a session that an ambiguous ID may mean.
type Candidate struct {
	Harness string     `json:"harness"`
	Session string     `json:"session"`
	Title   *string    `json:"title"`
	LastAt  *time.Time `json:"lastAt"`
}

// AmbiguousError says that the ID is the beginning of several sessions' ids, or several
// harnesses have a session of that id. Candidates are the newest ten.
type AmbiguousError struct {
	ID         string
	Count      int
	Candidates []Candidate
}

func (e *AmbiguousError) Error() string {
	names := make([]string, len(e.Candidates))
	for i, c := range e.Candidates {
		names[i] = c.Harness + ":" + c.Session
	}
	more := ""
	if e.Count > len(names) {
		more = fmt.Sprintf(" and %d more", e.Count-len(names))
	}
	return fmt.Sprintf("session %q is ambiguous: %s%s", e.ID, strings.Join(names, ", "), more)
}

const maxCandidates = 10

// found is a session that answers to an ID.
type found struct {
	Candidate
	id, parent int64
	exact      bool
}

// findSession resolves an id, a unique beginning of one, or either of them
// after "HARNESS:". A sub-agent whose id begins with its parent's gives way to
// the parent. Unknown ids are ErrUnknown, ambiguous ones an *AmbiguousError.
func findSession(ctx context.Context, q querier, id string) (found, error) {
	list, err := sessionsCalled(ctx, q, id)
	if err != nil {
		return found{}, err
	}
	switch list = narrow(list); len(list) {
	case 0:
		return found{}, &HintError{
			Err:  fmt.Errorf("session %q: %w", id, ErrUnknown),
			Hint: "`meterbridge sessions` lists the sessions of the ledger",
		}
	case 1:
		return list[0], nil
	}
	e := &AmbiguousError{ID: id, Count: len(list)}
	for _, f := range list[:min(len(list), maxCandidates)] {
		e.Candidates = append(e.Candidates, f.Candidate)
	}
	return found{}, &HintError{Err: e, Hint: "give more characters of the id, or HARNESS:ID"}
}

// sessionsCalled are the sessions that answer to an ID. Whole ids come first, for
// they are found without looking at how each one begins.
func sessionsCalled(ctx context.Context, q querier, id string) (list []found, err error) {
	harness, rest, cut := strings.Cut(id, ":")
	for _, by := range []string{"session_exact", "session_id"} {
		if list, err = sessionsNamed(ctx, q, by, id, ""); err != nil || len(list) > 0 {
			return list, err
		}
		if !cut {
			continue
		}
		if list, err = sessionsNamed(ctx, q, by, rest, harness); err != nil || len(list) > 0 {
			return list, err
		}
	}
	return nil, nil
}

func sessionsNamed(ctx context.Context, q querier, by, id, harness string) ([]found, error) {
	if id == "" {
		return nil, nil
	}
	return collect(ctx, q, by, func(rows *sql.Rows, f *found) error {
		return rows.Scan(&f.id, &f.Harness, &f.Session, &f.parent, text{&f.Title}, moment{&f.LastAt}, &f.exact)
	}, id, harness)
}

// narrow keeps exact matches if there are any, and drops sessions whose parent
// matches too.
func narrow(list []found) []found {
	matched := map[int64]bool{}
	exact := false
	for _, f := range list {
		matched[f.id] = true
		exact = exact || f.exact
	}
	var kept []found
	for _, f := range list {
		if exact && f.exact || !exact && !matched[f.parent] {
			kept = append(kept, f)
		}
	}
	return kept
}
