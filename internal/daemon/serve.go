package daemon

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"os"
	"time"

	"meterbridge/bridge/edge"
	"meterbridge/dashboard/guard"
	"meterbridge/dashboard/metrics"
	"meterbridge/dashboard/web"
	"meterbridge/internal/config"
	"meterbridge/internal/control"
	"meterbridge/internal/credentials"
)

// ServeOptions say how a daemon runs.
type ServeOptions struct {
	// Addr is HOST:PORT; empty for that of the settings.
	Addr string
	Log  *slog.Logger
	// Umask is that of the programs in terminals; nil is the daemon's own.
	Umask *int
	// Command runs a command line for a caller of the socket.
	Command func(context.Context, *Meter, control.Call, control.Streams) int
	// Started is told once everything listens; nil for nobody.
	Started func(control.Status, string)
}

// grace is how long requests that are being answered have when a daemon ends.
const grace = 5 * time.Second

// server is a running daemon.
type server struct {
	meter *Meter
	// extended is closed when the desk of extensions is open.
	extended chan struct{}
	o        ServeOptions
	started  time.Time
	// stop begins the end.
	stop context.CancelFunc
	// tcp is the address that was taken.
	tcp     string
	guard   *guard.Guard
	browser *guard.Browser
	metrics *metrics.Metrics
	mcp     *edge.Edge
	calls   *callDesk
	pages   *web.Site
	// events tells what changes.
	events *announcer
	lines  *statusLines
}

// Serve watches the logs and answers until ctx ends or a caller of the socket
// says stop. What was read by then is committed.
func (m *Meter) Serve(ctx context.Context, o ServeOptions) error {
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	s := m.newServer(o, stop)
	var err error
	if m.live, err = m.Live(LiveOptions{Log: o.Log, Commit: s.metrics.Committed, Committed: s.events.committed}); err != nil {
		return err
	}
	s.calls = newCallDesk(m.ledger, o.Log, s.metrics.Called)
	m.calls, s.calls.session = s.calls, m.sessionOf
	defer s.calls.start(ctx)()
	if s.pages, err = s.servedPages(); err != nil {
		return err
	}
	listeners, err := s.listen(ctx)
	if err != nil {
		return err
	}
	defer os.Remove(m.paths.Socket())
	s.admit()
	disperse, err := s.gather(ctx)
	if err != nil {
		return errors.Join(err, listeners.tcp.Close(), listeners.socket.Close())
	}
	withdraw, err := s.extend(ctx)
	if err != nil {
		disperse(ctx)
		return errors.Join(err, listeners.tcp.Close(), listeners.socket.Close())
	}
	if s.mcp, err = m.MCP(edge.Options{Refused: s.metrics.Refused, Done: s.calls.done}); err != nil {
		withdraw()
		disperse(ctx)
		return errors.Join(err, listeners.tcp.Close(), listeners.socket.Close())
	}
	defer s.mcp.Close()
	defer s.events.start(ctx)()
	defer (&priceWatch{meter: m, log: o.Log, changed: s.events.priced}).start(ctx)()
	err = s.run(ctx, listeners)
	withdraw()
	disperse(context.WithoutCancel(ctx))
	s.lines.close(context.WithoutCancel(ctx))
	return errors.Join(err, s.metrics.Close())
}

func (m *Meter) newServer(o ServeOptions, stop context.CancelFunc) *server {
	s := &server{meter: m, o: o, started: m.opts.Now(), stop: stop, extended: make(chan struct{}), lines: newStatusLines(m, o.Log)}
	c := m.config.Metrics
	s.metrics = metrics.New(metricSource{meter: m, sessions: s.mcpSessions, extensions: m.extensionStates}, metrics.Options{
		Version: m.opts.Version, Revision: m.opts.Revision, Projects: c.Projects, ClaudeNames: c.ClaudeNames,
		Floor: shownFile(m.paths.ShownMetrics()), Now: m.opts.Now, Log: o.Log,
	})
	s.events = newAnnouncer(m, o.Log)
	return s
}

