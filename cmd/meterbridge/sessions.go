package main

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"meterbridge/internal/daemon"
)

type sessionsFlags struct {
	windowFlags
	harness, project, search string
	last                     int
	noScan                   bool
}

func newSessionsCmd(a *app) *cobra.Command {
	var f sessionsFlags
	cmd := &cobra.Command{
		Use: "sessions [ID]", Short: "List sessions, or show one in full",
		Long: "Lists sessions, the newest first, sub-agents folded into the session that\nstarted them. With an ID, or a unique beginning of one, shows that session in full, with the ID or\nname of an agent its newest session; --since\nand --until then bound what it spent and what happened in it.",
		Args: cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) == 1 {
				return a.oneSession(cmd.Context(), args[0], f)
			}
			m, err := a.openScanned(cmd.Context(), f.noScan)
			if err != nil {
				return err
			}
			defer m.Close()
			return a.sessions(cmd.Context(), m, f)
		},
	}
	f.add(cmd)
	cmd.Flags().StringVar(&f.harness, "harness", "", "only this harness")
	cmd.Flags().StringVar(&f.project, "project", "", "only this project (its working directory)")
	cmd.Flags().StringVar(&f.search, "search", "", "only sessions whose id, title or project contains this")
	cmd.Flags().IntVar(&f.last, "last", 0, "keep the newest N (default: 50 in a table, all in JSON)")
	cmd.Flags().BoolVar(&f.noScan, "no-scan", false, "answer from the ledger as it is")
	return cmd
}

// sessionsShown is how many sessions a table shows unless told otherwise.
const sessionsShown = 50

func (a *app) sessions(ctx context.Context, m *daemon.Meter, f sessionsFlags) error {
	w, err := f.resolve(m.Period())
	if err != nil {
		return err
	}
	if err := knownHarness(f.harness); err != nil {
		return err
	}
	last := f.last
	if last == 0 && !a.json {
		last = sessionsShown
	}
	list, err := m.Sessions(ctx, daemon.SessionFilter{
		Harness: f.harness, Project: f.project, Search: f.search, Since: w.Since, Until: w.Until, Last: last,
	})
	if err != nil {
		return err
	}
	if a.json {
		return a.printJSON(list)
	}
	if len(list.Sessions) == 0 {
		_, err := fmt.Fprintln(a.out, "No sessions in this window.")
		return err
	}
	g := grid{columns: []column{
		{name: "Session"},
		{name: "Last", drop: 1},
		{name: "Harness", drop: 2},
		{name: "Title", shrink: true},
		{name: "Project", shrink: true, drop: 4},
		{name: "Sub-agents", right: true, drop: 5},
		{name: "Requests", right: true, drop: 3},
		{name: "Total", right: true},
		{name: "Cost", right: true},
	}}
	for _, s := range list.Sessions {
		g.rows = append(g.rows, []string{
			shortID(s.Session), day(s.LastAt, w.Zone), s.Harness, text(s.Title), text(s.Project),
			grouped(s.Subagents), grouped(s.Requests), count(s.TotalTokens), dollars(s.CostMicroUSD, s.CostPartial),
		})
	}
	return g.print(a.out, a.width, a.colour())
}

func day(at *time.Time, zone *time.Location) string {
	if at == nil {
		return notReported
	}
	return at.In(zone).Format("2006-01-02 15:04")
}

// oneSession shows the session of an id, or the newest of an agent.
func (a *app) oneSession(ctx context.Context, which string, f sessionsFlags) error {
	m, err := a.openAbout(ctx, which, f.noScan)
	if err != nil {
		return err
	}
	defer m.Close()
	if m.IsAgent(ctx, which) {
		if which, err = newestSession(ctx, m, which); err != nil {
			return err
		}
	}
	return a.session(ctx, m, which, f.windowFlags)
}

func newestSession(ctx context.Context, m *daemon.Meter, agent string) (string, error) {
	r, err := m.Agent(ctx, agent)
	if err != nil {
		return "", err
	}
	if len(r.Sessions) == 0 {
		return "", &daemon.Fault{
			Err: fmt.Errorf("the agent %s has no session yet", r.Name), Hint: "one is known when its harness has written its log", Nothing: true,
		}
	}
	return r.Harness + ":" + r.Sessions[len(r.Sessions)-1].Session, nil
}

// session prints one session in full.
func (a *app) session(ctx context.Context, m *daemon.Meter, id string, f windowFlags) error {
	w, err := f.resolve(m.Period())
	if err != nil {
		return err
	}
	s, err := m.Session(ctx, id, w.Since, w.Until)
	if err != nil {
		return err
	}
	if a.json {
		return a.printJSON(s)
	}
	zone := m.Period().Zone
	p := fields{out: a.out}
	p.line("Session", s.Session)
	p.line("Harness", s.Harness+" "+deref(s.Version))
	p.line("Title", text(s.Title))
	p.line("Project", text(s.Project)+branchOf(s.Branch))
	if s.ParentSession != nil {
		p.line("Parent", *s.ParentSession+" ("+deref(s.Relation)+")")
	}
	p.line("Requests", day(s.FirstAt, zone)+" to "+day(s.LastAt, zone))
	p.line("Last reply", shorten(strings.Join(strings.Fields(text(s.LastReply)), " "), max(40, a.width-16)))
	if p.err != nil {
		return p.err
	}
	return a.sessionTables(s)
}

func branchOf(branch *string) string {
	if branch == nil {
		return ""
	}
	return " (" + *branch + ")"
}

func (a *app) sessionTables(s daemon.SessionAnswer) error {
	models := grid{columns: []column{
		{name: "Model", shrink: true},
		{name: "Requests", right: true},
		{name: "Input", right: true},
		{name: "Output", right: true},
		{name: "Cache write", right: true, drop: 2},
		{name: "Cache read", right: true, drop: 2},
		{name: "Total", right: true, drop: 1},
		{name: "Cost", right: true},
	}}
	for _, m := range s.Models {
		models.rows = append(models.rows, []string{
			text(m.Model), grouped(m.Requests), count(m.InputTokens), count(m.OutputTokens), count(m.CacheWriteTokens),
			count(m.CacheReadTokens), count(m.TotalTokens), dollars(m.CostMicroUSD, m.CostPartial),
		})
	}
	if err := a.titled("Models", models); err != nil {
		return err
	}
	agents := grid{columns: []column{
		{name: "Sub-agent", shrink: true}, {name: "Type"}, {name: "Requests", right: true}, {name: "Total", right: true}, {name: "Cost", right: true},
	}}
	for _, m := range s.Subagents {
		agents.rows = append(agents.rows, []string{
			m.Session, text(m.AgentType), count(m.Requests), count(m.TotalTokens), dollars(m.CostMicroUSD, false),
		})
	}
	if err := a.titled("Sub-agents", agents); err != nil {
		return err
	}
	tools := grid{columns: []column{
		{name: "Tool", shrink: true}, {name: "Calls", right: true}, {name: "OK", right: true}, {name: "Failed", right: true}, {name: "Total ms", right: true},
	}}
	for _, t := range s.Tools {
		tools.rows = append(tools.rows, []string{t.Name, grouped(t.Calls), grouped(t.OK), grouped(t.Failed), count(t.TotalMs)})
	}
	return a.titled("Tools", tools)
}

// titled prints a grid under its name, nothing when it has no rows.
func (a *app) titled(name string, g grid) error {
	if len(g.rows) == 0 {
		return nil
	}
	if _, err := fmt.Fprintf(a.out, "\n%s\n", name); err != nil {
		return err
	}
	return g.print(a.out, a.width, a.colour())
}
