package daemon

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/gofrs/flock"
)

// patience is how long a command waits for another one to finish with the ledger.
const patience = 10 * time.Second

// lock says that this process has the ledger.
type lock struct{ file *flock.Flock }

// acquire takes the lock, waiting a moment for its holder.
func acquire(ctx context.Context, path string) (*lock, error) {
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return nil, &Fault{Err: fmt.Errorf("make the data folder: %w", err), Hint: "METERBRIDGE_HOME names another folder"}
	}
	file := flock.New(path, flock.SetPermissions(0o600))
	wait, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	ok, err := file.TryLockContext(wait, 20*time.Millisecond)
	switch {
	case ctx.Err() != nil:
		return nil, ctx.Err()
	case errors.Is(err, context.DeadlineExceeded) || (err == nil && !ok):
		return nil, &Fault{
			Err:  fmt.Errorf("the ledger is in use by %s", holder(path)),
			Hint: "wait until it has finished, or end it; only one process writes the ledger at a time",
		}
	case err != nil:
		return nil, &Fault{Err: fmt.Errorf("lock the ledger: %w", err), Hint: "the data folder must be writable; METERBRIDGE_HOME names another one"}
	}
	note := fmt.Sprintf("process %d (%s)", os.Getpid(), filepath.Base(os.Args[0]))
	return &lock{file}, os.WriteFile(path, []byte(note), 0o600)
}

// holder is what the process that has the lock wrote into it.
func holder(path string) string {
	text, err := os.ReadFile(path)
	if note := strings.TrimSpace(string(text)); err == nil && note != "" {
		return note
	}
	return "another process"
}

func (l *lock) release() error { return l.file.Unlock() }

// AwaitEnd waits until nobody has the installation any more.
func AwaitEnd(ctx context.Context, o Options) error {
	l, err := acquire(ctx, o.places().Lock())
	if err != nil {
		return err
	}
	return l.release()
}
