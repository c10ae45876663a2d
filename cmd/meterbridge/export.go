package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"meterbridge/internal/daemon"
)

func newExportCmd(a *app) *cobra.Command {
	var q daemon.ExportQuery
	var noScan bool
	cmd := &cobra.Command{
		Use: "export [FILE]", Short: "Write the ledger, or the answer of a SELECT, to a file", Args: cobra.MaximumNArgs(1),
		Long: "Writes a view of the ledger (default: requests) or the answer of a SELECT to a\n" +
			"Parquet, CSV or JSON file. An existing file is kept unless --force says otherwise; - is\nstandard output.",
		Example: "  meterbridge export --format parquet\n  meterbridge export --view sessions --format csv sessions.csv",
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := checkFormat(q.Format); err != nil {
				return err
			}
			m, err := a.openScanned(cmd.Context(), noScan)
			if err != nil {
				return err
			}
			defer m.Close()
			q.Dest = exportName(q)
			if len(args) == 1 {
				q.Dest = args[0]
			}
			if q.Dest == "-" {
				return a.exportOut(cmd.Context(), m, q)
			}
			return a.exportFile(cmd.Context(), m, q)
		},
	}
	f := cmd.Flags()
	f.StringVar(&q.Format, "format", "parquet", "parquet, csv or json")
	f.StringVar(&q.Table, "view", "", "the view to write (default requests; see docs/sql.md)")
	f.StringVar(&q.SQL, "sql", "", "one SELECT to write instead of a view")
	f.BoolVar(&q.Force, "force", false, "replace an existing file")
	f.BoolVar(&noScan, "no-scan", false, "write the ledger as it is")
	cmd.MarkFlagsMutuallyExclusive("view", "sql")
	_ = cmd.RegisterFlagCompletionFunc("format", cobra.FixedCompletions(exportFormats(), cobra.ShellCompDirectiveNoFileComp))
	return cmd
}

func checkFormat(format string) error {
	if slices.Contains(exportFormats(), format) {
		return nil
	}
	return usagef("the formats are "+strings.Join(exportFormats(), ", "), "--format %q is not known", format)
}

func exportFormats() []string { return []string{"parquet", "csv", "json"} }

func (a *app) exportFile(ctx context.Context, m *daemon.Meter, q daemon.ExportQuery) (err error) {
	if q.Dest, err = filepath.Abs(a.path(q.Dest)); err != nil {
		return err
	}
	if info, err := os.Lstat(q.Dest); err == nil && !info.Mode().IsRegular() {
		return usagef("name a file, or - for standard output", "%s is there and is no regular file", q.Dest)
	}
	r, err := m.Export(ctx, q)
	if err != nil {
		return err
	}
	if a.json {
		return a.printJSON(r)
	}
	_, err = fmt.Fprintf(a.out, "%s: %s rows, %s bytes\n", r.Path, grouped(r.Rows), grouped(r.Bytes))
	return err
}

// exportOut writes to standard output.
func (a *app) exportOut(ctx context.Context, m *daemon.Meter, q daemon.ExportQuery) error {
	dir, err := os.MkdirTemp("", "meterbridge-export-")
	if err != nil {
		return fmt.Errorf("make a scratch folder: %w", err)
	}
	defer os.RemoveAll(dir)
	q.Dest = filepath.Join(dir, "out")
	if _, err := m.Export(ctx, q); err != nil {
		return err
	}
	f, err := os.Open(q.Dest)
	if err != nil {
		return err
	}
	defer f.Close()
	_, err = io.Copy(a.out, f)
	return err
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
