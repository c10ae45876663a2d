// Package augment reads the sessions of Augment's command line (auggie). It
// imports the domain, the contract of a harness and the readers of JSON;
// harnesses/all lists it and the scanner calls its parser.
package augment

import (
	"path"
	"strings"

	"meterbridge"
	"meterbridge/harnesses"
	"meterbridge/harnesses/roots"
)

const (
	id = "augment"
	// store is the name space of request ids: a session's exchanges by number.
	store = "sessions"
)

// Harness describes Augment.
func Harness() harnesses.Harness {
	return harnesses.Harness{
		ID:            id,
		Name:          "Augment",
		ParserVersion: 1,
		Declaration:   declaration(),
		Roots: func(env harnesses.Env) []harnesses.Root {
			l := roots.In(env)
			return l.Also(l.Home(".augment", "sessions")).All()
		},
		Claim: func(rel string) (harnesses.Kind, bool) {
			ok := path.Ext(rel) == ".json" && !strings.Contains(rel, "/")
			return harnesses.Kind{Name: "session", Shape: harnesses.Document}, ok
		},
		Skip: func(relDir string) bool { return relDir != "" && relDir != "." },
		Document: func(_ harnesses.Kind, o harnesses.Options) harnesses.DocumentParser {
			return &document{opt: o}
		},
	}
}

func declaration() harnesses.Declaration {
	return harnesses.Declaration{
		CardWord:      "auggie",
		ZeroCost:      harnesses.ZeroUnknown,
		RequestTimes:  harnesses.EndOnly,
		Precision:     meterbridge.PerRequest,
		MCP:           harnesses.MCPServers("~/.augment/settings.json"),
		UsageReadable: true,
		NeverReported: []string{"reasoning", "cost"},
		Gaps: []string{
			"Credits are no money: the recorded cost is null.",
			"Exchanges that did not complete have no usage.",
			"The working directory, the git branch and the lifetime of cache writes are not recorded.",
			"Prompts have no time of their own: they take that of what came before.",
			"A folder set by the command line's cache-dir option is read when it is named as a source.",
		},
		Layouts: []string{"sessions/<id>.json: a session with its exchanges, rewritten whole"},
	}
}
