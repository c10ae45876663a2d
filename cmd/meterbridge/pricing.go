package main

import "github.com/spf13/cobra"

func newPricingCmd(a *app) *cobra.Command {
	cmd := &cobra.Command{
		Use: "pricing", Short: "The price table: what models cost, what has no price, updates", Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(newPricingCostCmd(a))
	return cmd
}
