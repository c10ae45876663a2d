// Package qwencode reads the chats of Qwen Code: JSON lines below
// projects/<folder>/chats, one file per session, in which telemetry tells of each
// request. The layout of its first builds is that of harnesses/recordings. It
// imports the domain, the contract of a harness and the shared readers; only
// harnesses/all names it, and only the scanner calls its parsers.
// docs/formats/qwen-code.md tells the rules.
package qwencode

import (
	"path"
	"strings"

	"meterbridge"
	"meterbridge/harnesses"
	"meterbridge/harnesses/recordings"
)

// id is the harness's id of design.md.
const id = "qwen-code"

// store is the name space of response ids, each within its session; that of the
// first builds' message ids too.
const store = recordings.Store

// parserVersion rises when the same log would yield other rows.
const parserVersion = 1

// kindChat is the layout of today.
const kindChat = "chat"

// Harness returns Qwen Code as the scanner knows it.
func Harness() harnesses.Harness {
	return harnesses.Harness{
		ID:            id,
		Name:          "Qwen Code",
		ParserVersion: parserVersion,
		Declaration:   declaration(),
		Launch:        launch(),
		Hooks:         hooks(),
		Roots:         places,
		Claim:         claim,
		Skip:          skip,
		Lines: func(k harnesses.Kind, o harnesses.Options) harnesses.LineParser {
			if k.Name == kindChat {
				return newParser(o)
			}
			return recordings.Lines(id, o)
		},
		Document: func(_ harnesses.Kind, o harnesses.Options) harnesses.DocumentParser {
			return recordings.Document(id, o)
		},
	}
}

func declaration() harnesses.Declaration {
	return harnesses.Declaration{
		Provider:      "alibaba",
		ZeroCost:      harnesses.ZeroUnknown,
		RequestTimes:  harnesses.StartAndEnd,
		Precision:     meterbridge.PerRequest,
		MCP:           harnesses.MCPServers("~/.qwen/settings.json"),
		UsageReadable: true,
		NeverReported: []string{"cacheWrite", "cost"},
		Gaps: []string{
			"One side request after each turn of an interactive session is in no record: totals are a floor.",
			"Refused tries leave no usage.",
			"A request that only a chat row tells of (older builds) has no start.",
			"usage_record.jsonl only sums up what the chats hold and is not read; where a chat was deleted before it was read, its usage is lost.",
			"The transcripts of background sub-agents are not read: their requests are told in the chat that started them.",
		},
		Layouts: []string{
			"projects/<folder>/chats/<session>.jsonl: chat rows and telemetry rows",
			"tmp/<hash>/chats/session-*.json: one object per conversation (until 0.4)",
		},
	}
}

// claim tells the chats from everything else.
func claim(rel string) (harnesses.Kind, bool) {
	parts := strings.Split(rel, "/")
	if len(parts) == 4 && parts[0] == "projects" && parts[2] == "chats" {
		if name := parts[3]; path.Ext(name) == ".jsonl" && name[0] != '.' {
			return harnesses.Kind{Name: kindChat, Shape: harnesses.Lines}, true
		}
		return harnesses.Kind{}, false
	}
	return recordings.Claim(rel)
}

// skip names the folders that hold no chats.
func skip(relDir string) bool {
	parts := strings.Split(relDir, "/")
	if parts[0] != "projects" {
		return recordings.Skip(relDir)
	}
	return len(parts) > 3 || len(parts) == 3 && parts[2] != "chats"
}
