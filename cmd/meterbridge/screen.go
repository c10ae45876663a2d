package main

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"
)

func newScreenCmd(a *app) *cobra.Command {
	var lines int
	cmd := &cobra.Command{
		Use: "screen AGENT", Short: "Show what an agent's terminal shows", Args: cobra.ExactArgs(1),
		Long:    "Prints the last lines of an agent's screen and of what has left it, as text: lines\nthat the screen wraps are whole.",
		Example: "  meterbridge screen claude-code-1 --lines 20",
		RunE: func(cmd *cobra.Command, args []string) error {
			m, err := a.open(cmd.Context())
			if err != nil {
				return err
			}
			defer m.Close()
			if cmd.Flags().Changed("lines") && lines == 0 {
				return usagef("give a number from 1 to 500, or leave --lines out for all", "--lines 0 shows nothing")
			}
			s, err := m.Screen(cmd.Context(), args[0], lines)
			if err != nil {
				return err
			}
			if a.json {
				return a.printJSON(s)
			}
			if _, err = fmt.Fprintln(a.out, strings.TrimRight(s.Text, "\n")); err == nil && s.Exited {
				_, err = fmt.Fprintln(a.err, "meterbridge: its program has ended; this is what it left")
			}
			return err
		},
	}
	cmd.Flags().IntVar(&lines, "lines", 0, "how many lines, 1 to 500 (default 500)")
	return cmd
}
