package corpus

import (
	"context"
	"database/sql"
	"os"
	"path/filepath"

	_ "modernc.org/sqlite" // writes the database as its owner would
)

const storeSchema = `
CREATE TABLE project(id text primary key, worktree text not null, vcs text, name text, time_created integer not null, time_updated integer not null, sandboxes text not null);
CREATE TABLE session(id text primary key, project_id text not null, parent_id text, slug text not null, directory text not null, title text not null, version text not null, time_created integer not null, time_updated integer not null);
CREATE TABLE message(id text primary key, session_id text not null, time_created integer not null, time_updated integer not null, data text not null);
CREATE TABLE part(id text primary key, message_id text not null, session_id text not null, time_created integer not null, time_updated integer not null, data text not null);
CREATE INDEX message_session_idx ON message(session_id);
CREATE INDEX part_message_idx ON part(message_id);
CREATE INDEX part_session_idx ON part(session_id);`

// store writes OpenCode's database in one transaction.
type store struct {
	db                        *sql.DB
	tx                        *sql.Tx
	sessions, messages, parts *sql.Stmt
}

func newStore(path string) *store {
	must(os.MkdirAll(filepath.Dir(path), 0o755))
	db, err := sql.Open("sqlite", path+"?_pragma=journal_mode(WAL)&_pragma=synchronous(OFF)")
	must(err)
	db.SetMaxOpenConns(1)
	_, err = db.Exec(storeSchema)
	must(err)
	s := &store{db: db}
	s.tx, err = db.BeginTx(context.Background(), nil)
	must(err)
	s.sessions = s.prepare("INSERT INTO session VALUES(?,?,NULL,?,?,?,'1.2.10',?,?)")
	s.messages = s.prepare("INSERT INTO message VALUES(?,?,?,?,?)")
	s.parts = s.prepare("INSERT INTO part VALUES(?,?,?,?,?,?)")
	return s
}

func (s *store) prepare(text string) *sql.Stmt {
	stmt, err := s.tx.Prepare(text)
	must(err)
	return stmt
}

func insert(stmt *sql.Stmt, args ...any) {
	_, err := stmt.Exec(args...)
	must(err)
}

func (s *store) session(id, project, slug, dir, title string, ms int64) {
	insert(s.sessions, id, project, slug, dir, title, ms, ms)
}

func (s *store) message(id, session string, ms int64, data string) {
	insert(s.messages, id, session, ms, ms, data)
}

func (s *store) part(id, message, session string, ms int64, data string) {
	insert(s.parts, id, message, session, ms, ms, data)
}

func (s *store) close() {
	must(s.tx.Commit())
	_, err := s.db.Exec("PRAGMA wal_checkpoint(TRUNCATE)")
	must(err)
	must(s.db.Close())
}
