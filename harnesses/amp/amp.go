// Package amp reads the threads that older builds of Amp kept on disk. Current
// builds keep threads on the server only, where nothing can be read. It imports
// the domain, the contract of a harness and the readers of JSON; harnesses/all
// lists it and the scanner calls its parser.
package amp

import (
	"path"
	"strings"

	"meterbridge"
	"meterbridge/harnesses"
	"meterbridge/harnesses/roots"
)

const (
	id = "amp"
	// store is the name space of request ids: a thread's ledger events and messages.
	store = "threads"
)

// Harness describes Amp.
func Harness() harnesses.Harness {
	return harnesses.Harness{
		ID:            id,
		Name:          "Amp",
		ParserVersion: 1,
		Declaration:   declaration(),
		Roots:         places,
		Claim:         claim,
		Skip:          skip,
		Document: func(_ harnesses.Kind, o harnesses.Options) harnesses.DocumentParser {
			return &document{opt: o}
		},
	}
}

func declaration() harnesses.Declaration {
	return harnesses.Declaration{
		ZeroCost:      harnesses.ZeroUnknown,
		RequestTimes:  harnesses.EndOnly,
		Precision:     meterbridge.PerRequest,
		MCP:           mcpClient(),
		UsageReadable: true,
		NeverReported: []string{"reasoning", "cost"},
		Gaps: []string{
			"Current builds keep their threads on the server and no usage on this machine: only threads that older builds left behind are read.",
			"Credits are no money: the recorded cost is null.",
			"Requests of the ledger that made no message (titles) have no cache numbers.",
			"Messages without a time of their own take the end of the thread's last trace, else the thread's begin.",
			"The lifetime of cache writes is not recorded, nor is the git branch.",
		},
		Layouts: []string{"threads/T-<id>.json: a thread, rewritten whole, with a ledger of usage or usage in its messages"},
	}
}

// places are the folder for data, the same on every system, and the one that
// peers' users may have set.
func places(env harnesses.Env) []harnesses.Root {
	return roots.In(env).InData("amp").Alias("AMP_DATA_DIR").All()
}

func claim(rel string) (harnesses.Kind, bool) {
	dir, name := path.Split(rel)
	ok := dir == "threads/" && strings.HasPrefix(name, "T-") && strings.HasSuffix(name, ".json")
	return harnesses.Kind{Name: "thread", Shape: harnesses.Document}, ok
}

func skip(relDir string) bool { return relDir != "threads" }
