package analytics

import (
	"database/sql"
	"fmt"
	"strings"
	"testing"
	"time"

	"meterbridge"
)

// world is a ledger whose rows a test writes by hand, straight into the schema.
type world struct {
	t     *testing.T
	l     *Ledger
	words map[string]int
	// facets counts the rows of that table.
	facets int
	// tx holds the inserts of together; nil outside of it.
	tx *sql.Tx
	// zero has for each table the columns that may not be null, with the value that says nothing.
	zero map[string]row
}

// together runs fn with all its inserts in one transaction.
func (w *world) together(fn func()) {
	w.t.Helper()
	var err error
	if w.tx, err = w.l.db.Begin(); err != nil {
		w.t.Fatal(err)
	}
	fn()
	if err := w.tx.Commit(); err != nil {
		w.t.Fatal(err)
	}
	w.tx = nil
}

func newWorld(t *testing.T, o Options) *world {
	t.Helper()
	w := &world{t: t, l: open(t, o), words: map[string]int{"": 0}, zero: map[string]row{}}
	w.insert("scan", row{"id": 1, "started_at": at("2026-10-07T00:00:00Z")})
	return w
}

// at is an RFC 3339 instant in epoch milliseconds.
func at(text string) int64 {
	t, err := time.Parse(time.RFC3339Nano, text)
	if err != nil {
		panic(err)
	}
	return t.UnixMilli()
}

func instant(text string) time.Time { return time.UnixMilli(at(text)).UTC() }

func ptr[T any](v T) *T { return &v }

// row is a row of a table by column; columns that are left out are null, or
// where they may not be, 0, ” or false.
type row map[string]any

func (w *world) insert(table string, r row) {
	w.t.Helper()
	for name, v := range w.needed(table) {
		if _, ok := r[name]; !ok {
			r[name] = v
		}
	}
	var names, marks []string
	var values []any
	for name, v := range r {
		names, marks, values = append(names, `"`+name+`"`), append(marks, "?"), append(values, v)
	}
	query := "INSERT INTO " + table + " (" + strings.Join(names, ", ") + ") VALUES (" + strings.Join(marks, ", ") + ")"
	run := w.l.db.Exec
	if w.tx != nil {
		run = w.tx.Exec
	}
	if _, err := run(query, values...); err != nil {
		w.t.Fatalf("insert into %s: %v", table, err)
	}
}

// needed are the columns of a table that may not be null.
func (w *world) needed(table string) row {
	w.t.Helper()
	if w.zero[table] != nil {
		return w.zero[table]
	}
	list, err := w.l.db.Query("SELECT column_name, data_type FROM duckdb_columns() WHERE table_name = ? AND NOT is_nullable", table)
	if err != nil {
		w.t.Fatal(err)
	}
	defer list.Close()
	w.zero[table] = row{}
	for list.Next() {
		var name, kind string
		if err := list.Scan(&name, &kind); err != nil {
			w.t.Fatal(err)
		}
		w.zero[table][name] = map[string]any{"VARCHAR": "", "BOOLEAN": false}[kind]
		if w.zero[table][name] == nil {
			w.zero[table][name] = 0
		}
	}
	return w.zero[table]
}

func (w *world) word(text string) int {
	id, ok := w.words[text]
	if !ok {
		// The ledger may have words of its own: theirs are looked up.
		ask := w.l.db.QueryRow
		if w.tx != nil {
			ask = w.tx.QueryRow
		}
		known := ask("SELECT coalesce(min(id) FILTER (WHERE text = ?), -1), coalesce(max(id), 0) FROM word", text)
		var last int
		if err := known.Scan(&id, &last); err != nil {
			w.t.Fatal(err)
		}
		if id < 0 {
			id = last + 1
			w.insert("word", row{"id": id, "text": text})
		}
		w.words[text] = id
	}
	return id
}

func (w *world) source(id int, harness, path, machine string, gone bool) {
	w.insert("source", row{
		"id": id, "harness": w.word(harness), "kind": "transcript", "path": path, "machine": machine,
		"size": 1000, "offset": 1000, "lines": 10, "parser": 1, "generation": 1, "gone": gone,
	})
}

type sessionRow struct {
	id                               int
	harness, native                  string
	parent                           int
	relation                         string
	root                             int
	agentType, title, project, reply string
	first, last                      any
}

func (w *world) session(s sessionRow) {
	if s.root == 0 {
		s.root = s.id
	}
	w.insert("session", row{
		"id": s.id, "harness": w.word(s.harness), "native": s.native, "parent": s.parent, "relation": s.relation,
		"root": s.root, "agent_type": s.agentType, "title": s.title, "project": w.word(s.project), "branch": w.word("main"),
		"last_reply": s.reply, "version": "2.1", "first_at": s.first, "last_at": s.last,
	})
}

