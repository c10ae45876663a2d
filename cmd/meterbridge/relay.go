package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"

	"github.com/spf13/cobra"

	"meterbridge/internal/control"
	"meterbridge/internal/daemon"
)

// asksDaemon marks the commands that a running daemon answers, as it has the ledger.
const asksDaemon = "asks-daemon"

// whenStopped is what else a command says when a person stops it.
const whenStopped = "when-stopped"

// askingDaemon marks commands so.
func askingDaemon(commands ...*cobra.Command) []*cobra.Command {
	for _, c := range commands {
		if c.Annotations == nil {
			c.Annotations = map[string]string{}
		}
		c.Annotations[asksDaemon] = "yes"
	}
	return commands
}

// relayed has a running daemon answer the command line. It returns false when the
// command is to be run here.
func (a *app) relayed(ctx context.Context, root *cobra.Command, args []string) (int, bool) {
	cmd, rest, err := root.Find(args)
	if err != nil || a.meter != nil || cmd.Annotations[asksDaemon] == "" || atHome(rest) {
		return 0, false
	}
	o := a.options()
	c := control.Dial(daemon.SocketPath(o))
	defer c.Close()
	dir, err := os.Getwd()
	if err != nil {
		dir = "" // a folder that was removed: only relative paths need it
	}
	call := control.Call{
		Args: args, Dir: dir, Width: a.width, Live: a.live, Env: daemon.CallerEnv(o), Data: daemon.DataPath(o),
	}
	code, err := c.Command(ctx, call, a.in, a.out, a.err)
	switch {
	case errors.Is(err, control.ErrNoDaemon), errors.Is(err, control.ErrOtherData):
		return 0, false
	case err != nil:
		a.stopped = cmd.Annotations[whenStopped]
		return a.report(err), true
	}
	return code, true
}

// atHome tells whether the flags ask for something that needs no daemon.
func atHome(args []string) bool {
	if end := slices.Index(args, "--"); end >= 0 {
		args = args[:end] // what follows is another program's
	}
	return slices.ContainsFunc(args, func(arg string) bool {
		return arg == "-h" || arg == "--help" || arg == "--demo" || arg == "--demo=true"
	})
}

// answer runs a command that a caller had relayed to this daemon.
func (a *app) answer(ctx context.Context, m *daemon.Meter, call control.Call, s control.Streams) int {
	t := terminal{
		out: s.Out, err: s.Err, in: s.In, width: call.Width, live: call.Live, dir: call.Dir, home: a.home, now: a.now,
		getenv: func(name string) string {
			if value, ok := call.Env[name]; ok {
				return value
			}
			return a.getenv(name)
		},
	}
	sub := &app{terminal: t, meter: m}
	root := newRoot(sub)
	if cmd, _, err := root.Find(call.Args); err != nil || cmd.Annotations[asksDaemon] == "" {
		fmt.Fprintln(s.Err, "meterbridge: the daemon that runs does not answer this command; it may be of another version\n"+
			"hint: `meterbridge stop` ends it")
		return exitFailed
	}
	return sub.execute(ctx, root, call.Args)
}