// admit makes the guard of the address that was taken: browsers do not tell the
// ports of a machine apart, so the name of the cookie does.
func (s *server) admit() {
	_, port, _ := net.SplitHostPort(s.tcp) // it was listened on
	s.browser = guard.NewBrowser(sessionCookie+"-"+port, s.meter.opts.Now)
	s.browser.Page, s.browser.Visits = s.pages.Refuse, credentials.OpenVisits(s.meter.paths.Visits())
	if err := s.browser.Recall(); err != nil {
		s.o.Log.Warn("browsers are asked for a new link", slog.Any("error", err))
	}
	s.guard = guard.New(guard.Options{
		Hosts:  s.meter.config.Serve.Hosts,
		Tokens: agentTokens{s.meter, credentials.Open(s.meter.paths.Tokens(), s.meter.opts.Now)}, Browser: s.browser, Page: s.pages.Refuse, Log: s.o.Log,
		Refused: func(why guard.Reason) { s.metrics.Refused(string(why)) },
	})
}

// listeners are where a daemon is asked: by anyone who has a credential, and by
// the owner of the socket.
type listeners struct{ tcp, socket net.Listener }

func (s *server) listen(ctx context.Context) (l listeners, err error) {
	addr := s.o.Addr
	if addr == "" {
		addr = s.meter.config.Serve.Addr
	}
	if addr == "" {
		addr = config.DefaultAddr
	}
	if l.tcp, err = (&net.ListenConfig{}).Listen(ctx, "tcp", addr); err != nil {
		return l, &Fault{Err: fmt.Errorf("listen: %w", err), Hint: "--addr HOST:PORT or [serve] addr names another address; port 0 takes a free one"}
	}
	s.tcp = l.tcp.Addr().String()
	if l.socket, err = control.Listen(ctx, s.meter.paths.Socket()); err != nil {
		return l, errors.Join(&Fault{Err: err}, l.tcp.Close())
	}
	return l, nil
}

// run serves until ctx ends, then ends everything in order: no new requests, the
// rest answered, what was read committed.
func (s *server) run(ctx context.Context, l listeners) error {
	open := s.handler()
	tcp, socket := s.httpServer(ctx, open), s.httpServer(ctx, s.socketHandler(open))
	socket.ConnContext = guard.Socket
	failed := make(chan error, 3)
	go func() { failed <- serve(tcp, l.tcp) }()
	go func() { failed <- serve(socket, l.socket) }()
	reading, stopReading := context.WithCancel(context.WithoutCancel(ctx))
	defer stopReading()
	go func() { failed <- s.meter.live.Run(reading) }()
	if s.o.Started != nil {
		s.o.Started(s.Status(ctx), s.Link())
	}
	var errs []error
	left := 3
	select {
	case <-ctx.Done():
	case err := <-failed:
		left--
		errs = append(errs, err)
	}
	s.stop()
	s.mcp.Close() // its streams and calls would not end by themselves
	limit, cancel := context.WithTimeout(context.WithoutCancel(ctx), grace)
	defer cancel()
	errs = append(errs, ended(tcp.Shutdown(limit)), ended(socket.Shutdown(limit)))
	stopReading()
	for ; left > 0; left-- {
		errs = append(errs, <-failed)
	}
	return errors.Join(errs...)
}

// httpServer is a server whose requests end with ctx.
func (s *server) httpServer(ctx context.Context, h http.Handler) *http.Server {
	return &http.Server{
		Handler: h, ReadHeaderTimeout: 10 * time.Second, IdleTimeout: 2 * time.Minute, MaxHeaderBytes: 64 << 10,
		BaseContext: func(net.Listener) context.Context { return ctx },
		ErrorLog:    slog.NewLogLogger(s.o.Log.Handler(), slog.LevelWarn),
	}
}

func serve(h *http.Server, l net.Listener) error {
	if err := h.Serve(l); !errors.Is(err, http.ErrServerClosed) {
		return fmt.Errorf("serve %s: %w", l.Addr(), err)
	}
	return nil
}

// ended forgives a request that was still open when the grace was over.
func ended(err error) error {
	if errors.Is(err, context.DeadlineExceeded) {
		return nil
	}
	return err
}
