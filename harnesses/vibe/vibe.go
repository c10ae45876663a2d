// Package vibe reads the session logs of Mistral Vibe: a document with the totals
// of each session. It imports the domain, the contract of a harness, the readers
// of JSON and of running totals; harnesses/all lists it and the scanner calls its
// parser.
package vibe

import (
	"cmp"
	"path"
	"strings"

	"meterbridge"
	"meterbridge/harnesses"
	"meterbridge/harnesses/facts"
	"meterbridge/harnesses/jsonvalue"
	"meterbridge/harnesses/roots"
	"meterbridge/harnesses/totals"
)

const (
	id = "vibe"
	// store is the name space of request ids: a session's total, and its growth.
	store = "sessions"
)

// Harness describes Mistral Vibe.
func Harness() harnesses.Harness {
	return harnesses.Harness{
		ID:            id,
		Name:          "Mistral Vibe",
		ParserVersion: 1,
		Declaration:   declaration(),
		Roots: func(env harnesses.Env) []harnesses.Root {
			l := roots.In(env)
			return l.Moved("VIBE_HOME", l.Home(".vibe", "logs", "session"), "logs", "session").All()
		},
		Claim: func(rel string) (harnesses.Kind, bool) {
			ok := strings.Count(rel, "/") == 1 && path.Base(rel) == "meta.json"
			return harnesses.Kind{Name: "session", Shape: harnesses.Document, Totals: true}, ok
		},
		Skip: func(relDir string) bool { return strings.Contains(relDir, "/") },
		Document: func(_ harnesses.Kind, o harnesses.Options) harnesses.DocumentParser {
			return totals.NewDocument(id, store, o, func(w *facts.Writer, root jsonvalue.Object) totals.Found { return read(w, root, o.Rel) })
		},
	}
}

func declaration() harnesses.Declaration {
	return harnesses.Declaration{
		Provider:      "mistral",
		ZeroCost:      harnesses.ZeroUnknown,
		RequestTimes:  harnesses.NoTimes,
		Precision:     meterbridge.PerSession,
		UsageReadable: true,
		NeverReported: []string{"reasoning", "cacheWrite", "cost"},
		Gaps: []string{
			"Only the total of a session is kept: what it was at first sight is one row, what it grows while Meterbridge looks on are rows of runs.",
			"Older builds do not tell cached tokens: they are null, and input may hold them.",
			"Logs can be switched off, or written elsewhere (save_dir, session_prefix): name the folder as a source then.",
			"Prompts and tool calls have no times in the log and are not read, nor is the git branch.",
		},
		Layouts: []string{"logs/session/<session>/meta.json: a session with its totals, rewritten whole"},
	}
}

// read reads meta.json. The prompt's total holds what was cached.
func read(w *facts.Writer, o jsonvalue.Object, rel string) totals.Found {
	session := cmp.Or(o["session_id"].Text(), path.Dir(rel))
	project := o.At("environment", "working_directory").Text()
	s := meterbridge.Session{ID: session, Project: project, Title: o["title"].Text(), TitleRank: meterbridge.TitleFromModel}
	if parent := o["parent_session_id"].Text(); parent != "" && parent != session {
		s.Parent, s.Relation = parent, meterbridge.Continuation
	}
	w.Session(s)
	var c jsonvalue.Counts
	stats := o["stats"].Object()
	cached := c.Of(stats["session_cached_tokens"])
	f := totals.Found{
		Like: meterbridge.Request{NativeID: session, Session: session, Project: project},
		Reading: totals.Reading{
			Start: o["start_time"].Time(), End: o["end_time"].Time(), Model: o.At("config", "active_model").Text(),
			Tokens: meterbridge.Tokens{
				Input: jsonvalue.Minus(c.Of(stats["session_prompt_tokens"]), cached), Output: c.Of(stats["session_completion_tokens"]), CacheRead: cached,
			},
		},
	}
	if f.Reading.End.IsZero() {
		f.Reading.End = f.Reading.Start
	}
	f.Wrong = c.Wrong
	return f
}
