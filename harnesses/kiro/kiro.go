// Package kiro reads the conversations of Kiro's command line: prompts, tool
// calls and turns. They hold no counts of tokens. It imports the domain, the
// contract of a harness and the readers of JSON; harnesses/all lists it and the
// scanner calls its parsers.
package kiro

import (
	"path"
	"strings"

	"meterbridge"
	"meterbridge/harnesses"
	"meterbridge/harnesses/facts"
	"meterbridge/harnesses/roots"
)

const (
	id         = "kiro"
	kindLog    = "conversation"
	kindRecord = "session"
)

// Harness describes Kiro.
func Harness() harnesses.Harness {
	return harnesses.Harness{
		ID:            id,
		Name:          "Kiro",
		ParserVersion: 1,
		Declaration:   declaration(),
		Roots: func(env harnesses.Env) []harnesses.Root {
			l := roots.In(env)
			return l.Also(l.Home(".kiro", "sessions", "cli")).All()
		},
		Claim: claim,
		Skip:  func(relDir string) bool { return relDir != "" && relDir != "." },
		Lines: func(_ harnesses.Kind, o harnesses.Options) harnesses.LineParser { return newLog(o) },
		Document: func(_ harnesses.Kind, o harnesses.Options) harnesses.DocumentParser {
			return &record{opt: o}
		},
	}
}

func declaration() harnesses.Declaration {
	return harnesses.Declaration{
		ZeroCost:      harnesses.ZeroUnknown,
		RequestTimes:  harnesses.NoTimes,
		Precision:     meterbridge.PerRequest,
		MCP:           harnesses.MCPServers("~/.kiro/settings/mcp.json, or .kiro/settings/mcp.json in a project"),
		NeverReported: []string{"input", "output", "reasoning", "cacheRead", "cacheWrite", "cost"},
		Gaps: []string{
			"Conversations hold no counts of tokens: the fields for them are there and are always 0.",
			"Answers have no time of their own.",
			"The editor keeps only the credits of the billing period; they belong to no session.",
			"dev_data/devdata.sqlite holds counts of the editor's own tokenizer; they are no usage and are not read.",
		},
		Layouts: []string{
			"sessions/cli/<id>.jsonl: prompts, answers and results of tools",
			"sessions/cli/<id>.json: the folder, the title and the turns of a session, rewritten whole",
		},
	}
}

func claim(rel string) (harnesses.Kind, bool) {
	switch {
	case strings.Contains(rel, "/"), strings.HasPrefix(rel, "."):
	case path.Ext(rel) == ".jsonl":
		return harnesses.Kind{Name: kindLog, Shape: harnesses.Lines}, true
	case path.Ext(rel) == ".json":
		return harnesses.Kind{Name: kindRecord, Shape: harnesses.Document}, true
	}
	return harnesses.Kind{}, false
}

// sessionOf is the session that a file is named after.
func sessionOf(rel string) string {
	return facts.Name(strings.TrimSuffix(path.Base(rel), path.Ext(rel)))
}