type requestRow struct {
	native                             string
	harness                            string
	session                            int
	project, model, provider           string
	start                              any
	end                                int64
	in, out, reason, read, w5m, w1h    any
	searches                           any
	recorded, list                     any
	precision, tools, rule             string
	source                             int
	line                               int64
	aborted, vanished                  bool
	tier, speed, machine, key, purpose string
}

// id is the identity of a test's request: its store is "s".
func id(harness, native string) meterbridge.ID { return meterbridge.NewID(harness, "s", native) }

func uuid(id meterbridge.ID) string {
	return fmt.Sprintf("%x-%x-%x-%x-%x", id[:4], id[4:6], id[6:8], id[8:10], id[10:])
}

func (w *world) request(r requestRow) {
	w.insert("request", row{
		"calls": 1,
		"id":    uuid(id(r.harness, r.native)), "harness": w.word(r.harness), "session": r.session,
		"project": w.word(r.project), "model": w.word(r.model), "facet": w.facet(r),
		"started_at": r.start, "ended_at": r.end, "input": r.in, "output": r.out, "reasoning": r.reason, "cache_read": r.read,
		"cache_write_5m": r.w5m, "cache_write_1h": r.w1h, "web_searches": r.searches,
		"recorded_pusd": r.recorded, "list_pusd": r.list, "tools": w.word(r.tools), "source": r.source, "owner": r.source, "line": r.line, "offset": r.line * 100,
		"line_hash": 7, "first_seen": 1,
	})
}

// facet is a row of the table facet for each request: nothing asks for their number.
func (w *world) facet(r requestRow) int {
	w.facets++
	w.insert("facet", row{
		"id": w.facets, "branch": w.word("main"), "provider": w.word(r.provider), "tier": w.word(r.tier), "speed": w.word(r.speed),
		"price_key": w.word(r.key), "price_table": w.word("table-1"), "precision": w.word(r.precision), "purpose": w.word(r.purpose),
		"rule": w.word(r.rule), "machine": w.word(r.machine), "parser": 1, "aborted": r.aborted, "vanished": r.vanished,
	})
	return w.facets
}

// shop is the ledger that most tests ask. Its figures are worked out in the
// tests' comments.
func shop(t *testing.T) *world {
	w := newWorld(t, Options{ReportZone: time.UTC})
	w.together(func() {
		w.source(1, "claude-code", "/srv/logs/a.jsonl", "", false)
		w.source(2, "claude-code", "/srv/logs/a/agent-a9f.jsonl", "", false)
		w.source(3, "claude-code", "/srv/logs/fork.jsonl", "", false)
		w.source(4, "codex-cli", "/srv/logs/rollout.jsonl", "", false)
		w.source(5, "claude-code", "/srv/logs/old.jsonl", "laptop", true)
		w.shopSessions()
		w.shopRequests()
		w.shopFacts()
	})
	return w
}

func (w *world) shopSessions() {
	w.session(sessionRow{
		id: 1, harness: "claude-code", native: "aaaa-1", title: "Checkout work", project: "/srv/demo-shop", reply: "All done.",
		first: at("2026-10-05T08:00:05Z"), last: at("2026-10-05T08:00:20Z"),
	})
	w.session(sessionRow{
		id: 2, harness: "claude-code", native: "aaaa-1/a9f", parent: 1, relation: "subagent", root: 1, agentType: "Explore", project: "/srv/demo-shop",
		first: at("2026-10-05T08:00:12Z"), last: at("2026-10-05T08:00:12Z"),
	})
	w.session(sessionRow{
		id: 3, harness: "claude-code", native: "aaaa-2", parent: 1, relation: "fork", title: "Another way", project: "/srv/demo-shop",
		first: at("2026-10-05T08:00:42Z"), last: at("2026-10-05T08:00:42Z"),
	})
	w.session(sessionRow{
		id: 4, harness: "codex-cli", native: "bbbb-1", title: "Fix the parser", project: "/srv/other",
		first: at("2026-10-06T09:00:10Z"), last: at("2026-10-06T09:00:10Z"),
	})
	w.session(sessionRow{
		id: 5, harness: "claude-code", native: "cccc-1", project: "/srv/old",
		first: at("2026-09-30T23:30:00Z"), last: at("2026-09-30T23:30:00Z"),
	})
}

