package cline

import (
	"context"

	"meterbridge"
	"meterbridge/harnesses"
	"meterbridge/harnesses/facts"
	"meterbridge/harnesses/jsonvalue"
	"meterbridge/harnesses/sqlite"
)

// errSchema is the error of an index that lacks what is read.
var errSchema error = &schemaError{}

type schemaError struct{}

func (*schemaError) Error() string {
	return "another schema than the ones known: no usable table sessions"
}

// Reason is the word for problems and metrics.
func (*schemaError) Reason() string { return "unknown-schema" }

// index reads the index of sessions: their titles, folders and parents. It holds
// no usage, and is small enough to be read whole each time.
type index struct{ opt harnesses.Options }

// Query implements harnesses.DatabaseParser.
func (x *index) Query(ctx context.Context, out *meterbridge.Batch) ([]byte, error) {
	var found meterbridge.Batch
	err := sqlite.Read(ctx, x.opt.Path, sqlite.Options{}, func(db *sqlite.DB) error {
		found = meterbridge.Batch{}
		return x.read(ctx, db, &facts.Writer{Harness: id, Store: store, Out: &found})
	})
	out.Sessions = append(out.Sessions, found.Sessions...)
	return nil, err
}

func (x *index) read(ctx context.Context, db *sqlite.DB, w *facts.Writer) error {
	c, err := db.Columns(ctx, "sessions")
	if err != nil {
		return err
	}
	if !c.Has("session_id") {
		return errSchema
	}
	query := "SELECT session_id"
	for _, name := range []string{"cwd", "workspace_root", "parent_session_id", "prompt", "metadata_json", "is_subagent"} {
		query += ", " + c.Or(name, "NULL")
	}
	return db.Each(ctx, query+" FROM sessions", nil, func(v sqlite.Row) error {
		if s := rowOf(v); s.ID != "" {
			w.Session(s)
		}
		return nil
	})
}

func rowOf(v sqlite.Row) meterbridge.Session {
	s := meterbridge.Session{ID: v.Text(0), Project: v.Text(1), TitleRank: meterbridge.TitleFromPrompt, Title: typed(v.Text(4))}
	if s.Project == "" {
		s.Project = v.Text(2)
	}
	if o, ok := jsonvalue.Parse(v.Bytes(5)); ok && o["title"].Text() != "" {
		s.Title, s.TitleRank = o["title"].Text(), meterbridge.TitleFromModel
	}
	if sub, _ := v.Int(6); sub != 0 && v.Text(3) != "" && v.Text(3) != s.ID {
		s.Parent, s.Relation = v.Text(3), meterbridge.SubAgent
	}
	return s
}
