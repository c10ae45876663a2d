package main

import (
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"meterbridge/internal/daemon"
)

func newAgentsUsageCmd(a *app) *cobra.Command {
	var f windowFlags
	var noScan bool
	cmd := &cobra.Command{
		Use: "usage AGENT", Short: "What an agent spent, and how long it worked", Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			m, err := a.openAbout(cmd.Context(), args[0], noScan)
			if err != nil {
				return err
			}
			defer m.Close()
			w, err := f.resolve(m.Period())
			if err != nil {
				return err
			}
			u, err := m.AgentUsage(cmd.Context(), args[0], w.Since, w.Until)
			if err != nil {
				return err
			}
			if a.json {
				return a.printJSON(u)
			}
			return a.agentUsage(u, w.Zone)
		},
	}
	f.add(cmd)
	cmd.Flags().BoolVar(&noScan, "no-scan", false, "answer from the ledger as it is")
	return cmd
}

func (a *app) agentUsage(u daemon.AgentUsage, zone *time.Location) error {
	p := fields{out: a.out}
	p.line("Agent", u.AgentID+"  "+u.Harness)
	p.line("Status", u.Status)
	p.line("Prompts", grouped(u.Prompts))
	p.line("Model", text(u.Model)+providerOf(u.Provider))
	p.line("Worked", lasted(&u.WorkingMs)+" of "+lasted(u.ElapsedMs))
	p.line("First prompt", instantIn(u.FirstPromptAt, zone))
	p.line("Last finish", instantIn(u.LastFinishedAt, zone))
	if !u.TimingComplete {
		p.line("", "What it did before it was known here is in no time.")
	}
	if !u.UsageReadable {
		p.line("", "Its harness keeps no readable usage.")
	}
	if p.err != nil {
		return p.err
	}
	return a.usageParts(u)
}

func providerOf(p *string) string {
	if p == nil {
		return ""
	}
	return " (" + *p + ")"
}

func instantIn(ms *int64, zone *time.Location) string {
	if ms == nil {
		return notReported
	}
	return time.UnixMilli(*ms).In(zone).Format(time.DateTime + " MST")
}

func lasted(ms *int64) string {
	if ms == nil {
		return notReported
	}
	d := time.Duration(*ms) * time.Millisecond
	if d < time.Minute {
		return fmt.Sprintf("%.1fs", d.Seconds())
	}
	return ago(d)
}

// usageParts are what was spent, in all and by part.
func (a *app) usageParts(u daemon.AgentUsage) error {
	g := grid{columns: []column{
		{name: ""},
		{name: "Requests", right: true},
		{name: "Input", right: true},
		{name: "Output", right: true},
		{name: "Reasoning", right: true, drop: 2},
		{name: "Cache write", right: true, drop: 1},
		{name: "Cache read", right: true, drop: 1},
		{name: "Total", right: true},
		{name: "Cost", right: true},
	}}
	row := func(name string, p daemon.UsagePart, partial bool) []string {
		return []string{
			name, count(p.Requests), count(p.InputTokens), count(p.OutputTokens), count(p.ReasoningTokens), count(p.CacheWriteTokens),
			count(p.CacheReadTokens), count(p.TotalTokens), dollars(p.CostMicroUSD, partial),
		}
	}
	if u.Subagents != nil && u.Subagents.Count > 0 {
		g.rows = append(g.rows, row("Itself", *u.MainOnly, false), row(fmt.Sprintf("%d sub-agents", u.Subagents.Count), u.Subagents.Part, false))
	}
	g.rows = append(g.rows, row("All", u.Part, u.CostPartial))
	return g.print(a.out, a.width, a.colour())
}
