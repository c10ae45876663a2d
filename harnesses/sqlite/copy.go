package sqlite

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"time"
)

// magic is how every SQLite file begins.
const magic = "SQLite format 3\x00"

// sideFiles end the names of the files that may hold content which the database
// file lacks.
func sideFiles() [2]string { return [2]string{"-wal", "-journal"} }

// header is what the first bytes of a file tell.
type header struct {
	// wal: changes go to a write-ahead log first.
	wal bool
}

// readHeader tells a folder, an empty file and a file of another kind apart
// before SQLite is asked.
func readHeader(path string) (header, error) {
	f, err := os.Open(path)
	if err != nil {
		return header{}, err
	}
	defer f.Close()
	info, err := f.Stat()
	switch {
	case err != nil:
		return header{}, err
	case info.IsDir():
		return header{}, fmt.Errorf("open %s: %w: a folder", path, ErrNotDatabase)
	case info.Size() == 0:
		return header{}, fmt.Errorf("open %s: %w", path, ErrEmpty)
	}
	var head [100]byte
	if n, err := io.ReadFull(f, head[:]); errors.Is(err, io.ErrUnexpectedEOF) || err == nil && string(head[:len(magic)]) != magic {
		return header{}, fmt.Errorf("open %s: %w: %d bytes of another kind", path, ErrNotDatabase, n)
	} else if err != nil {
		return header{}, err
	}
	return header{wal: head[18] == 2 || head[19] == 2}, nil
}

// copyQuiet copies the database with its logs at a moment when none of them
// changes: a copy across a checkpoint would hold neither state.
func copyQuiet(ctx context.Context, from, to string) error {
	for n := 0; n < tries; n++ {
		before := stamps(from)
		if err := copySet(from, to); err != nil {
			return err
		}
		if stamps(from) == before {
			return nil
		}
		if err := wait(ctx, pause); err != nil {
			return err
		}
	}
	return fmt.Errorf("%w: it changed during each of %d copies", ErrLocked, tries)
}

// stamp is what a change of a file moves.
type stamp struct {
	size int64
	time time.Time
}

// stampSet is a stamp of the file and of each side file.
type stampSet [3]stamp

func stamps(path string) (all stampSet) {
	all[0] = stampOf(path)
	for i, name := range sideFiles() {
		all[1+i] = stampOf(path + name)
	}
	return all
}

func stampOf(path string) stamp {
	info, err := os.Stat(path)
	if err != nil {
		return stamp{}
	}
	return stamp{info.Size(), info.ModTime()}
}

// logged reports whether a side file was there.
func (s stampSet) logged() bool {
	return s[1] != stamp{} || s[2] != stamp{}
}

func copySet(from, to string) error {
	if err := copyFile(from, to); err != nil {
		return err
	}
	for _, name := range sideFiles() {
		err := copyFile(from+name, to+name)
		if errors.Is(err, fs.ErrNotExist) {
			err = os.RemoveAll(to + name)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func copyFile(from, to string) error {
	src, err := os.Open(from)
	if err != nil {
		return err
	}
	defer src.Close()
	dst, err := os.OpenFile(to, os.O_CREATE|os.O_TRUNC|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	_, err = io.Copy(dst, src)
	return errors.Join(err, dst.Close())
}
