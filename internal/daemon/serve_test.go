package daemon

import (
	"context"
	"errors"
	"log/slog"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"testing"
	"time"

	"go.uber.org/goleak"

	"meterbridge/internal/control"
	"meterbridge/scanner"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// startDaemon runs a daemon of a meter in this process and returns a client of its
// socket and what ends it.
func startDaemon(t *testing.T, m *Meter) (*control.Client, func() error) {
	t.Helper()
	ctx, stop := context.WithCancel(context.Background())
	started, ended := make(chan struct{}), make(chan error, 1)
	go func() {
		ended <- m.Serve(ctx, ServeOptions{
			Addr: "127.0.0.1:0", Log: slog.New(slog.DiscardHandler),
			Started: func(control.Status, string) { close(started) },
		})
	}()
	select {
	case <-started:
	case err := <-ended:
		stop()
		t.Fatalf("the daemon did not start: %v", err)
	}
	return control.Dial(m.paths.Socket()), func() error {
		stop()
		return <-ended
	}
}

// A daemon that ends leaves no goroutine (TestMain looks), no socket and no lock
// behind, whatever was asked of it at that moment.
func TestServe_EndsInOrder(t *testing.T) {
	m, err := OpenDemo(t.Context(), Options{Getenv: func(string) string { return "" }, OS: "linux", Now: time.Now})
	if err != nil {
		t.Fatal(err)
	}
	c, end := startDaemon(t, m)
	defer c.Close()
	if _, err := m.Scan(t.Context(), nil); err != nil {
		t.Error(err)
	}
	s, err := c.Status(t.Context())
	if err != nil || !s.Ready || s.Files == 0 {
		t.Errorf("status %+v, %v", s, err)
	}
	resp, err := c.HTTP().Get("http://localhost/metrics")
	if err != nil || resp.StatusCode != http.StatusOK {
		t.Fatalf("metrics over the socket: %v, %v", resp, err)
	}
	resp.Body.Close()
	if err := end(); err != nil {
		t.Error(err)
	}
	if _, err := os.Stat(m.paths.Socket()); err == nil {
		t.Error("the socket is still there")
	}
	if _, err := m.live.Refresh(t.Context(), nil); !errors.Is(err, scanner.ErrStopped) {
		t.Errorf("a scan after the end: %v", err)
	}
	if err := m.Close(); err != nil {
		t.Error(err)
	}
}

// A second daemon, and one whose address is taken, say so.
func TestServe_SaysWhatIsTaken(t *testing.T) {
	m, err := OpenDemo(t.Context(), Options{Getenv: func(string) string { return "" }, OS: "linux", Now: time.Now})
	if err != nil {
		t.Fatal(err)
	}
	defer m.Close()
	taken, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer taken.Close()
	err = m.Serve(t.Context(), ServeOptions{Addr: taken.Addr().String(), Log: slog.New(slog.DiscardHandler)})
	var f *Fault
	if !errors.As(err, &f) || f.Hint == "" {
		t.Errorf("an address that is taken: %v, want a fault with a hint", err)
	}
}

// What metrics showed is kept for the next daemon, and a damaged file is an error
// that loses no more than itself.
func TestShownFile_KeepsValues(t *testing.T) {
	f := shownFile(filepath.Join(t.TempDir(), "metrics.json"))
	if v, err := f.Load(); v != nil || err != nil {
		t.Errorf("before the first: %v, %v", v, err)
	}
	if err := f.Save(map[string]float64{"a\x00b": 1.5}); err != nil {
		t.Fatal(err)
	}
	if v, err := f.Load(); err != nil || v["a\x00b"] != 1.5 {
		t.Errorf("kept %v, %v", v, err)
	}
	if err := os.WriteFile(string(f), []byte("{"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := f.Load(); err == nil {
		t.Error("a damaged file was read")
	}
}
