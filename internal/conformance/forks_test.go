package conformance

import (
	"database/sql"
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	_ "modernc.org/sqlite"

	"meterbridge/internal/daemon"
)

// A fork copies messages under new ids. Whichever of the logs is there first, in
// files or in databases, a copied message counts once, for the session that
// spent it; explain adds up and the reports agree all the way.
func TestForks_CountOnceInAnyOrder(t *testing.T) {
	const hour, began = int64(3_600_000), int64(1791187200000)
	type place func(t *testing.T, home string, session int)
	message := func(role string, created int64) string {
		if role == "user" {
			return fmt.Sprintf(`{"role":"user","time":{"created":%d}}`, created)
		}
		return fmt.Sprintf(`{"role":"assistant","modelID":"gpt-5.5","providerID":"openai","cost":0.5,"tokens":{"input":10,"output":%d,"reasoning":0,"cache":{"read":0,"write":0}},`+
			`"path":{"cwd":"/srv/demo"},"finish":"stop","time":{"created":%d,"completed":%[2]d}}`, created%1000, created)
	}
	// each session holds the prompts and answers of those before it, and one of its own.
	each := func(session int, put func(id string, created int64, role, text string)) {
		for n := range session + 1 {
			at := began + int64(n)*hour
			put(fmt.Sprintf("msg_%d%d_u", session, n), at+int64(n)+1, "user", message("user", at+int64(n)+1))
			put(fmt.Sprintf("msg_%d%d_w", session, n), at+100+int64(n), "assistant", message("assistant", at+100+int64(n)))
		}
	}
	layouts := map[string]place{
		"files": func(t *testing.T, home string, session int) {
			root, id := filepath.Join(home, ".local/share/opencode/storage"), fmt.Sprintf("ses_%d", session)
			each(session, func(msg string, _ int64, role, text string) {
				text = fmt.Sprintf(`{"id":%q,"sessionID":%q,`, msg, id) + text[1:]
				writeLog(t, filepath.Join(root, "message", id, msg+".json"), text)
				if role == "user" {
					writeLog(t, filepath.Join(root, "part", msg, "prt_1.json"), `{"id":"prt_1","type":"text","text":"Go"}`)
				}
			})
			writeLog(t, filepath.Join(root, "session/proj", id+".json"),
				fmt.Sprintf(`{"id":%q,"projectID":"proj","directory":"/srv/demo","time":{"created":%d}}`, id, began+int64(session)*hour))
		},
		"one database": func(t *testing.T, home string, session int) { putSession(t, home, "opencode.db", session, began, each) },
		"a database each": func(t *testing.T, home string, session int) {
			putSession(t, home, fmt.Sprintf("opencode-%d.db", session), session, began, each)
		},
	}
	for layout, put := range layouts {
		for _, order := range [][]int{{0, 1, 2}, {2, 1, 0}, {1, 0, 2}, {2, 0, 1}} {
			t.Run(fmt.Sprint(layout, order), func(t *testing.T) {
				t.Parallel()
				m := open(t, plainSubject("forks"))
				defer m.Close()
				for _, session := range order {
					put(t, m.home, session)
					m.look(t)
				}
				check := func(when string) {
					t.Helper()
					u := m.usage(t, "session")
					got := map[string]string{}
					for _, r := range u.Rows {
						got[r.Key] = fmt.Sprint(r.Requests, *r.Prompts, *r.OutputTokens)
					}
					for session := range 3 {
						if id, want := fmt.Sprintf("ses_%d", session), fmt.Sprint(1, 1, 100+session); got[id] != want {
							t.Errorf("%s: %s has %q, want %q (requests, prompts, output)", when, id, got[id], want)
						}
						e, err := m.Explain(t.Context(), fmt.Sprintf("ses_%d", session), time.UTC)
						if must(t, err); !e.AddsUp {
							t.Errorf("%s: explain ses_%d: %+v", when, session, e.Difference)
						}
					}
					if u.Totals.Requests != 3 || *u.Totals.Prompts != 3 {
						t.Errorf("%s: %d requests, %d prompts, want 3 and 3", when, u.Totals.Requests, *u.Totals.Prompts)
					}
					e, err := m.Explain(t.Context(), "2026-10-05", time.UTC)
					if must(t, err); !e.AddsUp {
						t.Errorf("%s: explain the day: %+v", when, e.Difference)
					}
					holds(t, when, m.prove(t))
				}
				check("all there")
				forks, err := m.SQL(t.Context(), "SELECT session, parent_session, relation FROM sessions WHERE relation = 'fork' ORDER BY 1", daemon.SQLLimits{})
				if must(t, err); len(forks.Rows) != 2 {
					t.Errorf("forks %v, want two", forks.Rows)
				}
				must(t, os.RemoveAll(filepath.Join(m.home, ".local/share/opencode")))
				m.look(t)
				check("all gone")
				put(t, m.home, order[2])
				m.look(t)
				check("one is back")
			})
		}
	}
}

// putSession writes a session into a database of the program, made when it is not there.
func putSession(t *testing.T, home, name string, session int, began int64, each func(int, func(id string, created int64, role, text string))) {
	t.Helper()
	dir := filepath.Join(home, ".local/share/opencode")
	must(t, os.MkdirAll(dir, 0o755))
	db, err := sql.Open("sqlite", filepath.Join(dir, name))
	must(t, err)
	defer db.Close()
	exec := func(query string, args ...any) {
		t.Helper()
		_, err := db.Exec(query, args...)
		must(t, err)
	}
	exec(`CREATE TABLE IF NOT EXISTS project (id text PRIMARY KEY, worktree text)`)
	exec(`CREATE TABLE IF NOT EXISTS session (id text PRIMARY KEY, project_id text, parent_id text, directory text, title text, version text, time_created integer, time_updated integer)`)
	exec(`CREATE TABLE IF NOT EXISTS message (id text PRIMARY KEY, session_id text, time_created integer, time_updated integer, data text)`)
	exec(`CREATE TABLE IF NOT EXISTS part (id text PRIMARY KEY, message_id text, session_id text, time_created integer, time_updated integer, data text)`)
	id, at := fmt.Sprintf("ses_%d", session), began+int64(session)*3_600_000
	exec(`INSERT INTO session VALUES (?, 'proj', NULL, '/srv/demo', 'T', '1.18.33', ?, ?)`, id, at, at)
	each(session, func(msg string, created int64, role, text string) {
		exec(`INSERT INTO message VALUES (?, ?, ?, ?, ?)`, msg, id, created, at, text)
		if role == "user" {
			exec(`INSERT INTO part VALUES (?, ?, ?, ?, ?, '{"type":"text","text":"Go"}')`, "prt_"+msg, msg, id, created, at)
		}
	})
}
