// Package claudecode reads the transcripts of Claude Code: JSON lines below
// projects/ of its configuration folder, one file per session and one per
// sub-agent. It must import nothing of the project but the domain, the contract
// of a harness, the JSON cursor and the conventions of telemetry; only harnesses/all names it, and only the
// scanner calls its parsers. docs/formats/claude-code.md tells the rules.
package claudecode

import (
	"meterbridge"
	"meterbridge/harnesses"
)

// ID is the harness's id of design.md.
const ID = "claude-code"

// store is the name space of message ids: they are unique across transcripts.
const store = "transcripts"

// parserVersion rises when the same log would yield other rows.
const parserVersion = 1

// Harness returns Claude Code as the scanner knows it.
func Harness() harnesses.Harness {
	return harnesses.Harness{
		ID:            ID,
		Name:          "Claude Code",
		ParserVersion: parserVersion,
		Declaration:   declaration(),
		Launch:        launch(),
		Hooks:         hooks(),
		Roots:         roots,
		Claim:         claim,
		Skip:          skip,
		Lines: func(k harnesses.Kind, o harnesses.Options) harnesses.LineParser {
			return newParser(o)
		},
		Document: func(k harnesses.Kind, o harnesses.Options) harnesses.DocumentParser {
			return metaParser{rel: o.Rel}
		},
		Telemetry: telemetry(),
	}
}

func declaration() harnesses.Declaration {
	return harnesses.Declaration{
		Provider:      "anthropic",
		ZeroCost:      harnesses.ZeroUnknown,
		CostField:     "costUSD of old builds, once per request",
		RequestTimes:  harnesses.StartAndEnd,
		Precision:     meterbridge.PerRequest,
		MCP:           mcpClient(),
		UsageReadable: true,
		Gaps: []string{
			"The send time is null in builds without api-request rows.",
			"Reasoning is null in builds without output_tokens_details.",
			"An answer interrupted in mid-stream keeps the output known at its start, so its output is a floor.",
			"Tries that the provider refused (429, 400, 529) have no usage.",
			"Transcripts are deleted after cleanupPeriodDays (30 by default); what was read before stays in the ledger.",
		},
		Layouts: []string{
			"projects/<folder>/<session>.jsonl, side chains inside the session's file (1.x)",
			"projects/<folder>/agent-<id>.jsonl beside the session's file (2.0)",
			"projects/<folder>/<session>/subagents/**/agent-<id>.jsonl with agent-<id>.meta.json (2.1)",
		},
	}
}
