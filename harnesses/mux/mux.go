// Package mux reads the workspaces of Mux (Xum): the messages of each, what it
// spent beside them, and the configuration that names them. It imports the
// domain, the contract of a harness and the readers of JSON and of places;
// harnesses/all lists it and the scanner calls its parsers.
package mux

import (
	"path"
	"strings"

	"meterbridge"
	"meterbridge/harnesses"
	"meterbridge/harnesses/facts"
	"meterbridge/harnesses/roots"
)

const (
	id = "mux"
	// store is the name space of request ids: messages, whose ids copies keep.
	store = "messages"

	kindChat     = "chat"
	kindHeadless = "headless"
	kindConfig   = "config"
)

// Harness describes Mux.
func Harness() harnesses.Harness {
	return harnesses.Harness{
		ID:            id,
		Name:          "Mux",
		ParserVersion: 1,
		Declaration:   declaration(),
		Roots: func(env harnesses.Env) []harnesses.Root {
			l := roots.In(env)
			return l.Moved("XUM_ROOT", l.Home(".xum")).Alias("MUX_ROOT").Also(l.Home(".mux")).Also(l.Home(".cmux")).All()
		},
		Claim: claim,
		Skip:  skip,
		Lines: func(k harnesses.Kind, o harnesses.Options) harnesses.LineParser {
			if k.Name == kindHeadless {
				return newHeadless(o)
			}
			return newChat(o)
		},
		Document: func(_ harnesses.Kind, o harnesses.Options) harnesses.DocumentParser {
			return &config{opt: o}
		},
	}
}

func declaration() harnesses.Declaration {
	return harnesses.Declaration{
		ZeroCost:      harnesses.ZeroUnknown,
		RequestTimes:  harnesses.StartAndEnd,
		Precision:     meterbridge.PerTurn,
		UsageReadable: true,
		Gaps: []string{
			"A row is an answer with all steps of its tools, not a request; what models spent that tools called are rows of their own.",
			"session-usage.json sums up the same answers and those of workspaces that were deleted: it is not read. Where a chat was cut short before it was read, its usage is lost.",
			"Costs are reckoned by the program from a table of its own when it shows them: none is recorded but what xAI bills.",
			"Usage that an answer was interrupted with is the sum of the steps that had ended.",
			"The lifetime of cache writes is not recorded; other providers than Anthropic tell of none.",
		},
		CostField: "providerMetadata.xai.costInUsdTicks of an answer (10^10 ticks = 1 USD)",
		Layouts: []string{
			"sessions/<workspace>/chat.jsonl, chat-archive.jsonl: messages, the older ones in the archive",
			"sessions/<workspace>/subagent-transcripts/<workspace>/: the same of a deleted workspace of a sub-agent",
			"sessions/<workspace>/headless-usage.jsonl: what titles and memory spent",
			"config.json: projects and their workspaces, rewritten whole",
		},
	}
}

func claim(rel string) (harnesses.Kind, bool) {
	if rel == "config.json" {
		return harnesses.Kind{Name: kindConfig, Shape: harnesses.Document}, true
	}
	parts := strings.Split(rel, "/")
	deep := len(parts) == 5 && parts[2] == "subagent-transcripts"
	if parts[0] != "sessions" || len(parts) != 3 && !deep {
		return harnesses.Kind{}, false
	}
	switch parts[len(parts)-1] {
	case "chat.jsonl", "chat-archive.jsonl":
		return harnesses.Kind{Name: kindChat, Shape: harnesses.Lines}, true
	case "headless-usage.jsonl":
		return harnesses.Kind{Name: kindHeadless, Shape: harnesses.Lines}, true
	}
	return harnesses.Kind{}, false
}

func skip(relDir string) bool {
	parts := strings.Split(relDir, "/")
	return parts[0] != "sessions" || len(parts) > 2 && parts[2] != "subagent-transcripts" || len(parts) > 4
}

// workspaceOf is the workspace whose folder a file lies in.
func workspaceOf(rel string) string { return facts.Name(path.Base(path.Dir(rel))) }
