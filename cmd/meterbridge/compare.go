package main

import (
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"meterbridge/internal/daemon"
)

func newCompareCmd(a *app) *cobra.Command {
	var f windowFlags
	var o daemon.CompareOptions
	var noScan bool
	cmd := &cobra.Command{
		Use: "compare FILE", Short: "Explain each difference to a JSON report of ccusage", Args: cobra.ExactArgs(1),
		Example: "  ccusage daily --json > theirs.json\n  meterbridge compare theirs.json",
		RunE: func(cmd *cobra.Command, args []string) error {
			report, err := a.readFile(args[0])
			if err != nil {
				return usageError(err, "FILE is what `ccusage daily --json` printed, or - for standard input")
			}
			m, err := a.openScanned(cmd.Context(), noScan)
			if err != nil {
				return err
			}
			defer m.Close()
			w, err := f.resolve(m.Period())
			if err != nil {
				return err
			}
			o.Zone = w.Zone
			r, err := m.Compare(cmd.Context(), report, o)
			if err != nil {
				return err
			}
			if a.json {
				return a.printJSON(r)
			}
			return a.compareTable(r)
		},
	}
	cmd.Flags().StringVar(&f.zone, "timezone", "", "IANA time zone of the report's days (default: the system's)")
	cmd.Flags().StringVar(&o.Harness, "harness", "", "the harness that the report covers (default: found out)")
	cmd.Flags().BoolVar(&noScan, "no-scan", false, "compare with the ledger as it is")
	return cmd
}

func (a *app) compareTable(r daemon.CompareReport) error {
	g := grid{columns: []column{
		{name: r.Kind, shrink: true},
		{name: "Ours", right: true},
		{name: "Theirs", right: true},
		{name: "Difference", right: true},
		{name: "Our cost", right: true, drop: 1},
		{name: "Their cost", right: true, drop: 1},
		{name: "Why", shrink: true},
	}}
	for _, row := range r.Rows {
		g.rows = append(g.rows, compareLine(row.Key, row.Ours, row.Theirs, row.Causes))
		for _, m := range row.Models {
			g.rows = append(g.rows, compareLine("  └ "+m.Model, m.Ours, m.Theirs, m.Causes))
		}
	}
	g.foot = compareLine("Total", &r.Ours, &r.Theirs, nil)
	if err := g.print(a.out, a.width, a.colour()); err != nil {
		return err
	}
	for _, o := range r.Outside {
		fmt.Fprintf(a.out, "%s: %s tokens in %s requests of ours (%s of them kept after their log went).\n",
			plain(o.Where), grouped(o.TotalTokens), grouped(o.Requests), grouped(o.Kept))
	}
	for _, h := range r.Hints {
		fmt.Fprintln(a.out, h)
	}
	if r.Agree {
		fmt.Fprintln(a.out, "Both agree to the token.")
	}
	return nil
}

func compareLine(key string, ours, theirs *daemon.CompareSums, causes []daemon.Cause) []string {
	tokens := func(s *daemon.CompareSums) string {
		if s == nil {
			return notReported
		}
		return grouped(s.TotalTokens)
	}
	cost := func(s *daemon.CompareSums) string {
		if s == nil {
			return notReported
		}
		return dollars(s.CostMicroUSD, false)
	}
	difference := notReported
	if ours != nil && theirs != nil {
		difference = grouped(ours.TotalTokens - theirs.TotalTokens)
	}
	var why []string
	for _, c := range causes {
		why = append(why, c.Detail)
	}
	return []string{key, tokens(ours), tokens(theirs), difference, cost(ours), cost(theirs), strings.Join(slices.Compact(why), "; ")}
}
