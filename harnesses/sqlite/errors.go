package sqlite

import (
	"errors"
	"fmt"

	lite "modernc.org/sqlite"
	lib "modernc.org/sqlite/lib"
)

// The errors of this package; each asks for something else to be done.
var (
	// ErrNotDatabase: the file is no SQLite database, or a folder.
	ErrNotDatabase = errors.New("not an SQLite database")
	// ErrEmpty: the file has no bytes yet.
	ErrEmpty = errors.New("empty file")
	// ErrLocked: another program kept the file locked for the whole timeout; try later.
	ErrLocked = errors.New("locked by another program")
	// ErrCorrupt: the file is damaged or cut off.
	ErrCorrupt = errors.New("damaged SQLite database")
	// ErrCannotOpen: the file or its side files cannot be opened in place.
	ErrCannotOpen = errors.New("cannot be opened in place")
)

// Reason is a short stable word for an error of this package, for problems and
// metrics: "not-a-database", "empty", "locked", "corrupt" or "unreadable".
func Reason(err error) string {
	switch {
	case errors.Is(err, ErrNotDatabase):
		return "not-a-database"
	case errors.Is(err, ErrEmpty):
		return "empty"
	case errors.Is(err, ErrLocked):
		return "locked"
	case errors.Is(err, ErrCorrupt):
		return "corrupt"
	}
	return "unreadable"
}

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
