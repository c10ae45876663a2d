package analytics

import (
	"context"
	"database/sql"
	_ "embed"
	"errors"
	"fmt"
	"hash/fnv"
	"strconv"
	"strings"
)

// LedgerVersion is the version of the schema that this program writes.
const LedgerVersion = 1

//go:embed sql/schema.sql
var schemaSQL string

// requestTableSQL is the statement of schema.sql that makes the table request,
// for rewriting it.
func requestTableSQL() string {
	from := strings.Index(schemaSQL, "CREATE TABLE request (")
	return schemaSQL[from : from+strings.Index(schemaSQL[from:], ");")+2]
}

//go:embed sql/views.sql
var viewsSQL string

// migrations()[n] brings a ledger of version n to version n+1. Version 0 is an
// empty file. A migration that was released is never changed.
func migrations() []string { return []string{schemaSQL} }

// prepare migrates the schema, then reads what the writer needs to know.
func (l *Ledger) prepare(ctx context.Context) error {
	version, err := l.version(ctx)
	if err != nil {
		return err
	}
	if version > len(migrations()) {
		return fmt.Errorf("%w: version %d, this program knows %d", ErrNewer, version, len(migrations()))
	}
	l.empty = version == 0
	for ; version < len(migrations()); version++ {
		if err := l.migrate(ctx, version); err != nil {
			return fmt.Errorf("migrate from version %d: %w", version, err)
		}
	}
	for _, step := range []func(context.Context) error{l.review, l.rezone, l.reprice} {
		if err := step(ctx); err != nil {
			return err
		}
	}
	return nil
}

// review makes the views again when this program has other ones.
func (l *Ledger) review(ctx context.Context) error {
	h := fnv.New64a()
	h.Write([]byte(viewsSQL))
	mark := fmt.Sprintf("%x", h.Sum64())
	stored, err := l.meta(ctx, "views")
	if err != nil || stored == mark {
		return err
	}
	return l.transact(ctx, func() error {
		if err := l.execAll(ctx, viewsSQL); err != nil {
			return err
		}
		return l.setMeta(ctx, "views", mark)
	})
}

// version is 0 for an empty file.
func (l *Ledger) version(ctx context.Context) (int, error) {
	text, err := l.meta(ctx, "version")
	if err != nil {
		var n int
		tables := l.w.QueryRowContext(ctx, "SELECT count(*) FROM duckdb_tables()").Scan(&n)
		if tables == nil && n == 0 {
			return 0, nil
		}
		return 0, errors.Join(err, tables)
	}
	return strconv.Atoi(text)
}

func (l *Ledger) migrate(ctx context.Context, from int) error {
	return l.transact(ctx, func() error {
		if _, err := l.w.ExecContext(ctx, migrations()[from]); err != nil {
			return err
		}
		return l.setMeta(ctx, "version", strconv.Itoa(from+1))
	})
}

// transact runs fn in one transaction of the writer's connection, which makes a
// new revision.
func (l *Ledger) transact(ctx context.Context, fn func() error) error {
	err := l.derive(ctx, fn)
	if err == nil {
		l.families.forget()
		l.dirtied.Add(1)
		l.revision.Add(1)
	}
	return err
}

// derive is transact for what follows from the rows (the rollup), and changes no
// answer. The end of the transaction is not cut short: afterwards it either
// happened or did not.
func (l *Ledger) derive(ctx context.Context, fn func() error) error {
	if err := l.run(ctx, "BEGIN"); err != nil {
		return err
	}
	end := context.WithoutCancel(ctx)
	err := fn()
	if err == nil {
		err = ctx.Err()
	}
	if err == nil {
		if err = l.run(end, "COMMIT"); err == nil {
			return nil
		}
	}
	l.stored = nil
	// After a COMMIT that failed there may be no transaction left to roll back.
	if back := l.run(end, "ROLLBACK"); back != nil && !strings.Contains(back.Error(), "no transaction is active") {
		err = errors.Join(err, back)
	}
	return err
}

// meta is the value of a key, empty when it has none. This process alone writes
// the ledger, so the table is read once.
func (l *Ledger) meta(ctx context.Context, key string) (string, error) {
	if l.stored == nil {
		stored := map[string]string{}
		err := l.each(ctx, "SELECT key, value FROM meta", func(rows *sql.Rows) error {
			var k, v string
			err := rows.Scan(&k, &v)
			stored[k] = v
			return err
		})
		if err != nil {
			return "", err
		}
		l.stored = stored
	}
	return l.stored[key], nil
}

func (l *Ledger) setMeta(ctx context.Context, key, value string) error {
	l.stored = nil // should the transaction fail
	if _, err := l.w.ExecContext(ctx, "DELETE FROM meta WHERE key = ?", key); err != nil {
		return err
	}
	_, err := l.w.ExecContext(ctx, "INSERT INTO meta VALUES (?, ?)", key, value)
	return err
}
