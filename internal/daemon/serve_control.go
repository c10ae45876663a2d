package daemon

import (
	"context"
	"net/netip"
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
func (s *server) Link() string { return "http://" + reachable(s.tcp) + s.browser.Link() }

// reachable is where a browser of this machine finds who listens on addr: 0.0.0.0
// and [::] stand for every address and are none to go to.
func reachable(addr string) string {
	at, err := netip.ParseAddrPort(addr)
	if err != nil || !at.Addr().Unmap().IsUnspecified() {
		return addr
	}
	return netip.AddrPortFrom(netip.AddrFrom4([4]byte{127, 0, 0, 1}), at.Port()).String()
}
