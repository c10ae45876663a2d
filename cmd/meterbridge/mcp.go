package main

import (
	"fmt"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"meterbridge"
	"meterbridge/internal/daemon"
)

func newMCPCmd(a *app) *cobra.Command {
	var agent string
	cmd := &cobra.Command{
		Use: "mcp", Short: "Answer agents over MCP, on standard input and output", Args: cobra.NoArgs,
		Long: "Speaks MCP on standard input and output: an agent starts this and asks its tools\n" +
			"what was used, what it cost and why. It asks the daemon when one runs; without one\n" +
			"it reads the logs itself and has the ledger open only while it is asked something.\n" +
			"`meterbridge mcp config HARNESS` prints how an agent is told of it.",
		RunE: func(cmd *cobra.Command, _ []string) error {
			token, err := a.agentToken(agent)
			if err != nil {
				return err
			}
			return daemon.RelayMCP(cmd.Context(), a.options(), token, a.in, a.out)
		},
	}
	cmd.Flags().StringVar(&agent, "agent", "", "the agent that it speaks for (default: the one that starts it, else you)")
	cmd.AddCommand(newMCPConfigCmd(a))
	return cmd
}

// agentToken is the token of the agent that is named, else of the one in whose
// environment this runs; empty for the user.
func (a *app) agentToken(agent string) (string, error) {
	named := agent != ""
	if !named {
		agent = a.getenv(meterbridge.AgentVariable)
	}
	if agent == "" {
		return "", nil
	}
	token, err := daemon.AgentToken(a.options(), agent)
	if named && token == "" && err == nil {
		return "", &daemon.Fault{
			Err: fmt.Errorf("agent %q has no token", agent), Hint: "--agent takes the id of an agent that `meterbridge agents start` has started", Nothing: true,
		}
	}
	return token, err
}

func newMCPConfigCmd(a *app) *cobra.Command {
	return &cobra.Command{
		Use: "config HARNESS", Short: "Print the entry that gives an agent the tools", Args: cobra.ExactArgs(1),
		Long: "Prints what to add to an agent's settings so that it has Meterbridge's tools. Nothing\nis written; HARNESS is an id of `meterbridge harnesses`.",
		RunE: func(_ *cobra.Command, args []string) error {
			if err := knownHarness(args[0]); err != nil {
				return err
			}
			e, err := daemon.MCPConfig(args[0], thisProgram())
			if err != nil {
				return err
			}
			if a.json {
				return a.printJSON(e)
			}
			return a.mcpEntry(e)
		},
	}
}

// thisProgram is how an agent starts this program: by its path, as an agent may have
// another PATH.
func thisProgram() string {
	path, err := os.Executable()
	if err != nil {
		return "meterbridge"
	}
	return path
}

func (a *app) mcpEntry(e daemon.MCPEntry) error {
	if _, err := fmt.Fprintf(a.out, "Add to %s:\n\n%s", e.File, e.Entry); err != nil {
		return err
	}
	if len(e.Command) == 0 {
		return nil
	}
	_, err := fmt.Fprintf(a.out, "\nor run:\n\n%s\n", strings.Join(quotedArgs(e.Command), " "))
	return err
}

// quotedArgs are arguments as a POSIX shell takes them.
func quotedArgs(argv []string) []string {
	quoted := make([]string, len(argv))
	for i, arg := range argv {
		quoted[i] = arg
		if arg == "" || strings.ContainsFunc(arg, func(c rune) bool {
			return !strings.ContainsRune("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_./:=@%+", c)
		}) {
			quoted[i] = "'" + strings.ReplaceAll(arg, "'", `'\''`) + "'"
		}
	}
	return quoted
}
