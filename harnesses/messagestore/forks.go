package messagestore

import (
	"context"
	_ "embed" // the statements
	"strings"
	"time"

	"meterbridge"
	"meterbridge/harnesses/sqlite"
)

// A fork copies the messages of a session into a new one, under new ids but
// with their times, model and tokens. A copy is known by being older than its
// session; its original is the message with the same times, model and tokens in
// the session of the same project that began first. Where that is not there, the
// copy counts as a copy (Request.CopiedAt), and the ledger knows the original
// when it comes, or has it from the time before it went.

//go:embed sql/twins_in_session.sql
var twinsInSessionSQL string

//go:embed sql/twins_in_project.sql
var twinsInProjectSQL string

// forks remembers where the copies of a session came from.
type forks struct {
	// origins is the session in which the last original was found, by fork.
	origins map[string]string
	// told are the forks whose origin is written down.
	told map[string]string
}

// sign is what a copy has in common with its original.
type sign struct {
	role               string
	created, completed int64
	model, provider    string
	tokens             [5]int64
}

func signOf(m *message) sign {
	return sign{m.role, m.created, m.completed, m.model, m.provider, m.usage.plain()}
}

// copied reports whether a message is older than the session it lies in.
func (c *conversation) copied(m *message) bool {
	return m.created > 0 && m.created < c.created
}

// copiedAt is when a message whose original is not there was copied, zero for
// one that is no copy. A copy without its session's file tells it by its id.
func (c *conversation) copiedAt(m *message) time.Time {
	switch {
	case c.copied(m):
		return millis(c.created)
	case c.created == 0 && m.created > 0:
		return millis(laterThan(m.id, m.created))
	}
	return time.Time{}
}

// before orders sessions by their begin.
func (c *conversation) before(d *conversation) bool {
	if c.created != d.created {
		return c.created < d.created
	}
	return c.id < d.id
}

// original finds the message that a fork copied; nil when the message is no copy.
func (r *reader) original(ctx context.Context, m *message, in *conversation) (*message, error) {
	if !in.copied(m) || m.role == "" {
		return nil, nil
	}
	found, err := r.find(ctx, m, in, r.forks.origins[in.id])
	if err != nil || found == nil {
		return nil, err
	}
	r.forks.note(in, found.session)
	r.tellFork(in, found.session)
	return found, nil
}

// note remembers an origin, to be looked at first.
func (f *forks) note(in *conversation, origin string) {
	if f.origins == nil {
		f.origins, f.told = map[string]string{}, map[string]string{}
	}
	f.origins[in.id] = origin
}

// tellFork writes down whose fork a session is. A sub-agent keeps its parent.
func (r *reader) tellFork(in *conversation, origin string) {
	if in.parent != "" || r.forks.told[in.id] == origin {
		return
	}
	r.forks.told[in.id] = origin
	r.out.Sessions = append(r.out.Sessions, meterbridge.Session{
		Harness: r.harness, ID: in.id, Parent: origin, Relation: meterbridge.Fork,
	})
}

// find looks for the original of a copy: first in the session where the last
// one was, where it is the original for certain if it is not older than that
// session, then in all sessions of the project.
func (r *reader) find(ctx context.Context, m *message, in *conversation, likely string) (*message, error) {
	if !r.columns.message.Has("time_created") || !r.columns.session.Has("project_id") {
		return nil, nil
	}
	if likely != "" {
		found, err := r.match(ctx, m, in, twinsInSessionSQL, likely)
		if err != nil || found != nil && !r.conversation(found.session).copied(found) {
			return found, err
		}
	}
	return r.match(ctx, m, in, twinsInProjectSQL, in.project)
}

// match returns the record of the session that began first among those which
// bear the same signs and lie in a session that began before in.
func (r *reader) match(ctx context.Context, m *message, in *conversation, query, where string) (best *message, err error) {
	first, want := in, signOf(m)
	err = r.db.Each(ctx, query, []any{m.created, where}, func(v sqlite.Row) error {
		other := r.conversation(strings.Clone(v.Text(1)))
		if other.id == in.id || !other.before(first) {
			return nil
		}
		found, err := decode(v.Bytes(2), nil)
		if err != nil || signOf(&found) != want {
			return nil
		}
		found.id, found.session = v.Text(0), other.id
		best, first = &found, other
		return nil
	})
	return best, err
}
