package main

import (
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"meterbridge/internal/daemon"
)

type costFlags struct {
	given      daemon.GivenRequest
	reasoning  int64
	file, cost string
}

func newPricingCostCmd(a *app) *cobra.Command {
	var f costFlags
	cmd := &cobra.Command{
		Use: "cost", Short: "What these tokens cost, with the arithmetic", Args: cobra.NoArgs,
		Long: "Prices stated tokens: those of the flags, or of each request in a file\n" +
			`{"requests":[{"provider":"anthropic","model":"...","input":1000,"output":500}]}.`,
		RunE: func(cmd *cobra.Command, _ []string) error { return a.pricingCost(cmd, f) },
	}
	fl := cmd.Flags()
	fl.StringVar(&f.file, "file", "", "a file of requests; - is standard input")
	fl.StringVar(&f.given.Provider, "provider", "", "provider as a harness names it")
	fl.StringVar(&f.given.Model, "model", "", "model as a harness names it")
	fl.StringVar(&f.given.At, "at", "", "when it was sent (default: now)")
	fl.Int64Var(&f.given.Input, "input", 0, "uncached input tokens")
	fl.Int64Var(&f.given.Output, "output", 0, "output tokens, reasoning included")
	fl.Int64Var(&f.reasoning, "reasoning", 0, "the part of the output that is reasoning")
	fl.Int64Var(&f.given.CacheRead, "cache-read", 0, "cache read tokens")
	fl.Int64Var(&f.given.CacheWrite5m, "cache-write-5m", 0, "cache write tokens, five minutes")
	fl.Int64Var(&f.given.CacheWrite1h, "cache-write-1h", 0, "cache write tokens, one hour")
	fl.StringVar(&f.given.Speed, "speed", "", "speed, such as fast")
	fl.StringVar(&f.given.ServiceTier, "service-tier", "", "service tier, such as batch or priority")
	fl.StringVar(&f.given.Geo, "geo", "", "inference geography, such as us")
	fl.Int64Var(&f.given.WebSearches, "web-searches", 0, "web search requests")
	fl.StringVar(&f.cost, "cost", "auto", "auto (recorded, else list price), recorded or list")
	return cmd
}

func (a *app) pricingCost(cmd *cobra.Command, f costFlags) error {
	requests, err := f.requests(cmd, a)
	if err != nil {
		return err
	}
	p, err := a.openPrices()
	if err != nil {
		return err
	}
	answer, err := p.Cost(requests, f.cost)
	if err != nil {
		return usageError(err, "times are 2026-11-29 or 2026-11-29T08:00:00Z, counts are not negative, --cost is auto, recorded or list")
	}
	if a.json {
		return a.printJSON(answer)
	}
	fmt.Fprintln(a.out, strings.Join(answer.Arithmetic, "\n"))
	_, err = fmt.Fprintln(a.out, "cost:", dollars(answer.CostMicroUSD, answer.CostPartial))
	return err
}

func (f costFlags) requests(cmd *cobra.Command, a *app) ([]daemon.GivenRequest, error) {
	if f.file == "" {
		if f.given.Model == "" {
			return nil, usagef("see `meterbridge pricing cost --help`", "either --model or --file is needed")
		}
		if cmd.Flags().Changed("reasoning") {
			f.given.Reasoning = &f.reasoning
		}
		return []daemon.GivenRequest{f.given}, nil
	}
	data, err := a.readFile(f.file)
	if err != nil {
		return nil, err
	}
	list, err := daemon.ReadRequests(data)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", f.file, err)
	}
	return list, nil
}

// readFile reads a file that the user named, or standard input for -.
func (a *app) readFile(path string) ([]byte, error) {
	if path == "-" {
		return io.ReadAll(a.in)
	}
	return os.ReadFile(a.path(path))
}
