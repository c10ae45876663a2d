// Package vscodecopilot reads the chat sessions that VS Code keeps of Copilot
// Chat: documents of old builds and logs of changes of newer ones. It imports the
// domain, the contract of a harness, the readers of JSON and the places of
// editors; harnesses/all lists it and the scanner calls its parsers.
package vscodecopilot

import (
	"os"
	"path"
	"path/filepath"
	"strings"

	"meterbridge"
	"meterbridge/harnesses"
	"meterbridge/harnesses/editors"
	"meterbridge/harnesses/facts"
	"meterbridge/harnesses/fileuri"
	"meterbridge/harnesses/jsonvalue"
	"meterbridge/harnesses/roots"
)

const (
	id = "vscode-copilot"
	// store is the name space of request ids: a session's requests.
	store = "chat"
)

// Harness describes Copilot Chat in VS Code.
func Harness() harnesses.Harness {
	return harnesses.Harness{
		ID:            id,
		Name:          "VS Code Copilot Chat",
		ParserVersion: 1,
		Declaration:   declaration(),
		Roots: func(env harnesses.Env) []harnesses.Root {
			l := roots.In(env)
			for _, user := range editors.Users(env) {
				l.Also(user)
			}
			return l.All()
		},
		Claim: claim,
		Skip:  skip,
		Lines: func(_ harnesses.Kind, o harnesses.Options) harnesses.LineParser { return newChanges(o) },
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
		NeverReported: []string{"reasoning", "cacheRead", "cacheWrite", "cost"},
		Gaps: []string{
			"A row is a turn, whose prompt is that of its last call only: what the calls before it spent is not kept.",
			"Input holds the cache, which is not told apart.",
			"Many turns have no counts of tokens: they are prompts and turns, and no requests.",
			"The git branch is not recorded.",
		},
		Layouts: []string{
			"User/workspaceStorage/<hash>/chatSessions/<id>.json: a session, rewritten whole; workspace.json names its folder",
			"User/workspaceStorage/<hash>/chatSessions/<id>.jsonl: the same as a log of changes",
			"User/globalStorage/emptyWindowChatSessions/<id>.json, .jsonl: sessions of windows without a folder",
		},
	}
}

func claim(rel string) (harnesses.Kind, bool) {
	p := strings.Split(rel, "/")
	inWorkspace := len(p) == 4 && p[0] == "workspaceStorage" && p[2] == "chatSessions"
	inWindow := len(p) == 3 && p[0] == "globalStorage" && p[1] == "emptyWindowChatSessions"
	switch {
	case !inWorkspace && !inWindow, strings.HasPrefix(path.Base(rel), "."):
	case path.Ext(rel) == ".json":
		return harnesses.Kind{Name: "session", Shape: harnesses.Document}, true
	case path.Ext(rel) == ".jsonl":
		return harnesses.Kind{Name: "changes", Shape: harnesses.Lines}, true
	}
	return harnesses.Kind{}, false
}

// skip keeps out of all else that an editor keeps.
func skip(relDir string) bool {
	p := strings.Split(relDir, "/")
	switch {
	case relDir == "workspaceStorage" || relDir == "globalStorage":
		return false
	case p[0] == "workspaceStorage":
		return len(p) > 3 || len(p) == 3 && p[2] != "chatSessions"
	}
	return relDir != "globalStorage/emptyWindowChatSessions"
}

// projectOf is the folder of the workspace that a session lies in.
func projectOf(o harnesses.Options) string {
	if !strings.HasPrefix(o.Rel, "workspaceStorage/") {
		return ""
	}
	content, err := os.ReadFile(filepath.Join(filepath.Dir(filepath.Dir(o.Path)), "workspace.json"))
	if err != nil {
		return ""
	}
	w, _ := jsonvalue.Parse(content)
	return fileuri.Path(w["folder"].Text())
}

// named is the session that a file is named after.
func named(rel string) string { return facts.Name(strings.TrimSuffix(path.Base(rel), path.Ext(rel))) }
