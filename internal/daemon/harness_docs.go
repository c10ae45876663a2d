package daemon

import (
	"fmt"
	"path"
	"strings"

	"meterbridge/harnesses"
	"meterbridge/harnesses/all"
)

// HarnessDocs is docs/harnesses.md, made of what the parsers declare. Places
// are those of a Linux machine whose home is "~".
func HarnessDocs() string {
	var b strings.Builder
	b.WriteString("# Harnesses\n\nWhat Meterbridge reads, from where, and how exactly. This page is generated from\n" +
		"what the parsers declare; `meterbridge harnesses` shows the same for your machine.\n\n" +
		"| harness | id | precision | request times | recorded cost | never reported |\n|---|---|---|---|---|---|\n")
	for _, h := range all.Harnesses() {
		d := h.Declaration
		precision := string(d.Precision)
		if !d.UsageReadable {
			precision = "no usage"
		}
		fmt.Fprintf(&b, "| %s | `%s` | %s | %s | %s | %s |\n", h.Name, h.ID, precision, d.RequestTimes,
			orDash(d.CostField), orDash(strings.Join(d.NeverReported, ", ")))
	}
	for _, h := range all.Harnesses() {
		harnessSection(&b, h)
	}
	return b.String()
}

func orDash(s string) string {
	if s == "" {
		return "–"
	}
	return s
}

func harnessSection(b *strings.Builder, h harnesses.Harness) {
	fmt.Fprintf(b, "\n## %s\n\nLooks in:\n\n", h.Name)
	env := harnesses.Env{Home: "/~", OS: "linux", Getenv: func(string) string { return "" }}
	roots := h.Roots(env)
	if len(roots) == 0 {
		b.WriteString("- nothing by itself: a variable or a source of the configuration names its log\n")
	}
	for _, r := range roots {
		place := "`" + strings.TrimPrefix(path.Clean(r.Path), "/") + "`"
		if r.Variable != "" {
			place += ", moved by `" + r.Variable + "`"
		}
		fmt.Fprintf(b, "- %s\n", place)
	}
	for _, part := range []struct {
		title string
		list  []string
	}{{"Layouts", h.Declaration.Layouts}, {"What its logs cannot show", h.Declaration.Gaps}} {
		if len(part.list) == 0 {
			continue
		}
		fmt.Fprintf(b, "\n%s:\n\n", part.title)
		for _, line := range part.list {
			fmt.Fprintf(b, "- %s\n", line)
		}
	}
	fmt.Fprintf(b, "\nA recorded cost of 0 beside tokens means: %s. Requests that name no provider are priced as: %s.\n",
		h.Declaration.ZeroCost, orDash(h.Declaration.Provider))
}
