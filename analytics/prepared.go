package analytics

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
)

// run runs a statement that every commit runs, on the writer's connection. It is
// prepared once: DuckDB plans such a statement longer than it runs it.
func (l *Ledger) run(ctx context.Context, query string, args ...any) error {
	s := l.prepared[query]
	if s == nil {
		var err error
		if s, err = l.w.PrepareContext(ctx, query); err != nil {
			return err
		}
		if l.prepared == nil {
			l.prepared = map[string]*sql.Stmt{}
		}
		l.prepared[query] = s
	}
	_, err := s.ExecContext(ctx, args...)
	return err
}

// closePrepared closes them; DuckDB keeps the file open while there is one.
func (l *Ledger) closePrepared() error {
	var errs []error
	for _, s := range l.prepared {
		errs = append(errs, s.Close())
	}
	l.prepared = nil
	return errors.Join(errs...)
}

// fewChanged is how many rows of a table are changed one by one; more are taken
// out and put in again.
const fewChanged = 4

// change changes one row in its place.
func (w *writer) change(query string, args ...any) error {
	w.l.stats.Written++
	if err := w.l.run(w.ctx, query, args...); err != nil {
		return fmt.Errorf("%.80s: %w", query, err)
	}
	return nil
}
