package analytics

import (
	"context"
	"database/sql/driver"
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"

	duckdb "github.com/duckdb/duckdb-go/v2"

	"meterbridge"
)

// writer puts rows into tables within the transaction that is open. Appenders
// are opened when a table gets its first row and flushed by close.
type writer struct {
	l     *Ledger
	ctx   context.Context
	order []string
	open  map[string]*appender
}

// appender counts the rows of one table.
type appender struct {
	a *duckdb.Appender
	n *int64
}

func (l *Ledger) writer(ctx context.Context) *writer {
	return &writer{l: l, ctx: ctx, open: map[string]*appender{}}
}

// AppendRow adds a row.
func (a *appender) AppendRow(values ...driver.Value) error {
	*a.n++
	for i, v := range values {
		if text, ok := v.(string); ok && !utf8.ValidString(text) {
			values[i] = valid(text)
		}
	}
	return a.a.AppendRow(values...)
}

func (w *writer) table(name string) (*appender, error) {
	if a, ok := w.open[name]; ok {
		return a, nil
	}
	a := &appender{n: &w.l.stats.Written}
	err := w.l.raw(func(c driver.Conn) (err error) {
		a.a, err = duckdb.NewAppenderFromConn(c, "", name)
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("append to %s: %w", name, err)
	}
	w.open[name] = a
	w.order = append(w.order, name)
	return a, nil
}

// append adds one row to a table.
func (w *writer) append(table string, values ...driver.Value) error {
	a, err := w.table(table)
	if err != nil {
		return err
	}
	if err := a.AppendRow(values...); err != nil {
		return fmt.Errorf("append to %s: %w", table, err)
	}
	return nil
}

// close flushes and closes every appender, whatever happened before.
func (w *writer) close() error {
	var errs []error
	for _, name := range w.order {
		if err := w.open[name].a.Close(); err != nil {
			errs = append(errs, fmt.Errorf("append to %s: %w", name, err))
		}
	}
	w.open, w.order = map[string]*appender{}, nil
	return errors.Join(errs...)
}

// exec runs one statement and counts nothing.
func (w *writer) exec(query string, args ...any) error {
	if _, err := w.l.w.ExecContext(w.ctx, query, args...); err != nil {
		return fmt.Errorf("%.80s: %w", query, err)
	}
	return nil
}

// fewIDs is how many ids are written into a statement; more go through a table.
const fewIDs = 64

// idList makes ids available to a statement and returns what to write after IN.
func (w *writer) idList(ids []meterbridge.ID) (string, error) {
	if len(ids) <= fewIDs {
		texts := make([]string, len(ids))
		for i, id := range ids {
			u := duckdb.UUID(id)
			texts[i] = "'" + u.String() + "'::UUID"
		}
		return "(" + strings.Join(texts, ", ") + ")", nil
	}
	if err := w.exec("CREATE OR REPLACE TEMP TABLE probe (id UUID)"); err != nil {
		return "", err
	}
	err := w.l.raw(func(c driver.Conn) error {
		a, err := duckdb.NewAppender(c, "temp", "main", "probe")
		if err != nil {
			return err
		}
		for _, id := range ids {
			if err := a.AppendRow(duckdb.UUID(id)); err != nil {
				return errors.Join(err, a.Close())
			}
		}
		return a.Close()
	})
	if err != nil {
		return "", fmt.Errorf("stage %d ids: %w", len(ids), err)
	}
	return "(SELECT id FROM probe)", nil
}

// numbers writes whole numbers after IN.
func numbers[N int32 | int64](ns []N) string {
	texts := make([]string, len(ns))
	for i, n := range ns {
		texts[i] = fmt.Sprint(n)
	}
	return "(" + strings.Join(texts, ", ") + ")"
}
