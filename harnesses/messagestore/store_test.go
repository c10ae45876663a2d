package messagestore

import (
	"database/sql"
	"errors"
	"fmt"
	"net/url"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	_ "modernc.org/sqlite" // writes the databases of the tests

	"meterbridge"
	"meterbridge/harnesses"
)

// t0 is 2026-10-05T08:00:00Z in epoch milliseconds.
const t0 = int64(1791187200000)

const schema = `
CREATE TABLE project (id text PRIMARY KEY, worktree text NOT NULL);
CREATE TABLE session (id text PRIMARY KEY, project_id text NOT NULL, parent_id text, directory text NOT NULL, title text NOT NULL, version text NOT NULL, agent text, time_created integer NOT NULL, time_updated integer NOT NULL);
CREATE TABLE message (id text PRIMARY KEY, session_id text NOT NULL, time_created integer NOT NULL, time_updated integer NOT NULL, data text NOT NULL);
CREATE TABLE part (id text PRIMARY KEY, message_id text NOT NULL, session_id text NOT NULL, time_created integer NOT NULL, time_updated integer NOT NULL, data text NOT NULL);
CREATE INDEX message_index ON message (session_id, time_created, id);
CREATE INDEX part_index ON part (message_id, id)`

var product = Product{
	ID: "demo", Name: "Demo", Folder: "demo", DatabasePrefixes: []string{"demo"},
	DatabaseVariable: "DEMO_DB", FolderVariable: "DEMO_DATA_DIR",
}

// writer is the program whose database is read.
type writer struct {
	t    testing.TB
	path string
	db   *sql.DB
}

// newWriter makes a database in WAL mode and keeps it open.
func newWriter(t testing.TB) *writer {
	t.Helper()
	path := filepath.Join(t.TempDir(), "demo.db")
	db, err := sql.Open("sqlite", "file:"+url.PathEscape(filepath.ToSlash(path)))
	if err != nil {
		t.Fatal(err)
	}
	db.SetMaxOpenConns(1)
	t.Cleanup(func() { db.Close() })
	w := &writer{t, path, db}
	w.exec("PRAGMA journal_mode=WAL")
	w.exec(schema)
	w.exec("INSERT INTO project VALUES ('p','/srv/demo')")
	return w
}

func (w *writer) exec(statement string, args ...any) {
	w.t.Helper()
	if _, err := w.db.Exec(statement, args...); err != nil {
		w.t.Fatalf("%s: %v", statement, err)
	}
}

func (w *writer) session(id string, created int64) {
	w.t.Helper()
	w.exec("INSERT INTO session VALUES (?,'p',NULL,'/srv/demo','Work','1.18.33','build',?,?)", id, created, created)
}

// answer writes an assistant message of 10 input tokens and the given output;
// one without an end has no tokens yet.
func (w *writer) answer(id, session string, created, completed, output int64) {
	w.t.Helper()
	w.exec("INSERT INTO message VALUES (?,?,?,?,?)", id, session, created, max(created, completed), answer(created, completed, output))
}

func answer(created, completed, output int64) string {
	if completed == 0 {
		return fmt.Sprintf(`{"role":"assistant","modelID":"m","cost":0,"tokens":{"input":0,"output":0},"time":{"created":%d}}`, created)
	}
	return fmt.Sprintf(`{"role":"assistant","modelID":"m","cost":0.1,"tokens":{"input":10,"output":%d},"time":{"created":%d,"completed":%d}}`, output, created, completed)
}

func (w *writer) part(id, message, data string) {
	w.t.Helper()
	w.exec("INSERT INTO part VALUES (?,?,'s',0,0,?)", id, message, data)
}

// meter reads a database from reading to reading, as the scanner does.
type meter struct {
	t     testing.TB
	path  string
	state []byte
	// quiet asks for no traces.
	quiet bool
}

// read goes on until there is nothing more and returns what it found.
func (m *meter) read() *meterbridge.Batch {
	m.t.Helper()
	b, err := m.try()
	if err != nil {
		m.t.Fatal(err)
	}
	return b
}

func (m *meter) try() (*meterbridge.Batch, error) {
	var b meterbridge.Batch
	for {
		opt := harnesses.Options{Path: m.path, State: m.state, Trace: !m.quiet}
		state, err := product.Harness().Database(harnesses.Kind{Name: kindDatabase}, opt).Query(m.t.Context(), &b)
		if state != nil {
			m.state = state
		}
		if !errors.Is(err, harnesses.ErrMore) {
			return &b, err
		}
	}
}

// ids are the native ids and outputs of requests, in order.
func ids(b *meterbridge.Batch) (out []string) {
	for _, r := range b.Requests {
		out = append(out, fmt.Sprintf("%s=%d", r.NativeID, r.Tokens.Output.N))
	}
	slices.Sort(out)
	return out
}

func wantIDs(t *testing.T, when string, b *meterbridge.Batch, want string) {
	t.Helper()
	if diff := cmp.Diff(strings.Fields(want), ids(b), cmp.Transformer("empty", func(s []string) []string { return append([]string{}, s...) })); diff != "" {
		t.Errorf("%s (-want +got)\n%s", when, diff)
	}
}
