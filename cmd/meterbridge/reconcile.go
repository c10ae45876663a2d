package main

import (
	"fmt"

	"meterbridge"

	"github.com/spf13/cobra"

	"meterbridge/internal/daemon"
)

func newReconcileCmd(a *app) *cobra.Command {
	var f windowFlags
	var o daemon.ReconcileOptions
	var noScan bool
	cmd := &cobra.Command{
		Use: "reconcile", Short: "Prove that all reports agree", Args: cobra.NoArgs,
		Long: "Sums the ledger by every key of every report and compares the sums exactly, and\n" +
			"checks that no month has fallen since the last proof. Exit code 1 when something differs.",
		RunE: func(cmd *cobra.Command, _ []string) error {
			return a.inWindow(cmd.Context(), f, noScan, func(m *daemon.Meter, w meterbridge.Period) error {
				o.Zone, o.WeekStart = w.Zone, w.WeekStart
				r, err := m.Reconcile(cmd.Context(), o)
				if err != nil {
					return err
				}
				if !r.OK {
					a.code = exitFailed
				}
				if a.json {
					return a.printJSON(r)
				}
				return a.reconcileText(r)
			})
		},
	}
	cmd.Flags().StringVar(&f.zone, "timezone", "", "IANA time zone (default: the system's)")
	cmd.Flags().StringVar(&f.weekStart, "week-start", "", "first day of a week (default: monday)")
	cmd.Flags().BoolVar(&o.Accept, "accept", false, "take the present sums as those that later proofs are held against")
	cmd.Flags().BoolVar(&noScan, "no-scan", false, "check the ledger as it is")
	return cmd
}

func (a *app) reconcileText(r daemon.ReconcileReport) error {
	for _, c := range r.Checks {
		state := "ok     "
		if !c.OK {
			state = "DIFFERS"
		}
		line := state + "  " + c.Name
		if c.Detail != "" {
			line += ": " + c.Detail
		}
		fmt.Fprintln(a.out, line)
	}
	for _, w := range r.Warnings {
		fmt.Fprintln(a.out, "warning:", w)
	}
	t := r.Totals
	_, err := fmt.Fprintf(a.out, "%s requests, %s prompts, %s input, %s output, %s cache write, %s cache read, %s pico-USD\n",
		grouped(t.Requests), grouped(t.Prompts), grouped(t.InputTokens), grouped(t.OutputTokens), grouped(t.CacheWriteTokens), grouped(t.CacheReadTokens), t.CostPicoUSD)
	return err
}