func (w *world) shopRequests() {
	w.request(requestRow{
		native: "r1", harness: "claude-code", session: 1, project: "/srv/demo-shop", model: "opus", start: at("2026-10-05T08:00:02Z"), end: at("2026-10-05T08:00:05Z"),
		in: 10, out: 120, reason: 30, read: 9000, w5m: 500, w1h: 200, list: 1_234_567, tools: "Bash", rule: "last-snapshot", key: "anthropic/opus", source: 1, line: 3,
	})
	w.request(requestRow{
		native: "r2", harness: "claude-code", session: 1, project: "/srv/demo-shop", model: "opus", end: at("2026-10-05T08:00:20Z"),
		in: 20, out: 80, read: 9500, w5m: 0, list: 2_000_001, rule: "single-record", key: "anthropic/opus", source: 1, line: 9,
	})
	w.request(requestRow{
		native: "r3", harness: "claude-code", session: 2, project: "/srv/demo-shop", model: "newcomer", end: at("2026-10-05T08:00:12Z"),
		in: 5, out: 40, read: 100, w5m: 60, tools: "Grep\nRead", rule: "single-record", source: 2, line: 2,
	})
	w.request(requestRow{
		native: "r4", harness: "claude-code", session: 3, project: "/srv/demo-shop", model: "opus", end: at("2026-10-05T08:00:42Z"),
		in: 12, out: 60, read: 9700, w5m: 300, list: 5_000_000, rule: "single-record", source: 3, line: 6,
	})
	w.request(requestRow{
		native: "r5", harness: "codex-cli", session: 4, project: "/srv/other", model: "gpt", provider: "openai", end: at("2026-10-06T09:00:10Z"),
		in: 100, out: 10, reason: 4, read: 50, recorded: 7_000_000, list: 9_000_000, rule: "usage-record", source: 4, line: 4,
	})
	w.request(requestRow{
		native: "r6", harness: "claude-code", session: 5, project: "/srv/old", model: "opus", end: at("2026-09-30T23:30:00Z"),
		in: 1, out: 2, list: 1, rule: "single-record", machine: "laptop", source: 5, line: 1, vanished: true,
	})
	w.insert("sighting", row{"id": uuid(id("claude-code", "r1")), "source": 3, "line": 2, "offset": 200, "line_hash": 7, "ended_at": at("2026-10-05T08:00:07Z")})
}

func (w *world) shopFacts() {
	prompt := func(n int, session int, when, preview string, source int) {
		w.insert("prompt", row{
			"id": uuid(id("prompt", fmt.Sprint(n))), "harness": w.word("claude-code"), "session": session,
			"happened_at": at(when), "preview": preview, "source": source, "line": n,
		})
	}
	prompt(1, 1, "2026-10-05T08:00:00Z", "Fix the checkout test", 1)
	prompt(2, 1, "2026-10-05T08:00:15Z", "And the tax", 1)
	prompt(3, 3, "2026-10-05T08:00:40Z", "Try it another way", 3)
	turn := func(n int, from, to any, outcome string) {
		w.insert("turn", row{"id": uuid(id("turn", fmt.Sprint(n))), "harness": w.word("codex-cli"), "session": 4, "started_at": from, "ended_at": to, "outcome": outcome, "source": 4})
	}
	turn(1, at("2026-10-06T09:00:00Z"), at("2026-10-06T09:00:12Z"), "finished")
	turn(2, at("2026-10-06T09:01:00Z"), at("2026-10-06T09:01:01Z"), "finished")
	call := func(n, session int, name string, from, to any, ok any) {
		w.insert("tool_call", row{
			"id": uuid(id("call", fmt.Sprint(n))), "harness": w.word("claude-code"), "session": session,
			"name": w.word(name), "started_at": from, "ended_at": to, "ok": ok, "source": session,
		})
	}
	call(1, 1, "Bash", at("2026-10-05T08:00:05Z"), at("2026-10-05T08:00:08Z"), true)
	call(2, 2, "Grep", at("2026-10-05T08:00:12Z"), at("2026-10-05T08:00:13Z"), true)
	call(3, 2, "Read", at("2026-10-05T08:00:13Z"), nil, nil)
	call(4, 2, "Grep", at("2026-10-05T08:00:13Z"), at("2026-10-05T08:00:13.500Z"), false)
	limit := func(when string, used float64) {
		w.insert("rate_limit", row{
			"harness": w.word("codex-cli"), "session": 4, "happened_at": at(when), "name": "primary", "window_ms": 18_000_000,
			"used_percent": used, "resets_at": at("2026-10-06T12:00:00Z"), "plan": "plus", "source": 4,
		})
	}
	limit("2026-10-06T09:00:01Z", 11)
	limit("2026-10-06T09:00:10Z", 12.5)
	w.insert("event", row{"harness": w.word("claude-code"), "session": 1, "happened_at": at("2026-10-05T08:00:30Z"), "kind": "error", "detail": "429", "source": 1, "line": 11})
	for _, line := range []int{12, 15} {
		w.insert("problem", row{"source": 1, "line": line, "reason": "malformed-json", "detail": "a line ends in the middle of a value", "first_seen": 1})
	}
}
