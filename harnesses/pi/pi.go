// Package pi declares Pi and the programs that took over its sessions as they
// are: where they keep them and what their numbers mean. The reading itself is
// that of harnesses/treelog; nothing else of the project is imported, and only
// harnesses/all calls it.
package pi

import (
	"meterbridge"
	"meterbridge/harnesses"
	"meterbridge/harnesses/treelog"
)

// Harness returns Pi as the scanner knows it.
func Harness() harnesses.Harness {
	return harnesses.Harness{
		ID:            "pi",
		Name:          "Pi",
		ParserVersion: 1,
		Declaration:   declaration(),
		Roots:         roots,
		Claim:         claim,
		Skip:          skip,
		Lines: func(_ harnesses.Kind, o harnesses.Options) harnesses.LineParser {
			return treelog.New(dialect(), originOf(o.Path), o)
		},
	}
}

// dialect is that of the sessions. An entry's id has eight digits only, so the
// time at which it was written completes it; a fork copies both.
func dialect() treelog.Dialect {
	return treelog.Dialect{
		Harness: "pi",
		Store:   "entries",
		Native:  func(_, entry, timestamp string) string { return entry + "@" + timestamp },
	}
}

func declaration() harnesses.Declaration {
	return harnesses.Declaration{
		ZeroCost:      harnesses.ZeroUnknown,
		CostField:     "usage.cost.total",
		RequestTimes:  harnesses.StartAndEnd,
		Precision:     meterbridge.PerRequest,
		UsageReadable: true,
		Drives:        true,
		Gaps: []string{
			"Reasoning is null in builds before 0.8x, the one-hour part of cache writes where it is not named.",
			"The usage of tools' models, compactions and branch summaries is logged since 0.81.0; only answers have a send time.",
			"The model of a compaction or a branch summary is the one in force, an inference.",
			"Before 0.70.0, rows of OpenAI-compatible completions hold reasoning twice in output; that cannot be repaired.",
			"Before 0.65.1, cache reads of OpenRouter hold the writes too.",
			"Entries of the first builds have no ids; when the program gives them some, they count again.",
			"A folder set by --session-dir or by sessionDir in settings.json is not found; name it in a [[source]].",
			"The git branch and the version of the program are not recorded.",
		},
		Layouts: []string{
			"<folder>/<time>_<session>.jsonl: entries of format 3, and of 1 and 2 as they were",
			"the same below .omp, .prime, .senpi and .gjc: Oh My Pi, Prime Agent, Senpi, GJC",
		},
	}
}
