package main

import (
	"fmt"
	"path/filepath"

	"github.com/spf13/cobra"

	"meterbridge/internal/daemon"
)

func newExportCmd(a *app) *cobra.Command {
	var q daemon.ExportQuery
	var noScan bool
	cmd := &cobra.Command{
		Use: "export [FILE]", Short: "Write the ledger, or the answer of a SELECT, to a file", Args: cobra.MaximumNArgs(1),
		Long: "Writes a view of the ledger (default: requests) or the answer of a SELECT to a\n" +
			"Parquet, CSV or JSON file. An existing file is kept unless --force says otherwise.",
		Example: "  meterbridge export --format parquet\n  meterbridge export --view sessions --format csv sessions.csv",
		RunE: func(cmd *cobra.Command, args []string) error {
			m, err := a.openScanned(cmd.Context(), noScan)
			if err != nil {
				return err
			}
			defer m.Close()
			q.Dest = exportName(q)
			if len(args) == 1 {
				q.Dest = args[0]
			}
			if q.Dest, err = filepath.Abs(q.Dest); err != nil {
				return err
			}
			r, err := m.Export(cmd.Context(), q)
			if err != nil {
				return err
			}
			if a.json {
				return a.printJSON(r)
			}
			_, err = fmt.Fprintf(a.out, "%s: %s rows, %s bytes\n", r.Path, grouped(r.Rows), grouped(r.Bytes))
			return err
		},
	}
	f := cmd.Flags()
	f.StringVar(&q.Format, "format", "parquet", "parquet, csv or json")
	f.StringVar(&q.Table, "view", "", "the view to write (default requests; see docs/sql.md)")
	f.StringVar(&q.SQL, "sql", "", "one SELECT to write instead of a view")
	f.BoolVar(&q.Force, "force", false, "replace an existing file")
	f.BoolVar(&noScan, "no-scan", false, "write the ledger as it is")
	cmd.MarkFlagsMutuallyExclusive("view", "sql")
	_ = cmd.RegisterFlagCompletionFunc("format", cobra.FixedCompletions([]string{"parquet", "csv", "json"}, cobra.ShellCompDirectiveNoFileComp))
	return cmd
}

func exportName(q daemon.ExportQuery) string {
	name := q.Table
	switch {
	case q.SQL != "":
		name = "answer"
	case name == "":
		name = "requests"
	}
	return name + "." + q.Format
}
