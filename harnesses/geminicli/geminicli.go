// Package geminicli declares Gemini CLI: where it keeps its chat recordings and
// what its numbers mean. The reading itself is that of the family, in
// harnesses/recordings; nothing else of the project is imported, and only
// harnesses/all calls it.
package geminicli

import (
	"path/filepath"

	"meterbridge"
	"meterbridge/harnesses"
	"meterbridge/harnesses/recordings"
)

// id is the harness's id of design.md.
const id = "gemini-cli"

// parserVersion rises when the same log would yield other rows.
const parserVersion = 1

// rootVariable replaces the home folder in which the program keeps its own.
const rootVariable = "GEMINI_CLI_HOME"

// Harness returns Gemini CLI as the scanner knows it.
func Harness() harnesses.Harness {
	return harnesses.Harness{
		ID:            id,
		Name:          "Gemini CLI",
		ParserVersion: parserVersion,
		Declaration:   declaration(),
		Launch:        launch(),
		Hooks:         hooks(),
		Roots:         roots,
		Claim:         recordings.Claim,
		Skip:          recordings.Skip,
		Lines: func(_ harnesses.Kind, o harnesses.Options) harnesses.LineParser {
			return recordings.Lines(id, o)
		},
		Document: func(_ harnesses.Kind, o harnesses.Options) harnesses.DocumentParser {
			return recordings.Document(id, o)
		},
	}
}

func roots(env harnesses.Env) []harnesses.Root {
	home, set := env.Getenv(rootVariable), true
	if home == "" {
		home, set = env.Home, false
	}
	return []harnesses.Root{{Path: filepath.Join(home, ".gemini"), Variable: rootVariable, Set: set}}
}

func declaration() harnesses.Declaration {
	return harnesses.Declaration{
		Provider:      "google",
		ZeroCost:      harnesses.ZeroUnknown,
		RequestTimes:  harnesses.EndOnly,
		Precision:     meterbridge.PerRequest,
		MCP:           harnesses.MCPServers("~/.gemini/settings.json"),
		UsageReadable: true,
		NeverReported: []string{"cacheWrite", "cost"},
		Gaps: []string{
			"The request that chooses a model before each prompt, when the model is \"auto\", is in no recording: totals are a floor.",
			"Refused and interrupted requests leave no usage.",
			"The time at which a request was sent is not recorded; its end is when the message was written down.",
			"The kind of a sub-agent, the git branch and the program's version are not recorded.",
			"Folders named by a hash tell their project only where projects.json still lists its path.",
			"general.sessionRetention deletes recordings; what was read before stays in the ledger.",
		},
		Layouts: []string{
			"tmp/<project>/chats/session-*.jsonl: one line per message, patch and rewind",
			"tmp/<project>/chats/<session>/<id>.jsonl: the same of a sub-agent of that session",
			"tmp/<project>/chats/session-*.json: one object, rewritten whole (before)",
		},
	}
}
