package daemon

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"path/filepath"
	"sync"

	"meterbridge/dashboard/carrier"
	"meterbridge/internal/control"
)

// ErrNoHost says that extensions run only in a daemon.
var ErrNoHost = errors.New("no daemon runs, and only a daemon runs extensions")

// ExtensionToken is a one-time token with which an extension that runs already
// attaches itself, and the socket for it.
func (m *Meter) ExtensionToken(name string) (token, socket string, err error) {
	if m.host == nil {
		return "", "", &Fault{Err: ErrNoHost, Hint: "`meterbridge serve` starts one"}
	}
	token, err = m.host.Token(name)
	if err != nil {
		return "", "", &Fault{Err: err, Hint: "`meterbridge ext list` shows those that may run"}
	}
	return token, m.extensionSocket(), nil
}

// ExtensionLog is the end of what an extension wrote since the daemon started.
func (m *Meter) ExtensionLog(name string) (string, error) {
	if m.host == nil {
		return "", &Fault{Err: ErrNoHost, Hint: "`meterbridge serve` starts one"}
	}
	text, err := m.host.Log(name)
	if err != nil {
		return "", &Fault{Err: fmt.Errorf("%s did not run since the daemon started, so it has no log", name), Hint: "`meterbridge ext show " + name + "` says why"}
	}
	return text, nil
}

// extensionSocket is where extensions attach themselves.
func (m *Meter) extensionSocket() string {
	return filepath.Join(filepath.Dir(m.paths.Socket()), "ext.sock")
}

// attachments serves extensions that attach themselves over the socket until the
// function that it returns is called. A daemon without that socket does all else.
func (s *server) attachments(ctx context.Context) (end func()) {
	l, err := control.Listen(ctx, s.meter.extensionSocket())
	if err != nil {
		s.o.Log.Warn("extensions cannot attach themselves to the socket", slog.Any("error", err))
		return func() {}
	}
	var wg sync.WaitGroup
	wg.Go(func() {
		if err := s.meter.host.ServeSocket(ctx, l); err != nil {
			s.o.Log.Warn("extensions cannot attach themselves any more", slog.Any("error", err))
		}
	})
	return func() {
		_ = l.Close() // the host may have closed it
		wg.Wait()
	}
}

// carrier is where extensions attach themselves over WebSocket.
func (s *server) carrier() http.Handler {
	return carrier.Handler(func(ctx context.Context, c *carrier.Conn) error { return s.meter.host.Attached(ctx, c) })
}
