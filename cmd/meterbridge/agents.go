package main

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"meterbridge/internal/daemon"
)

func newAgentsCmd(a *app) *cobra.Command {
	cmd := &cobra.Command{
		Use: "agents", Short: "Start, see and stop agents and terminals",
		Long: "An agent is a coding agent, or a terminal, that the daemon runs or was told of by its\nhooks. It is named by its id, its name, or a unique beginning of either.",
		Args: cobra.NoArgs, RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(askingDaemon(
		newAgentsListCmd(a), newAgentsStartCmd(a), newAgentsStopCmd(a), newAgentsRenameCmd(a), newAgentsRemoveCmd(a), newAgentsUsageCmd(a),
		newAgentsLinkCmd(a), newAgentsUnlinkCmd(a),
	)...)
	cmd.AddCommand(newAgentsAttachCmd(a))
	return cmd
}

func newAgentsListCmd(a *app) *cobra.Command {
	var q daemon.AgentQuery
	cmd := &cobra.Command{
		Use: "list", Short: "Agents and terminals, and what they do", Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return a.withMeter(cmd.Context(), func(m *daemon.Meter) error {
				list, err := m.Agents(cmd.Context(), q)
				if err != nil {
					return err
				}
				if a.json {
					return a.printJSON(list)
				}
				if err := a.agentTable(list); err != nil {
					return err
				}
				return a.agentsLeft(cmd.Context(), m)
			})
		},
	}
	cmd.Flags().StringVar(&q.Workspace, "workspace", "", "only this workspace")
	cmd.Flags().BoolVar(&q.All, "all", false, "those that ended more than a day ago too")
	return cmd
}

// agentsLeft says what agents left running outside their terminals.
func (a *app) agentsLeft(ctx context.Context, m *daemon.Meter) error {
	if !m.Serving() {
		fmt.Fprintln(a.err, "No daemon runs: statuses are as the last one left them. `meterbridge serve` takes over what still runs.")
		return nil
	}
	left, err := m.LeftBehind(ctx)
	if err != nil || len(left) == 0 {
		return err
	}
	var all []string
	for _, l := range left {
		all = append(all, fmt.Sprintf("%s (process %d, of %s)", plain(l.Program), l.PID, plain(l.Agent)))
	}
	_, err = fmt.Fprintln(a.out, "Left running outside their terminals: "+strings.Join(all, ", ")+".")
	return err
}

// withMeter runs fn with the open installation; nothing is scanned.
func (a *app) withMeter(ctx context.Context, fn func(*daemon.Meter) error) error {
	m, err := a.open(ctx)
	if err != nil {
		return err
	}
	defer m.Close()
	return fn(m)
}

func (a *app) agentTable(list daemon.AgentList) error {
	if len(list.Rows) == 0 {
		_, err := fmt.Fprintln(a.out, "No agents. `meterbridge agents start HARNESS` starts one; --all lists those that ended before.")
		return err
	}
	g := grid{columns: []column{
		{name: "Name", shrink: true},
		{name: "ID", drop: 3},
		{name: "Harness", drop: 1},
		{name: "Status"},
		{name: "For", right: true, drop: 2},
		{name: "What", shrink: true},
		{name: "Model", shrink: true, drop: 5},
		{name: "Folder", shrink: true, drop: 4},
		{name: "Workspace", drop: 7},
		{name: "May use", shrink: true, drop: 6},
	}}
	for _, r := range list.Rows {
		g.rows = append(g.rows, []string{
			r.Name, r.ID, r.Harness, agentStatus(r), a.since(r.StatusAt), whatOf(r), text(r.Model), r.Dir, r.Workspace, linksOf(r.ID, list),
		})
	}
	return g.print(a.out, a.width, a.colour())
}

// agentStatus is the status as a person reads it; a mark tells a guess.
func agentStatus(r daemon.AgentAnswer) string {
	s := r.Status
	switch {
	case r.ExitCode != nil:
		s = fmt.Sprintf("%s (%d)", s, *r.ExitCode)
	case r.Confidence != nil && *r.Confidence == "guessed":
		s += "?"
	}
	if r.Dangerous {
		s += " !"
	}
	return s
}

// since is how long ago an instant (epoch ms) was.
func (a *app) since(ms int64) string { return ago(a.now().Sub(time.UnixMilli(ms))) }

// ago is a length of time in its two greatest units.
func ago(d time.Duration) string {
	d = max(0, d.Round(time.Second))
	switch {
	case d < time.Minute:
		return fmt.Sprintf("%ds", int(d.Seconds()))
	case d < time.Hour:
		return fmt.Sprintf("%dm%02ds", int(d.Minutes()), int(d.Seconds())%60)
	case d < 24*time.Hour:
		return fmt.Sprintf("%dh%02dm", int(d.Hours()), int(d.Minutes())%60)
	}
	return fmt.Sprintf("%dd%02dh", int(d.Hours())/24, int(d.Hours())%24)
}

// whatOf is what it asks, else what it is about.
func whatOf(r daemon.AgentAnswer) string {
	switch {
	case r.Detail != nil:
		return *r.Detail
	case r.SessionTitle != nil:
		return *r.SessionTitle
	case len(r.Argv) > 0 && r.Kind == "shell":
		return strings.Join(r.Argv, " ")
	}
	return ""
}

// linksOf names what an agent may work with.
func linksOf(id string, list daemon.AgentList) string {
	names := map[string]string{}
	for _, r := range list.Rows {
		names[r.ID] = r.Name
	}
	var to []string
	for _, l := range list.Links {
		if l.From != id {
			continue
		}
		name := names[l.To]
		if name == "" {
			name = l.To
		}
		to = append(to, name)
	}
	return strings.Join(to, ", ")
}

// agent prints one agent.
func (a *app) agent(r daemon.AgentAnswer) error {
	if a.json {
		return a.printJSON(struct {
			SchemaVersion int `json:"schemaVersion"`
			daemon.AgentAnswer
		}{1, r})
	}
	p := fields{out: a.out}
	p.line("Agent", r.Name+" ("+r.ID+")")
	p.line("Harness", r.Harness)
	p.line("Status", agentStatus(r)+" for "+a.since(r.StatusAt))
	if r.Detail != nil {
		p.line("", *r.Detail)
	}
	p.line("Folder", r.Dir)
	if len(r.Argv) > 0 {
		p.line("Arguments", strings.Join(quotedArgs(r.Argv), " "))
	}
	p.line("Workspace", r.Workspace)
	if r.PID != nil {
		p.line("Process", fmt.Sprintf("%d, generation %d", *r.PID, r.Generation))
	}
	if r.Model != nil {
		p.line("Model", *r.Model)
	}
	for _, s := range r.Sessions {
		p.line("Session", s.Session+" ("+s.Binding+")")
	}
	return p.err
}
