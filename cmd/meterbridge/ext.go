package main

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"meterbridge/internal/daemon"
	"meterbridge/internal/daemon/extensions"
)

func newExtCmd(a *app) *cobra.Command {
	cmd := &cobra.Command{
		Use: "ext", Short: "Install extensions, and decide what agents see of them", Args: cobra.NoArgs,
		Long: "An extension gives agents tools. Nothing of it is visible before you approved it, and\n" +
			"what an update changes stays hidden until you approve that too. docs/extensions.md\ntells the rest.",
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(askingDaemon(
		newExtInstallCmd(a), newExtImportCmd(a), newExtListCmd(a), newExtShowCmd(a), newExtApproveCmd(a), newExtTurnCmd(a, true), newExtTurnCmd(a, false),
		newExtLinkCmd(a), newExtUnlinkCmd(a), newExtSettingsCmd(a), newExtWorkspaceCmd(a), newExtLogCmd(a), newExtRemoveCmd(a),
	)...)
	return cmd
}

// desk is that of the daemon that runs the command, else one over the same files.
func (a *app) desk() *extensions.Desk {
	if a.meter != nil {
		return a.meter.Extensions()
	}
	return daemon.OpenExtensions(a.options())
}

// consenting is who agrees by a command.
const consenting = "command line"

// agreed asks a yes or no question on the terminal. Where nobody answers, nobody
// agreed.
func (a *app) agreed(question string) (bool, error) {
	fmt.Fprintf(a.err, "%s [y/N] ", question)
	line, err := bufio.NewReader(a.in).ReadString('\n')
	if err != nil && !errors.Is(err, io.EOF) {
		return false, fmt.Errorf("read the answer: %w", err)
	}
	if errors.Is(err, io.EOF) && line == "" {
		fmt.Fprintln(a.err)
		return false, &daemon.Fault{Err: errors.New("nobody answered, so nothing was done"), Hint: "--yes agrees without being asked"}
	}
	switch strings.ToLower(strings.TrimSpace(line)) {
	case "y", "yes":
		return true, nil
	}
	return false, nil
}

func newExtInstallCmd(a *app) *cobra.Command {
	var dev, yes bool
	var grant []string
	cmd := &cobra.Command{
		Use: "install PATH", Short: "Look at a package, ask, and install it", Args: cobra.ExactArgs(1),
		Long: "PATH is a folder, a .tgz or a .zip with one manifest at its root. What it may do, and\n" +
			"everything that a model would be told, is shown first. Of an update only the code is\ntaken at once; changed or new tools stay hidden until `ext approve`.",
		Example: "  meterbridge ext install ./ticket-desk\n  meterbridge ext install ticket-desk-1.2.0.tgz --yes\n  meterbridge ext install --dev ./ticket-desk",
		RunE: func(cmd *cobra.Command, args []string) error {
			desk := a.desk()
			plan, err := desk.Prepare(cmd.Context(), a.path(args[0]), dev)
			if err != nil {
				return err
			}
			defer plan.Discard()
			return a.install(desk, plan, yes, grant)
		},
	}
	cmd.Flags().BoolVar(&dev, "dev", false, "use the folder in place and follow its changes")
	cmd.Flags().BoolVar(&yes, "yes", false, "agree without being asked")
	cmd.Flags().StringSliceVar(&grant, "grant", nil, "optional permissions to grant")
	return cmd
}

// install shows a plan, asks, and carries it out.
func (a *app) install(desk *extensions.Desk, plan *extensions.Plan, yes bool, grant []string) error {
	shown, isNew := plan.Answer(), plan.New()
	if !a.json || !yes {
		seen := shown
		seen.State = "" // it has none yet
		if isNew {      // all of it is not approved yet
			seen.ToolList = slices.Clone(seen.ToolList)
			for i := range seen.ToolList {
				seen.ToolList[i].Approved = true
			}
		}
		if err := extText(seen, a.err); err != nil {
			return err
		}
		for _, w := range shown.Warnings {
			fmt.Fprintln(a.err, "warning:", plain(w))
		}
	}
	question := "Install it, and let agents that you link or tools that you turn on use it as shown?"
	if !isNew {
		question = "Install this version? What changed stays hidden until you approve it."
	}
	if !yes {
		ok, err := a.agreed(question)
		if err != nil {
			return err
		}
		if !ok {
			return &daemon.Fault{Err: errors.New("not installed")}
		}
	}
	if err := desk.Install(plan, extensions.Choice{Approve: true, Optional: grant, By: consenting}); err != nil {
		return err
	}
	now, err := desk.ShowExtension(shown.Name)
	if err != nil {
		return err
	}
	if a.json {
		return a.printJSON(now)
	}
	return a.installed(now)
}

// installed says what was done and what comes next.
func (a *app) installed(x daemon.ExtensionAnswer) error {
	next := "`meterbridge ext link " + x.Name + " AGENT` lets an agent use it"
	if x.Dialect == "switchboard" || x.Dialect == "mcp" {
		next = "`meterbridge ext enable " + x.Name + "/TOOL` turns a tool on"
	}
	if len(x.Changes) > 0 {
		next = "`meterbridge ext approve " + x.Name + "` shows what changed and asks"
	}
	_, err := fmt.Fprintf(a.out, "Installed %s %s; %s.\n", x.Name, x.Version, next)
	return err
}

func newExtListCmd(a *app) *cobra.Command {
	return &cobra.Command{
		Use: "list", Short: "The extensions that are installed", Args: cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			list := a.desk().ListExtensions()
			if a.json {
				return a.printJSON(list)
			}
			return a.extTable(list)
		},
	}
}

