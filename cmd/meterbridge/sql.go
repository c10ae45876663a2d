package main

import (
	"encoding/json"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"meterbridge/internal/daemon"
)

func newSQLCmd(a *app) *cobra.Command {
	var rows int
	var limit time.Duration
	var scan bool
	cmd := &cobra.Command{
		Use: "sql STATEMENT", Short: "One read-only SELECT over the ledger's views", Args: cobra.ExactArgs(1),
		Long: "Runs one SELECT (or EXPLAIN) over the documented views requests, sessions, prompts,\n" +
			"tool_calls, turns, sources, problems, prices and others (docs/sql.md), read only,\nwith a row and a time limit.",
		Example: `  meterbridge sql "SELECT model, sum(output_tokens) FROM requests GROUP BY 1 ORDER BY 2 DESC"`,
		RunE: func(cmd *cobra.Command, args []string) error {
			m, err := a.openScanned(cmd.Context(), !scan)
			if err != nil {
				return err
			}
			defer m.Close()
			r, err := m.SQL(cmd.Context(), args[0], daemon.SQLLimits{Rows: rows, Time: limit})
			if err != nil {
				return err
			}
			if a.json {
				return a.printJSON(r)
			}
			return a.sqlTable(r)
		},
	}
	cmd.Flags().IntVar(&rows, "rows", 0, "most rows to return (default 10000)")
	cmd.Flags().DurationVar(&limit, "time", 0, "longest time it may run (default 30s)")
	cmd.Flags().BoolVar(&scan, "scan", false, "read what is new first")
	return cmd
}

func (a *app) sqlTable(r daemon.SQLResult) error {
	var g grid
	for _, c := range r.Columns {
		g.columns = append(g.columns, column{name: c.Name, shrink: true})
	}
	for _, row := range r.Rows {
		line := make([]string, len(row))
		for i, v := range row {
			line[i] = cell(v)
		}
		g.rows = append(g.rows, line)
	}
	if err := g.print(a.out, a.width, a.colour()); err != nil {
		return err
	}
	if r.Truncated {
		fmt.Fprintf(a.out, "There are more than these %d rows; --rows raises the limit.\n", len(r.Rows))
	}
	return nil
}

// cell is a value as people read it.
func cell(v any) string {
	switch v := v.(type) {
	case nil:
		return notReported
	case string:
		return v
	}
	text, err := json.Marshal(v)
	if err != nil {
		return fmt.Sprint(v)
	}
	return string(text)
}
