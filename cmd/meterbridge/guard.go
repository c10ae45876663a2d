package main

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"meterbridge/internal/daemon"
)

type guardFlags struct {
	windowFlags
	budget, usd, window string
	tokens              int64
	filter              daemon.Filter
	noScan              bool
}

func newGuardCmd(a *app) *cobra.Command {
	f := guardFlags{tokens: -1}
	cmd := &cobra.Command{
		Use: "guard", Short: "Whether a budget is used up: exit code 4 when it is", Args: cobra.NoArgs,
		Long: `Shows how budgets stand and ends with exit code 4 when one is reached: those of
config.toml, one of them (--budget), or one that the flags state. Cost is what
` + "`meterbridge usage`" + ` shows; requests without a price count in tokens only.`,
		Example: "  meterbridge guard --budget daily && claude\n  meterbridge guard --max-usd 20 --window day --harness claude-code",
		RunE:    func(cmd *cobra.Command, _ []string) error { return a.guard(cmd.Context(), f) },
	}
	fl := cmd.Flags()
	fl.StringVar(&f.budget, "budget", "", "the name of a [[budget]] in config.toml (default: all)")
	fl.StringVar(&f.usd, "max-usd", "", "state a limit in USD")
	fl.Int64Var(&f.tokens, "max-tokens", -1, "state a limit in tokens")
	fl.StringVar(&f.window, "window", "", "of the stated limit: 5h, day, week or month")
	fl.StringVar(&f.filter.Harness, "harness", "", "the stated limit is for this harness only")
	fl.StringVar(&f.filter.Project, "project", "", "the stated limit is for this project only")
	fl.StringVar(&f.filter.Model, "model", "", "the stated limit is for this model only")
	fl.StringVar(&f.zone, "timezone", "", "IANA time zone of days, weeks and months (default: the system's)")
	fl.StringVar(&f.weekStart, "week-start", "", "first day of a week (default: monday)")
	fl.BoolVar(&f.noScan, "no-scan", false, "answer from the ledger as it is")
	for _, stated := range []string{"max-usd", "max-tokens", "window", "harness", "project", "model"} {
		cmd.MarkFlagsMutuallyExclusive("budget", stated)
	}
	_ = cmd.RegisterFlagCompletionFunc("window", cobra.FixedCompletions([]string{"5h", "day", "week", "month"}, cobra.ShellCompDirectiveNoFileComp))
	return cmd
}

// query is what the flags ask about.
func (f guardFlags) query() (q daemon.BudgetQuery, err error) {
	q.Name = f.budget
	if f.usd == "" && f.tokens < 0 {
		if f.window != "" || f.filter != (daemon.Filter{}) {
			return q, usagef("add --max-usd N or --max-tokens N", "a stated budget needs a limit")
		}
		return q, nil
	}
	if q.Stated, err = daemon.StateBudget(f.usd, f.tokens, f.window, f.filter); err != nil {
		return q, usagef("such as --max-usd 20 --window day", "%v", err)
	}
	return q, knownHarness(f.filter.Harness)
}

func (a *app) guard(ctx context.Context, f guardFlags) error {
	q, err := f.query()
	if err != nil {
		return err
	}
	m, err := a.open(ctx)
	if err != nil {
		return err
	}
	defer m.Close()
	w, err := f.resolve(m.Period())
	if err != nil {
		return err
	}
	q.Zone, q.WeekStart = w.Zone, w.WeekStart
	// A machine without logs has spent nothing.
	if err := a.guardScan(ctx, m, f.noScan); err != nil {
		return err
	}
	list, err := m.Budgets(ctx, q)
	if err != nil {
		return err
	}
	for _, b := range list.Rows {
		if b.Reached {
			a.code = exitReached
		}
	}
	if a.json {
		return a.printJSON(list)
	}
	return a.budgetTable(list)
}

// guardScan brings the ledger up to date; finding no log at all is no failure.
func (a *app) guardScan(ctx context.Context, m *daemon.Meter, noScan bool) error {
	if noScan {
		return nil
	}
	_, err := a.scan(ctx, m)
	if err == nil {
		return nil
	}
	if code, _ := classify(err); code != exitNothing {
		return err
	}
	return nil
}

func (a *app) budgetTable(list daemon.BudgetList) error {
	if len(list.Rows) == 0 {
		_, err := fmt.Fprintln(a.out, "config.toml has no [[budget]]; docs/guide.md, section Budgets, has an example.")
		return err
	}
	g := grid{columns: []column{
		{name: "Budget", shrink: true},
		{name: "For", shrink: true, drop: 3},
		{name: "Window"},
		{name: "Used", right: true},
		{name: "Of", right: true},
		{name: "Used %", right: true},
		{name: "Resets", drop: 1},
		{name: "Forecast", drop: 2},
	}}
	for _, b := range list.Rows {
		g.rows = append(g.rows, budgetLine(b))
	}
	if err := g.print(a.out, a.width, a.colour()); err != nil {
		return err
	}
	for _, b := range list.Rows {
		if b.CostPartial {
			fmt.Fprintln(a.out, "* the cost is partial: some requests have no price and count in tokens only.")
			break
		}
	}
	return nil
}

func budgetLine(b daemon.BudgetAnswer) []string {
	scope := b.Scope
	if b.Match != nil {
		scope += " " + *b.Match
	}
	used, of := []string{}, []string{}
	if b.MaxMicroUSD != nil {
		used, of = append(used, dollars(b.UsedMicroUSD, b.CostPartial)), append(of, dollars(b.MaxMicroUSD, false))
	}
	if b.MaxTokens != nil {
		used, of = append(used, grouped(b.UsedTokens)+" tokens"), append(of, grouped(*b.MaxTokens)+" tokens")
	}
	return []string{
		b.Name, scope, b.Window, strings.Join(used, ", "), strings.Join(of, ", "), fmt.Sprintf("%.0f", b.UsedRatio*100),
		resets(b), forecast(b),
	}
}

func resets(b daemon.BudgetAnswer) string {
	if b.Until == nil {
		return "no block is open"
	}
	text := b.Until.Format("2006-01-02 15:04")
	if b.ResetSource != nil && *b.ResetSource == "inferred" {
		text += " (inferred)"
	}
	return text
}

// forecast says when the limit is likely to be reached.
func forecast(b daemon.BudgetAnswer) string {
	switch {
	case b.Reached:
		return "reached"
	case b.Forecast == nil:
		return notReported
	case b.Forecast.ReachedAt == nil:
		return "not reached"
	case b.Forecast.ReachedAt.Likely == nil:
		return "perhaps " + clock(b.Forecast.ReachedAt.Early)
	}
	return "about " + clock(b.Forecast.ReachedAt.Likely)
}

func clock(t *time.Time) string { return t.Format("2006-01-02 15:04") }
