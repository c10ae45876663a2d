package main

import (
	"errors"
	"os"

	"github.com/spf13/cobra"

	"meterbridge/internal/daemon"
	"meterbridge/internal/statusline"
)

func newStatusLineCmd(a *app) *cobra.Command {
	return &cobra.Command{
		Use: "statusline", Short: "One line for a shell prompt or a harness's status line", Args: cobra.NoArgs,
		Long: "Prints usage and cost of today, of the five-hour block, of the budgets and, when a\n" +
			"harness names its session on standard input (Claude Code does), of that session. It\n" +
			"asks the daemon, and shows its last line when none runs. `meterbridge-lite statusline`\ndoes the same faster.",
		Example: `  "statusLine": {"type": "command", "command": "meterbridge-lite statusline"}   in Claude Code's settings.json`,
		RunE: func(*cobra.Command, []string) error {
			in, _ := a.in.(*os.File)
			err := statusline.Print(daemon.StatusLinePlaces(a.options()), in, a.out, a.now())
			if errors.Is(err, statusline.ErrNothing) {
				return &daemon.Fault{Err: err, Hint: "`meterbridge serve` starts the daemon", Nothing: true}
			}
			return err
		},
	}
}
