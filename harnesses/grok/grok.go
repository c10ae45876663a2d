// Package grok reads the sessions of Grok Build: the updates that hold the usage
// of each turn, the summary and the history of a chat. It imports the domain, the
// contract of a harness and the readers of JSON; harnesses/all lists it and the
// scanner calls its parsers.
package grok

import (
	"path"
	"strings"

	"meterbridge"
	"meterbridge/harnesses"
	"meterbridge/harnesses/facts"
	"meterbridge/harnesses/roots"
)

const (
	id = "grok"
	// store is the name space of request ids: a session's turns, by model.
	store = "turns"

	kindUpdates = "updates"
	kindHistory = "history"
	kindSummary = "summary"
)

// Harness describes Grok Build.
func Harness() harnesses.Harness {
	return harnesses.Harness{
		ID:            id,
		Name:          "Grok Build",
		ParserVersion: 1,
		Declaration:   declaration(),
		Roots: func(env harnesses.Env) []harnesses.Root {
			l := roots.In(env)
			return l.Moved("GROK_HOME", l.Home(".grok", "sessions"), "sessions").All()
		},
		Claim: claim,
		Skip:  func(relDir string) bool { return strings.Count(relDir, "/") > 1 },
		Lines: func(k harnesses.Kind, o harnesses.Options) harnesses.LineParser {
			if k.Name == kindHistory {
				return newHistory(o)
			}
			return newUpdates(o)
		},
		Document: func(_ harnesses.Kind, o harnesses.Options) harnesses.DocumentParser {
			return &summary{opt: o}
		},
	}
}

func declaration() harnesses.Declaration {
	return harnesses.Declaration{
		Provider:      "xai",
		ZeroCost:      harnesses.ZeroUnknown,
		CostField:     "usage.costUsdTicks of a turn and model, where it is written (10^10 ticks = 1 USD)",
		RequestTimes:  harnesses.EndOnly,
		Precision:     meterbridge.PerTurn,
		UsageReadable: true,
		MCP:           harnesses.MCPTables("~/.grok/config.toml, or .grok/config.toml in a project").AddedBy("grok", "mcp", "add"),
		Gaps: []string{
			"A row is a turn and a model, not a request: how many requests it held is not told apart.",
			"Cache writes are reported by some builds only; else they are null.",
			"That 10^10 ticks are a dollar is known from other readers of the log only.",
			"The history of a chat has no times: of it only the title and the last reply are taken.",
			"The git branch is not recorded.",
		},
		Layouts: []string{
			"sessions/<folder>/<id>/updates.jsonl: usage by turn, prompts and tool calls",
			"sessions/<folder>/<id>/summary.json: folder and title, rewritten whole",
			"sessions/<folder>/<id>/chat_history.jsonl: texts",
		},
	}
}

func claim(rel string) (harnesses.Kind, bool) {
	if strings.Count(rel, "/") != 2 {
		return harnesses.Kind{}, false
	}
	switch path.Base(rel) {
	case "updates.jsonl":
		return harnesses.Kind{Name: kindUpdates, Shape: harnesses.Lines}, true
	case "chat_history.jsonl":
		return harnesses.Kind{Name: kindHistory, Shape: harnesses.Lines}, true
	case "summary.json":
		return harnesses.Kind{Name: kindSummary, Shape: harnesses.Document}, true
	}
	return harnesses.Kind{}, false
}

// sessionOf is the session whose folder a file lies in.
func sessionOf(rel string) string { return facts.Name(path.Base(path.Dir(rel))) }
