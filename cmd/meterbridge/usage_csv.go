package main

import (
	"encoding/csv"
	"strconv"
	"strings"

	"meterbridge/internal/daemon"
)

// usageCSV writes one line per row; null is an empty field.
func (a *app) usageCSV(r daemon.UsageReport) error {
	w := csv.NewWriter(a.out)
	head := []string{
		r.By, "harness", "requests", "prompts", "inputTokens", "outputTokens", "reasoningTokens", "cacheReadTokens",
		"cacheWriteTokens", "totalTokens", "costMicroUsd", "costPartial", "costBasis", "models", "unpricedModels",
	}
	if r.By == "harness" {
		head = append(head[:1], head[2:]...)
	}
	if err := w.Write(head); err != nil {
		return err
	}
	for _, row := range r.Rows {
		line := []string{plain(row.Key)}
		if r.By != "harness" {
			line = append(line, deref(row.Harness))
		}
		line = append(line, strconv.FormatInt(row.Requests, 10))
		for _, n := range []*int64{
			row.Prompts, row.InputTokens, row.OutputTokens, row.ReasoningTokens, row.CacheReadTokens,
			row.CacheWriteTokens, row.TotalTokens, row.CostMicroUSD,
		} {
			line = append(line, digits(n))
		}
		line = append(line, strconv.FormatBool(row.CostPartial), row.CostBasis,
			plain(strings.Join(row.Models, " ")), plain(strings.Join(row.UnpricedModels, " ")))
		if err := w.Write(line); err != nil {
			return err
		}
	}
	w.Flush()
	return w.Error()
}

func digits(n *int64) string {
	if n == nil {
		return ""
	}
	return strconv.FormatInt(*n, 10)
}

func deref(s *string) string {
	if s == nil {
		return ""
	}
	return *s
}
