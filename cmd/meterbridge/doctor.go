package main

import (
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"meterbridge/internal/daemon"
	"meterbridge/internal/daemon/extensions"
)

func newDoctorCmd(a *app) *cobra.Command {
	var noScan bool
	cmd := &cobra.Command{
		Use: "doctor", Short: "What could not be read, what has no price, the state of the ledger", Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			m, err := a.openScanned(cmd.Context(), noScan)
			if err != nil {
				return err
			}
			defer m.Close()
			r, err := m.Doctor(cmd.Context(), m.Period().Zone)
			if err != nil {
				return err
			}
			left, err := m.LeftBehind(cmd.Context())
			if err != nil {
				return err
			}
			answer := doctorAnswer{r, left, m.Extensions().Doctor()}
			if a.json {
				return a.printJSON(answer)
			}
			return a.doctorTexts(answer, m.Period().Zone)
		},
	}
	cmd.Flags().BoolVar(&noScan, "no-scan", false, "look at the ledger as it is")
	return cmd
}

// doctorAnswer is the report with what agents left running and what is to be said of
// extensions.
type doctorAnswer struct {
	daemon.DoctorReport
	LeftBehind []daemon.LeftProcess `json:"leftBehind"`
	Extensions []extensions.Finding `json:"extensions"`
}

func (a *app) doctorTexts(r doctorAnswer, zone *time.Location) error {
	if err := a.doctorText(r.DoctorReport, zone); err != nil {
		return err
	}
	if len(r.LeftBehind) > 0 {
		if err := a.titled("Running outside their agents' terminals", leftGrid(r.LeftBehind)); err != nil {
			return err
		}
	}
	if len(r.Extensions) > 0 {
		return a.titled("Extensions", extensionsGrid(r.Extensions))
	}
	return nil
}

func extensionsGrid(list []extensions.Finding) grid {
	g := grid{columns: []column{{name: "Extension"}, {name: "What", shrink: true}, {name: "What to do", shrink: true, drop: 1}}}
	for _, x := range list {
		g.rows = append(g.rows, []string{x.Extension, x.Problem, x.Hint})
	}
	return g
}

func leftGrid(left []daemon.LeftProcess) grid {
	g := grid{columns: []column{{name: "Process", right: true}, {name: "Program"}, {name: "Agent", shrink: true}, {name: "Generation", right: true}}}
	for _, l := range left {
		g.rows = append(g.rows, []string{fmt.Sprint(l.PID), plain(l.Program), l.Agent, fmt.Sprint(l.Generation)})
	}
	return g
}

func (a *app) doctorText(r daemon.DoctorReport, zone *time.Location) error {
	l := r.Ledger
	p := fields{out: a.out}
	p.line("Ledger", fmt.Sprintf("%s (%.1f MB, version %d, DuckDB %s)", l.Path, float64(l.Bytes)/1e6, l.Version, l.DuckDBVersion))
	p.line("Prices", text(l.PriceTable))
	p.line("Rows", fmt.Sprintf("%s requests, %s sessions, %s sub-agents, %s prompts, %s tool calls",
		grouped(l.Requests), grouped(l.Sessions), grouped(l.Subagents), grouped(l.Prompts), grouped(l.ToolCalls)))
	p.line("Requests", day(l.OldestAt, zone)+" to "+day(l.NewestAt, zone))
	if p.err != nil {
		return p.err
	}
	if err := a.titled("Places", placesGrid(r)); err != nil {
		return err
	}
	if err := a.problems(r); err != nil {
		return err
	}
	if r.Telemetry != nil {
		if err := a.titled("Telemetry beside the ledger", telemetryGrid(r)); err != nil {
			return err
		}
	}
	if len(r.Unpriced) == 0 {
		return nil
	}
	fmt.Fprintln(a.out, "\nWithout a price")
	return a.unpricedTable(r.Unpriced)
}

func telemetryGrid(r daemon.DoctorReport) grid {
	g := grid{columns: []column{
		{name: "Harness"},
		{name: "Model"},
		{name: "Tokens"},
		{name: "Told", right: true},
		{name: "Ledger", right: true},
		{name: "Difference", right: true},
	}}
	for _, x := range r.Telemetry.Rows {
		g.rows = append(g.rows, []string{x.Harness, text(x.Model), x.Kind, grouped(x.TelemetryTokens), grouped(x.LedgerTokens), grouped(x.Difference)})
	}
	return g
}

func placesGrid(r daemon.DoctorReport) grid {
	g := grid{columns: []column{
		{name: "Harness"},
		{name: "Machine", drop: 3},
		{name: "Files", right: true},
		{name: "Gone", right: true},
		{name: "Requests", right: true},
		{name: "Copied", right: true, drop: 1},
		{name: "Vanished", right: true, drop: 2},
		{name: "Problems", right: true},
	}}
	for _, x := range r.Places {
		g.rows = append(g.rows, []string{
			x.Harness, machineName(x.Machine), grouped(x.Sources), grouped(x.Gone), grouped(x.Requests), grouped(x.Copied),
			grouped(x.Vanished), grouped(x.Problems),
		})
	}
	return g
}

// machineName is the name of a machine whose logs were copied here.
func machineName(name *string) string {
	if name == nil {
		return "this one"
	}
	return *name
}

func (a *app) problems(r daemon.DoctorReport) error {
	if len(r.Problems) == 0 {
		_, err := fmt.Fprintln(a.out, "\nEverything could be read.")
		return err
	}
	fmt.Fprintln(a.out, "\nProblems")
	for _, g := range r.Problems {
		fmt.Fprintf(a.out, "%s  %s (%s)\n", grouped(g.Count), g.Reason, g.Harness)
		for _, x := range g.Examples {
			line := "   " + x.Path
			if x.Line > 0 {
				line += fmt.Sprintf(":%d", x.Line)
			}
			if x.Detail != nil {
				line += ": " + *x.Detail
			}
			fmt.Fprintln(a.out, plain(line))
		}
	}
	return nil
}
