// Package droid reads the sessions of Factory's Droid: conversations as JSON
// lines, and beside each the totals of its tokens. It imports the domain, the
// contract of a harness, the readers of JSON and of running totals;
// harnesses/all lists it and the scanner calls its parsers.
package droid

import (
	"path"
	"strings"

	"meterbridge"
	"meterbridge/harnesses"
	"meterbridge/harnesses/roots"
)

const (
	id = "droid"
	// store is the name space of request ids: a session's total, and its growth.
	store = "sessions"

	kindLog      = "conversation"
	kindSettings = "settings"

	suffix = ".settings.json"
)

// Harness describes Droid.
func Harness() harnesses.Harness {
	return harnesses.Harness{
		ID:            id,
		Name:          "Factory Droid",
		ParserVersion: 1,
		Declaration:   declaration(),
		Roots: func(env harnesses.Env) []harnesses.Root {
			l := roots.In(env)
			return l.Moved("FACTORY_HOME_OVERRIDE", l.Home(".factory", "sessions"), ".factory", "sessions").Alias("DROID_SESSIONS_DIR").All()
		},
		Claim: claim,
		Skip:  func(relDir string) bool { return strings.Contains(relDir, "/") },
		Companion: func(path string) string {
			return strings.TrimSuffix(path, suffix) + ".jsonl"
		},
		Lines: func(_ harnesses.Kind, o harnesses.Options) harnesses.LineParser { return newLog(o) },
		Document: func(_ harnesses.Kind, o harnesses.Options) harnesses.DocumentParser {
			return newSettings(o)
		},
	}
}

func declaration() harnesses.Declaration {
	return harnesses.Declaration{
		ZeroCost:      harnesses.ZeroUnknown,
		RequestTimes:  harnesses.NoTimes,
		Precision:     meterbridge.PerSession,
		UsageReadable: true,
		MCP:           harnesses.MCPTyped("~/.factory/mcp.json, or .factory/mcp.json in a project", "stdio"),
		NeverReported: []string{"cost"},
		Gaps: []string{
			"Only the total of a session is kept: what it was at first sight is one row, what it grows while Meterbridge looks on are rows of runs.",
			"A copy of a session's files that is read beside the original is counted with it, once.",
			"The successor of a compaction begins with its parent's totals: while the parent's file is missing it waits, because what it inherited cannot be told.",
			"Reasoning is approximate: with models of Anthropic and Google the program estimates it from the length of the text.",
			"A model that the user set up has the user's label, which seldom has a price.",
			"Credits are no money. The git branch is not recorded.",
		},
		Layouts: []string{
			"sessions/<folder>/<id>.jsonl: a conversation; in old builds directly in sessions/",
			"sessions/<folder>/<id>.settings.json: its model and the totals of its tokens, rewritten whole",
		},
	}
}

func claim(rel string) (harnesses.Kind, bool) {
	switch {
	case strings.Count(rel, "/") > 1, strings.HasPrefix(path.Base(rel), "."):
	case strings.HasSuffix(rel, suffix):
		return harnesses.Kind{Name: kindSettings, Shape: harnesses.Document, Totals: true}, true
	case strings.HasSuffix(rel, ".jsonl"):
		return harnesses.Kind{Name: kindLog, Shape: harnesses.Lines}, true
	}
	return harnesses.Kind{}, false
}
