package main

import (
	"context"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"meterbridge/internal/daemon"
)

// usageKeys maps the word of the command line to the key of the report.
func usageKeys() map[string]string {
	return map[string]string{
		"daily": "day", "weekly": "week", "monthly": "month", "hourly": "hour", "session": "session", "project": "project",
		"model": "model", "harness": "harness", "agent": "agent", "blocks": "block",
	}
}

func usageArgs(cmd *cobra.Command, args []string) error {
	if len(args) > 1 || (len(args) == 1 && usageKeys()[args[0]] == "") {
		return usagef("the reports are "+strings.Join(cmd.ValidArgs, ", "), "there is no report %q", strings.Join(args, " "))
	}
	return nil
}

type usageFlags struct {
	windowFlags
	harness, project, model, session string
	cost                             string
	breakdown, csv, noScan, demo     bool
	last                             int
}

func newUsageCmd(a *app) *cobra.Command {
	var f usageFlags
	cmd := &cobra.Command{
		Use:   "usage [daily|weekly|monthly|hourly|session|project|model|harness|agent|blocks]",
		Short: "Tokens and cost by day, session, model, ... (default: daily)",
		Example: `  meterbridge usage
  meterbridge usage monthly --breakdown
  meterbridge usage session --since 2026-11-01 --json
  meterbridge usage blocks --last 3`,
		Args:      usageArgs,
		ValidArgs: []string{"daily", "weekly", "monthly", "hourly", "session", "project", "model", "harness", "agent", "blocks"},
		RunE: func(cmd *cobra.Command, args []string) error {
			by := "daily"
			if len(args) == 1 {
				by = args[0]
			}
			return a.usage(cmd.Context(), by, f)
		},
	}
	f.add(cmd)
	fl := cmd.Flags()
	fl.StringVar(&f.harness, "harness", "", "only this harness, by its id in the list of harnesses")
	fl.StringVar(&f.project, "project", "", "only this project (its working directory)")
	fl.StringVar(&f.model, "model", "", "only this model")
	fl.StringVar(&f.session, "session", "", "only this session and its sub-agents")
	fl.StringVar(&f.cost, "cost", "auto", "auto (recorded, else list price), recorded or list")
	fl.BoolVar(&f.breakdown, "breakdown", false, "add rows by harness and model")
	fl.BoolVar(&f.csv, "csv", false, "print CSV")
	fl.IntVar(&f.last, "last", 0, "keep the newest N rows")
	fl.BoolVar(&f.noScan, "no-scan", false, "answer from the ledger as it is")
	fl.BoolVar(&f.demo, "demo", false, "show the bundled example logs instead of this machine's")
	_ = cmd.RegisterFlagCompletionFunc("cost", cobra.FixedCompletions([]string{"auto", "recorded", "list"}, cobra.ShellCompDirectiveNoFileComp))
	return cmd
}

func (f usageFlags) check() error {
	switch f.cost {
	case "auto", "recorded", "list":
	default:
		return usagef("use auto, recorded or list", "--cost %q is not known", f.cost)
	}
	if f.last < 0 {
		return usagef("0 shows all of them", "--last %d: the number of rows cannot be negative", f.last)
	}
	return nil
}

func (a *app) usage(ctx context.Context, by string, f usageFlags) error {
	if err := f.check(); err != nil {
		return err
	}
	if f.csv && a.json {
		return usagef("leave one of them out", "--json and --csv cannot be printed together")
	}
	open := a.open
	if f.demo {
		open = a.openDemo
	}
	m, err := open(ctx)
	if err != nil {
		return err
	}
	defer m.Close()
	w, err := f.resolve(m.Period())
	if err != nil {
		return err
	}
	if err := knownHarness(f.harness); err != nil {
		return err
	}
	if !f.noScan {
		if _, err := a.scan(ctx, m); err != nil {
			return err
		}
	}
	r, err := m.Usage(ctx, daemon.UsageQuery{
		By: usageKeys()[by],
		Filter: daemon.Filter{
			Since: w.Since, Until: w.Until, Harness: f.harness, Project: f.project, Model: f.model, Session: f.session,
		},
		SinceText: f.since, UntilText: f.until, Zone: w.Zone, WeekStart: w.WeekStart,
		Cost: daemon.CostMode(f.cost), Breakdown: f.breakdown, Last: f.last,
	})
	if err != nil {
		return err
	}
	switch {
	case a.json:
		return a.printJSON(r)
	case f.csv:
		return a.usageCSV(r)
	}
	return a.usageTable(r)
}

func (a *app) usageTable(r daemon.UsageReport) error {
	if len(r.Rows) == 0 {
		_, err := fmt.Fprintln(a.out, "No requests in this window.")
		return err
	}
	g := usageGrid(r)
	if err := g.print(a.out, a.width, a.colour()); err != nil {
		return err
	}
	if note := usageNote(r); note != "" {
		fmt.Fprintln(a.out, note)
	}
	return nil
}

func usageGrid(r daemon.UsageReport) grid {
	g := grid{columns: []column{
		{name: strings.ToUpper(r.By[:1]) + r.By[1:], shrink: true},
		{name: "Models", shrink: true, drop: 4},
		{name: "Requests", right: true, drop: 3},
		{name: "Prompts", right: true, drop: 6},
		{name: "Input", right: true},
		{name: "Output", right: true},
		{name: "Reasoning", right: true, drop: 7},
		{name: "Cache write", right: true, drop: 1},
		{name: "Cache read", right: true, drop: 1},
		{name: "Total", right: true, drop: 2},
		{name: "Cost", right: true},
	}}
	for _, row := range r.Rows {
		g.rows = append(g.rows, append([]string{rowName(r.By, row), strings.Join(row.Models, ", ")}, figures(row.Numbers)...))
		for _, part := range row.Breakdown {
			name := "  └ " + text(part.Harness)
			g.rows = append(g.rows, append([]string{name, strings.Join(part.Models, ", ")}, figures(part.Numbers)...))
		}
	}
	g.foot = append([]string{"Total", ""}, figures(r.Totals)...)
	return g
}

func figures(n daemon.Numbers) []string {
	return []string{
		grouped(n.Requests), count(n.Prompts), count(n.InputTokens), count(n.OutputTokens), count(n.ReasoningTokens),
		count(n.CacheWriteTokens), count(n.CacheReadTokens), count(n.TotalTokens), dollars(n.CostMicroUSD, n.CostPartial),
	}
}

// rowName is the key of a row for people.
func rowName(by string, row daemon.UsageRow) string {
	switch {
	case by == "session" && row.Session != nil && row.Session.Title != nil:
		return shortID(row.Key) + "  " + *row.Session.Title
	case by == "block" && row.Block != nil:
		name := row.Key + " " + text(row.Harness) + " (" + row.Block.ResetSource + ")"
		if row.Block.Active {
			name += ", active"
		}
		return name
	case row.Key == "":
		return notReported
	}
	return row.Key
}

// shortID is the part of an id that people compare.
func shortID(id string) string {
	if len(id) > 12 {
		return id[:8]
	}
	return id
}

func usageNote(r daemon.UsageReport) string {
	var notes []string
	if len(r.Totals.UnpricedModels) > 0 {
		notes = append(notes, "No price for "+plain(strings.Join(r.Totals.UnpricedModels, ", "))+"; see `meterbridge pricing missing`.")
	}
	if r.Totals.CostPartial {
		notes = append(notes, "* the cost is partial: some requests have no price.")
	}
	return strings.Join(notes, "\n")
}
