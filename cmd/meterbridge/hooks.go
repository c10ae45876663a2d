package main

import (
	"errors"
	"fmt"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"meterbridge/internal/config"
	"meterbridge/internal/daemon"
	"meterbridge/internal/hooks/forward"
)

// hookCommand hands one hook on where the small program is missing.
const hookCommand = "__hook"

// forwardHook is `meterbridge-lite hook`, before anything that it does not need.
func forwardHook(args []string) {
	paths := config.Locate(os.Getenv)
	places := forward.Places{Socket: paths.Socket(), Token: paths.HookToken(), Spool: paths.HookSpool()}
	forward.Command(args, places, os.Getenv, os.Stdin, os.Stdout)
}

func newHooksCmd(a *app) *cobra.Command {
	cmd := &cobra.Command{
		Use: "hooks", Short: "Have agents that you start yourself tell what they do", Args: cobra.NoArgs,
		Long: "Agents that Meterbridge starts report by themselves, and no file of yours is touched.\n" +
			"For those that you start by hand, `hooks install` puts hooks into the harness's own\n" +
			"settings. Your own hooks, comments and the order of keys stay, and `hooks uninstall`\n" +
			"restores the file to the byte.",
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(
		newHooksVerbCmd(a, "install", "Put the hooks into the settings of a harness", daemon.HookSettings.Install, "Hooks of %s are in %s.\n"),
		newHooksVerbCmd(a, "uninstall", "Take them out again", daemon.HookSettings.Uninstall, "No hook of ours is in the settings of %s (%s).\n"),
		newHooksStatusCmd(a),
	)
	return cmd
}

func newHooksVerbCmd(a *app, verb, short string, do func(daemon.HookSettings, string) (daemon.HookState, error), done string) *cobra.Command {
	return &cobra.Command{
		Use: verb + " [HARNESS]", Short: short, Args: cobra.MaximumNArgs(1),
		Long:    short + ". Without a harness, of every one whose settings are on this machine.",
		Example: "  meterbridge hooks " + verb + " claude-code",
		RunE: func(_ *cobra.Command, args []string) error {
			settings := daemon.OpenHookSettings(a.options(), os.Executable)
			ids, states, errs := args, []daemon.HookState{}, []error(nil)
			if len(ids) == 0 {
				ids = settings.Present()
			}
			for _, id := range ids {
				state, err := do(settings, id)
				if err != nil {
					errs = append(errs, err)
					continue
				}
				states = append(states, state)
			}
			if len(states) == 0 && len(errs) > 0 {
				return errors.Join(errs...)
			}
			return errors.Join(append(errs, a.hooksDone(states, done))...)
		},
	}
}

func (a *app) hooksDone(states []daemon.HookState, done string) error {
	if a.json {
		return a.printJSON(map[string]any{"schemaVersion": 1, "rows": states})
	}
	if len(states) == 0 {
		fmt.Fprintln(a.out, "No harness with settings was found; name one.")
	}
	for _, s := range states {
		fmt.Fprintf(a.out, done, s.Name, plain(s.Path))
		if s.Note != "" && len(s.Installed) > 0 {
			fmt.Fprintln(a.out, "  "+s.Note)
		}
	}
	return nil
}

func newHooksStatusCmd(a *app) *cobra.Command {
	return &cobra.Command{
		Use: "status [HARNESS]", Short: "Which hooks are where", Args: cobra.MaximumNArgs(1),
		RunE: func(_ *cobra.Command, args []string) error {
			settings := daemon.OpenHookSettings(a.options(), os.Executable)
			ids := args
			if len(ids) == 0 {
				ids = settings.Harnesses()
			}
			states, errs := []daemon.HookState{}, []error(nil)
			for _, id := range ids {
				state, err := settings.Status(id)
				if err != nil {
					errs = append(errs, err)
					continue
				}
				states = append(states, state)
			}
			if len(states) == 0 && len(errs) > 0 {
				return errors.Join(errs...)
			}
			return errors.Join(append(errs, a.hooksShow(states))...)
		},
	}
}

func (a *app) hooksShow(states []daemon.HookState) error {
	if a.json {
		return a.printJSON(map[string]any{"schemaVersion": 1, "rows": states})
	}
	return a.hooksTable(states)
}

func (a *app) hooksTable(states []daemon.HookState) error {
	g := grid{columns: []column{{name: "Harness"}, {name: "Hooks"}, {name: "Would add", drop: 1}, {name: "Settings", shrink: true}}}
	for _, s := range states {
		have := "none"
		if n := len(s.Installed); n > 0 {
			have = fmt.Sprintf("%d", n)
			if s.Changed {
				have += ", file changed since"
			}
		}
		missing := strings.Join(s.Missing, " ")
		if len(s.Installed) == 0 {
			missing = fmt.Sprintf("%d", len(s.Missing))
		}
		g.rows = append(g.rows, []string{s.Harness, have, missing, s.Path})
	}
	return g.print(a.out, a.width, a.colour())
}
