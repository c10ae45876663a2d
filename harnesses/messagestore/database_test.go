package messagestore

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"meterbridge"
	"meterbridge/harnesses"
	"meterbridge/harnesses/sqlite"
)

const minute = int64(60_000)

func TestQuery_MessageFinishedLater(t *testing.T) {
	w := newWriter(t)
	m := &meter{t: t, path: w.path}
	w.session("s", t0)
	w.answer("a1", "s", t0, t0+1000, 5)
	w.answer("a2", "s", t0+2000, 0, 0)
	wantIDs(t, "while a2 runs", m.read(), "a1=5")
	w.exec("UPDATE message SET data=?, time_updated=? WHERE id='a2'", answer(t0+2000, t0+9000, 70), t0+9000)
	wantIDs(t, "after a2 finished", m.read(), "a1=5 a2=70")
	w.answer("a3", "s", t0+10*minute, t0+10*minute+1, 7)
	wantIDs(t, "ten minutes later", m.read(), "a1=5 a2=70 a3=7")
	wantIDs(t, "with nothing new but the last minute", m.read(), "a3=7")
}

// The newest rows are read again at each look, but what is wrong with them is
// named once, and again when they were written again.
func TestQuery_ProblemsAreNamedOnce(t *testing.T) {
	w := newWriter(t)
	m := &meter{t: t, path: w.path}
	w.session("s", t0)
	odd := func(tokens string) string {
		return fmt.Sprintf(`{"role":"assistant","tokens":%s,"cost":-1,"time":{"created":%d,"completed":%d}}`, tokens, t0, t0+1)
	}
	w.exec("INSERT INTO message VALUES ('odd','s',?,?,?)", t0, t0+1, odd(`{"input":"1","output":2}`))
	w.exec("INSERT INTO message VALUES ('torn','s',?,?,'{')", t0, t0+1)
	w.part("p1", "odd", "no json")
	reasons := func(when string, want ...string) {
		t.Helper()
		var got []string
		for _, p := range m.read().Problems {
			got = append(got, p.Reason)
		}
		slices.Sort(got)
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s (-want +got)\n%s", when, diff)
		}
	}
	reasons("first", "malformed-json", "malformed-json", "refused-cost", "wrong-type")
	reasons("with nothing new")
	w.exec("UPDATE message SET data=?, time_updated=? WHERE id='odd'", odd(`{"input":1,"output":[2]}`), t0+9000)
	reasons("after one was written again", "malformed-json", "refused-cost", "wrong-type")
}

// A writer that does not move time_updated, or whose clock was wrong for a
// while, hides nothing.
func TestQuery_TimesThatDoNotTell(t *testing.T) {
	w := newWriter(t)
	m := &meter{t: t, path: w.path}
	w.session("s", t0)
	w.answer("running", "s", t0, 0, 0)
	w.answer("ahead", "s", t0+1000*minute, t0+1000*minute, 1)
	wantIDs(t, "first", m.read(), "ahead=1")
	w.exec("UPDATE message SET data=? WHERE id='running'", answer(t0, t0+5000, 2))
	w.answer("behind", "s", t0+minute, t0+minute, 3)
	wantIDs(t, "second", m.read(), "ahead=1 behind=3 running=2")
}

func TestQuery_RowsTakenAwayByARevert(t *testing.T) {
	w := newWriter(t)
	m := &meter{t: t, path: w.path}
	w.session("s", t0)
	w.answer("a1", "s", t0, t0+1, 1)
	w.answer("a2", "s", t0+50*minute, t0+50*minute+1, 2)
	wantIDs(t, "first", m.read(), "a1=1 a2=2")
	w.exec("DELETE FROM message WHERE id='a2'")
	// The new row takes the place of the one that went; its time tells of it.
	w.answer("a3", "s", t0+60*minute, t0+60*minute+1, 3)
	wantIDs(t, "after the revert", m.read(), "a3=3")
	w.exec("DELETE FROM message WHERE id='a3'")
	wantIDs(t, "with fewer rows than before", m.read(), "a1=1")
}

