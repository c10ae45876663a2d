package analytics

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"math"
	"math/big"
	"regexp"
	"strings"
	"time"

	duckdb "github.com/duckdb/duckdb-go/v2"
)

// SQLLimits bound a statement. Zero values are the defaults.
type SQLLimits struct {
	// Rows is the most rows that are returned; 0 is 10,000.
	Rows int
	// Time is how long it may run; 0 is 30 s.
	Time time.Duration
}

// SQLResult is the answer of `sql`. Values are numbers, texts, booleans, null,
// lists and objects; instants are RFC 3339 texts, and so that a column is of one
// kind, HUGEINTs (what sum gives of whole numbers) and DECIMALs are texts.
type SQLResult struct {
	SchemaVersion int         `json:"schemaVersion"`
	Columns       []SQLColumn `json:"columns"`
	Rows          [][]any     `json:"rows"`
	// Truncated: there are more rows than the limit.
	Truncated bool `json:"truncated"`
}

// SQLColumn is a column's name and DuckDB type.
type SQLColumn struct {
	Name string `json:"name"`
	Type string `json:"type"`
}

// Errors of SQL. What DuckDB says of a statement is wrapped as it is.
var (
	// ErrNotSelect: the text is not exactly one SELECT or EXPLAIN.
	ErrNotSelect = errors.New("not exactly one SELECT or EXPLAIN")
	// ErrView: there is no view of that name.
	ErrView = errors.New("no such view")
	// ErrEmpty: there is no statement in the text.
	ErrEmpty = errors.New("no statement")
	// ErrTime: the statement ran into the time limit.
	ErrTime = errors.New("time limit reached")
)

const (
	sqlRows = 10_000
	sqlTime = 30 * time.Second

	selectType = duckdb.STATEMENT_TYPE_SELECT
)

// SQL runs one SELECT (WITH and VALUES are SELECTs) or EXPLAIN of one in a
// read-only transaction.
func (l *Ledger) SQL(ctx context.Context, text string, limits SQLLimits) (SQLResult, error) {
	if limits.Rows <= 0 {
		limits.Rows = sqlRows
	}
	if limits.Time <= 0 {
		limits.Time = sqlTime
	}
	if err := errors.Join(l.describe(ctx), l.listRates(ctx)); err != nil {
		return SQLResult{}, err
	}
	ctx, cancel := context.WithTimeout(ctx, limits.Time)
	defer cancel()
	var r SQLResult
	if strings.Trim(text, "; \t\r\n") == "" {
		return SQLResult{}, &HintError{Err: fmt.Errorf("run the statement: %w", ErrEmpty), Hint: exampleHint}
	}
	err := l.reading(ctx, func(c *sql.Conn) error {
		if err := checkSelect(c, text); err != nil {
			return err
		}
		var err error
		r, err = runSelect(ctx, c, text, limits.Rows)
		return err
	})
	if errors.Is(ctx.Err(), context.DeadlineExceeded) {
		return r, &HintError{Err: fmt.Errorf("run the statement: %w (%s)", ErrTime, limits.Time), Hint: "narrow it, for example with a condition on ended_at, or give it more time"}
	}
	return r, err
}

// exampleHint shows what a statement looks like.
const exampleHint = "a statement is SQL as DuckDB takes it, such as: SELECT model, sum(output_tokens) FROM requests GROUP BY 1"

// explains matches the part of an EXPLAIN that stands before its statement.
var explains = regexp.MustCompile(`(?is)^(\s|--[^\n]*\n|/\*.*?\*/)*explain\s+(analyze\b\s*)?(\([^)]*\)\s*)?`)

// changes matches the words with which statements begin that read nothing.
var changes = regexp.MustCompile(`(?is)^(\s|--[^\n]*\n|/\*.*?\*/)*(alter|analyze|attach|begin|call|checkpoint|comment|commit|copy|create|delete|detach|drop|` +
	`execute|export|import|insert|install|load|merge|prepare|reset|rollback|set|truncate|update|use|vacuum)\b`)

// checkSelect refuses everything but one SELECT, or EXPLAIN of one SELECT.
// Nothing of the text is executed.
func checkSelect(c *sql.Conn, text string) error {
	kind, err := statementType(c, text)
	switch {
	case err != nil && changes.MatchString(text):
		return notSelect() // that it cannot run is not what is wrong with it
	case err != nil:
		return err
	case kind == duckdb.STATEMENT_TYPE_SELECT:
		return nil
	case kind == duckdb.STATEMENT_TYPE_EXPLAIN:
		if rest := explains.ReplaceAllString(text, ""); rest != text {
			kind, err = statementType(c, rest)
		}
		if err == nil && kind == duckdb.STATEMENT_TYPE_SELECT {
			return nil
		}
	}
	return notSelect()
}

func notSelect() error {
	return &HintError{Err: fmt.Errorf("run the statement: %w", ErrNotSelect), Hint: "the ledger can only be read here: give one SELECT over its views (docs/sql.md)"}
}

