package daemon

import (
	"context"
	"os"

	"meterbridge/internal/control"
)

// Command implements control.Daemon.
func (s *server) Command(ctx context.Context, call control.Call, streams control.Streams) int {
	return s.o.Command(ctx, s.meter, call, streams)
}

// Status implements control.Daemon.
func (s *server) Status(context.Context) control.Status {
	live := s.meter.live.State()
	files := 0
	for _, h := range live.Harnesses {
		files += h.Files
	}
	return control.Status{
		Process: os.Getpid(), Version: s.meter.opts.Version, StartedAt: s.started.UnixMilli(), Data: s.meter.paths.Data,
		Addresses: []string{"http://" + s.tcp}, Socket: s.meter.paths.Socket(), Ready: live.Ready,
		LagMs: live.Lag.Milliseconds(), Files: files, Degraded: live.Degraded,
	}
}

// Stop implements control.Daemon.
func (s *server) Stop() { s.stop() }

// Link implements control.Daemon.
func (s *server) Link() string { return "http://" + s.tcp + s.browser.Link() }
