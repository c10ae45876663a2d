// Package goose reads the database of sessions that Goose keeps. It imports the
// domain, the contract of a harness, the readers of JSON and the SQLite access;
// harnesses/all lists it and the scanner calls its parser.
package goose

import (
	"path/filepath"

	"meterbridge"
	"meterbridge/harnesses"
	"meterbridge/harnesses/roots"
	"meterbridge/harnesses/snapshot"
)

const (
	id = "goose"
	// store is the name space of request ids: rows of the ledger, and a session's rest.
	store = "sessions"
)

// Harness describes Goose.
func Harness() harnesses.Harness {
	return snapshot.Only(harnesses.Harness{
		ID:            id,
		Name:          "Goose",
		ParserVersion: 1,
		Declaration:   declaration(),
		Roots:         places,
	}, "sessions.db", harnesses.Kind{Name: "database"}, openDatabase)
}

func declaration() harnesses.Declaration {
	return harnesses.Declaration{
		ZeroCost:      harnesses.ZeroUnknown,
		CostField:     "usage_ledger.cost, reported by the provider or estimated by the program; before schema 15 sessions.accumulated_cost",
		RequestTimes:  harnesses.EndOnly,
		Precision:     meterbridge.PerRequest,
		MCP:           mcpClient(),
		UsageReadable: true,
		NeverReported: []string{"reasoning"},
		Gaps: []string{
			"Before schema 15 there is no ledger: a session is one row, its cache classes are null and its input may include them.",
			"What a session spent before it had a ledger is one further row, which counts as no request.",
			"Sessions that Goose kept as JSON lines are read once it has imported them into its database.",
			"Which request called a tool, the lifetime of cache writes and the git branch are not recorded.",
		},
		Layouts: []string{"sessions/sessions.db: SQLite with the tables sessions, messages and, since schema 15, usage_ledger"},
	}
}

func places(env harnesses.Env) []harnesses.Root {
	l := roots.In(env)
	usual := l.Data("goose", "sessions")
	if env.OS == "windows" {
		usual = l.Home("AppData", "Roaming", "Block", "goose", "data", "sessions")
		if roaming := env.Getenv("APPDATA"); filepath.IsAbs(roaming) {
			usual = filepath.Join(roaming, "Block", "goose", "data", "sessions")
		}
	}
	l.Moved("GOOSE_PATH_ROOT", usual, "data", "sessions").InData("goose", "sessions").InData("Block", "goose", "sessions")
	if env.OS == "darwin" {
		l.Also(l.Home("Library", "Application Support", "goose", "sessions"))
	}
	return l.All()
}
