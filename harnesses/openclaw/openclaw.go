// Package openclaw reads the transcripts of OpenClaw: logs of lines in its older
// builds, an SQLite database for each agent in newer ones, both with the entries
// that harnesses/treelog reads. It imports the domain, the contract of a harness
// and the shared readers; harnesses/all lists it and the scanner calls its
// parsers.
package openclaw

import (
	"path"
	"path/filepath"
	"strings"

	"meterbridge"
	"meterbridge/harnesses"
	"meterbridge/harnesses/roots"
	"meterbridge/harnesses/treelog"
)

const id = "openclaw"

// The kinds of sources.
const (
	kindLog      = "transcript"
	kindDatabase = "agent-database"
)

// databaseName is the database of an agent.
const databaseName = "openclaw-agent.sqlite"

// Harness describes OpenClaw.
func Harness() harnesses.Harness {
	return harnesses.Harness{
		ID:            id,
		Name:          "OpenClaw",
		ParserVersion: 1,
		Declaration:   declaration(),
		Roots:         places,
		Claim:         claim,
		Skip:          skip,
		Companion:     func(p string) string { return p + "-wal" },
		Lines: func(_ harnesses.Kind, o harnesses.Options) harnesses.LineParser {
			return treelog.New(dialect(), treelog.Origin{Session: sessionOf(o.Rel)}, o)
		},
		Database: func(_ harnesses.Kind, o harnesses.Options) harnesses.DatabaseParser { return &database{opt: o} },
	}
}

// dialect is that of the transcripts. An entry's id is unique in its session,
// wherever that lies.
func dialect() treelog.Dialect {
	return treelog.Dialect{
		Harness: id,
		Store:   "events",
		Native:  func(session, entry, _ string) string { return session + "/" + entry },
		Bookkeeping: func(provider, model string) bool {
			return provider == id && (model == "delivery-mirror" || model == "gateway-injected")
		},
	}
}

func declaration() harnesses.Declaration {
	return harnesses.Declaration{
		ZeroCost:      harnesses.ZeroUnknown,
		CostField:     "usage.cost.total",
		RequestTimes:  harnesses.StartAndEnd,
		Precision:     meterbridge.PerRequest,
		UsageReadable: true,
		Drives:        true,
		NeverReported: []string{"reasoning"},
		Gaps: []string{
			"A run of another harness (Codex, Claude Code) is one row with the sum of its responses, and counts beside that harness's own log unless both name the provider's response id.",
			"Incognito sessions are in memory only.",
			"Transcripts that were moved to cold files are not read; what was read before stays.",
			"Sessions of chat channels have no working directory; the git branch is not recorded.",
		},
		Layouts: []string{
			"agents/<agent>/sessions/<session>.jsonl, with .reset.<time> and .deleted.<time> archives (until 2026.7.1)",
			"agents/<agent>/agent/openclaw-agent.sqlite: events as JSON or Zstandard, and archives of whole transcripts",
		},
	}
}

// places are the state folder and those that older names of the program left.
func places(env harnesses.Env) []harnesses.Root {
	l := roots.In(env)
	name := ".openclaw"
	if profile := env.Getenv("OPENCLAW_PROFILE"); profile != "" && !strings.ContainsAny(profile, `/\`) {
		name += "-" + profile
	}
	switch {
	case filepath.IsAbs(env.Getenv("OPENCLAW_STATE_DIR")):
		l.Alias("OPENCLAW_STATE_DIR")
	case env.Getenv("OPENCLAW_HOME") != "":
		l.Moved("OPENCLAW_HOME", l.Home(name), name)
	default:
		l.Moved("OPENCLAW_STATE_DIR", l.Home(name))
	}
	for _, old := range []string{".clawdbot", ".moltbot", ".moldbot"} {
		l.Also(l.Home(old))
	}
	return l.Alias("OPENCLAW_DIR").All()
}

func claim(rel string) (harnesses.Kind, bool) {
	parts := strings.Split(rel, "/")
	if len(parts) != 4 || parts[0] != "agents" {
		return harnesses.Kind{}, false
	}
	switch name := parts[3]; {
	case parts[2] == "agent" && name == databaseName:
		return harnesses.Kind{Name: kindDatabase, Shape: harnesses.Database}, true
	case parts[2] == "sessions" && transcript(name):
		return harnesses.Kind{Name: kindLog, Shape: harnesses.Lines}, true
	}
	return harnesses.Kind{}, false
}

// transcript reports whether a file is a transcript, or the archive of one.
func transcript(name string) bool {
	_, rest, ok := strings.Cut(name, ".jsonl")
	return ok && (rest == "" || strings.HasPrefix(rest, ".reset.") || strings.HasPrefix(rest, ".deleted."))
}

// sessionOf is the session that a transcript is named after.
func sessionOf(rel string) string {
	name, _, _ := strings.Cut(path.Base(rel), ".jsonl")
	return name
}

func skip(relDir string) bool {
	parts := strings.Split(relDir, "/")
	if parts[0] != "agents" || len(parts) > 3 {
		return true
	}
	return len(parts) == 3 && parts[2] != "sessions" && parts[2] != "agent"
}
