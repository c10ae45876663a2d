package openclaw

import (
	"crypto/sha256"
	"database/sql"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	_ "modernc.org/sqlite" // the program that writes

	"meterbridge"
	"meterbridge/harnesses"
	"meterbridge/harnesses/fixtures"
	"meterbridge/harnesses/parsertest"
)

func FuzzTranscript(f *testing.F) { parsertest.Lines(f, Harness()) }

const schema = `PRAGMA journal_mode = WAL;
CREATE TABLE transcript_events (session_id TEXT NOT NULL, seq INTEGER NOT NULL, event_json TEXT, created_at INTEGER NOT NULL, event_zstd BLOB, PRIMARY KEY (session_id, seq));
CREATE TABLE transcript_rewrite_watermarks (session_id TEXT PRIMARY KEY, generation INTEGER NOT NULL);`

// owner is the program that has the database open.
type owner struct {
	t    *testing.T
	db   *sql.DB
	path string
}

func open(t *testing.T) *owner {
	t.Helper()
	o := &owner{t: t, path: filepath.Join(t.TempDir(), databaseName)}
	var err error
	if o.db, err = sql.Open("sqlite", o.path); err != nil {
		t.Fatal(err)
	}
	o.db.SetMaxOpenConns(1)
	t.Cleanup(func() { o.db.Close() })
	o.do(schema)
	return o
}

func (o *owner) do(query string, args ...any) {
	o.t.Helper()
	if _, err := o.db.Exec(query, args...); err != nil {
		o.t.Fatal(err)
	}
}

// says writes an answer.
func (o *owner) says(session string, seq, in int) {
	o.t.Helper()
	o.do("INSERT INTO transcript_events VALUES (?, ?, ?, 1, NULL)", session, seq, fmt.Sprintf(
		`{"type":"message","id":"e%d","timestamp":"2026-09-11T09:00:%02d.000Z","message":{"role":"assistant","content":[],"usage":{"input":%d,"output":1},"stopReason":"stop"}}`, in, seq%60, in))
}

// query reads what is new as the scanner does, and returns the requests' ids.
func (o *owner) query(state []byte) ([]string, []byte) {
	o.t.Helper()
	var ids []string
	before := o.sum()
	defer func() {
		if o.sum() != before {
			o.t.Error("reading changed the database")
		}
	}()
	for {
		var b meterbridge.Batch
		next, err := Harness().Database(harnesses.Kind{Name: kindDatabase}, harnesses.Options{Path: o.path, State: state}).Query(o.t.Context(), &b)
		for _, r := range b.Requests {
			ids = append(ids, r.NativeID)
		}
		parsertest.Check(o.t, &b)
		state = next
		if err == nil {
			slices.Sort(ids)
			return ids, state
		}
		if !errors.Is(err, harnesses.ErrMore) {
			o.t.Fatal(err)
		}
	}
}

func (o *owner) sum() [32]byte {
	o.t.Helper()
	content, err := os.ReadFile(o.path)
	if err != nil {
		o.t.Fatal(err)
	}
	return sha256.Sum256(content)
}

// TestDatabase_BesideItsOwner: while the program has the database open and in
// the middle of a transaction, what it committed is read, each event once, and
// a rewritten session again; nothing is written to the file.
func TestDatabase_BesideItsOwner(t *testing.T) {
	o := open(t)
	o.says("a", 0, 1)
	tx, err := o.db.Begin()
	if err != nil {
		t.Fatal(err)
	}
	if _, err := tx.Exec("DELETE FROM transcript_events"); err != nil {
		t.Fatal(err)
	}
	got, state := o.query(nil)
	if err := tx.Rollback(); err != nil {
		t.Fatal(err)
	}
	steps := []struct {
		name string
		do   func()
		want []string
	}{
		{"what was committed", func() {}, []string{"a/e1"}},
		{"nothing new", func() { got, state = o.query(state) }, nil},
		{"a further event and a session", func() { o.says("a", 1, 2); o.says("b", 0, 3); got, state = o.query(state) }, []string{"a/e2", "b/e3"}},
		{"a rewritten session is read from its start", func() {
			o.do("DELETE FROM transcript_events WHERE session_id = 'a' AND seq = 1")
			o.do("INSERT INTO transcript_rewrite_watermarks VALUES ('a', 1)")
			o.says("a", 1, 4)
			got, state = o.query(state)
		}, []string{"a/e1", "a/e4"}},
		{"one that became shorter too", func() {
			o.do("DELETE FROM transcript_events WHERE session_id = 'a' AND seq = 1")
			got, state = o.query(state)
		}, []string{"a/e1"}},
		{"a session that is archived is gone, and says nothing", func() {
			o.do("DELETE FROM transcript_events WHERE session_id = 'a'")
			got, state = o.query(state)
		}, nil},
	}
	for _, s := range steps {
		s.do()
		if d := cmp.Diff(s.want, got); d != "" {
			t.Errorf("%s (-want +got):\n%s", s.name, d)
		}
	}
}

// TestDatabase_ManySessions: more sessions than the parser's memory is kept of,
// in more than one piece; one whose memory was given up goes on all the same.
func TestDatabase_ManySessions(t *testing.T) {
	o := open(t)
	o.do("BEGIN")
	for n := range memories + 20 {
		o.says(fmt.Sprintf("s%03d", n), 0, 1)
	}
	o.do("COMMIT")
	got, state := o.query(nil)
	if len(got) != memories+20 {
		t.Fatalf("got %d requests, want %d", len(got), memories+20)
	}
	o.says("s000", 1, 2)
	o.says(fmt.Sprintf("s%03d", memories+19), 1, 2)
	got, _ = o.query(state)
	if d := cmp.Diff([]string{"s000/e1", "s000/e2", fmt.Sprintf("s%03d/e2", memories+19)}, got); d != "" {
		t.Errorf("(-want +got):\n%s", d)
	}
}

// TestUnpack_IsBounded: a small blob cannot fill the memory.
func TestUnpack_IsBounded(t *testing.T) {
	packed, err := fixtures.Compress(make([]byte, maxEvent+1))
	if err != nil {
		t.Fatal(err)
	}
	if text, err := unpack(packed, maxEvent); err == nil {
		t.Errorf("unpacked %d bytes beyond the limit", len(text))
	}
	packed, err = fixtures.Compress(make([]byte, maxEvent))
	if err != nil {
		t.Fatal(err)
	}
	if text, err := unpack(packed, maxEvent); err != nil || len(text) != maxEvent {
		t.Errorf("unpacked %d bytes: %v", len(text), err)
	}
}
