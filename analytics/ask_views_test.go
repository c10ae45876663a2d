package analytics

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

var update = flag.Bool("update", false, "write the documents that tests compare")

type documentedColumn struct {
	view, about, column, kind, comment string
}

func documentedColumns(t *testing.T, l *Ledger) (list []documentedColumn) {
	t.Helper()
	rows, err := l.db.Query(`SELECT v.view_name, coalesce(v.comment, ''), c.column_name, c.data_type, coalesce(c.comment, '')
FROM duckdb_views() v JOIN duckdb_columns() c ON c.table_name = v.view_name AND c.schema_name = v.schema_name
WHERE NOT v.internal ORDER BY v.view_name, c.column_index`)
	if err != nil {
		t.Fatal(err)
	}
	defer rows.Close()
	for rows.Next() {
		var c documentedColumn
		if err := rows.Scan(&c.view, &c.about, &c.column, &c.kind, &c.comment); err != nil {
			t.Fatal(err)
		}
		list = append(list, c)
	}
	return list
}

// Every view has its name in viewNames and a comment on itself and on each
// column, and docs/sql.md is made of them.
func TestViews_AreDocumented(t *testing.T) {
	l := open(t, Options{})
	if err := l.describe(t.Context()); err != nil {
		t.Fatal(err)
	}
	columns := documentedColumns(t, l)
	var views []string
	for _, c := range columns {
		if !slices.Contains(views, c.view) {
			views = append(views, c.view)
		}
		if c.about == "" || c.comment == "" {
			t.Errorf("%s.%s has no comment", c.view, c.column)
		}
	}
	if d := cmp.Diff(slices.Sorted(slices.Values(viewNames())), views); d != "" {
		t.Errorf("views (-viewNames +ledger):\n%s", d)
	}
	path := filepath.Join("..", "docs", "sql.md")
	want := sqlDocument(columns)
	if *update {
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(want), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	got, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(want, string(got)); d != "" {
		t.Errorf("docs/sql.md is out of date, run go test ./analytics -run TestViews_AreDocumented -update (-want +got):\n%s", d)
	}
}

// Every view can be read, and the examples of docs/sql.md run.
func TestViews_CanBeRead(t *testing.T) {
	w := shop(t)
	w.summed()
	w.reconcile(ReconcileOptions{})
	rows := map[string]int{
		"requests": 6, "sessions": 5, "prompts": 3, "tool_calls": 4, "turns": 2, "events": 1, "rate_limits": 2, "usage_daily": 4, "sources": 5, "problems": 2, "prices": 0,
	}
	for _, view := range viewNames() {
		r, err := w.l.SQL(t.Context(), "SELECT * FROM "+view, SQLLimits{})
		if err != nil || len(r.Rows) != rows[view] {
			t.Errorf("%s has %d rows, %v; want %d", view, len(r.Rows), err, rows[view])
		}
	}
	for _, e := range sqlExamples {
		if _, err := w.l.SQL(t.Context(), e.query, SQLLimits{}); err != nil {
			t.Errorf("%s: %v", e.about, err)
		}
	}
}

var sqlExamples = []struct{ about, query string }{
	{"Cost and tokens of each day in a zone of your choice", `SELECT (ended_at AT TIME ZONE 'UTC' AT TIME ZONE 'Europe/Berlin')::DATE AS day, count(*) AS requests,
       sum(total_tokens) AS tokens, (sum(cost_pusd) + 999999) // 1000000 AS micro_usd
FROM requests GROUP BY day ORDER BY day`},
	{"The ten most expensive requests, with the place in the log", `SELECT ended_at, session, model, cost_usd, source, line
FROM requests ORDER BY cost_pusd DESC NULLS LAST LIMIT 10`},
	{"What sub-agents spend, by kind", `SELECT agent, count(*) AS requests, sum(total_tokens) AS tokens, sum(cost_usd) AS usd
FROM requests GROUP BY agent ORDER BY usd DESC NULLS LAST`},
	{"Tools by how often they fail", `SELECT name, count(*) AS calls, count(*) FILTER (NOT ok) AS failed, median(duration_ms) AS median_ms
FROM tool_calls GROUP BY name ORDER BY failed DESC`},
	{"How much of the prompts comes from a cache, by model", `SELECT model, round(100 * sum(cache_read_tokens) / nullif(sum(total_tokens - coalesce(output_tokens, 0)), 0), 1) AS percent
FROM requests GROUP BY model ORDER BY model`},
	{"What has no price", `SELECT harness, model, sum(total_tokens) AS tokens, min(ended_at) AS first_at
FROM requests WHERE cost_basis = 'none' AND total_tokens > 0 GROUP BY ALL ORDER BY tokens DESC`},
}

func sqlDocument(columns []documentedColumn) string {
	var b strings.Builder
	b.WriteString(`# SQL over the ledger

` + "`meterbridge sql \"SELECT ...\"`" + ` runs one SELECT (or EXPLAIN of one) in a read-only transaction; the SQL is that of
DuckDB. It cannot write, read other files or load anything. ` + "`meterbridge export`" + ` writes a view, or the answer
of a SELECT, to a Parquet, CSV or JSON file.

- Times are of the type TIMESTAMP and in UTC.
- Null is "not reported", which is never the same as 0.
- Amounts in pico-USD (10^-12 USD) are exact integers. Add them first and round once: reports show
  ` + "`(sum(cost_pusd) + 999999) // 1000000`" + ` micro-USD. The columns in USD are floating-point numbers, for reading.
- Numbers of the type HUGEINT, which ` + "`sum`" + ` gives of whole numbers too, are texts in ` + "`--json`" + `: they may be larger than other
  programs read exactly.
- A condition on ` + "`ended_at`" + ` makes a query over a large ledger fast, for rows lie in the order of time.
- Tables other than these views are the ledger's own and may change from version to version.

This file is made from the comments in the ledger itself (` + "`SELECT comment FROM duckdb_columns()`" + `).

## Examples
`)
	for _, e := range sqlExamples {
		fmt.Fprintf(&b, "\n%s:\n```sql\n%s\n```\n", e.about, e.query)
	}
	for _, view := range viewNames() {
		head := true
		for _, c := range columns {
			if c.view != view {
				continue
			}
			if head {
				fmt.Fprintf(&b, "\n## %s\n\n%s\n\n| column | type | meaning |\n|---|---|---|\n", view, c.about)
				head = false
			}
			fmt.Fprintf(&b, "| `%s` | %s | %s |\n", c.column, c.kind, c.comment)
		}
	}
	return b.String()
}

// A real ledger has some hundred words, which is when every hash table of a join
// takes its whole share of the memory: a test with a dozen words shows nothing.
func TestViews_FitIntoTheLedgersMemory(t *testing.T) {
	w := shop(t)
	w.summed()
	w.together(func() {
		for i := range manyWords {
			w.wordy(i)
		}
	})
	statements := []string{
		"SELECT * FROM requests JOIN sessions USING (harness, session)",
		"SELECT * FROM requests JOIN tool_calls ON tool_calls.request_id = requests.id",
		"SELECT a.*, b.* FROM requests a JOIN requests b USING (id)",
		"SUMMARIZE requests",
	}
	for _, view := range viewNames() {
		statements = append(statements, "SELECT * FROM "+view)
	}
	for _, text := range statements {
		if _, err := w.l.SQL(t.Context(), text, SQLLimits{}); err != nil {
			t.Errorf("%s: %v", text, err)
		}
	}
	for _, format := range []string{"parquet", "csv", "json"} {
		dest := filepath.Join(t.TempDir(), "requests."+format)
		got, err := w.l.Export(t.Context(), ExportQuery{Format: format, Dest: dest})
		if err != nil || got.Rows != 6+manyWords {
			t.Errorf("export of requests as %s: %d rows, %v; want %d", format, got.Rows, err, 6+manyWords)
		}
	}
}

// manyWords is how many requests of words of their own the test of the memory adds.
const manyWords = 200

// wordy is a session and a request whose words no other request has.
func (w *world) wordy(i int) {
	own := func(of string) string { return fmt.Sprintf("a %s that is as long as a path, number %d", of, i) }
	w.session(sessionRow{id: 100 + i, harness: "claude-code", native: own("session"), project: own("project"), first: at("2026-10-07T08:00:00Z"), last: at("2026-10-07T08:00:00Z")})
	w.source(100+i, "claude-code", own("source"), "", false)
	w.request(requestRow{
		native: own("request"), harness: "claude-code", session: 100 + i, project: own("project"), model: own("model"), provider: own("provider"),
		end: at("2026-10-07T08:00:00Z"), out: 1, tools: own("tools"), rule: own("rule"), key: own("key"), tier: own("tier"), speed: own("speed"),
		precision: own("precision"), purpose: own("purpose"), machine: own("machine"), source: 100 + i, line: 1,
	})
}

// As many questions as there are readers find room at once.
func TestQuestions_FitIntoTheLedgersMemoryTogether(t *testing.T) {
	w := shop(t)
	w.together(func() {
		for i := range manyWords {
			w.wordy(i)
		}
	})
	w.summed()
	failed := make(chan error, readers)
	for range readers {
		go func() {
			var err error
			for range 3 {
				_, sessions := w.l.Sessions(t.Context(), SessionFilter{})
				_, usage := w.l.Usage(t.Context(), UsageQuery{By: "session", Breakdown: true})
				err = errors.Join(err, sessions, usage)
			}
			failed <- err
		}()
	}
	for range readers {
		if err := <-failed; err != nil {
			t.Error(err)
		}
	}
}
