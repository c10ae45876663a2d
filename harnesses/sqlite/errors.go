package sqlite

import (
	"errors"
	"fmt"

	lite "modernc.org/sqlite"
	lib "modernc.org/sqlite/lib"
)

// fault is an error with a stable word for problems and metrics.
type fault struct{ reason, text string }

// Error is the text for people.
func (f *fault) Error() string { return f.text }

// Reason is the word; the scanner finds it in the chain of an error.
func (f *fault) Reason() string { return f.reason }

// The errors of this package; each asks for something else to be done.
var (
	// ErrNotDatabase: the file is no SQLite database, or a folder.
	ErrNotDatabase error = &fault{"not-a-database", "not an SQLite database"}
	// ErrEmpty: the file has no bytes yet.
	ErrEmpty error = &fault{"empty-database", "empty file"}
	// ErrLocked: another program kept the file locked for the whole timeout; try later.
	ErrLocked error = &fault{"locked-database", "locked by another program"}
	// ErrCorrupt: the file is damaged or cut off.
	ErrCorrupt error = &fault{"damaged-database", "damaged SQLite database"}
	// ErrCannotOpen: the file or its side files cannot be opened in place.
	ErrCannotOpen error = &fault{"unreadable", "cannot be opened in place"}
)

// Explain wraps an error of the driver in the error of this package that it stands for.
func Explain(err error) error {
	var e *lite.Error
	if !errors.As(err, &e) {
		return err
	}
	if s := sentinel(e.Code() & 0xff); s != nil {
		return fmt.Errorf("%w: %w", s, err)
	}
	return err
}

func sentinel(code int) error {
	switch code {
	case lib.SQLITE_NOTADB:
		return ErrNotDatabase
	case lib.SQLITE_BUSY, lib.SQLITE_LOCKED:
		return ErrLocked
	case lib.SQLITE_CORRUPT:
		return ErrCorrupt
	case lib.SQLITE_CANTOPEN, lib.SQLITE_IOERR, lib.SQLITE_READONLY, lib.SQLITE_PROTOCOL:
		return ErrCannotOpen
	}
	return nil
}
