package main

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"meterbridge/internal/daemon"
)

func newScanCmd(a *app) *cobra.Command {
	return &cobra.Command{
		Use: "scan", Short: "Read what is new into the ledger", Args: cobra.NoArgs,
		Long: `Reads what is new in the logs of every harness into the ledger. Files that did
not change are not opened. Interrupt it at any time: what was committed stays.`,
		RunE: func(cmd *cobra.Command, _ []string) error {
			m, err := a.open(cmd.Context())
			if err != nil {
				return err
			}
			defer m.Close()
			r, err := a.scan(cmd.Context(), m)
			if err != nil {
				return err
			}
			if a.json {
				return a.printJSON(scanAnswer(r))
			}
			return a.scanTable(r)
		},
	}
}

// scan reads what is new, with bars on a terminal.
func (a *app) scan(ctx context.Context, m *daemon.Meter) (daemon.ScanResult, error) {
	a.stopped = keptSoFar
	if !a.live || a.noProgress {
		return m.Scan(ctx, nil)
	}
	b := newBars(a.err)
	defer b.stop()
	return m.Scan(ctx, b)
}

type scanRow struct {
	Harness    string `json:"harness"`
	Files      int    `json:"files"`
	Read       int    `json:"filesRead"`
	Bytes      int64  `json:"bytesRead"`
	Requests   int    `json:"requests"`
	Problems   int    `json:"problems"`
	Unreadable int    `json:"unreadable"`
	Gone       int    `json:"gone"`
}

type scanReport struct {
	SchemaVersion int       `json:"schemaVersion"`
	Rows          []scanRow `json:"rows"`
	Commits       int       `json:"commits"`
}

func scanAnswer(r daemon.ScanResult) scanReport {
	out := scanReport{SchemaVersion: 1, Commits: r.Commits, Rows: []scanRow{}}
	for _, h := range r.Harnesses {
		out.Rows = append(out.Rows, scanRow{
			h.Harness, h.Files, h.Opened, h.BytesRead, h.Requests, h.Problems, h.Unreadable, h.Gone,
		})
	}
	return out
}

func (a *app) scanTable(r daemon.ScanResult) error {
	g := grid{columns: []column{
		{name: "Harness"},
		{name: "Files", right: true},
		{name: "Read", right: true},
		{name: "MB read", right: true, drop: 2},
		{name: "Requests read", right: true},
		{name: "Gone", right: true, drop: 1},
		{name: "Problems", right: true},
	}}
	for _, h := range r.Harnesses {
		g.rows = append(g.rows, []string{
			h.Harness, grouped(int64(h.Files)), grouped(int64(h.Opened)), fmt.Sprintf("%.1f", float64(h.BytesRead)/1e6),
			grouped(int64(h.Requests)), grouped(int64(h.Gone)), grouped(int64(h.Problems)),
		})
	}
	total := r.Total()
	if err := g.print(a.out, a.width, a.colour()); err != nil {
		return err
	}
	if total.Problems > 0 {
		fmt.Fprintln(a.out, "Some records could not be read; `meterbridge doctor` says which.")
	}
	return nil
}
