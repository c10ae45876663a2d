// Package kimi reads the sessions of Kimi Code and of the older Kimi CLI, whose
// lines ("wire") differ and whose folders are much alike. It imports the domain,
// the contract of a harness and the readers of JSON; harnesses/all lists it and
// the scanner calls its parsers.
package kimi

import (
	"path"
	"strings"

	"meterbridge"
	"meterbridge/harnesses"
	"meterbridge/harnesses/facts"
	"meterbridge/harnesses/roots"
)

const (
	id = "kimi"
	// store is the name space of request ids: steps, and the provider's responses.
	store = "wire"

	kindWire  = "wire"
	kindState = "state"
)

// Harness describes Kimi.
func Harness() harnesses.Harness {
	return harnesses.Harness{
		ID:            id,
		Name:          "Kimi",
		ParserVersion: 1,
		Declaration:   declaration(),
		Roots: func(env harnesses.Env) []harnesses.Root {
			l := roots.In(env)
			return l.Moved("KIMI_CODE_HOME", l.Home(".kimi-code")).Moved("KIMI_SHARE_DIR", l.Home(".kimi")).Alias("KIMI_DATA_DIR").All()
		},
		Claim: claim,
		Skip:  func(relDir string) bool { return relDir != "sessions" && !strings.HasPrefix(relDir, "sessions/") },
		Lines: func(_ harnesses.Kind, o harnesses.Options) harnesses.LineParser { return newWire(o) },
		Document: func(_ harnesses.Kind, o harnesses.Options) harnesses.DocumentParser {
			return &state{opt: o}
		},
	}
}

func declaration() harnesses.Declaration {
	return harnesses.Declaration{
		CardWord:      "kimi-cli",
		ZeroCost:      harnesses.ZeroUnknown,
		RequestTimes:  harnesses.StartAndEnd,
		Precision:     meterbridge.PerRequest,
		UsageReadable: true,
		MCP:           harnesses.MCPServers("~/.kimi-code/mcp.json, or .kimi-code/mcp.json in a project; of Kimi CLI ~/.kimi/mcp.json"),
		NeverReported: []string{"reasoning", "cost"},
		Gaps: []string{
			"Kimi CLI does not log the model: that of its configuration today is taken.",
			"Kimi Code logs the alias of a model.",
			"Side calls (compaction) have no start, and their purpose is not logged.",
			"The lifetime of cache writes and the git branch are not recorded.",
		},
		Layouts: []string{
			"sessions/<folder>/<id>/agents/<agent>/wire.jsonl, state.json: Kimi Code (~/.kimi-code)",
			"sessions/<md5 of the folder>/<id>/wire.jsonl, subagents/<agent>/wire.jsonl: Kimi CLI (~/.kimi)",
		},
	}
}

func claim(rel string) (harnesses.Kind, bool) {
	p := strings.Split(rel, "/")
	switch {
	case len(p) < 4 || p[0] != "sessions":
	case len(p) == 4 && p[3] == "state.json":
		return harnesses.Kind{Name: kindState, Shape: harnesses.Document}, true
	case path.Base(rel) != "wire.jsonl":
	case len(p) == 4, len(p) == 6 && (p[3] == "agents" || p[3] == "subagents"):
		return harnesses.Kind{Name: kindWire, Shape: harnesses.Lines}, true
	}
	return harnesses.Kind{}, false
}

// owner tells by its place whose wire a file is: the session, and the agent in
// it, empty for the one that a person talks to.
func owner(rel string) (session, agent string) {
	p := strings.Split(facts.Name(rel), "/")
	if len(p) < 4 {
		return path.Base(path.Dir(facts.Name(rel))), ""
	}
	if len(p) == 6 && p[4] != "main" {
		agent = p[4]
	}
	return p[2], agent
}
