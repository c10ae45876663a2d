package main

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"meterbridge/internal/daemon"
)

type startFlags struct {
	daemon.StartAgent
	dir string
}

func newAgentsStartCmd(a *app) *cobra.Command {
	var f startFlags
	cmd := &cobra.Command{
		Use: "start HARNESS|AGENT [-- ARGUMENTS] | start -- PROGRAM [ARGUMENTS]", Short: "Start an agent, or one that has ended again",
		Long: "Starts a coding agent, a shell or any program in a terminal of the daemon. HARNESS is one\nof " +
			strings.Join(wrapped(daemon.AgentHarnesses(), 80), "\n") +
			".\nArguments behind -- are given to its program; without a HARNESS they are the program.\nThe name of an agent that has ended starts it again, in its newest session.",
		Example: "  meterbridge agents start claude-code --name api --dir ~/src/api\n  meterbridge agents start shell-bash\n  meterbridge agents start -- npm run dev",
		Args: func(cmd *cobra.Command, args []string) error {
			before := cmd.ArgsLenAtDash()
			if before < 0 && len(args) == 1 || before == 1 || before == 0 && len(args) > 0 {
				return nil
			}
			return usagef(seeHelp(cmd), "name one harness or agent, or give a program behind --")
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.withMeter(cmd.Context(), func(m *daemon.Meter) error { return a.start(cmd.Context(), m, f, args, cmd.ArgsLenAtDash()) })
		},
	}
	cmd.Flags().StringVar(&f.Name, "name", "", "its name (default: the harness with a number)")
	cmd.Flags().StringVar(&f.dir, "dir", "", "the folder it works in (default: this one)")
	cmd.Flags().StringVar(&f.Workspace, "workspace", "", "its workspace (default: default)")
	cmd.Flags().StringVar(&f.Resume, "resume", "", "go on with this session of the harness")
	cmd.Flags().StringVar(&f.Model, "model", "", "the model, as the harness names it")
	cmd.Flags().BoolVar(&f.Dangerous, "dangerous", false, "let it act without asking you")
	cmd.Flags().BoolVar(&f.Trust, "trust", false, "its folder can be trusted: answer its question so")
	return cmd
}

// wrapped joins words by commas, in lines of at most width characters.
func wrapped(words []string, width int) []string {
	lines := []string{""}
	for i, w := range words {
		if i < len(words)-1 {
			w += ","
		}
		last := &lines[len(lines)-1]
		switch {
		case *last == "":
			*last = w
		case len(*last)+1+len(w) > width:
			lines = append(lines, w)
		default:
			*last += " " + w
		}
	}
	return lines
}

// start starts what the arguments name; dash is how many stand before --, -1
// without it.
func (a *app) start(ctx context.Context, m *daemon.Meter, f startFlags, args []string, dash int) error {
	var err error
	if f.Dir, err = filepath.Abs(a.path(f.dir)); err != nil {
		return usageError(err, "name the folder by --dir")
	}
	f.Harness, f.Argv = daemon.AnyProgram, args
	if dash != 0 {
		f.Harness, f.Argv = args[0], args[1:]
	}
	if !slices.Contains(daemon.AgentHarnesses(), f.Harness) {
		return a.again(ctx, m, f)
	}
	r, err := m.StartAgent(ctx, f.StartAgent)
	if err != nil {
		return err
	}
	return a.begun(ctx, m, r.ID)
}

// begun tells of an agent that was started, and what its program said when it has
// ended at once.
func (a *app) begun(ctx context.Context, m *daemon.Meter, id string) error {
	r, left, err := m.Begun(ctx, id)
	if err != nil {
		return err
	}
	if err := a.agent(r); err != nil || left == nil || a.json {
		return err
	}
	if text := strings.TrimRight(left.Text, "\n"); text != "" {
		fmt.Fprintln(a.err, text)
	}
	_, err = fmt.Fprintf(a.err, "meterbridge: its program has ended at once; `meterbridge screen %s` shows this again\n", r.Name)
	return err
}

// again starts an agent that has ended.
func (a *app) again(ctx context.Context, m *daemon.Meter, f startFlags) error {
	if _, err := m.Agent(ctx, f.Harness); err != nil {
		return usagef("the harnesses are "+strings.Join(daemon.AgentHarnesses(), ", ")+"; `meterbridge agents list --all` lists the agents",
			"%q is neither a harness nor an agent", f.Harness)
	}
	if f.Name != "" || f.Workspace != "" || f.Resume != "" || f.Model != "" || f.Dangerous || f.Trust || f.dir != "" || len(f.Argv) > 0 {
		return usagef("start a new one by its harness, or leave the flags out", "an agent that is started again keeps what it was started with")
	}
	r, err := m.RestartAgent(ctx, f.Harness, 0, 0)
	if err != nil {
		return err
	}
	return a.begun(ctx, m, r.ID)
}
