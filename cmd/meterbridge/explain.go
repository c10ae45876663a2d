package main

import (
	"fmt"
	"path/filepath"
	"time"

	"meterbridge"

	"github.com/spf13/cobra"

	"meterbridge/internal/daemon"
)

func newExplainCmd(a *app) *cobra.Command {
	var f windowFlags
	var noScan, all bool
	cmd := &cobra.Command{
		Use: "explain ID|DATE", Short: "Why each number is what it is", Args: cobra.ExactArgs(1),
		Long: "Reads the logs of a session or a day again and lists every record with usage:\n" +
			"counted, merged into the one that counts, or dropped, with the rule and file:line.\nIt proves that what is counted adds up to the report's number.",
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.inWindow(cmd.Context(), f, noScan, func(m *daemon.Meter, w meterbridge.Period) error {
				if err := possibleDay(args[0]); err != nil {
					return err
				}
				r, err := m.Explain(cmd.Context(), args[0], w.Zone)
				if err != nil {
					return err
				}
				if !r.AddsUp {
					a.code = exitFailed
				}
				if a.json {
					return a.printJSON(r)
				}
				return a.explainTable(r, w.Zone, all)
			})
		},
	}
	cmd.Flags().StringVar(&f.zone, "timezone", "", "IANA time zone of a DATE (default: the system's)")
	cmd.Flags().BoolVar(&all, "all", false, "list every record (default: the newest 200)")
	cmd.Flags().BoolVar(&noScan, "no-scan", false, "answer from the ledger as it is")
	return cmd
}

// possibleDay refuses what looks like a day and is none.
func possibleDay(text string) error {
	_, err := time.Parse(time.DateOnly, text)
	var year, month, day int
	if n, scan := fmt.Sscanf(text, "%4d-%2d-%2d", &year, &month, &day); err != nil && scan == nil && n == 3 && len(text) == len(time.DateOnly) {
		return usagef("use a day such as 2026-11-29, or a session", "%q is no day", text)
	}
	return nil
}

// explained is how many records a table lists unless told otherwise.
const explained = 200

func (a *app) explainTable(r daemon.ExplainReport, zone *time.Location, all bool) error {
	g := grid{columns: []column{
		{name: "Verdict"},
		{name: "Rule", shrink: true},
		{name: "Time", drop: 2},
		{name: "Model", shrink: true, drop: 4},
		{name: "Input", right: true},
		{name: "Output", right: true},
		{name: "Cache write", right: true, drop: 3},
		{name: "Cache read", right: true, drop: 3},
		{name: "USD", right: true, drop: 1},
		{name: "Where", shrink: true},
	}}
	records := r.Records
	if !all && len(records) > explained {
		records = records[len(records)-explained:]
	}
	for _, x := range records {
		g.rows = append(g.rows, explainLine(x, zone))
	}
	for _, x := range r.Kept {
		g.rows = append(g.rows, explainLine(daemon.ExplainRecord{
			Verdict: "kept", Rule: x.Why, At: &x.At, Model: x.Model, RecordTokens: x.RecordTokens, RowCost: x.RowCost, Path: x.Path, Line: x.Line,
		}, zone))
	}
	if err := g.print(a.out, a.width, a.colour()); err != nil {
		return err
	}
	if n := len(r.Records) - len(records); n > 0 {
		fmt.Fprintf(a.out, "%s older records are not listed; --all lists them.\n", grouped(int64(n)))
	}
	return a.explainSum(r)
}

func explainLine(x daemon.ExplainRecord, zone *time.Location) []string {
	cost := ""
	if x.RowCost != nil {
		cost = text(x.CostUSD)
	}
	return []string{
		string(x.Verdict), x.Rule, day(x.At, zone), text(x.Model), count(x.InputTokens), count(x.OutputTokens),
		count(x.CacheWriteTokens), count(x.CacheReadTokens), cost, where(x.Path, x.Line),
	}
}

func where(path string, line int64) string {
	if line == 0 {
		return path
	}
	return fmt.Sprintf("%s:%d", filepath.Base(path), line)
}

func (a *app) explainSum(r daemon.ExplainReport) error {
	e, total := r.Explained, "adds up to"
	if !r.AddsUp {
		total = "DOES NOT add up to"
	}
	_, err := fmt.Fprintf(a.out, "%s requests, %s input, %s output, %s cache write, %s cache read: %s the report (%s requests, %s tokens, %s).\n",
		grouped(e.Requests), count(e.InputTokens), count(e.OutputTokens), count(e.CacheWriteTokens), count(e.CacheReadTokens),
		total, grouped(r.Reported.Requests), count(r.Reported.TotalTokens), dollars(r.Reported.CostMicroUSD, r.Reported.CostPartial))
	return err
}