func (a *app) extTable(list daemon.ExtensionList) error {
	if list.Problem != nil {
		return &daemon.Fault{Err: errors.New(*list.Problem), Hint: "`meterbridge doctor` tells what to do"}
	}
	if len(list.Rows) == 0 {
		_, err := fmt.Fprintln(a.out, "No extension is installed; `meterbridge ext install PATH` does that.")
		return err
	}
	g := grid{columns: []column{
		{name: "Name"},
		{name: "Version", drop: 2},
		{name: "Kind", drop: 4},
		{name: "State"},
		{name: "Tools", right: true, drop: 1},
		{name: "Linked to", shrink: true, drop: 3},
		{name: "Why", shrink: true},
	}}
	for _, r := range list.Rows {
		kind := r.Dialect
		if r.Dev {
			kind += ", dev"
		}
		g.rows = append(g.rows, []string{
			r.Name, r.Version, kind, r.State, fmt.Sprintf("%d of %d", r.Usable, r.Tools), strings.Join(r.Links, ", "), text(r.Why),
		})
	}
	return g.print(a.out, a.width, a.colour())
}

func newExtShowCmd(a *app) *cobra.Command {
	var token bool
	cmd := &cobra.Command{
		Use: "show NAME", Short: "One extension, with everything that a model is told of its tools", Args: cobra.ExactArgs(1),
		RunE: func(_ *cobra.Command, args []string) error {
			if token {
				return a.extToken(args[0])
			}
			x, err := a.desk().ShowExtension(args[0])
			if err != nil {
				return err
			}
			if a.json {
				return a.printJSON(x)
			}
			return extText(x, a.out)
		},
	}
	cmd.Flags().BoolVar(&token, "token", false, "print a token with which it attaches itself within 30 seconds, once, and the socket for that")
	return cmd
}

// extToken prints what an extension that runs outside of the daemon needs.
func (a *app) extToken(name string) error {
	if a.meter == nil {
		return &daemon.Fault{Err: daemon.ErrNoHost, Hint: "`meterbridge serve` starts one"}
	}
	token, socket, err := a.meter.ExtensionToken(name)
	if err != nil {
		return err
	}
	if a.json {
		return a.printJSON(map[string]any{"schemaVersion": 1, "token": token, "socket": socket})
	}
	_, err = fmt.Fprintf(a.out, "METERBRIDGE_EXT_SOCKET=%s\nMETERBRIDGE_EXT_TOKEN=%s\n", socket, token)
	return err
}
