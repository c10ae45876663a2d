// Package traecli reads the sessions of Trae CLI: spans with the usage of each
// request, events, and a document with a session's folder and title. It imports
// the domain, the contract of a harness and the readers of JSON and of places;
// harnesses/all lists it and the scanner calls its parsers.
package traecli

import (
	"path"
	"path/filepath"
	"strings"

	"meterbridge"
	"meterbridge/harnesses"
	"meterbridge/harnesses/facts"
	"meterbridge/harnesses/roots"
)

const (
	id = "trae-cli"
	// store is the name space of request ids: the traces of sessions.
	store = "traces"

	kindTraces  = "traces"
	kindEvents  = "events"
	kindSession = "session"
)

// Harness describes Trae CLI.
func Harness() harnesses.Harness {
	return harnesses.Harness{
		ID:            id,
		Name:          "Trae CLI",
		ParserVersion: 1,
		Declaration:   declaration(),
		Roots:         places,
		Claim:         claim,
		Skip:          func(relDir string) bool { return strings.Contains(relDir, "/") },
		Lines: func(k harnesses.Kind, o harnesses.Options) harnesses.LineParser {
			if k.Name == kindEvents {
				return newEvents(o)
			}
			return newTraces(o)
		},
		Document: func(_ harnesses.Kind, o harnesses.Options) harnesses.DocumentParser {
			return &document{opt: o}
		},
	}
}

func declaration() harnesses.Declaration {
	return harnesses.Declaration{
		ZeroCost:      harnesses.ZeroUnknown,
		RequestTimes:  harnesses.StartAndEnd,
		Precision:     meterbridge.PerTurn,
		UsageReadable: true,
		NeverReported: []string{"cacheWrite", "cost"},
		Gaps: []string{
			"A row is a trace: several spans of one repeat its numbers, and the greatest count. How many requests a trace holds is not told apart.",
			"That input holds what was read from the cache is inferred: it is taken off where input is at least as large.",
			"The format is known from other readers of it: a start in microseconds and a duration, where one is written.",
			"The kind that keeps rollouts as Codex does (~/.trae/cli/sessions) is not read: name it as a source of codex-cli.",
			"The git branch is not recorded.",
		},
		Layouts: []string{
			"sessions/<id>/traces.jsonl: spans with usage",
			"sessions/<id>/session.json: folder and title, rewritten whole",
			"sessions/<id>/events.jsonl: when turns began and ended",
		},
	}
}

// places is the folder of the system for what may be made anew.
func places(env harnesses.Env) []harnesses.Root {
	l := roots.In(env)
	switch env.OS {
	case "darwin":
		return l.Also(l.Home("Library", "Caches", id, "sessions")).All()
	case "windows":
		local := env.Getenv("LOCALAPPDATA")
		if !filepath.IsAbs(local) {
			local = l.Home("AppData", "Local")
		}
		return l.Also(filepath.Join(local, id, "cache", "sessions")).All()
	}
	return l.Moved("XDG_CACHE_HOME", l.Home(".cache", id, "sessions"), id, "sessions").All()
}

func claim(rel string) (harnesses.Kind, bool) {
	if strings.Count(rel, "/") != 1 {
		return harnesses.Kind{}, false
	}
	switch path.Base(rel) {
	case "traces.jsonl":
		return harnesses.Kind{Name: kindTraces, Shape: harnesses.Lines}, true
	case "events.jsonl":
		return harnesses.Kind{Name: kindEvents, Shape: harnesses.Lines}, true
	case "session.json":
		return harnesses.Kind{Name: kindSession, Shape: harnesses.Document}, true
	}
	return harnesses.Kind{}, false
}

// sessionOf is the session whose folder a file lies in.
func sessionOf(rel string) string { return facts.Name(path.Dir(rel)) }
