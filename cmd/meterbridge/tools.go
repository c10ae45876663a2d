package main

import (
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"meterbridge"
	"meterbridge/internal/daemon"
)

func newToolsCmd(a *app) *cobra.Command {
	cmd := &cobra.Command{
		Use: "tools", Short: "Calls of tools, and what they cost", Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(askingDaemon(newToolsLogCmd(a), newToolsStatsCmd(a))...)
	return cmd
}

func newToolsLogCmd(a *app) *cobra.Command {
	var q daemon.ToolCallQuery
	var w windowFlags
	cmd := &cobra.Command{
		Use: "log", Short: "The newest calls of tools", Args: cobra.NoArgs,
		Long: "The newest calls of tools that agents made over Meterbridge. Arguments are kept by\ntheir keys and types, values with `[bridge] trace_values = true` alone.",
		RunE: func(cmd *cobra.Command, _ []string) error {
			if q.Most < 1 {
				return usagef("--last takes a number from 1", "--last %d is none", q.Most)
			}
			return a.inWindow(cmd.Context(), w, true, func(m *daemon.Meter, p meterbridge.Period) error {
				q.Since = p.Since
				list, err := m.ToolCalls(cmd.Context(), q)
				if err != nil {
					return err
				}
				if a.json {
					return a.printJSON(list)
				}
				return a.toolCallTable(list, p.Zone)
			})
		},
	}
	f := cmd.Flags()
	f.StringVar(&q.Agent, "agent", "", "only calls of this agent (id)")
	f.StringVar(&q.Package, "extension", "", "only tools of this extension")
	f.StringVar(&q.Tool, "tool", "", "only this tool, by either name")
	f.IntVar(&q.Most, "last", 50, "how many, the newest")
	f.StringVar(&w.since, "since", "", "first day (2026-11-29) or instant (RFC 3339), inclusive")
	f.StringVar(&w.zone, "timezone", "", "IANA time zone (default: the system's)")
	return cmd
}

func (a *app) toolCallTable(list daemon.ToolCallList, zone *time.Location) error {
	if len(list.Rows) == 0 {
		_, err := fmt.Fprintln(a.out, "No calls of tools. They are kept for 90 days, while `meterbridge serve` runs.")
		return err
	}
	g := grid{columns: []column{
		{name: "Time"},
		{name: "Tool", shrink: true},
		{name: "Agent", shrink: true, drop: 2},
		{name: "Outcome"},
		{name: "Took ms", right: true},
		{name: "Waited ms", right: true, drop: 4},
		{name: "Woke ms", right: true, drop: 3},
		{name: "Answer bytes", right: true, drop: 1},
	}}
	for _, r := range list.Rows {
		g.rows = append(g.rows, []string{
			r.StartedAt.In(zone).Format("2006-01-02 15:04:05"), r.Tool, r.Agent, r.Outcome,
			grouped(r.TookMs), grouped(r.QueuedMs), grouped(r.WokeMs), grouped(int64(r.ResultBytes)),
		})
	}
	return g.print(a.out, a.width, a.colour())
}

func newToolsStatsCmd(a *app) *cobra.Command {
	var w windowFlags
	cmd := &cobra.Command{
		Use: "stats", Short: "Calls by tool, and what carried their results", Args: cobra.NoArgs,
		Long: `Calls by tool. The requests are those that carried the tool's results: the next one
of the agent's session after each call. Their cost is that of whole requests, an
upper bound of what the results cost. Tokens of results and definitions are
estimates, four bytes each.`,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return a.inWindow(cmd.Context(), w, true, func(m *daemon.Meter, p meterbridge.Period) error {
				stats, err := m.ToolStats(cmd.Context(), p.Since, p.Until)
				if err != nil {
					return err
				}
				if a.json {
					return a.printJSON(stats)
				}
				return a.toolStatTable(stats)
			})
		},
	}
	w.add(cmd)
	return cmd
}

func (a *app) toolStatTable(stats daemon.ToolStats) error {
	if len(stats.Rows) == 0 {
		_, err := fmt.Fprintln(a.out, "No calls of tools. They are kept for 90 days, while `meterbridge serve` runs.")
		return err
	}
	g := grid{columns: []column{
		{name: "Tool", shrink: true},
		{name: "Calls", right: true},
		{name: "Failed", right: true},
		{name: "Median ms", right: true, drop: 2},
		{name: "95% ms", right: true, drop: 3},
		{name: "~Answer tokens", right: true, drop: 4},
		{name: "~Definition tokens", right: true, drop: 5},
		{name: "Requests", right: true, drop: 1},
		{name: "Their cost", right: true},
	}}
	for _, r := range stats.Rows {
		g.rows = append(g.rows, []string{
			r.Tool, grouped(r.Calls), grouped(r.Failed), grouped(r.MedianMs), grouped(r.P95Ms),
			grouped(r.ResultTokens), count(r.DefinitionTokens), grouped(r.Requests), dollars(r.CostMicroUSD, r.CostPartial),
		})
	}
	if err := g.print(a.out, a.width, a.colour()); err != nil {
		return err
	}
	return a.searchLine(stats.Search)
}

// searchLine says what find_tool and call_tool save, or would.
func (a *app) searchLine(s *daemon.SearchSaving) error {
	if s == nil || s.Tools == 0 || s.ToolTokens <= s.PairTokens && !s.On {
		return nil
	}
	say := "With `[bridge] search_tools = true` find_tool and call_tool (~%s tokens) would stand for %s tools of extensions (~%s).\n"
	if s.On {
		say = "find_tool and call_tool (~%s tokens) stand for %s tools of extensions (~%s).\n"
	}
	_, err := fmt.Fprintf(a.out, say, grouped(s.PairTokens), grouped(int64(s.Tools)), grouped(s.ToolTokens))
	return err
}
