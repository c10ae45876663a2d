// Package continuecli reads the sessions of Continue's command line, each a
// document with the totals of what it spent; its folder has the harness's id,
// which is a word of the language. It imports the domain, the contract of a
// harness, the readers of JSON and of running totals; harnesses/all lists it and
// the scanner calls its parser.
package continuecli

import (
	"strings"

	"meterbridge"
	"meterbridge/harnesses"
	"meterbridge/harnesses/roots"
)

const (
	id = "continue"
	// store is the name space of request ids: a session's total, and its growth.
	store = "sessions"
	// index is the list of sessions that lies among them.
	index = "sessions.json"
)

// Harness describes Continue's command line.
func Harness() harnesses.Harness {
	return harnesses.Harness{
		ID:            id,
		Name:          "Continue",
		ParserVersion: 1,
		Declaration:   declaration(),
		Roots: func(env harnesses.Env) []harnesses.Root {
			l := roots.In(env)
			return l.Moved("CONTINUE_GLOBAL_DIR", l.Home(".continue", "sessions"), "sessions").All()
		},
		Claim: func(rel string) (harnesses.Kind, bool) {
			ok := !strings.Contains(rel, "/") && strings.HasSuffix(rel, ".json") && rel != index
			return harnesses.Kind{Name: "session", Shape: harnesses.Document, Totals: true}, ok
		},
		Skip: func(string) bool { return true },
		Document: func(_ harnesses.Kind, o harnesses.Options) harnesses.DocumentParser {
			return newSession(o)
		},
	}
}

func declaration() harnesses.Declaration {
	return harnesses.Declaration{
		ZeroCost:      harnesses.ZeroUnknown,
		CostField:     "usage.totalCost, what the program reckons a session to cost in USD",
		RequestTimes:  harnesses.NoTimes,
		Precision:     meterbridge.PerSession,
		UsageReadable: true,
		Gaps: []string{
			"Only the total of a session is kept, and no time of it but when it began: what it was at first sight is one row at that time; what it grows while Meterbridge looks on are rows of runs, dated by the file's last change.",
			"Input leaves out the cache with Anthropic's models. With others the program does not tell what was cached: it is 0, and input holds it.",
			"The model is not recorded; the title of the one that was chosen in the editor stands for it where there is one.",
			"What a model costs that the program does not know is its guess.",
			"The editor's own sessions have no usage. dev_data holds counts of the editor's own tokenizer, which are none.",
			"Prompts and tool calls have no times and are not read, nor is the git branch.",
		},
		Layouts: []string{"sessions/<id>.json: a session with its totals, rewritten whole; without sessions.json, which tells when it began, it waits"},
	}
}
