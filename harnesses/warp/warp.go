// Package warp reads the conversations of Warp's agent: prompts, times and models.
// Their usage is one total for each model, which no class of tokens can take. It
// imports the domain, the contract of a harness, the readers of JSON and the
// SQLite access; harnesses/all lists it and the scanner calls its parser.
package warp

import (
	"path/filepath"

	"meterbridge"
	"meterbridge/harnesses"
	"meterbridge/harnesses/roots"
	"meterbridge/harnesses/snapshot"
)

const (
	id = "warp"
	// store is the name space of request ids: exchanges, and the totals of conversations.
	store = "exchanges"
)

// Harness describes Warp.
func Harness() harnesses.Harness {
	return snapshot.Only(harnesses.Harness{
		ID:            id,
		Name:          "Warp",
		ParserVersion: 1,
		Declaration:   declaration(),
		Roots:         places,
	}, "warp.sqlite", harnesses.Kind{Name: "database"}, openDatabase)
}

func declaration() harnesses.Declaration {
	return harnesses.Declaration{
		ZeroCost:      harnesses.ZeroUnknown,
		RequestTimes:  harnesses.EndOnly,
		Precision:     meterbridge.PerRequest,
		NeverReported: []string{"input", "output", "reasoning", "cacheRead", "cacheWrite", "cost"},
		Gaps: []string{
			"A conversation has one total of tokens for each model, without input and output: it can be neither put into a class nor priced, and is named by explain only.",
			"An exchange with the model has the time at which it was sent; that stands for its end.",
			"Answers and calls of tools are not kept in a form that is read, nor is the git branch. Credits are no money.",
		},
		Layouts: []string{"warp.sqlite: SQLite with the tables agent_conversations and ai_queries"},
	}
}

func places(env harnesses.Env) []harnesses.Root {
	l := roots.In(env)
	switch env.OS {
	case "darwin":
		return l.Also(l.Home("Library", "Group Containers", "2BBY89MBSN.dev.warp", "Library", "Application Support", "dev.warp.Warp-Stable")).All()
	case "windows":
		local := env.Getenv("LOCALAPPDATA")
		if !filepath.IsAbs(local) {
			local = l.Home("AppData", "Local")
		}
		return l.Also(filepath.Join(local, "warp", "Warp", "data")).All()
	}
	return l.Moved("XDG_STATE_HOME", l.Home(".local", "state", "warp-terminal"), "warp-terminal").All()
}
