// Package kilocode declares Kilo Code: the program and the newer extension, which
// keep OpenCode's store under other names, and the tasks of the extension before
// it moved there. The reading itself is that of the families, in
// harnesses/messagestore and harnesses/clinetasks; nothing else of the project is
// imported but the domain and the contract of a harness, and only harnesses/all
// calls it.
package kilocode

import (
	"path/filepath"
	"slices"

	"meterbridge"
	"meterbridge/harnesses"
	"meterbridge/harnesses/clinetasks"
	"meterbridge/harnesses/messagestore"
)

// id is the harness's id of design.md.
const id = "kilo-code"

// Harness returns Kilo Code as the scanner knows it: the family's store, and
// beside it the tasks, whose documents have kinds of their own.
func Harness() harnesses.Harness {
	tasks := clinetasks.New(clinetasks.Options{
		Harness: id, Store: messagestore.Store, CacheInside: true, Extensions: []string{"kilocode.kilo-code"},
	})
	h := messagestore.Product{
		ID:               id,
		Name:             "Kilo Code",
		Folder:           "kilo",
		DatabasePrefixes: []string{"kilo", "opencode"},
		DatabaseVariable: "KILO_DB",
		FolderVariable:   "KILO_DATA_DIR",
		Declaration:      declaration(),
		Launch:           launch(),
		ConfigVariable:   "KILO_CONFIG",
	}.Harness()
	return beside(h, tasks)
}

// beside adds the tasks to what a store's harness reads.
func beside(store harnesses.Harness, tasks *clinetasks.Reader) harnesses.Harness {
	h := store
	h.ParserVersion++ // the tasks' parser has come to remember what it gave
	h.Roots = func(env harnesses.Env) []harnesses.Root {
		old := harnesses.Root{Path: filepath.Join(env.Home, ".kilocode", "cli", "global")}
		return append(append(store.Roots(env), tasks.Roots(env)...), old)
	}
	h.Claim = func(rel string) (harnesses.Kind, bool) {
		if kind, ok := tasks.Claim(rel); ok {
			return kind, true
		}
		return store.Claim(rel)
	}
	h.Skip = func(relDir string) bool { return tasks.Skip(relDir) && store.Skip(relDir) }
	h.Document = func(kind harnesses.Kind, o harnesses.Options) harnesses.DocumentParser {
		if slices.Contains([]string{clinetasks.KindTask, clinetasks.KindHistory, clinetasks.KindItem}, kind.Name) {
			return tasks.Document(kind, o)
		}
		return store.Document(kind, o)
	}
	return h
}

func declaration() harnesses.Declaration {
	return harnesses.Declaration{
		ZeroCost:      harnesses.ZeroUnknown,
		CostField:     "message.data.cost; cost of api_req_started in tasks",
		RequestTimes:  harnesses.StartAndEnd,
		Precision:     meterbridge.PerRequest,
		UsageReadable: true,
		Gaps: []string{
			"Titles of interactive sessions may be asked for in requests that are not in the store.",
			"Refused and repeated tries leave no usage.",
			"The lifetime of cache writes is not recorded.",
			"Reasoning and cache writes that a provider does not report are recorded as 0 in the store.",
			"The git branch is not recorded.",
			"In tasks of the extension until 5.x only the start of a request is logged; it stands for its end, reasoning is not reported, and condensing a conversation is logged with its cost only.",
			"In tasks the model is the one that the extension told the model about around that time.",
		},
		Layouts: []string{
			"kilo.db, kilo-<channel>.db, or an opencode-<channel>.db left there: OpenCode's SQLite store (7 and later, and the extension since it moved onto it); KILO_DB names one elsewhere, KILO_DATA_DIR another folder",
			"storage/{session,message,part}: the same as JSON files",
			"tasks/<id>/ui_messages.json with its neighbours, below an editor's globalStorage/kilocode.kilo-code (extension until 5.x) and below ~/.kilocode/cli/global (first command line)",
		},
	}
}
