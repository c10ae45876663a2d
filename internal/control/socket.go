package control

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"time"
)

// answerTime is how long a daemon may take to accept a connection.
const answerTime = 2 * time.Second

// Listen makes the daemon's socket, which only its owner may connect to. A
// socket that nobody answers at any more is replaced. The caller has the
// ledger's lock, so no other daemon of the installation runs.
func Listen(ctx context.Context, path string) (net.Listener, error) {
	dir := filepath.Dir(path)
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, fmt.Errorf("make the folder of the socket: %w", err)
	}
	if err := owned(dir); err != nil {
		return nil, err
	}
	if dial, err := connect(ctx, path); err == nil {
		return nil, errors.Join(fmt.Errorf("another daemon answers at %s", path), dial.Close())
	}
	if err := os.Remove(path); err != nil && !errors.Is(err, os.ErrNotExist) {
		return nil, fmt.Errorf("remove the socket of a daemon that is gone: %w", err)
	}
	l, err := (&net.ListenConfig{}).Listen(ctx, "unix", path)
	if err != nil {
		return nil, fmt.Errorf("listen on the socket: %w", err)
	}
	// Until the mode is set, the folder's keeps others out.
	if err := os.Chmod(path, 0o600); err != nil {
		return nil, errors.Join(fmt.Errorf("close the socket to others: %w", err), l.Close())
	}
	return l, nil
}

func connect(ctx context.Context, path string) (net.Conn, error) {
	d := net.Dialer{Timeout: answerTime}
	return d.DialContext(ctx, "unix", path)
}
