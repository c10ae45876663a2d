package main

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"os"
	"runtime/debug"
	"strings"
	"time"

	"github.com/lmittmann/tint"
	"github.com/spf13/cobra"

	"meterbridge/internal/config"
	"meterbridge/internal/control"
	"meterbridge/internal/daemon"
	"meterbridge/internal/service"
)

// collectSooner has garbage collected as is usual: a daemon stays, and is to stay small.
func collectSooner() {
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(100)
	}
}

func newServeCmd(a *app) *cobra.Command {
	var o daemon.ServeOptions
	var demo bool
	cmd := &cobra.Command{
		Use: "serve", Short: "Watch the logs and answer: API, metrics, MCP, other commands", Args: cobra.NoArgs,
		Long: `Runs in the foreground until it is interrupted or ` + "`meterbridge stop`" + ` ends it. It
watches the logs of every harness, and while it runs the other commands ask it.`,
		Example: "  meterbridge serve\n  meterbridge serve --addr 127.0.0.1:0 --demo",
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := config.CheckAddr(o.Addr); err != nil {
				return usageError(fmt.Errorf("--addr %w", err), "port 0 takes a free one")
			}
			collectSooner()
			open := a.openDemo
			if !demo {
				open = a.open
				if err := a.alone(cmd.Context()); err != nil {
					return err
				}
			}
			return service.Run(cmd.Context(), func(ctx context.Context) error { return a.serve(ctx, open, o) })
		},
	}
	cmd.Flags().StringVar(&o.Addr, "addr", "", "HOST:PORT to listen on (default 127.0.0.1:7433, or [serve] addr)")
	cmd.Flags().BoolVar(&demo, "demo", false, "serve a scratch ledger of the bundled example logs")
	return cmd
}

func (a *app) serve(ctx context.Context, open func(context.Context) (*daemon.Meter, error), o daemon.ServeOptions) error {
	o.Umask = private()
	m, err := open(ctx)
	if err != nil {
		return err
	}
	defer m.Close()
	o.Log = a.logger()
	o.Command = a.answer
	o.Started = a.started
	return m.Serve(ctx, o)
}

// alone refuses to begin beside a daemon of the installation.
func (a *app) alone(ctx context.Context) error {
	c := control.Dial(daemon.SocketPath(a.options()))
	defer c.Close()
	s, err := c.Status(ctx)
	if err != nil || s.Data != daemon.DataPath(a.options()) {
		return nil // what else is in the way, opening the ledger tells
	}
	return &daemon.Fault{
		Err:  fmt.Errorf("a daemon runs already: process %d listens on %s", s.Process, strings.Join(s.Addresses, ", ")),
		Hint: "`meterbridge status --link` opens its pages; `meterbridge stop` ends it",
	}
}

// logger writes what the daemon has to tell to standard error.
func (a *app) logger() *slog.Logger {
	return slog.New(tint.NewTextHandler(a.err, &tint.Options{TimeFormat: time.DateTime, NoColor: !a.live || a.getenv("NO_COLOR") != ""}))
}

func (a *app) started(s control.Status, link string) {
	fmt.Fprintf(a.out, "Meterbridge %s listens on %s\n", s.Version, strings.Join(s.Addresses, ", "))
	if link != "" {
		fmt.Fprintf(a.out, "Open %s (once; `meterbridge status --link` makes another)\n", link)
	}
}

func newStatusCmd(a *app) *cobra.Command {
	var link bool
	cmd := &cobra.Command{
		Use: "status", Short: "Whether a daemon runs, and how it is", Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			c := control.Dial(daemon.SocketPath(a.options()))
			defer c.Close()
			if link {
				return a.link(cmd.Context(), c)
			}
			s, err := c.Status(cmd.Context())
			if err != nil {
				return noDaemon(err)
			}
			if a.json {
				return a.printJSON(statusAnswer{1, s})
			}
			statusText(a.out, s, a.now())
			return nil
		},
	}
	cmd.Flags().BoolVar(&link, "link", false, "make a link that opens the pages in a browser, once")
	return cmd
}

type statusAnswer struct {
	SchemaVersion int `json:"schemaVersion"`
	control.Status
}

func (a *app) link(ctx context.Context, c *control.Client) error {
	url, err := c.Link(ctx)
	if err != nil {
		return noDaemon(err)
	}
	if a.json {
		return a.printJSON(map[string]any{"schemaVersion": 1, "url": url})
	}
	_, err = fmt.Fprintln(a.out, url)
	return err
}

func statusText(out io.Writer, s control.Status, now time.Time) {
	state := "up to date"
	switch {
	case !s.Ready:
		state = "reading the logs for the first time"
	case s.LagMs > 0:
		state = fmt.Sprintf("%d ms behind", s.LagMs)
	}
	p := fields{out: out}
	p.line("Daemon", fmt.Sprintf("process %d, version %s", s.Process, s.Version))
	p.line("Since", time.UnixMilli(s.StartedAt).Format(time.RFC3339)+" ("+now.Sub(time.UnixMilli(s.StartedAt)).Round(time.Second).String()+")")
	p.line("Listens on", strings.Join(append(s.Addresses, s.Socket), ", "))
	p.line("Data", s.Data)
	p.line("Logs", fmt.Sprintf("%s files, %s", grouped(int64(s.Files)), state))
	for _, why := range s.Degraded {
		p.line("May lag", why)
	}
}

func newStopCmd(a *app) *cobra.Command {
	return &cobra.Command{
		Use: "stop", Short: "End the daemon", Args: cobra.NoArgs,
		Long: "Ends the daemon of this installation and waits until it is gone; what it read is kept.",
		RunE: func(cmd *cobra.Command, _ []string) error {
			c := control.Dial(daemon.SocketPath(a.options()))
			defer c.Close()
			s, err := c.Status(cmd.Context())
			if err != nil {
				return noDaemon(err)
			}
			if err := c.Stop(cmd.Context()); err != nil {
				return noDaemon(err)
			}
			if err := daemon.AwaitEnd(cmd.Context(), a.options()); err != nil {
				return err
			}
			if a.json {
				return a.printJSON(map[string]any{"schemaVersion": 1, "stopped": s.Process})
			}
			_, err = fmt.Fprintf(a.out, "Process %d has ended.\n", s.Process)
			return err
		},
	}
}
