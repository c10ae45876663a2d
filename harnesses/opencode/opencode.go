// Package opencode declares OpenCode: where it keeps its store of messages and
// what its numbers mean. The reading itself is that of the family, in
// harnesses/messagestore; nothing else of the project is imported, and only
// harnesses/all calls it.
package opencode

import (
	"meterbridge"
	"meterbridge/harnesses"
	"meterbridge/harnesses/messagestore"
)

// Harness returns OpenCode as the scanner knows it.
func Harness() harnesses.Harness {
	return messagestore.Product{
		ID:               "opencode",
		Name:             "OpenCode",
		Folder:           "opencode",
		DatabasePrefixes: []string{"opencode"},
		DatabaseVariable: "OPENCODE_DB",
		FolderVariable:   "OPENCODE_DATA_DIR",
		Declaration:      declaration(),
		Launch:           launch(),
		ConfigVariable:   "OPENCODE_CONFIG",
	}.Harness()
}

func declaration() harnesses.Declaration {
	return harnesses.Declaration{
		ZeroCost:      harnesses.ZeroUnknown,
		CostField:     "message.data.cost",
		RequestTimes:  harnesses.StartAndEnd,
		Precision:     meterbridge.PerRequest,
		MCP:           mcpClient(),
		UsageReadable: true,
		Gaps: []string{
			"Requests for titles and other calls of the small model are not in the store: one per new session.",
			"Refused and repeated tries leave no usage.",
			"The lifetime of cache writes is not recorded.",
			"Reasoning and cache writes that a provider does not report are recorded as 0.",
			"Builds without tokens.total do not say whether output holds the reasoning; it is added, as the program itself does.",
			"The git branch is not recorded.",
			"Of JSON files that lie beside a database, the tools and replies are told by the database only.",
		},
		Layouts: []string{
			"opencode.db, opencode-<channel>.db: SQLite with the tables session, message and part (1.2 and later); OPENCODE_DB names one elsewhere, OPENCODE_DATA_DIR another folder",
			"storage/{session,message,part}: one JSON file per session, message and part (until 1.1; left behind by the move to SQLite)",
			"project/<folder>/storage/session/{info,message,part}: the same per project (first builds)",
		},
	}
}
