package analytics

import (
	"context"
	"database/sql"
	"embed"
	"errors"
	"fmt"
	"math"
	"math/big"
	"slices"
	"strings"
	"time"

	"meterbridge"
)

//go:embed sql/ask_*.sql
var askFiles embed.FS

// ErrUnknown means that no session, day or table of that name is in the ledger.
var ErrUnknown = errors.New("unknown")

// HintError is an error that knows what to do next; only the command line
// prints the hint.
type HintError struct {
	Err  error
	Hint string
}

func (e *HintError) Error() string { return e.Err.Error() }

func (e *HintError) Unwrap() error { return e.Err }

// querier is what a question needs of a connection.
type querier interface {
	QueryContext(ctx context.Context, query string, args ...any) (*sql.Rows, error)
	QueryRowContext(ctx context.Context, query string, args ...any) *sql.Row
}

// question is the statement of sql/ask_<name>.sql, with the shared column lists
// of ask_figures.sql and ask_sums.sql in the place of their marks.
func question(name string) string {
	text, err := askFiles.ReadFile("sql/ask_" + name + ".sql")
	if err != nil {
		return "SELECT error('no such question: " + name + "')"
	}
	figures, _ := askFiles.ReadFile("sql/ask_figures.sql")
	sums, _ := askFiles.ReadFile("sql/ask_sums.sql")
	whole := strings.ReplaceAll(string(text), "/* figures */", string(figures))
	return strings.ReplaceAll(whole, "/* sums */", string(sums))
}

// reading runs fn on one connection in a read-only transaction, so that all
// parts of an answer see the same rows and no statement can write.
func (l *Ledger) reading(ctx context.Context, fn func(*sql.Conn) error) error {
	c, err := l.db.Conn(ctx)
	if err != nil {
		return fmt.Errorf("read the ledger: %w", err)
	}
	defer c.Close()
	if _, err := c.ExecContext(ctx, "BEGIN TRANSACTION READ ONLY"); err != nil {
		return fmt.Errorf("read the ledger: %w", err)
	}
	err = fn(c)
	_, back := c.ExecContext(context.WithoutCancel(ctx), "ROLLBACK")
	return errors.Join(err, back)
}

// collect runs the question of that name and scans its rows.
func collect[T any](ctx context.Context, q querier, name string, scan func(*sql.Rows, *T) error, args ...any) ([]T, error) {
	return collectRows(ctx, q, name, question(name), scan, args...)
}

// collectRows runs a statement, called name in errors, and scans its rows.
func collectRows[T any](ctx context.Context, q querier, name, query string, scan func(*sql.Rows, *T) error, args ...any) ([]T, error) {
	rows, err := q.QueryContext(ctx, query, bound(args)...)
	if err != nil {
		return nil, fmt.Errorf("ask %s: %w", name, err)
	}
	defer rows.Close()
	out := []T{}
	for rows.Next() {
		var t T
		if err := scan(rows, &t); err != nil {
			return nil, fmt.Errorf("ask %s: %w", name, err)
		}
		out = append(out, t)
	}
	if err := rows.Err(); err != nil {
		return nil, fmt.Errorf("ask %s: %w", name, err)
	}
	return out, nil
}

// bound are the arguments of a statement, their texts as the ledger keeps them: of
// bytes that are no UTF-8 it keeps the replacement, and DuckDB would refuse them.
func bound(args []any) []any {
	args = slices.Clone(args)
	for i, a := range args {
		if text, ok := a.(string); ok {
			args[i] = valid(text)
		}
	}
	return args
}

// bounds turns a half-open window into milliseconds; a zero time is no bound.
func bounds(since, until time.Time) (from, to int64) {
	from, to = math.MinInt64, math.MaxInt64
	if !since.IsZero() {
		from = since.UnixMilli()
	}
	if !until.IsZero() {
		to = until.UnixMilli()
	}
	return from, to
}

// text is nil for NULL and for the empty text, which both mean "not logged".
type text struct{ at **string }

func (t text) Scan(v any) error {
	s, _ := v.(string)
	*t.at = nil
	if s != "" {
		*t.at = &s
	}
	return nil
}

// moment scans epoch milliseconds into a time in UTC; NULL is nil.
type moment struct{ at **time.Time }

func (m moment) Scan(v any) error {
	*m.at = nil
	if ms, ok := v.(int64); ok {
		t := time.UnixMilli(ms).UTC()
		*m.at = &t
	}
	return nil
}

// texts scans a LIST of texts; NULL is the empty list.
type texts struct{ at *[]string }

func (t texts) Scan(v any) error {
	*t.at = []string{}
	list, _ := v.([]any)
	for _, e := range list {
		if s, ok := e.(string); ok {
			*t.at = append(*t.at, s)
		}
	}
	return nil
}

// amount scans a HUGEINT (or BIGINT) of pico-USD; NULL is no amount.
type amount struct{ at *meterbridge.NullPico }

func (a amount) Scan(v any) error {
	*a.at = meterbridge.NullPico{}
	switch n := v.(type) {
	case nil:
		return nil
	case int64:
		*a.at = meterbridge.SomePico(meterbridge.Pico(n))
		return nil
	case *big.Int:
		if p, ok := meterbridge.FromBig(n); ok {
			*a.at = meterbridge.SomePico(p)
			return nil
		}
	}
	return fmt.Errorf("%v is no amount", v)
}

// millis is t in epoch milliseconds; nil for a zero time.
func millis(t time.Time) *int64 {
	if t.IsZero() {
		return nil
	}
	ms := t.UnixMilli()
	return &ms
}
