// Package codexcli reads the logs of Codex CLI: rollouts (JSON lines, also as
// zstd), the index of thread names and the state database. It holds what their
// records mean; it must never import anything of the project but the domain
// package, harnesses and harnesses' own sub-packages, and does no I/O but for
// the look at CODEX_HOME and the state database. harnesses/all lists it, the
// scanner calls its parsers.
package codexcli

import (
	"meterbridge"
	"meterbridge/harnesses"
)

const (
	id = "codex-cli"
	// store is the name space of request ids: a thread's records, or its
	// counted token counts by number.
	store = "rollouts"
)

// The kinds of sources.
const (
	kindRollout    = "rollout"
	kindCompressed = "rollout-zst"
	kindOld        = "old-rollout"
	kindIndex      = "session-index"
	kindState      = "state-db"
)

// Harness describes Codex CLI.
func Harness() harnesses.Harness {
	return harnesses.Harness{
		ID:            id,
		Name:          "Codex CLI",
		ParserVersion: 1,
		Declaration:   declaration(),
		Launch:        launch(),
		Hooks:         hooks(),
		Roots:         roots,
		Claim:         claim,
		Skip:          skip,
		Companion:     companion,
		Lines:         openLines,
		Document:      openDocument,
		Database:      openDatabase,
	}
}

func openLines(kind harnesses.Kind, opt harnesses.Options) harnesses.LineParser {
	if kind.Name == kindIndex {
		return &index{}
	}
	return newRollout(opt)
}

func openDocument(_ harnesses.Kind, opt harnesses.Options) harnesses.DocumentParser {
	return &oldRollout{opt: opt}
}

func openDatabase(_ harnesses.Kind, opt harnesses.Options) harnesses.DatabaseParser {
	return &stateDB{opt: opt}
}

func declaration() harnesses.Declaration {
	return harnesses.Declaration{
		Provider:      "openai",
		ZeroCost:      harnesses.ZeroUnknown,
		RequestTimes:  harnesses.EndOnly,
		Precision:     meterbridge.PerRequest,
		MCP:           mcpClient(),
		UsageReadable: true,
		NeverReported: []string{"cost"},
		Gaps: []string{
			"Interrupted and failed requests leave no usage in the log.",
			"The hidden request that names a thread of an interactive session is in no rollout.",
			"Cache writes are logged by new builds only; older builds leave them null.",
			"Rollouts of builds before 0.44 hold no usage at all.",
			"The time at which a request was sent is not logged.",
		},
		Layouts: []string{
			"sessions/YYYY/MM/DD/rollout-*.jsonl: legacy (counters) and paginated (per-request records) rollouts",
			"sessions/rollout-*.jsonl and rollout-*.json: rollouts of the first builds",
			"archived_sessions/rollout-*.jsonl",
			"either as rollout-*.jsonl.zst",
			"session_index.jsonl: names of threads",
			"state_*.sqlite: names, roles and parents of threads; the highest number counts",
		},
	}
}
