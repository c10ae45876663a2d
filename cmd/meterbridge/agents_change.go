package main

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"meterbridge/internal/daemon"
)

func newAgentsStopCmd(a *app) *cobra.Command {
	return &cobra.Command{
		Use: "stop AGENT...", Short: "End agents and everything that they started", Args: cobra.MinimumNArgs(1),
		Long: "Ends the programs of agents and what they started, also in the background. Only what\nserves your other programs stays: tmux, ssh-agent and the like, and daemons that a\nharness keeps for all its sessions. `meterbridge doctor` lists what is left.",
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.eachAgent(cmd.Context(), args, (*daemon.Meter).StopAgent, a.agent)
		},
	}
}

// eachAgent does something to agents, one after the other, and tells of each.
func (a *app) eachAgent(ctx context.Context, list []string, do func(*daemon.Meter, context.Context, string) (daemon.AgentAnswer, error), tell func(daemon.AgentAnswer) error) error {
	return a.withMeter(ctx, func(m *daemon.Meter) error {
		for _, which := range list {
			r, err := do(m, ctx, which)
			if err != nil {
				return err
			}
			if err := tell(r); err != nil {
				return err
			}
		}
		return nil
	})
}

func newAgentsRemoveCmd(a *app) *cobra.Command {
	return &cobra.Command{
		Use: "remove AGENT...", Short: "Forget agents that have ended", Args: cobra.MinimumNArgs(1),
		Long: "Forgets agents that have ended: their names, statuses, turns and links. What their\nsessions spent stays in every report.",
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.eachAgent(cmd.Context(), args, (*daemon.Meter).RemoveAgent, func(r daemon.AgentAnswer) error {
				if a.json {
					return a.printJSON(map[string]any{"schemaVersion": 1, "removed": true, "id": r.ID})
				}
				_, err := fmt.Fprintf(a.out, "%s (%s) is forgotten; what its sessions spent stays.\n", plain(r.Name), r.ID)
				return err
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