func TestQuery_ReadsInPages(t *testing.T) {
	w := newWriter(t)
	w.session("s", t0)
	const messages = 2*factLimit + 17
	w.exec(fmt.Sprintf(`WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i+1 FROM n WHERE i<%d)
		INSERT INTO message SELECT 'm'||i, 's', %d+i, %[2]d+i, '{"role":"assistant","tokens":{"input":1,"output":2},"time":{"created":'||(%[2]d+i)||',"completed":'||(%[2]d+i)||'}}' FROM n`, messages, t0))
	var b meterbridge.Batch
	opt := harnesses.Options{Path: w.path}
	state, err := product.Harness().Database(harnesses.Kind{}, opt).Query(t.Context(), &b)
	if !errors.Is(err, harnesses.ErrMore) || b.Len() < factLimit || b.Len() > factLimit+2*pageRows {
		t.Fatalf("first page: %d facts, error %v", b.Len(), err)
	}
	m := &meter{t: t, path: w.path, state: state}
	rest := m.read()
	if got := len(b.Requests) + len(rest.Requests); got != messages {
		t.Errorf("in pages %d requests, want %d", got, messages)
	}
	m.state = state
	w.exec("DELETE FROM message WHERE rowid % 2 = 0")
	w.exec("VACUUM") // rows move: the pass begins anew
	if got := len(m.read().Requests); got != messages-messages/2 {
		t.Errorf("after rows moved %d requests, want %d", got, messages-messages/2)
	}
}

func TestQuery_ForkAppearsLater(t *testing.T) {
	w := newWriter(t)
	m := &meter{t: t, path: w.path}
	w.session("s", t0)
	w.exec("INSERT INTO message VALUES ('u','s',?,?,?)", t0, t0, fmt.Sprintf(`{"role":"user","time":{"created":%d}}`, t0))
	w.part("p1", "u", `{"type":"text","text":"Go"}`)
	w.answer("a", "s", t0+1, t0+2, 5)
	w.answer("z", "s", t0+100*minute, t0+101*minute, 9)
	wantIDs(t, "before the fork", m.read(), "a=5 z=9")
	later := t0 + 500*minute
	w.session("fork", later)
	w.exec("INSERT INTO message VALUES ('u2','fork',?,?,?)", later, later, fmt.Sprintf(`{"role":"user","time":{"created":%d}}`, t0))
	w.part("p2", "u2", `{"type":"text","text":"Go"}`)
	w.exec("INSERT INTO message VALUES ('a2','fork',?,?,?)", later, later, answer(t0+1, t0+2, 5))
	w.answer("b", "fork", later+1, later+2, 6)
	b := m.read()
	wantIDs(t, "after the fork", b, "b=6 z=9")
	if len(b.Prompts) != 0 {
		t.Errorf("copied prompts: %v", b.Prompts)
	}
	var verdicts []string
	for _, tr := range b.Traces {
		verdicts = append(verdicts, fmt.Sprint(tr.NativeID, " ", tr.Session, " ", tr.Verdict, " ", tr.Rule))
	}
	want := []string{"z s counted single-record", "a fork merged fork-copy", "b fork counted single-record"}
	if diff := cmp.Diff(want, verdicts); diff != "" {
		t.Errorf("traces (-want +got)\n%s", diff)
	}
}

// A writer is in the middle of a transaction while the meter reads, and goes on
// afterwards: nothing is seen too early, and neither disturbs the other.
func TestQuery_BesideALiveWriter(t *testing.T) {
	w := newWriter(t)
	w.session("s", t0)
	m := &meter{t: t, path: w.path}
	for i := int64(0); i < 20; i++ {
		at := t0 + i*10*minute
		w.exec("BEGIN IMMEDIATE")
		w.answer(fmt.Sprint("m", i), "s", at, at, 3)
		for _, r := range m.read().Requests {
			if r.NativeID == fmt.Sprint("m", i) {
				t.Fatalf("%s was seen before it was committed", r.NativeID)
			}
		}
		w.exec("COMMIT")
		found := meterbridge.Batch{Requests: within(m.read(), at-1)}
		wantIDs(t, "after the commit", &found, fmt.Sprintf("m%d=3", i))
	}
}

// within are the requests that ended after a time.
func within(b *meterbridge.Batch, ms int64) (out []meterbridge.Request) {
	for _, r := range b.Requests {
		if r.EndedAt.UnixMilli() > ms {
			out = append(out, r)
		}
	}
	return out
}

