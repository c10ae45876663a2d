package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"meterbridge/internal/daemon"
)

func newAgentsStopCmd(a *app) *cobra.Command {
	return &cobra.Command{
		Use: "stop AGENT...", Short: "End agents and everything that they started", Args: cobra.MinimumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.withMeter(cmd.Context(), func(m *daemon.Meter) error {
				for _, which := range args {
					r, err := m.StopAgent(cmd.Context(), which)
					if err != nil {
						return err
					}
					if err := a.agent(r); err != nil {
						return err
					}
				}
				return nil
			})
		},
	}
}

func newAgentsRenameCmd(a *app) *cobra.Command {
	return &cobra.Command{
		Use: "rename AGENT NAME", Short: "Give an agent another name", Args: cobra.ExactArgs(2),
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.withMeter(cmd.Context(), func(m *daemon.Meter) error {
				r, err := m.RenameAgent(cmd.Context(), args[0], args[1])
				if err != nil {
					return err
				}
				return a.agent(r)
			})
		},
	}
}

func newAgentsLinkCmd(a *app) *cobra.Command {
	return &cobra.Command{
		Use: "link AGENT OTHER", Short: "Let an agent work with another agent or terminal", Args: cobra.ExactArgs(2),
		Long: "AGENT may then read OTHER's screen, wait for it and send it prompts or commands, by its tools.\nIt does not hold the other way round.",
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.withMeter(cmd.Context(), func(m *daemon.Meter) error {
				l, err := m.LinkAgents(cmd.Context(), args[0], args[1])
				if err != nil {
					return err
				}
				if a.json {
					return a.printJSON(struct {
						SchemaVersion int `json:"schemaVersion"`
						daemon.LinkAnswer
					}{1, l})
				}
				_, err = fmt.Fprintf(a.out, "%s may work with %s.\n", plain(args[0]), plain(args[1]))
				return err
			})
		},
	}
}

func newAgentsUnlinkCmd(a *app) *cobra.Command {
	return &cobra.Command{
		Use: "unlink AGENT OTHER", Short: "Take that back", Args: cobra.ExactArgs(2),
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.withMeter(cmd.Context(), func(m *daemon.Meter) error {
				if err := m.UnlinkAgents(cmd.Context(), args[0], args[1]); err != nil {
					return err
				}
				if a.json {
					return a.printJSON(map[string]any{"schemaVersion": 1, "removed": true})
				}
				_, err := fmt.Fprintf(a.out, "%s may no longer work with %s.\n", plain(args[0]), plain(args[1]))
				return err
			})
		},
	}
}
