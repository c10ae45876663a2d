package main

import (
	"fmt"
	"io"
	"strings"
)

// printCases writes the tables as Markdown.
func printCases(out io.Writer, tools []tool, results []result) {
	printCounts(out, tools, results)
	fmt.Fprintln(out, "\n### Tokens, case by case")
	printVerdicts(out, tools, results, (*question).wantsTokens, func(f found) string { return f.tokens })
	fmt.Fprintln(out, "\n### Cost, case by case (micro-USD)")
	var priced []tool
	var withCost []result
	for i, t := range tools {
		if t.priced() {
			priced = append(priced, t)
		}
		for k := range results {
			if i == 0 {
				withCost = append(withCost, result{c: results[k].c, q: results[k].q, memory: results[k].memory})
			}
			if t.priced() && results[k].q != nil {
				withCost[k].found = append(withCost[k].found, results[k].found[i])
			}
		}
	}
	printVerdicts(out, priced, withCost, (*question).wantsCost, func(f found) string { return f.cost })
	fmt.Fprintln(out, "\nNot compared, because what the case asks for has no report elsewhere:")
	for _, r := range results {
		if r.q == nil {
			fmt.Fprintf(out, "- %s %s\n", r.c.ID, r.c.Title)
		}
	}
}

func heading(out io.Writer, first string, tools []tool) {
	fmt.Fprintf(out, "| %s |", first)
	for _, t := range tools {
		fmt.Fprintf(out, " %s |", t.name())
	}
	fmt.Fprintf(out, "\n|%s\n", strings.Repeat("---|", len(tools)+1))
}

// printCounts counts the cases that each tool has right.
func printCounts(out io.Writer, tools []tool, results []result) {
	heading(out, "right", tools)
	tokens := func(f found) string { return f.tokens }
	for _, line := range []struct {
		label string
		of    func(result) bool
		said  func(found) string
		tools func(tool) bool
	}{
		{"tokens, where the logs tell them", func(r result) bool { return r.q.wantsTokens() && !r.memory }, tokens, func(tool) bool { return true }},
		{"tokens, where only a memory of earlier logs tells them", func(r result) bool { return r.q.wantsTokens() && r.memory }, tokens, func(tool) bool { return true }},
		{"cost", func(r result) bool { return r.q.wantsCost() }, func(f found) string { return f.cost }, tool.priced},
	} {
		fmt.Fprintf(out, "| %s |", line.label)
		for i, t := range tools {
			if !line.tools(t) {
				fmt.Fprint(out, " – |")
				continue
			}
			fmt.Fprintf(out, " %s |", counted(results, i, line.of, line.said))
		}
		fmt.Fprintln(out)
	}
}

// counted is "right of asked" of the tool at i.
func counted(results []result, i int, of func(result) bool, said func(found) string) string {
	right, asked, unpriced := 0, 0, 0
	for _, r := range results {
		if r.q == nil || !of(r) || !r.found[i].asked {
			continue
		}
		asked++
		switch said(r.found[i]) {
		case "":
			right++
		case noPrice:
			unpriced++
		}
	}
	if unpriced > 0 {
		return fmt.Sprintf("%d of %d, and %d named as without a price", right, asked, unpriced)
	}
	return fmt.Sprintf("%d of %d", right, asked)
}

func printVerdicts(out io.Writer, tools []tool, results []result, wants func(*question) bool, said func(found) string) {
	fmt.Fprintln(out)
	heading(out, "case", tools)
	for _, r := range results {
		if r.q == nil || !wants(r.q) {
			continue
		}
		title := r.c.ID + " " + r.c.Title
		if r.memory {
			title += " (needs a memory)"
		}
		fmt.Fprintf(out, "| %s |", title)
		for _, f := range r.found {
			text := "right"
			if f.note != "" {
				text += ", " + f.note
			}
			if d := said(f); d != "" {
				text = d
			}
			if !f.asked {
				text = "–"
			}
			fmt.Fprintf(out, " %s |", strings.ReplaceAll(text, "|", "/"))
		}
		fmt.Fprintln(out)
	}
}
