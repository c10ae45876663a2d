package main

import (
	"fmt"
	"os"
	"runtime"

	"github.com/spf13/cobra"
	"github.com/spf13/cobra/doc"
)

func newVersionCmd(a *app) *cobra.Command {
	return &cobra.Command{
		Use: "version", Short: "Print the version", Args: cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			if a.json {
				return a.printJSON(map[string]any{"schemaVersion": 1, "version": version, "go": runtime.Version()})
			}
			_, err := fmt.Fprintf(a.out, "meterbridge %s (%s, %s/%s)\n", version, runtime.Version(), runtime.GOOS, runtime.GOARCH)
			return err
		},
	}
}

func newManCmd() *cobra.Command {
	return &cobra.Command{
		Use: "man FOLDER", Short: "Write manual pages into a folder", Args: cobra.ExactArgs(1), Hidden: true,
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := os.MkdirAll(args[0], 0o755); err != nil {
				return fmt.Errorf("make the folder for manual pages: %w", err)
			}
			header := &doc.GenManHeader{Title: "METERBRIDGE", Section: "1", Source: "meterbridge " + version}
			return doc.GenManTree(cmd.Root(), header, args[0])
		},
	}
}
