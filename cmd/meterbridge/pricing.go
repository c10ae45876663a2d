package main

import (
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"meterbridge"
	"meterbridge/internal/daemon"
)

func newPricingCmd(a *app) *cobra.Command {
	cmd := &cobra.Command{
		Use: "pricing", Short: "What models cost, what has no price, updates of the table", Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(askingDaemon(newPricingMissingCmd(a), newPricingExplainCmd(a))...)
	cmd.AddCommand(newPricingShowCmd(a), newPricingCostCmd(a), newPricingUpdateCmd(a), newPricingRollbackCmd(a))
	return cmd
}

func newPricingShowCmd(a *app) *cobra.Command {
	var provider, at string
	cmd := &cobra.Command{
		Use: "show MODEL", Short: "What a model costs", Args: cobra.ExactArgs(1),
		Long: "Shows the row of the price table that a model is matched to, and its prices in USD\nper million tokens. Without --provider: every provider that sells exactly this id.",
		RunE: func(_ *cobra.Command, args []string) error {
			p, err := a.openPrices()
			if err != nil {
				return err
			}
			when, err := meterbridge.Instant(at, time.UTC)
			if err != nil {
				return asUsage(err)
			}
			if when.IsZero() {
				when = a.now()
			}
			answer := p.Show(args[0], provider, when)
			if len(answer.Rows) == 0 {
				a.code = exitNothing
			}
			if a.json {
				return a.printJSON(answer)
			}
			if len(answer.Rows) == 0 {
				return noPrice(answer)
			}
			return a.showTable(answer)
		},
	}
	cmd.Flags().StringVar(&provider, "provider", "", "provider as a harness names it")
	cmd.Flags().StringVar(&at, "at", "", "day or instant (default: now)")
	return cmd
}

func noPrice(s daemon.ShowAnswer) error {
	hint := "`meterbridge pricing show " + s.Model + "` without --provider lists who sells exactly this id"
	if s.Provider == nil {
		hint = "ids are matched exactly; --provider also tries the spellings that a provider is known for"
	}
	return &daemon.Fault{Err: fmt.Errorf("no price for %s: %s", s.Model, text(s.Reason)), Hint: hint, Nothing: true}
}

func (a *app) showTable(s daemon.ShowAnswer) error {
	g := grid{columns: []column{
		{name: "Provider"},
		{name: "Model", shrink: true},
		{name: "From", drop: 1},
		{name: "For", shrink: true},
		{name: "Class"},
		{name: "USD per million", right: true},
		{name: "Flags", shrink: true, drop: 2},
	}}
	for _, r := range s.Rows {
		parts := append([]daemon.ShownPart{{Name: "standard", Classes: r.Classes}}, r.Tiers...)
		parts = append(append(parts, r.Modes...), r.Windows...)
		for _, part := range parts {
			for _, c := range part.Classes {
				price := c.USDPerMillion
				if c.Fallback {
					price += " (stands in)"
				}
				g.rows = append(g.rows, []string{r.Provider, r.ID, text(r.From), part.Name, c.Class, price, strings.Join(r.Flags, " ")})
			}
		}
	}
	if err := g.print(a.out, a.width, a.colour()); err != nil {
		return err
	}
	_, err := fmt.Fprintf(a.out, "Table %s, newest source of %s (%d days old).\n", s.TableVersion, s.AsOf, s.AgeDays)
	return err
}

func newPricingMissingCmd(a *app) *cobra.Command {
	var noScan bool
	cmd := &cobra.Command{
		Use: "missing", Short: "Models without a price, and what they used", Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			m, err := a.openScanned(cmd.Context(), noScan)
			if err != nil {
				return err
			}
			defer m.Close()
			list, err := m.Unpriced(cmd.Context(), m.Period().Zone)
			if err != nil {
				return err
			}
			if a.json {
				return a.printJSON(map[string]any{"schemaVersion": 1, "rows": list})
			}
			return a.unpricedTable(list)
		},
	}
	cmd.Flags().BoolVar(&noScan, "no-scan", false, "answer from the ledger as it is")
	return cmd
}

func (a *app) unpricedTable(list []daemon.UnpricedName) error {
	if len(list) == 0 {
		_, err := fmt.Fprintln(a.out, "Every model has a price.")
		return err
	}
	g := grid{columns: []column{
		{name: "Harness"},
		{name: "Provider"},
		{name: "Model", shrink: true},
		{name: "Requests", right: true},
		{name: "Total tokens", right: true},
		{name: "First day", drop: 1},
	}}
	for _, n := range list {
		g.rows = append(g.rows, []string{
			n.Harness, text(n.Provider), text(n.Model), grouped(n.Requests), grouped(n.TotalTokens), n.FirstDay,
		})
	}
	if err := g.print(a.out, a.width, a.colour()); err != nil {
		return err
	}
	_, err := fmt.Fprintln(a.out, "An [[override]] or [[alias]] in pricing.toml gives a model a price.")
	return err
}

func newPricingExplainCmd(a *app) *cobra.Command {
	return &cobra.Command{
		Use: "explain REQUEST", Short: "Each factor of a request's list price", Args: cobra.ExactArgs(1),
		Long: "Shows how the price of one request comes about. REQUEST is the id that\n`meterbridge explain --json` and the view requests show, or a unique beginning of it.",
		RunE: func(cmd *cobra.Command, args []string) error {
			m, err := a.open(cmd.Context())
			if err != nil {
				return err
			}
			defer m.Close()
			e, err := m.ExplainPrice(cmd.Context(), args[0])
			if err != nil {
				return err
			}
			if a.json {
				return a.printJSON(e)
			}
			return a.priceText(e)
		},
	}
}

func (a *app) priceText(e daemon.PriceExplanation) error {
	p := fields{out: a.out}
	p.line("Model", e.Model+" ("+text(optional(e.Provider))+")")
	p.line("At", e.At.Format(time.RFC3339))
	p.line("Table", e.TableVersion)
	if e.Matched != nil {
		p.line("Matched", e.Matched.Provider+"/"+e.Matched.ID+" ("+e.Matched.Step+", "+e.Matched.Variant+")")
		p.line("Valid", text(e.Matched.From)+" to "+text(e.Matched.To))
		p.line("Flags", text(optional(strings.Join(e.Matched.Flags, " "))))
	}
	if e.Reason != nil {
		p.line("No price", *e.Reason)
	}
	p.line("Recorded", text(e.RecordedUSD))
	p.line("Sum", e.Arithmetic)
	p.line("Cost", dollars(e.CostMicroUSD, false)+" ("+string(e.CostBasis)+")")
	return p.err
}

func optional(s string) *string {
	if s == "" {
		return nil
	}
	return &s
}
