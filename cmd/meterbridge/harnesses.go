package main

import (
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"meterbridge/internal/daemon"
)

func newHarnessesCmd(a *app) *cobra.Command {
	return &cobra.Command{
		Use: "harnesses", Short: "What is read on this machine, from where, how exactly", Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			m, err := a.open(cmd.Context())
			if err != nil {
				return err
			}
			defer m.Close()
			list, err := m.Harnesses(cmd.Context())
			if err != nil {
				return err
			}
			if a.json {
				return a.printJSON(list)
			}
			for _, h := range list.Rows {
				if err := a.harness(h); err != nil {
					return err
				}
			}
			return nil
		},
	}
}

// knownHarness refuses a harness that is not read; empty is every harness.
func knownHarness(id string) error {
	ids := daemon.HarnessIDs()
	if id == "" || slices.Contains(ids, id) {
		return nil
	}
	return usagef("the harnesses are "+strings.Join(ids, ", "), "--harness %q is not known", id)
}

func (a *app) harness(h daemon.HarnessAnswer) error {
	p := fields{out: a.out}
	p.line("Harness", h.Name+" ("+h.Harness+")")
	for _, r := range h.Roots {
		state := "not there"
		if r.Found {
			state = "found"
		}
		where := r.Path + "  " + state
		if r.Variable != nil {
			where += "; " + *r.Variable + " moves it"
		}
		p.line("  looks in", where)
	}
	p.line("  files", fmt.Sprintf("%s known, %s gone", grouped(h.Files), grouped(h.Gone)))
	p.line("  exact to", fmt.Sprintf("one row per %s; times: %s", h.Precision, h.RequestTimes))
	if len(h.NeverReported) > 0 {
		p.line("  never", strings.Join(h.NeverReported, ", "))
	}
	for _, gap := range h.Gaps {
		p.line("  gap", gap)
	}
	p.line("", "")
	return p.err
}
