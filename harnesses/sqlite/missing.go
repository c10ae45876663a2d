package sqlite

import "context"

// ErrSchema is the error of a database that lacks what is read: it is of another
// program, or of a version that is not known.
var ErrSchema error = &fault{"unknown-schema", "another schema than the ones known"}

// Missing says which table is not there, or lacks a column without which nothing
// can be read. It is ErrSchema.
type Missing struct{ Table string }

// Error is the text for people.
func (m *Missing) Error() string { return ErrSchema.Error() + ": no usable table " + m.Table }

// Unwrap makes it ErrSchema.
func (m *Missing) Unwrap() error { return ErrSchema }

// Need returns the columns of a table that must have some; without them the
// error is a Missing.
func (db *DB) Need(ctx context.Context, table string, columns ...string) (Columns, error) {
	cols, err := db.Columns(ctx, table)
	if err == nil && !cols.Has(columns...) {
		err = &Missing{Table: table}
	}
	return cols, err
}
