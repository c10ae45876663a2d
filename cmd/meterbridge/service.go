package main

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"github.com/spf13/cobra"

	"meterbridge/internal/config"
	"meterbridge/internal/daemon"
	"meterbridge/internal/service"
)

func newServiceCmd(a *app) *cobra.Command {
	cmd := &cobra.Command{
		Use: "service", Short: "Start the daemon with your session: install or uninstall", Args: cobra.NoArgs,
		Long: "Makes the daemon a service of yours: a systemd user unit, a launchd agent, or a\nWindows service. It starts at once and with each session.",
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	var print bool
	install := &cobra.Command{
		Use: "install", Short: "Install the service and start it", Args: cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			d, err := a.definition()
			if err != nil {
				return err
			}
			if print {
				_, err := fmt.Fprint(a.out, service.Unit(d))
				return err
			}
			return a.serviceDone(service.Install(d), "The service is installed and runs.")
		},
	}
	install.Flags().BoolVar(&print, "print", false, "print the systemd unit and install nothing")
	uninstall := &cobra.Command{
		Use: "uninstall", Short: "Stop the service and remove it; the ledger stays", Args: cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			d, err := a.definition()
			if err != nil {
				return err
			}
			return a.serviceDone(service.Uninstall(d), "The service is removed. The ledger and the settings are where they were.")
		},
	}
	cmd.AddCommand(install, uninstall)
	return cmd
}

// definition is the service of this program, with the variables that say where
// logs and data lie.
func (a *app) definition() (service.Definition, error) {
	program, err := os.Executable()
	if err == nil {
		program, err = filepath.EvalSymlinks(program)
	}
	if err != nil {
		return service.Definition{}, fmt.Errorf("find this program: %w", err)
	}
	d := service.Definition{Executable: program, Arguments: []string{"serve"}, Home: a.home}
	names := append([]string{config.HomeVariable, "XDG_DATA_HOME", "XDG_CONFIG_HOME"}, daemon.FolderVariables(a.options())...)
	slices.Sort(names)
	for _, name := range slices.Compact(names) {
		if value := a.getenv(name); value != "" {
			d.Env = append(d.Env, name+"="+value)
		}
	}
	return d, nil
}

func (a *app) serviceDone(err error, done string) error {
	if err != nil {
		return &daemon.Fault{Err: err, Hint: "`meterbridge serve` runs the daemon in the foreground; `meterbridge service install --print` shows the unit to install by hand"}
	}
	if a.json {
		return a.printJSON(map[string]any{"schemaVersion": 1, "done": true})
	}
	_, err = fmt.Fprintln(a.out, done)
	return err
}