// statementType prepares the text on the connection, which binds it but runs nothing.
func statementType(c *sql.Conn, text string) (duckdb.StmtType, error) {
	kind := duckdb.STATEMENT_TYPE_INVALID
	err := c.Raw(func(dc any) error {
		// Prepare, unlike PrepareContext, refuses several statements instead of running them.
		s, err := dc.(*duckdb.Conn).Prepare(text)
		if err != nil {
			return err
		}
		defer s.Close()
		if n := s.NumInput(); n > 0 {
			return errors.New("parameters have no values here")
		}
		kind, err = s.(*duckdb.Stmt).StatementType()
		return err
	})
	if err != nil && strings.Contains(err.Error(), "PrepareContext") {
		return kind, notSelect()
	}
	return kind, sqlError(err)
}

// sqlError gives what DuckDB says a hint where there is a useful one.
func sqlError(err error) error {
	if err == nil {
		return nil
	}
	hint := ""
	switch msg := err.Error(); {
	case strings.Contains(msg, "Parser Error"):
		hint = exampleHint
	case strings.Contains(msg, "Catalog Error"), strings.Contains(msg, "Binder Error"):
		hint = "the views are " + strings.Join(viewNames(), ", ") + "; docs/sql.md lists their columns"
	case strings.Contains(msg, "Permission Error"), strings.Contains(msg, "read-only"):
		hint = "a statement can read the ledger and nothing else"
	case strings.Contains(msg, "Out of Memory"):
		hint = "narrow the statement, or aggregate before you sort"
	}
	return &HintError{Err: fmt.Errorf("run the statement: %w", err), Hint: hint}
}

func runSelect(ctx context.Context, c *sql.Conn, text string, limit int) (SQLResult, error) {
	r := SQLResult{SchemaVersion: SchemaVersion, Columns: []SQLColumn{}, Rows: [][]any{}}
	// The limit inside the statement lets DuckDB stop early; where the text
	// cannot stand in brackets, reading stops after it.
	limited := fmt.Sprintf("SELECT * FROM (%s\n) LIMIT %d", strings.TrimRight(text, "; \t\r\n"), limit+1)
	if kind, err := statementType(c, limited); err == nil && kind == duckdb.STATEMENT_TYPE_SELECT {
		text = limited
	}
	rows, err := c.QueryContext(ctx, text)
	if err != nil {
		return r, sqlError(err)
	}
	defer rows.Close()
	types, err := rows.ColumnTypes()
	if err != nil {
		return r, sqlError(err)
	}
	for _, t := range types {
		r.Columns = append(r.Columns, SQLColumn{Name: t.Name(), Type: t.DatabaseTypeName()})
	}
	for rows.Next() {
		if len(r.Rows) == limit {
			r.Truncated = true
			return r, nil
		}
		values, err := scanValues(rows, r.Columns)
		if err != nil {
			return r, sqlError(err)
		}
		r.Rows = append(r.Rows, values)
	}
	return r, sqlError(rows.Err())
}

func scanValues(rows *sql.Rows, columns []SQLColumn) ([]any, error) {
	values := make([]any, len(columns))
	targets := make([]any, len(columns))
	for i := range values {
		targets[i] = &values[i]
	}
	if err := rows.Scan(targets...); err != nil {
		return nil, err
	}
	for i, v := range values {
		values[i] = plain(v, columns[i].Type)
	}
	return values, nil
}

// plain is a value of DuckDB as JSON, CSV and tables can show it.
func plain(v any, kind string) any {
	switch x := v.(type) {
	case time.Time:
		return plainTime(x, kind)
	case *big.Int:
		return x.String()
	case float64:
		if math.IsNaN(x) || math.IsInf(x, 0) {
			return fmt.Sprint(x)
		}
	case float32:
		return plain(float64(x), kind)
	case []byte:
		return plainBytes(x, kind)
	case duckdb.Decimal:
		return x.String()
	case duckdb.Interval:
		return fmt.Sprintf("%d months %d days %d µs", x.Months, x.Days, x.Micros)
	case []any:
		for i := range x {
			x[i] = plain(x[i], "")
		}
	case map[string]any:
		for k := range x {
			x[k] = plain(x[k], "")
		}
	case duckdb.OrderedMap:
		return plainMap(x)
	case fmt.Stringer:
		return x.String()
	}
	return v
}

// plainMap is a MAP as an object; its keys become texts.
func plainMap(m duckdb.OrderedMap) map[string]any {
	out := map[string]any{}
	values := m.Values()
	for i, key := range m.Keys() {
		out[fmt.Sprint(plain(key, ""))] = plain(values[i], "")
	}
	return out
}

func plainTime(t time.Time, kind string) string {
	switch kind {
	case "DATE":
		return t.Format(time.DateOnly)
	case "TIME", "TIMETZ":
		return t.Format("15:04:05.999999")
	}
	return t.UTC().Format(time.RFC3339Nano)
}

func plainBytes(b []byte, kind string) string {
	if kind == "UUID" && len(b) == 16 {
		var u duckdb.UUID
		copy(u[:], b)
		return u.String()
	}
	return fmt.Sprintf("%x", b)
}
