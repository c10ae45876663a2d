package main

import (
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"meterbridge/internal/daemon"
	"meterbridge/internal/daemon/extensions"
)

func newExtApproveCmd(a *app) *cobra.Command {
	var yes bool
	var grant []string
	cmd := &cobra.Command{
		Use: "approve NAME [TOOL]", Short: "Show what changed since you last agreed, and ask", Args: cobra.RangeArgs(1, 2),
		RunE: func(_ *cobra.Command, args []string) error {
			tool := ""
			if len(args) == 2 {
				tool = args[1]
			}
			desk := a.desk()
			p, err := desk.Propose(args[0], tool)
			if err != nil {
				return err
			}
			return a.approve(desk, p, args[0], yes, grant)
		},
	}
	cmd.Flags().BoolVar(&yes, "yes", false, "agree without being asked")
	cmd.Flags().StringSliceVar(&grant, "grant", nil, "optional permissions to grant")
	return cmd
}

func (a *app) approve(desk *extensions.Desk, p *extensions.Proposal, name string, yes bool, grant []string) error {
	changes, err := p.Changes()
	if err != nil {
		return err
	}
	now, err := desk.ShowExtension(name)
	if err != nil {
		return err
	}
	if len(changes) == 0 && len(grant) == 0 && now.ApprovedAt != nil {
		if a.json {
			return a.printJSON(now)
		}
		_, err := fmt.Fprintf(a.out, "%s is approved as it is; nothing changed.\n", name)
		return err
	}
	if !a.json {
		if err := a.changesText(now, changes); err != nil {
			return err
		}
	}
	if !yes {
		ok, err := a.agreed("Approve this?")
		if err != nil {
			return err
		}
		if !ok {
			return &daemon.Fault{Err: errors.New("not approved")}
		}
	}
	if err := desk.Approve(p, extensions.Choice{Approve: true, Optional: grant, By: consenting}); err != nil {
		return err
	}
	if now, err = desk.ShowExtension(name); err != nil {
		return err
	}
	if a.json {
		return a.printJSON(now)
	}
	_, err = fmt.Fprintf(a.out, "Approved %s: %d of %d tools can be used.\n", name, now.Usable, now.Tools)
	return err
}

// changesText shows differences line by line; without an approval before, all of it.
func (a *app) changesText(now daemon.ExtensionAnswer, changes []daemon.ExtensionChange) error {
	if now.ApprovedAt == nil {
		return extText(now, a.err)
	}
	for _, c := range changes {
		what := c.Field
		if c.Tool != "" {
			what = strings.TrimSpace("tool " + c.Tool + " " + c.Field)
		}
		fmt.Fprintf(a.err, "%s %s\n", what, c.Kind)
		for _, side := range []struct{ mark, text string }{{"-", c.Old}, {"+", c.New}} {
			if side.text == "" {
				continue
			}
			for line := range strings.SplitSeq(whole(side.text), "\n") {
				fmt.Fprintf(a.err, "  %s %s\n", side.mark, line)
			}
		}
	}
	return nil
}

func newExtTurnCmd(a *app, on bool) *cobra.Command {
	use, short, word := "enable", "Turn an extension or one of its tools on", "on"
	if !on {
		use, short, word = "disable", "Turn an extension or one of its tools off", "off"
	}
	return &cobra.Command{
		Use: use + " NAME[/TOOL]", Short: short, Args: cobra.ExactArgs(1),
		RunE: func(_ *cobra.Command, args []string) error {
			name, tool, _ := strings.Cut(args[0], "/")
			desk := a.desk()
			if err := desk.Turn(name, tool, on); err != nil {
				return err
			}
			sentence := fmt.Sprintf("%s is turned %s.", args[0], word)
			if now, err := desk.ShowExtension(name); err == nil && on && now.Why != nil {
				sentence = fmt.Sprintf("%s is turned %s, but does not run: %s.", args[0], word, plain(*now.Why))
			}
			return a.changed(desk, name, sentence)
		},
	}
}

// changed answers a change: with the extension as it is now, or in a sentence.
func (a *app) changed(desk *extensions.Desk, name, sentence string) error {
	if !a.json {
		_, err := fmt.Fprintln(a.out, sentence)
		return err
	}
	now, err := desk.ShowExtension(name)
	if err != nil {
		return err
	}
	return a.printJSON(now)
}

func newExtLinkCmd(a *app) *cobra.Command {
	return &cobra.Command{
		Use: "link NAME AGENT", Short: "Let an extension and an agent or terminal work with each other", Args: cobra.ExactArgs(2),
		RunE: func(cmd *cobra.Command, args []string) error {
			desk := a.desk()
			id, err := desk.Link(cmd.Context(), args[0], args[1])
			if err != nil {
				return err
			}
			return a.changed(desk, args[0], fmt.Sprintf("%s and %s are linked.", args[0], plain(id)))
		},
	}
}

func newExtUnlinkCmd(a *app) *cobra.Command {
	return &cobra.Command{
		Use: "unlink NAME AGENT", Short: "Remove a link; calls that run are stopped", Args: cobra.ExactArgs(2),
		RunE: func(cmd *cobra.Command, args []string) error {
			desk := a.desk()
			id, err := desk.Unlink(cmd.Context(), args[0], args[1])
			if err != nil {
				return err
			}
			return a.changed(desk, args[0], fmt.Sprintf("%s and %s are not linked any more.", args[0], plain(id)))
		},
	}
}

func newExtRemoveCmd(a *app) *cobra.Command {
	var forget bool
	cmd := &cobra.Command{
		Use: "remove NAME", Short: "Uninstall an extension", Args: cobra.ExactArgs(1),
		Long: "What you approved and turned on, the names of its tools and what it stored stay for\nwhen it comes back, unless --forget.",
		RunE: func(_ *cobra.Command, args []string) error {
			if err := a.desk().Remove(args[0], forget); err != nil {
				return err
			}
			if a.json {
				return a.printJSON(map[string]any{"schemaVersion": 1, "removed": args[0], "forgotten": forget})
			}
			word := "removed"
			if forget {
				word = "removed and forgotten"
			}
			_, err := fmt.Fprintf(a.out, "%s is %s.\n", args[0], word)
			return err
		},
	}
	cmd.Flags().BoolVar(&forget, "forget", false, "drop approvals, names and what it stored too")
	return cmd
}
