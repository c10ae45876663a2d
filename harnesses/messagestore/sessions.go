package messagestore

import (
	"context"
	"maps"
	"slices"
	"strings"

	"meterbridge"
	"meterbridge/harnesses/sqlite"
	"meterbridge/harnesses/walk"
)

// loadSessions reads all sessions, and writes down those that changed.
func (r *reader) loadSessions(ctx context.Context) error {
	c := r.columns.session
	if !c.Has("id") {
		return nil
	}
	query := "SELECT rowid, id"
	for _, name := range []string{"project_id", "parent_id", "agent", "directory", "title", "version", "time_created", "time_updated"} {
		query += ", " + c.Or(name, "NULL")
	}
	worktrees, err := r.worktrees(ctx)
	if err != nil {
		return err
	}
	fresh := r.memory.Pass == nil
	since, newest := r.memory.Sessions-overlap, int64(0)
	err = r.db.Each(ctx, query+" FROM session", nil, func(v sqlite.Row) error {
		s := sessionOf(v)
		if s.directory == "" {
			s.directory = worktrees[s.project]
		}
		r.sessions[s.id] = s
		if fresh && (s.updated > since || s.updated == 0) {
			r.out.Sessions = append(r.out.Sessions, s.fact(r.harness))
		}
		newest = max(newest, s.updated)
		return nil
	})
	if fresh {
		r.memory.Sessions = max(r.memory.Sessions, newest)
	}
	return err
}

func sessionOf(v sqlite.Row) *session {
	s := &session{conversation: conversation{
		id: v.Text(1), project: v.Text(2), parent: v.Text(3), agent: v.Text(4), directory: v.Text(5),
	}}
	s.title, s.version = v.Text(6), v.Text(7)
	s.created, _ = v.Int(8)
	s.updated, _ = v.Int(9)
	return s
}

// worktrees are the folders of projects, for sessions that name none.
func (r *reader) worktrees(ctx context.Context) (map[string]string, error) {
	c, err := r.db.Columns(ctx, "project")
	if err != nil || !c.Has("id", "worktree") {
		return nil, err
	}
	all := map[string]string{}
	err = r.db.Each(ctx, "SELECT id, worktree FROM project", nil, func(v sqlite.Row) error {
		all[v.Text(0)] = v.Text(1)
		return nil
	})
	return all, err
}

// writeReplies writes down the newest text of each session that was met.
func (r *reader) writeReplies() {
	for _, id := range slices.SortedFunc(maps.Keys(r.replies), strings.Compare) {
		last := r.replies[id]
		r.out.Sessions = append(r.out.Sessions, meterbridge.Session{
			Harness: r.harness, ID: id, LastReply: walk.Unquote(last.raw, 0), LastReplyAt: millis(last.at),
		})
	}
}

// moveTo adds what is in b to out.
func moveTo(out, b *meterbridge.Batch) {
	if out.Len() == 0 && len(out.Problems) == 0 && len(out.Traces) == 0 {
		*out = *b
		return
	}
	out.Requests = append(out.Requests, b.Requests...)
	out.Sessions = append(out.Sessions, b.Sessions...)
	out.Prompts = append(out.Prompts, b.Prompts...)
	out.ToolCalls = append(out.ToolCalls, b.ToolCalls...)
	out.Turns = append(out.Turns, b.Turns...)
	out.Limits = append(out.Limits, b.Limits...)
	out.Events = append(out.Events, b.Events...)
	out.Problems = append(out.Problems, b.Problems...)
	out.Traces = append(out.Traces, b.Traces...)
}
