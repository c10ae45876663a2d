// Package zed reads the threads of Zed's agent: a database with one document,
// compressed or not, for each. It imports the domain, the contract of a harness,
// the readers of JSON and of running totals, and the SQLite and zstd access;
// harnesses/all lists it and the scanner calls its parser.
package zed

import (
	"path/filepath"

	"meterbridge"
	"meterbridge/harnesses"
	"meterbridge/harnesses/roots"
	"meterbridge/harnesses/snapshot"
)

const (
	id = "zed"
	// store is the name space of request ids: a thread's total, and its growth.
	store = "threads"
)

// Harness describes Zed's agent.
func Harness() harnesses.Harness {
	return snapshot.Only(harnesses.Harness{
		ID:            id,
		Name:          "Zed",
		ParserVersion: 1,
		Declaration:   declaration(),
		Roots:         places,
	}, "threads.db", harnesses.Kind{Name: "threads", Totals: true}, openDatabase)
}

func declaration() harnesses.Declaration {
	return harnesses.Declaration{
		ZeroCost:      harnesses.ZeroUnknown,
		RequestTimes:  harnesses.NoTimes,
		Precision:     meterbridge.PerSession,
		UsageReadable: true,
		NeverReported: []string{"reasoning", "cost"},
		Gaps: []string{
			"A thread keeps the last call of each message of a person and a total; the larger of both counts, and may lack calls of loops of tools.",
			"What a thread holds at first sight is one row, what it grows while Meterbridge looks on are rows of runs.",
			"Messages have no times: prompts and tool calls are not read.",
			"Threads of agents that Zed runs from outside (Claude Code, Codex) are told by these agents' own logs.",
		},
		Layouts: []string{"threads/threads.db: SQLite with the table threads, whose data is JSON or zstd"},
	}
}

func places(env harnesses.Env) []harnesses.Root {
	l := roots.In(env)
	switch env.OS {
	case "darwin":
		return l.Also(l.Home("Library", "Application Support", "Zed", "threads")).All()
	case "windows":
		if local := env.Getenv("LOCALAPPDATA"); filepath.IsAbs(local) {
			return l.Also(filepath.Join(local, "Zed", "threads")).All()
		}
		return l.Also(l.Home("AppData", "Local", "Zed", "threads")).All()
	}
	return l.InData("zed", "threads").All()
}
