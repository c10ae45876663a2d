package main

import (
	"cmp"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"meterbridge/internal/daemon"
	"meterbridge/internal/importer"
)

func newExtImportCmd(a *app) *cobra.Command {
	var i importer.Import
	var stdio, yes bool
	cmd := &cobra.Command{
		Use: "import NAME (--stdio -- ARGV | --url URL)", Short: "Take the tools of an MCP server, each off until you turn it on", Args: cobra.MinimumNArgs(1),
		Long: "Connects to an MCP server once and pins what it says of its tools. The server runs\ninside the same fence as extensions; what it changes or adds later stays hidden until\nit is imported again and approved. It reaches the hosts that you name and no others.",
		Example: "  meterbridge ext import tickets --url https://tickets.example.com/mcp --authorization-env TICKETS_AUTHORIZATION\n" +
			"  meterbridge ext import files --stdio -- npx -y some-mcp-server\n  meterbridge ext enable tickets/open_ticket",
		RunE: func(cmd *cobra.Command, args []string) error {
			i.Name, i.Command, i.Getenv = args[0], args[1:], a.getenv
			if stdio == (i.URL != "") || stdio != (len(i.Command) > 0) {
				return usagef("give --stdio and the command after --, or --url", "an MCP server has a command or an address")
			}
			dir, err := os.MkdirTemp("", "meterbridge-import-")
			if err != nil {
				return err
			}
			defer os.RemoveAll(dir)
			if err := importer.Prepare(cmd.Context(), i, dir); err != nil {
				return &daemon.Fault{Err: err, Hint: "the server must answer within 10 seconds; --host and --env give it what it needs"}
			}
			desk := a.desk()
			plan, err := desk.Prepare(cmd.Context(), dir, false)
			if err != nil {
				return err
			}
			defer plan.Discard()
			plan.From(cmp.Or(i.URL, strings.Join(i.Command, " ")))
			return a.install(desk, plan, yes, nil)
		},
	}
	f := cmd.Flags()
	f.BoolVar(&stdio, "stdio", false, "the server is a command, given after --")
	f.StringVar(&i.URL, "url", "", "the server's address: https, or http on this machine")
	f.StringVar(&i.AuthorizationEnv, "authorization-env", "", "variable of the daemon's environment with the value of the header Authorization")
	f.StringSliceVar(&i.Env, "env", nil, "variables of the daemon's environment that the server gets")
	f.StringSliceVar(&i.Secrets, "secret-env", nil, "those of --env that hold secrets")
	f.StringSliceVar(&i.Hosts, "host", nil, "hosts that a command may call")
	f.BoolVar(&i.Local, "local", false, "a command may call this computer")
	f.BoolVar(&yes, "yes", false, "agree without being asked")
	return cmd
}
