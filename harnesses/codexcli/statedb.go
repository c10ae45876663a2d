package codexcli

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"meterbridge"
	"meterbridge/harnesses"
	"meterbridge/harnesses/sqlite"
)

// stateDB reads the index of threads, state_N.sqlite: names, places, roles and
// who spawned whom. It holds no request.
type stateDB struct{ opt harnesses.Options }

// dbState is how far the table of threads has been read.
type dbState struct {
	// Since is the newest updated_at_ms seen.
	Since int64 `json:"since"`
}

// overlap is how far before the newest change reading begins again, in ms: a
// transaction may commit after one that was stamped later.
const overlap = 60_000

// Query implements harnesses.DatabaseParser. An older file beside a newer one
// says nothing: it is what an update left behind.
func (d *stateDB) Query(ctx context.Context, out *meterbridge.Batch) ([]byte, error) {
	var s dbState
	if json.Unmarshal(d.opt.State, &s) != nil {
		s = dbState{}
	}
	if superseded(d.opt.Path) {
		return json.Marshal(s)
	}
	var found meterbridge.Batch
	next := s
	err := sqlite.Read(ctx, d.opt.Path, sqlite.Options{}, func(db *sqlite.DB) error {
		found, next = meterbridge.Batch{}, s
		return errors.Join(readThreads(ctx, db, &next, &found), readEdges(ctx, db, &found))
	})
	out.Sessions = append(out.Sessions, found.Sessions...)
	if err != nil {
		next = s
	}
	state, jsonErr := json.Marshal(next)
	return state, errors.Join(err, jsonErr)
}

// superseded reports whether the folder holds a state database of a higher number.
func superseded(path string) bool {
	own := stateNumber(filepath.Base(path))
	entries, err := os.ReadDir(filepath.Dir(path))
	if err != nil {
		return false
	}
	for _, e := range entries {
		if stateNumber(e.Name()) > own {
			return true
		}
	}
	return false
}

// stateNumber is N of state_N.sqlite, -1 for other names.
func stateNumber(base string) int {
	n, ok := strings.CutPrefix(base, "state_")
	if !ok {
		return -1
	}
	if n, ok = strings.CutSuffix(n, ".sqlite"); !ok {
		return -1
	}
	v, err := strconv.ParseUint(n, 10, 31)
	if err != nil {
		return -1
	}
	return int(v)
}

func readThreads(ctx context.Context, db *sqlite.DB, s *dbState, out *meterbridge.Batch) error {
	cols, err := db.Columns(ctx, "threads")
	if err != nil || !cols.Has("id") {
		return err
	}
	query := "SELECT id, " + cols.Or("name", "NULL") + ", " + cols.Or("title", "NULL") + ", " + cols.Or("cwd", "NULL") + ", " +
		cols.Or("git_branch", "NULL") + ", " + cols.Or("agent_role", "NULL") + ", " + cols.Or("source", "NULL") + ", " +
		cols.Or("cli_version", "NULL") + ", " + cols.Or("updated_at_ms", "0") + " FROM threads"
	var args []any
	if cols.Has("updated_at_ms") {
		query += " WHERE updated_at_ms >= ? OR updated_at_ms IS NULL"
		args = append(args, s.Since-overlap)
	}
	return db.Each(ctx, query, args, func(row sqlite.Row) error {
		if row.Text(0) != "" {
			out.Sessions = append(out.Sessions, thread(row))
		}
		if ms, ok := row.Int(8); ok {
			s.Since = max(s.Since, ms)
		}
		return nil
	})
}

// thread is one row: name is what the user called it, title its first message.
func thread(row sqlite.Row) meterbridge.Session {
	s := meterbridge.Session{
		Harness: id, ID: row.Text(0), Project: row.Text(3), Branch: row.Text(4), AgentType: row.Text(5), Version: row.Text(7),
	}
	switch {
	case row.Text(1) != "":
		s.Title, s.TitleRank = row.Text(1), meterbridge.TitleFromUser
	case row.Text(2) != "":
		s.Title, s.TitleRank = clip(row.Text(2), meterbridge.PreviewRunes), meterbridge.TitleFromPrompt
	}
	if source := row.Bytes(6); s.AgentType == "" && json.Valid(source) {
		_, s.AgentType = spawned(member(source, "subagent"))
	}
	return s
}

func readEdges(ctx context.Context, db *sqlite.DB, out *meterbridge.Batch) error {
	cols, err := db.Columns(ctx, "thread_spawn_edges")
	if err != nil || !cols.Has("parent_thread_id", "child_thread_id") {
		return err
	}
	const query = "SELECT parent_thread_id, child_thread_id FROM thread_spawn_edges"
	return db.Each(ctx, query, nil, func(row sqlite.Row) error {
		if parent, child := row.Text(0), row.Text(1); parent != "" && child != "" && parent != child {
			out.Sessions = append(out.Sessions, meterbridge.Session{
				Harness: id, ID: child, Parent: parent, Relation: meterbridge.SubAgent,
			})
		}
		return nil
	})
}