func TestQuery_NeverTouchesTheFile(t *testing.T) {
	w := newWriter(t)
	w.session("s", t0)
	w.answer("a", "s", t0, t0+1, 1)
	if err := w.db.Close(); err != nil {
		t.Fatal(err)
	}
	before := snapshot(t, filepath.Dir(w.path))
	wantIDs(t, "closed", (&meter{t: t, path: w.path}).read(), "a=1")
	if diff := cmp.Diff(before, snapshot(t, filepath.Dir(w.path))); diff != "" {
		t.Errorf("the folder changed (-before +after)\n%s", diff)
	}
}

// snapshot is the content of a folder's files, hashed, and their times.
func snapshot(t *testing.T, dir string) map[string]string {
	t.Helper()
	out := map[string]string{}
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		b, err := os.ReadFile(filepath.Join(dir, e.Name()))
		if err != nil {
			t.Fatal(err)
		}
		info, err := e.Info()
		if err != nil {
			t.Fatal(err)
		}
		out[e.Name()] = fmt.Sprintf("%x %s", sha256.Sum256(b), info.ModTime().Format(time.RFC3339Nano))
	}
	return out
}

func TestQuery_WhatCannotBeRead(t *testing.T) {
	dir := t.TempDir()
	put := func(name, text string) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	other := newWriter(t)
	other.exec("DROP TABLE message")
	renamed := filepath.Join(dir, "index.db")
	if err := other.db.Close(); err != nil {
		t.Fatal(err)
	}
	content, err := os.ReadFile(other.path)
	if err != nil {
		t.Fatal(err)
	}
	put("index.db", string(content))
	w := newWriter(t)
	w.session("s", t0)
	for i := int64(0); i < 500; i++ {
		w.answer(fmt.Sprint("m", i), "s", t0+i, t0+i+1, 1)
	}
	w.exec("PRAGMA wal_checkpoint(TRUNCATE)")
	whole, err := os.ReadFile(w.path)
	if err != nil {
		t.Fatal(err)
	}
	tests := []struct {
		name, path string
		want       error
	}{
		{"folder", dir, sqlite.ErrNotDatabase},
		{"empty", put("demo-empty.db", ""), sqlite.ErrEmpty},
		{"text", put("demo-text.db", strings.Repeat("text ", 50)), sqlite.ErrNotDatabase},
		{"cut off", put("demo-cut.db", string(whole[:len(whole)/2])), sqlite.ErrCorrupt},
		{"no messages", other.path, errSchema},
		{"another program's", renamed, nil},
	}
	for _, tt := range tests {
		if _, err := (&meter{t: t, path: tt.path}).try(); !errors.Is(err, tt.want) || (err == nil) != (tt.want == nil) {
			t.Errorf("%s: got %v, want %v", tt.name, err, tt.want)
		}
	}
}

func TestQuery_ForeignState(t *testing.T) {
	w := newWriter(t)
	w.session("s", t0)
	w.answer("a", "s", t0, t0+1, 1)
	for _, state := range []string{"", "null", "[]", `{"updated":"x"}`, "\x00", `{"pass":{"after":99}}`} {
		m := &meter{t: t, path: w.path, state: []byte(state)}
		wantIDs(t, fmt.Sprintf("state %q", state), m.read(), "a=1")
	}
}

func TestQuery_LastReplyIsThatOfTheNewestFinishedAnswer(t *testing.T) {
	w := newWriter(t)
	w.session("s", t0)
	for i, id := range []string{"a1", "a2", "a3"} {
		w.answer(id, "s", t0+int64(i)*1000, t0+int64(i)*1000+500, 1)
		w.part("p"+id, id, `{"type":"text","text":"says `+id+` \u00e9"}`)
	}
	w.answer("a4", "s", t0+9000, 0, 0)
	w.part("p4", "a4", `{"type":"text","text":"half a sen"}`)
	var got []string
	for _, s := range (&meter{t: t, path: w.path}).read().Sessions {
		if s.LastReply != "" {
			got = append(got, s.LastReply)
		}
	}
	if diff := cmp.Diff([]string{"says a3 é"}, got); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}
