package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"time"

	"github.com/spf13/cobra"
	"golang.org/x/term"

	"meterbridge/internal/daemon"
)

// terminal is the world as a command sees it.
type terminal struct {
	out, err io.Writer
	in       io.Reader
	// width is the number of columns, 0 when out is no terminal.
	width int
	// live: err is a terminal, so bars may be drawn on it.
	live   bool
	getenv func(string) string
	home   string
	// dir is what relative paths are relative to; empty for the process's own.
	dir string
	now func() time.Time
}

func systemTerminal() terminal {
	t := terminal{out: os.Stdout, err: os.Stderr, in: os.Stdin, getenv: os.Getenv, now: time.Now}
	t.home, _ = os.UserHomeDir()
	if w, _, err := term.GetSize(int(os.Stdout.Fd())); err == nil {
		t.width = w
	}
	t.live = term.IsTerminal(int(os.Stderr.Fd()))
	return t
}

// app is what the commands share.
type app struct {
	terminal
	json       bool
	noProgress bool
	// code is the exit code of a command that went well but has something to say.
	code int
	// stopped is what else there is to say when a person stops the command.
	stopped string
	// meter is the open installation of the daemon that runs this command; nil
	// when the command opens one itself.
	meter *daemon.Meter
}

// run executes one command line and returns the exit code.
func run(ctx context.Context, args []string, t terminal) int {
	a := &app{terminal: t}
	root := newRoot(a)
	if code, done := a.relayed(ctx, root, args); done {
		return code
	}
	return a.execute(ctx, root, args)
}

// execute runs the command here.
func (a *app) execute(ctx context.Context, root *cobra.Command, args []string) int {
	root.SetArgs(args)
	root.SetOut(a.out)
	root.SetErr(a.err)
	root.SetIn(a.in)
	if err := root.ExecuteContext(ctx); err != nil {
		return a.report(err)
	}
	return a.code
}

func newRoot(a *app) *cobra.Command {
	root := &cobra.Command{
		Use:   "meterbridge",
		Short: "Exact usage and cost of coding agents, and why",
		Long: `Meterbridge reads the session logs that coding agents leave on this machine into
one exact ledger and answers how many tokens, what cost, when, by whom, and why.
Nothing leaves the machine.`,
		SilenceErrors: true,
		SilenceUsage:  true,
		Version:       version,
	}
	root.PersistentFlags().BoolVar(&a.json, "json", false, "print JSON instead of a table")
	root.PersistentFlags().BoolVar(&a.noProgress, "no-progress", false, "draw no progress bars")
	root.SetFlagErrorFunc(func(cmd *cobra.Command, err error) error {
		return usageError(plainFlag(err), seeHelp(cmd))
	})
	root.AddCommand(askingDaemon(
		newScanCmd(a), newUsageCmd(a), newSessionsCmd(a), newTimelineCmd(a), newExplainCmd(a), newReconcileCmd(a),
		newCompareCmd(a), newSQLCmd(a), newExportCmd(a), newHarnessesCmd(a), newDoctorCmd(a),
		newGuardCmd(a), newScreenCmd(a), newRunCmd(a), newPromptCmd(a), newQueueCmd(a), newConfirmCmd(a),
	)...)
	root.AddCommand(newServeCmd(a), newStatusCmd(a), newStopCmd(a), newServiceCmd(a), newStatusLineCmd(a), newTopCmd(a), newAgentsCmd(a), newExtCmd(a), newToolsCmd(a), newMCPCmd(a), newPricingCmd(a), newTokenCmd(a), newHooksCmd(a), newVersionCmd(a), newManCmd())
	hintArgs(root)
	return root
}

// options say which installation is meant.
func (a *app) options() daemon.Options {
	return daemon.Options{Getenv: a.getenv, Home: a.home, OS: runtime.GOOS, Now: a.now, Version: version, Program: thisProgram()}
}

// open opens the installation, or takes that of the daemon that runs the
// command; the caller closes it.
func (a *app) open(ctx context.Context) (*daemon.Meter, error) {
	if a.meter != nil {
		return a.warned(a.meter.Lend(a.getenv), nil)
	}
	m, err := daemon.Open(ctx, a.options())
	return a.warned(m, err)
}

// path is a path that the user named, as this process finds it.
func (a *app) path(name string) string {
	if filepath.IsAbs(name) {
		return name
	}
	return filepath.Join(a.dir, name)
}

// openPrices reads the price table alone; the ledger is not touched.
func (a *app) openPrices() (*daemon.Prices, error) {
	p, err := daemon.OpenPrices(a.options())
	if err != nil {
		return nil, err
	}
	for _, w := range p.Warnings() {
		fmt.Fprintln(a.err, "warning:", w)
	}
	return p, nil
}

// keptSoFar is what a person is told who stops a scan.
const keptSoFar = "; what was read is kept"

// openScanned opens the installation and brings it up to date.
func (a *app) openScanned(ctx context.Context, noScan bool) (*daemon.Meter, error) {
	m, err := a.open(ctx)
	if err != nil || noScan {
		return m, err
	}
	if _, err := a.scan(ctx, m); err != nil {
		return nil, errors.Join(err, m.Close())
	}
	return m, nil
}

// openDemo opens a scratch installation over the bundled example logs instead.
func (a *app) openDemo(ctx context.Context) (*daemon.Meter, error) {
	m, err := daemon.OpenDemo(ctx, a.options())
	return a.warned(m, err)
}

func (a *app) warned(m *daemon.Meter, err error) (*daemon.Meter, error) {
	if err != nil {
		return nil, err
	}
	for _, w := range m.Warnings() {
		fmt.Fprintln(a.err, "warning:", w)
	}
	return m, nil
}

// colour tells whether the output may be coloured.
func (a *app) colour() bool { return a.width > 0 && a.getenv("NO_COLOR") == "" }
