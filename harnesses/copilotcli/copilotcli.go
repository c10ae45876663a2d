// Package copilotcli reads the sessions of GitHub Copilot CLI: a log of events
// for each, and the name that it was given. It imports the domain, the contract
// of a harness and the readers of JSON and places; harnesses/all lists it and
// the scanner calls its parsers.
package copilotcli

import (
	"path"
	"strings"

	"meterbridge"
	"meterbridge/harnesses"
	"meterbridge/harnesses/roots"
)

const (
	id = "copilot-cli"
	// store is the name space of request ids: messages and shutdowns of sessions.
	store = "events"
)

// The kinds of sources.
const (
	kindEvents    = "events"
	kindWorkspace = "workspace"
)

// Harness describes GitHub Copilot CLI.
func Harness() harnesses.Harness {
	return harnesses.Harness{
		ID:            id,
		Name:          "GitHub Copilot CLI",
		ParserVersion: 1,
		Declaration:   declaration(),
		Roots:         places,
		Claim:         claim,
		Skip:          skip,
		Lines: func(_ harnesses.Kind, o harnesses.Options) harnesses.LineParser {
			return newLog(o)
		},
		Document: func(_ harnesses.Kind, o harnesses.Options) harnesses.DocumentParser {
			return &workspace{opt: o}
		},
	}
}

func declaration() harnesses.Declaration {
	return harnesses.Declaration{
		Provider:      "github-copilot",
		ZeroCost:      harnesses.ZeroUnknown,
		RequestTimes:  harnesses.EndOnly,
		Precision:     meterbridge.PerRun,
		UsageReadable: true,
		MCP:           harnesses.MCPTyped("~/.copilot/mcp-config.json, or .mcp.json in a project", "local", "*").AddedBy("copilot", "mcp", "add"),
		NeverReported: []string{"cost"},
		Gaps: []string{
			"A request is logged with its output only; input, cache and reasoning are sums for each model, written when the process ends.",
			"While it runs, after a crash and after /new, those sums are missing and stay null.",
			"Credits are no money: the recorded cost is null.",
			"The start is known of the first request of a turn only.",
			"Spans of OpenTelemetry, which a user may have written to a file, repeat the same requests and are not read.",
			"The usage of a compaction is part of the sums; it is no row of its own.",
			"The lifetime of cache writes is not recorded.",
		},
		Layouts: []string{
			"session-state/<session>/events.jsonl with workspace.yaml",
			"session-state/<session>.jsonl and history-session-state/<session>.jsonl: earlier builds",
		},
	}
}

func places(env harnesses.Env) []harnesses.Root {
	l := roots.In(env)
	return l.Moved("COPILOT_HOME", l.Home(".copilot")).Alias("COPILOT_DIR").All()
}

func claim(rel string) (harnesses.Kind, bool) {
	dir, name := path.Split(rel)
	depth := strings.Count(dir, "/")
	events := harnesses.Kind{Name: kindEvents, Shape: harnesses.Lines}
	switch {
	case !strings.HasPrefix(dir, "session-state/") && dir != "history-session-state/":
		return harnesses.Kind{}, false
	case depth == 1:
		return events, strings.HasSuffix(name, ".jsonl")
	case depth != 2:
		return harnesses.Kind{}, false
	case name == "workspace.yaml":
		return harnesses.Kind{Name: kindWorkspace, Shape: harnesses.Document}, true
	}
	return events, name == "events.jsonl"
}

func skip(relDir string) bool {
	first, rest, _ := strings.Cut(relDir, "/")
	return first != "session-state" && first != "history-session-state" || strings.Contains(rest, "/")
}

// sessionOf is the session that a file is named after, or its folder.
func sessionOf(rel string) string {
	dir, name := path.Split(rel)
	if name == "events.jsonl" || name == "workspace.yaml" {
		return path.Base(dir)
	}
	return strings.TrimSuffix(name, ".jsonl")
}
