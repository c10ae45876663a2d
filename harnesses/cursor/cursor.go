// Package cursor reads the conversations that the Cursor editor keeps: titles,
// prompts, tool calls and their times. What they say of tokens is not usage: it
// was written on the last message of a turn only, and is 0 since February 2026.
// It imports the domain, the contract of a harness, the readers of JSON and the
// SQLite access; harnesses/all lists it and the scanner calls its parser.
package cursor

import (
	"path/filepath"

	"meterbridge"
	"meterbridge/harnesses"
	"meterbridge/harnesses/editors"
	"meterbridge/harnesses/roots"
	"meterbridge/harnesses/snapshot"
)

const id = "cursor"

// Harness describes Cursor.
func Harness() harnesses.Harness {
	return snapshot.Only(harnesses.Harness{
		ID:            id,
		Name:          "Cursor",
		ParserVersion: 1,
		Declaration:   declaration(),
		Roots: func(env harnesses.Env) []harnesses.Root {
			return roots.In(env).Also(filepath.Join(editors.User(env, "Cursor"), "globalStorage")).All()
		},
	}, "state.vscdb", harnesses.Kind{Name: "conversations"}, openDatabase)
}

func declaration() harnesses.Declaration {
	return harnesses.Declaration{
		CardWord:      "cursor-cli",
		ZeroCost:      harnesses.ZeroUnknown,
		RequestTimes:  harnesses.NoTimes,
		Precision:     meterbridge.PerRequest,
		MCP:           harnesses.MCPServers("~/.cursor/mcp.json, or .cursor/mcp.json in a project"),
		NeverReported: []string{"input", "output", "reasoning", "cacheRead", "cacheWrite", "cost"},
		Gaps: []string{
			"Usage is kept on the server. Counts of tokens in old conversations stand on the last message of a turn only, without cache, and are 0 since February 2026: they are not read.",
			"The command line (~/.cursor/chats, ~/.cursor/projects) keeps the size of a context and texts, no usage; it is not read.",
			"A conversation without a time of its last change is read once.",
		},
		Layouts: []string{"User/globalStorage/state.vscdb: the keys composerData:* and bubbleId:* of the table cursorDiskKV, and no others: the table beside it holds logins"},
	}
}
