package main

import (
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"meterbridge/internal/daemon"
)

// exitTimedOut is the exit code of a command that still runs, as of timeout(1).
const exitTimedOut = 124

func newRunCmd(a *app) *cobra.Command {
	var timeout time.Duration
	cmd := &cobra.Command{
		Annotations: map[string]string{whenStopped: " waiting; the command goes on in the agent's terminal"},
		Use:         "run AGENT COMMAND...", Short: "Run one command in an agent's shell", Args: cobra.MinimumNArgs(2),
		Long: `Types a command into the live shell of an agent, waits for its end, prints what it
wrote (the last 64 KiB) and exits with its exit code: 124 when it still runs after the
timeout, 1 when its code is not known. Commands of several callers take turns.`,
		Example: "  meterbridge run shell-bash-1 'make test'\n  meterbridge run --timeout 10s --json shell-bash-1 git status -s",
		RunE: func(cmd *cobra.Command, args []string) error {
			m, err := a.open(cmd.Context())
			if err != nil {
				return err
			}
			defer m.Close()
			r, err := m.RunCommand(cmd.Context(), args[0], strings.Join(args[1:], " "), timeout)
			if err != nil {
				return err
			}
			a.code = runCode(r)
			if a.json {
				return a.printJSON(r)
			}
			return a.ran(r)
		},
	}
	cmd.Flags().DurationVar(&timeout, "timeout", 0, "how long to wait, 1s to 2m (default 2m)")
	cmd.Flags().SetInterspersed(false)
	return cmd
}

// ran prints what a command wrote, and on standard error what else there is to know.
func (a *app) ran(r daemon.TerminalRun) error {
	text := r.Output
	if text != "" && !strings.HasSuffix(text, "\n") {
		text += "\n"
	}
	if _, err := io.WriteString(a.out, text); err != nil {
		return err
	}
	if r.Truncated {
		fmt.Fprintln(a.err, "meterbridge: the beginning of the output is left out")
	}
	if r.Reason != nil {
		fmt.Fprintf(a.err, "meterbridge: no exit code: %s\n", *r.Reason)
	}
	return nil
}

func runCode(r daemon.TerminalRun) int {
	switch {
	case r.TimedOut:
		return exitTimedOut
	case r.ExitCode != nil:
		return *r.ExitCode
	}
	return exitFailed
}
