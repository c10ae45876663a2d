package analytics

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

func TestSQL_Refuses(t *testing.T) {
	w := shop(t)
	secret := filepath.Join(t.TempDir(), "secret.csv")
	if err := os.WriteFile(secret, []byte("a\n1\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	tests := []struct {
		why, text string
		notSelect bool
	}{
		{"a change", "DELETE FROM request", true},
		{"a table", "CREATE TABLE x AS SELECT 1", true},
		{"a change of what is not there", "DROP TABLE x", true},
		{"a change that cannot be made", "INSERT INTO request VALUES (1)", true},
		{"a change behind comments", "-- x\n/* y */ drop view nothing", true},
		{"two statements", "SELECT 1; SELECT 2", true},
		{"a change behind a SELECT", "SELECT 1; DELETE FROM request", true},
		{"a change before a SELECT", "DELETE FROM request; SELECT 1", true},
		{"a change in an EXPLAIN", "EXPLAIN ANALYZE DELETE FROM request", true},
		{"a change in an EXPLAIN behind a comment", "/* a */ -- b\n EXPLAIN (FORMAT json) DELETE FROM request", true},
		{"a file from an EXPLAIN", "EXPLAIN ANALYZE COPY (SELECT 1) TO '" + filepath.Join(w.l.ExportDir(), "x") + "'", true},
		{"a setting", "SET memory_limit = '1GB'", true},
		{"a pragma", "PRAGMA threads = 1", true},
		{"another database", "ATTACH ':memory:' AS x", true},
		{"a transaction", "COMMIT", true},
		{"a call", "CALL checkpoint()", true},
		{"another file", "SELECT * FROM read_csv('" + secret + "')", false},
		{"another file by its name", "SELECT * FROM '" + secret + "'", false},
		{"an extension", "INSTALL httpfs", true},
		{"no statement", "", false},
		{"only a comment", "-- nothing", false},
		{"no SQL", "what did I spend", false},
		{"no such view", "SELECT * FROM requestz", false},
		{"a parameter", "SELECT ?", false},
	}
	for _, tt := range tests {
		r, err := w.l.SQL(t.Context(), tt.text, SQLLimits{})
		if err == nil || errors.Is(err, ErrNotSelect) != tt.notSelect {
			t.Errorf("%s: SQL(%q) = %v, %v, want an error (ErrNotSelect: %v)", tt.why, tt.text, r, err, tt.notSelect)
		}
	}
	var n int
	if err := w.l.db.QueryRow("SELECT count(*) FROM request").Scan(&n); err != nil || n != 6 {
		t.Errorf("after all that the ledger has %d requests (%v), want 6", n, err)
	}
}

func TestSQL_Hints(t *testing.T) {
	w := shop(t)
	var h *HintError
	if _, err := w.l.SQL(t.Context(), "SELECT * FROM requestz", SQLLimits{}); !errors.As(err, &h) || !strings.Contains(h.Hint, "requests, sessions") {
		t.Errorf("an unknown view: %v, want a hint that lists the views", err)
	}
}

func TestSQL_Answers(t *testing.T) {
	w := shop(t)
	tests := []struct {
		text string
		want [][]any
	}{
		{
			"SELECT session, sum(output_tokens), sum(cost_pusd) FROM requests GROUP BY ALL ORDER BY ALL",
			[][]any{
				{"aaaa-1", "200", "3234568"},
				{"aaaa-1/a9f", "40", nil},
				{"aaaa-2", "60", "5000000"},
				{"bbbb-1", "10", "7000000"},
				{"cccc-1", "2", "1"},
			},
		},
		{"WITH x AS (SELECT 1 AS n) SELECT n FROM x -- with a comment", [][]any{{int32(1)}}},
		{"VALUES (1.50, 'a', true, NULL);", [][]any{{"1.5", "a", true, nil}}},
		{
			"SELECT max(ended_at), DATE '2026-10-05', 170141183460469231731687303715884105727::HUGEINT, [1, 2], {'a': TIMESTAMP '2026-10-05 08:00:00'} FROM requests",
			[][]any{{"2026-10-06T09:00:10Z", "2026-10-05", "170141183460469231731687303715884105727", []any{int32(1), int32(2)}, map[string]any{"a": "2026-10-05T08:00:00Z"}}},
		},
		{"SELECT id FROM requests WHERE session = 'aaaa-2'", [][]any{{uuid(id("claude-code", "r4"))}}},
		{"SELECT n::HUGEINT, [n::HUGEINT] FROM (VALUES (7), (9007199254740993)) v(n) ORDER BY n", [][]any{{"7", []any{"7"}}, {"9007199254740993", []any{"9007199254740993"}}}},
		{"SELECT MAP {'a': 1::HUGEINT, 'b': NULL}, MAP {2: [DATE '2026-10-05']}", [][]any{{map[string]any{"a": "1", "b": nil}, map[string]any{"2": []any{"2026-10-05T00:00:00Z"}}}}},
		{"SELECT 'nan'::DOUBLE", [][]any{{"NaN"}}},
	}
	for _, tt := range tests {
		got, err := w.l.SQL(t.Context(), tt.text, SQLLimits{})
		if err != nil {
			t.Errorf("SQL(%q): %v", tt.text, err)
			continue
		}
		if d := cmp.Diff(tt.want, got.Rows); d != "" {
			t.Errorf("SQL(%q) (-want +got):\n%s", tt.text, d)
		}
	}
}

func TestSQL_Explain(t *testing.T) {
	w := shop(t)
	for _, text := range []string{"EXPLAIN SELECT * FROM requests", "explain analyze select count(*) from sessions", "DESCRIBE requests", "SUMMARIZE requests"} {
		if r, err := w.l.SQL(t.Context(), text, SQLLimits{}); err != nil || len(r.Rows) == 0 {
			t.Errorf("SQL(%q) = %v, %v", text, r, err)
		}
	}
}

func TestSQL_Limits(t *testing.T) {
	w := shop(t)
	r, err := w.l.SQL(t.Context(), "SELECT n FROM range(100000) t(n) ORDER BY n DESC", SQLLimits{Rows: 3})
	if err != nil || !r.Truncated {
		t.Fatalf("truncated %v, %v, want true", r.Truncated, err)
	}
	if d := cmp.Diff([][]any{{int64(99999)}, {int64(99998)}, {int64(99997)}}, r.Rows); d != "" {
		t.Errorf("the first three rows (-want +got):\n%s", d)
	}
	if r, err = w.l.SQL(t.Context(), "SELECT n FROM range(3) t(n)", SQLLimits{Rows: 3}); err != nil || r.Truncated {
		t.Errorf("three rows of three: truncated %v, %v, want false", r.Truncated, err)
	}
	_, err = w.l.SQL(t.Context(), "SELECT count(*) FROM range(1000000000) a, range(1000000000) b WHERE a.range * b.range % 7 = 3", SQLLimits{Time: 20 * time.Millisecond})
	if !errors.Is(err, ErrTime) {
		t.Errorf("an endless statement: %v, want ErrTime", err)
	}
	if _, err := w.l.SQL(t.Context(), "SELECT 1", SQLLimits{}); err != nil {
		t.Errorf("after a time limit: %v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := w.l.SQL(ctx, "SELECT 1", SQLLimits{}); !errors.Is(err, context.Canceled) {
		t.Errorf("a cancelled statement: %v, want Canceled", err)
	}
}

func TestExport(t *testing.T) {
	w := shop(t)
	dir := t.TempDir()
	csv := filepath.Join(dir, "out.csv")
	tests := []struct {
		why  string
		q    ExportQuery
		rows int64
		want string
	}{
		{
			"a SELECT as CSV",
			ExportQuery{Format: "csv", SQL: "SELECT session, output_tokens FROM requests WHERE harness = 'codex-cli'; ", Dest: csv},
			1,
			"session,output_tokens\nbbbb-1,10\n",
		},
		{
			"a SELECT as JSON",
			ExportQuery{Format: "json", SQL: "SELECT session, cost_pusd FROM requests ORDER BY ended_at LIMIT 2 -- two", Dest: filepath.Join(dir, "out.json")},
			2,
			"[\n\t{\"session\":\"cccc-1\",\"cost_pusd\":1},\n\t{\"session\":\"aaaa-1\",\"cost_pusd\":1234567}\n]\n",
		},
		{"a view", ExportQuery{Format: "csv", Dest: filepath.Join(dir, "requests.csv")}, 6, ""},
		{"again, by force", ExportQuery{Format: "csv", SQL: "SELECT 1 AS one", Dest: csv, Force: true}, 1, "one\n1\n"},
	}
	for _, tt := range tests {
		r, err := w.l.Export(t.Context(), tt.q)
		if err != nil || r.Rows != tt.rows {
			t.Errorf("%s: %+v, %v, want %d rows", tt.why, r, err, tt.rows)
			continue
		}
		got, err := os.ReadFile(tt.q.Dest)
		if err != nil || int64(len(got)) != r.Bytes {
			t.Errorf("%s: %v, %d bytes, want %d", tt.why, err, len(got), r.Bytes)
		}
		if tt.want != "" && string(got) != tt.want {
			t.Errorf("%s: %q, want %q", tt.why, got, tt.want)
		}
	}
	left, err := os.ReadDir(w.l.ExportDir())
	if err != nil || len(left) != 0 {
		t.Errorf("left in the export folder: %v, %v", left, err)
	}
}

// Counts that together are beyond 64 bits stop neither a statement nor an export.
func TestSQL_TotalsBeyond64Bits(t *testing.T) {
	w := shop(t)
	w.exec("UPDATE request SET input = 4611686018427387904, output = 4611686018427387904, cache_read = 4611686018427387904, reasoning = NULL WHERE line = 4")
	r, err := w.l.SQL(t.Context(), "SELECT total_tokens FROM requests WHERE session = 'bbbb-1'", SQLLimits{})
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff([][]any{{"13835058055282163712"}}, r.Rows); d != "" {
		t.Errorf("3 * 2^62 (-want +got):\n%s", d)
	}
	for _, format := range []string{"csv", "json", "parquet"} {
		if _, err := w.l.Export(t.Context(), ExportQuery{Format: format, Dest: filepath.Join(t.TempDir(), "all."+format)}); err != nil {
			t.Errorf("export as %s: %v", format, err)
		}
	}
}

// The amounts of a Parquet file are exact: a sum beyond 2^53 is read back to the digit.
func TestExport_ParquetIsExact(t *testing.T) {
	w := shop(t)
	dest := filepath.Join(w.l.ExportDir(), "kept.parquet")
	_, err := w.l.Export(t.Context(), ExportQuery{Format: "parquet", SQL: `SELECT sum(n) AS "a ""sum""", 'x' AS t FROM (VALUES (9007199254740993::BIGINT), (9007199254740993)) v(n)`, Dest: dest})
	if err != nil {
		t.Fatal(err)
	}
	got, err := w.l.SQL(t.Context(), "SELECT * FROM '"+dest+"'", SQLLimits{})
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff([][]any{{"18014398509481986", "x"}}, got.Rows); d != "" {
		t.Errorf("read back (-want +got):\n%s", d)
	}
}

func TestExport_Refuses(t *testing.T) {
	w := shop(t)
	dir := t.TempDir()
	there := filepath.Join(dir, "there")
	if err := os.WriteFile(there, []byte("mine"), 0o600); err != nil {
		t.Fatal(err)
	}
	tests := []struct {
		why  string
		q    ExportQuery
		want error
	}{
		{"a file that is there", ExportQuery{Format: "csv", Dest: there}, ErrExists},
		{"an unknown format", ExportQuery{Format: "xlsx", Dest: filepath.Join(dir, "x")}, ErrUnknown},
		{"an unknown view", ExportQuery{Format: "csv", Table: "secrets", Dest: filepath.Join(dir, "x")}, ErrView},
		{"a change", ExportQuery{Format: "csv", SQL: "DELETE FROM request", Dest: filepath.Join(dir, "x")}, ErrNotSelect},
		{"a way out of the brackets", ExportQuery{Format: "csv", SQL: "SELECT 1) TO '/tmp/x'; DELETE FROM request; --", Dest: filepath.Join(dir, "x")}, nil},
		{"a folder that is not there", ExportQuery{Format: "csv", Dest: filepath.Join(dir, "no", "x")}, os.ErrNotExist},
	}
	for _, tt := range tests {
		if _, err := w.l.Export(t.Context(), tt.q); err == nil || tt.want != nil && !errors.Is(err, tt.want) {
			t.Errorf("%s: %v, want %v", tt.why, err, tt.want)
		}
	}
	if b, err := os.ReadFile(there); err != nil || string(b) != "mine" {
		t.Errorf("the file that was there is %q, %v", b, err)
	}
}

// A name may hold any bytes: a folder's need not be UTF-8, and the ledger keeps it
// with the replacement in their place.
func TestQuestions_TakeNamesOfAnyBytes(t *testing.T) {
	w := shop(t)
	w.session(sessionRow{id: 6, harness: "claude-code", native: "dddd-\uFFFD", project: "/srv/caf\uFFFD", first: at("2026-10-08T08:00:00Z"), last: at("2026-10-08T08:00:00Z")})
	w.request(requestRow{native: "r7", harness: "claude-code", session: 6, project: "/srv/caf\uFFFD", model: "m\uFFFD", end: at("2026-10-08T08:00:00Z"), out: 3, source: 1, line: 1})
	w.summed()
	for _, q := range []UsageQuery{
		{By: "day", Filter: Filter{Project: "/srv/caf\xe9"}},
		{By: "day", Filter: Filter{Model: "m\xff"}},
		{By: "day", Filter: Filter{Session: "dddd-\xc3"}},
		{By: "session", Filter: Filter{Project: "/srv/caf\xe9"}, Cost: CostList},
		{By: "day", Filter: Filter{Model: "m\xff", Since: instant("2026-10-08T07:00:00Z")}},
	} {
		got, err := w.l.Usage(t.Context(), q)
		if err != nil || got.Totals.Requests != 1 {
			t.Errorf("%+v: %d requests, %v; want 1", q.Filter, got.Totals.Requests, err)
		}
	}
	if got, err := w.l.Sessions(t.Context(), SessionFilter{Project: "/srv/caf\xe9"}); err != nil || len(got.Sessions) != 1 {
		t.Errorf("sessions of the project: %+v, %v; want one", got.Sessions, err)
	}
	if got, err := w.l.Session(t.Context(), "dddd-\xff", time.Time{}, time.Time{}); err != nil || got.Usage.Requests == nil || *got.Usage.Requests != 1 {
		t.Errorf("the session: %+v, %v; want one request", got.Usage, err)
	}
	if _, err := w.l.Session(t.Context(), "eeee-\xff", time.Time{}, time.Time{}); !errors.Is(err, ErrUnknown) {
		t.Errorf("another one: %v, want ErrUnknown", err)
	}
}
