package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/spf13/cobra"
	"golang.org/x/term"

	"meterbridge/internal/control"
	"meterbridge/internal/daemon"
)

func newAgentsAttachCmd(a *app) *cobra.Command {
	keys := detachKeys{first: []byte{0x1c}, second: 'd'}
	cmd := &cobra.Command{
		Use: "attach AGENT", Short: "Join this terminal to that of an agent", Args: cobra.ExactArgs(1),
		Long: `Shows an agent's terminal here and sends it what is typed, until its program ends or
` + "Ctrl-\\ d" + ` leaves it. The program goes on without viewers; with several it has the
size of the smallest.`,
		Example: "  meterbridge agents attach claude-code-1\n  meterbridge agents attach ag-1f --detach-keys ctrl-q,x",
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.attach(cmd.Context(), args[0], keys)
		},
	}
	cmd.Flags().Var(&keys, "detach-keys", "the two keys that leave the terminal: ctrl-KEY,KEY")
	return cmd
}

// attach joins this process's terminal to an agent's.
func (a *app) attach(ctx context.Context, agent string, keys detachKeys) error {
	c := control.Dial(daemon.SocketPath(a.options()))
	defer c.Close()
	cols, rows := a.size()
	restore, err := a.raw()
	if err != nil {
		return err
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	screen := control.Screen{In: &detacher{in: a.in, keys: keys}, Out: a.out, Sizes: a.sizes(ctx)}
	ended, err := c.Attach(ctx, control.Attachment{
		Agent: agent, Cols: cols, Rows: rows, Within: a.getenv("METERBRIDGE_AGENT"), Data: daemon.DataPath(a.options()),
	}, screen)
	restore()
	switch {
	case errors.Is(err, control.ErrDetached):
		_, err = fmt.Fprintf(a.err, "[left %s, which goes on]\n", agent)
		return err
	case err != nil:
		return attachFault(err)
	}
	return a.ended(agent, ended)
}

// ended says how the program of a terminal ended.
func (a *app) ended(agent string, e control.Ended) error {
	how := "by " + e.Signal
	if e.Code != nil {
		how = fmt.Sprintf("with exit code %d", *e.Code)
	}
	_, err := fmt.Fprintf(a.err, "[%s ended %s]\n", agent, how)
	return err
}

func attachFault(err error) error {
	var refused *control.Refusal
	switch {
	case errors.As(err, &refused):
		return &daemon.Fault{Err: refused, Hint: refused.Hint, Nothing: refused.Nothing}
	case errors.Is(err, control.ErrOtherData):
		return &daemon.Fault{Err: err, Hint: "METERBRIDGE_HOME names the folder"}
	}
	if errors.Is(err, control.ErrNoDaemon) {
		return &daemon.Fault{Err: daemon.ErrNoFleet, Hint: "`meterbridge serve` starts one"}
	}
	return err
}

// leave puts a terminal back into the state that shells expect, whatever the program
// on the other side had set: the main screen, no mouse, focus or paste reports, plain
// keys, a cursor, in the last row: where it was before the program is not known.
const leave = "\x1b[?1049l\x1b[?2026l\x1b[?2004l\x1b[?1000l\x1b[?1002l\x1b[?1003l\x1b[?1006l\x1b[?1004l\x1b[?1l\x1b>\x1b[<u\x1b[>4m\x1b[!p\x1b[?25h\x1b[m\x1b[999;1H\r\n"

// raw has this process's terminal hand on every key; the function that it returns
// undoes that.
func (a *app) raw() (restore func(), err error) {
	in, ok := a.in.(*os.File)
	if !ok || !term.IsTerminal(int(in.Fd())) {
		return func() {}, nil
	}
	before, err := term.MakeRaw(int(in.Fd()))
	if err != nil {
		return nil, fmt.Errorf("set up the terminal: %w", err)
	}
	return func() {
		_, _ = io.WriteString(a.out, leave)
		_ = term.Restore(int(in.Fd()), before) // it was set a moment ago
	}, nil
}

// size is that of this process's terminal.
func (a *app) size() (cols, rows int) {
	if out, ok := a.out.(*os.File); ok {
		if cols, rows, err := term.GetSize(int(out.Fd())); err == nil {
			return cols, rows
		}
	}
	return 80, 24
}
