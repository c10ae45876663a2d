package hermes

import (
	"context"
	"strings"
	"time"

	"meterbridge"
	"meterbridge/harnesses/jsonvalue"
	"meterbridge/harnesses/sqlite"
)

// session is a row of sessions, or what is known of one that is gone.
type session struct {
	numbers
	id, source, model, parent, ending string
	cwd, branch, provider             string
	title, titleSource                string
	branched, delegated               bool
	started, ended, active, spoke     time.Time
	place                             int64
	// main are the finer totals of the session's own work.
	main []*row
	// reply is the newest text of the agent.
	reply   string
	replied time.Time
}

// end is the last time that anything is known to have happened in the session.
func (s *session) end() time.Time {
	at := s.started
	for _, t := range []time.Time{s.active, s.ended, s.spoke} {
		if t.After(at) {
			at = t
		}
	}
	return at
}

// session is the session of an id.
func (r *reader) session(id string) *session {
	s := r.sessions[id]
	if s == nil {
		s = &session{id: id}
		r.sessions[id] = s
	}
	return s
}

func (r *reader) loadSessions(ctx context.Context) error {
	c, err := r.db.Need(ctx, "sessions", "id", "started_at")
	if err != nil {
		return err
	}
	query := "SELECT rowid, id, started_at"
	for _, name := range []string{"source", "model", "parent_session_id", "end_reason", "cwd", "git_branch", "billing_provider", "title", "title_source", "model_config", "ended_at", "last_activity_at"} {
		query += ", " + c.Or(name, "NULL")
	}
	return r.db.Each(ctx, query+", "+counters(c)+" FROM sessions ORDER BY rowid", nil, func(v sqlite.Row) error {
		text := func(i int) string { return strings.Clone(v.Text(i)) }
		s := r.session(text(1))
		s.place, _ = v.Int(0)
		s.started, s.ended, s.active = seconds(v, 2), seconds(v, 13), seconds(v, 14)
		s.source, s.model, s.parent, s.ending = text(3), text(4), text(5), text(6)
		s.cwd, s.branch, s.provider, s.title, s.titleSource = text(7), text(8), text(9), text(10), text(11)
		if config, ok := jsonvalue.Parse(v.Bytes(12)); ok {
			s.branched, s.delegated = !config["_branched_from"].Null(), !config["_delegate_from"].Null()
		}
		s.numbers = readNumbers(v, 15)
		r.order = append(r.order, s)
		return nil
	})
}

// relation tells how a session came from its parent.
func (s *session) relation(parent *session) meterbridge.Relation {
	switch {
	case s.parent == "" || s.parent == s.id:
		return ""
	case s.branched:
		return meterbridge.Fork
	case !s.delegated && parent != nil && parent.ending == "compression":
		return meterbridge.Continuation
	}
	return meterbridge.SubAgent
}

// fact is the session as the ledger wants it.
func (s *session) fact(parent *session) meterbridge.Session {
	f := meterbridge.Session{ID: s.id, Project: s.cwd, Branch: s.branch, Title: s.title, TitleRank: meterbridge.TitleFromModel, LastReply: s.reply, LastReplyAt: s.replied}
	switch s.titleSource {
	case "user", "manual":
		f.TitleRank = meterbridge.TitleFromUser
	}
	if f.Relation = s.relation(parent); f.Relation != "" {
		f.Parent = s.parent
	}
	return f
}
