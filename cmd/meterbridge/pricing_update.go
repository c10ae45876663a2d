package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"meterbridge/internal/daemon"
)

func newPricingUpdateCmd(a *app) *cobra.Command {
	var o daemon.UpdateOptions
	cmd := &cobra.Command{
		Use: "update", Short: "Install a newer price table", Args: cobra.NoArgs,
		Long: "Fetches a table, validates it and installs it, all or nothing; one generation is\n" +
			"kept for `pricing rollback`. Nothing is fetched unless --from or [pricing] url says from where.",
		RunE: func(cmd *cobra.Command, _ []string) error {
			p, err := a.openPrices()
			if err != nil {
				return err
			}
			r, err := p.Update(cmd.Context(), o)
			if err != nil {
				return err
			}
			if a.json {
				return a.printJSON(r)
			}
			return a.updateText(r)
		},
	}
	f := cmd.Flags()
	f.StringVar(&o.From, "from", "", "an https address, a file, or embedded (default: [pricing] url)")
	f.StringVar(&o.Format, "format", "", "agent-prices (default), litellm or models.dev")
	f.StringSliceVar(&o.Providers, "provider", nil, "providers to fill from a foreign format")
	f.BoolVar(&o.DryRun, "dry-run", false, "say what would change, and change nothing")
	f.BoolVar(&o.AllowOlder, "allow-older", false, "accept a table older than the present one")
	f.BoolVar(&o.Force, "force", false, "accept a vendor's price that jumped")
	return cmd
}

// changesShown is how many changed models a person is shown.
const changesShown = 20

func (a *app) updateText(r daemon.UpdateReport) error {
	for i, c := range r.Changed {
		if i == changesShown {
			fmt.Fprintf(a.out, "  ... and %d more\n", len(r.Changed)-i)
			break
		}
		fmt.Fprintf(a.out, "  %s: %s -> %s\n", c.Model, c.Before, c.After)
	}
	state := "installed"
	if !r.Installed {
		state = "not installed"
	}
	_, err := fmt.Fprintf(a.out, "%s -> %s: %d added, %d removed, %d changed; %s.\n",
		r.Before, r.After, len(r.Added), len(r.Removed), len(r.Changed), state)
	return err
}

func newPricingRollbackCmd(a *app) *cobra.Command {
	return &cobra.Command{
		Use: "rollback", Short: "Go back to the price table before the last update", Args: cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			p, err := a.openPrices()
			if err != nil {
				return err
			}
			r, err := p.Rollback()
			if err != nil {
				return err
			}
			if a.json {
				return a.printJSON(r)
			}
			_, err = fmt.Fprintf(a.out, "%s -> %s\n", r.Before, r.After)
			return err
		},
	}
}
