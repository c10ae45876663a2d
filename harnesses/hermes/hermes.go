// Package hermes reads the database of Hermes Agent, whose tokens are running
// totals of sessions. It imports the domain, the contract of a harness, the
// SQLite access and the shared readers; harnesses/all lists it and the scanner
// calls its parser. docs/formats/hermes.md tells the rules.
package hermes

import (
	"path"
	"strings"

	"meterbridge"
	"meterbridge/harnesses"
	"meterbridge/harnesses/roots"
)

const (
	id = "hermes"
	// store is the name space of the totals' ids.
	store = "usage"
)

// Harness returns Hermes Agent as the scanner knows it.
func Harness() harnesses.Harness {
	return harnesses.Harness{
		ID:            id,
		Name:          "Hermes Agent",
		ParserVersion: 1,
		Declaration:   declaration(),
		Hooks:         hooks(),
		Roots: func(env harnesses.Env) []harnesses.Root {
			l := roots.In(env)
			return l.Moved("HERMES_HOME", l.Home(".hermes")).All()
		},
		Claim:     claim,
		Skip:      skip,
		Companion: func(path string) string { return path + "-wal" },
		Database: func(_ harnesses.Kind, o harnesses.Options) harnesses.DatabaseParser {
			return openDatabase(o)
		},
	}
}

// claim takes the database of the home and those of its profiles.
func claim(rel string) (harnesses.Kind, bool) {
	dir := path.Dir(rel)
	ok := rel == "state.db" || path.Base(rel) == "state.db" && path.Dir(dir) == "profiles"
	return harnesses.Kind{Name: "state", Shape: harnesses.Database, Totals: true}, ok
}

func skip(relDir string) bool {
	if relDir == "state.db" || relDir == "profiles" {
		return false
	}
	return !strings.HasPrefix(relDir, "profiles/") || strings.Count(relDir, "/") > 1
}

func declaration() harnesses.Declaration {
	return harnesses.Declaration{
		CardWord:      "hermes-agent",
		ZeroCost:      harnesses.ZeroBilled,
		CostField:     "actual_cost_usd, else estimated_cost_usd",
		RequestTimes:  harnesses.EndOnly,
		Precision:     meterbridge.PerSession,
		UsageReadable: true,
		Gaps: []string{
			"Tokens are running totals of a session, model and task. What was there at first sight is one row with the time of the last call (precision session, undated before); what is added later is dated by Meterbridge's own looks (precision run).",
			"Tokens of single requests, their start and the lifetime of cache writes are not recorded.",
			"A copy of a database that is read beside it counts what it had grown beyond the first sight of the other again.",
			"A cost of 0 is an amount only where the session's own actual_cost_usd says so.",
			"No log of the program itself was at hand: the schema is known from its source (30).",
		},
		Layouts: []string{
			"state.db, profiles/<name>/state.db: SQLite with sessions, session_model_usage (newer schemas) and messages",
		},
	}
}
