// Package cline reads what Cline keeps: the store of sessions that its command
// line and its extensions share today, and the tasks of its older extensions. It
// imports the domain, the contract of a harness and the shared readers (tasks,
// JSON, SQLite); harnesses/all lists it and the scanner calls its parsers.
package cline

import (
	"path"
	"path/filepath"
	"strings"

	"meterbridge"
	"meterbridge/harnesses"
	"meterbridge/harnesses/clinetasks"
	"meterbridge/harnesses/roots"
)

const (
	id = "cline"
	// store is the name space of request ids: messages of sessions, and of tasks.
	store = "messages"
)

// The kinds of sources, beside those of tasks.
const (
	kindSession  = "session"
	kindMessages = "messages"
	kindIndex    = "index"
)

// Harness describes Cline.
func Harness() harnesses.Harness {
	tasks := clinetasks.New(clinetasks.Options{Harness: id, Store: store, Extensions: []string{"saoudrizwan.claude-dev"}})
	return harnesses.Harness{
		ID:            id,
		Name:          "Cline",
		ParserVersion: 2,
		Declaration:   declaration(),
		Roots:         func(env harnesses.Env) []harnesses.Root { return places(env, tasks) },
		Claim:         func(rel string) (harnesses.Kind, bool) { return claim(rel, tasks) },
		Skip:          func(dir string) bool { return skip(dir, tasks) },
		Companion:     companion,
		Document: func(kind harnesses.Kind, o harnesses.Options) harnesses.DocumentParser {
			if kind.Name == kindSession || kind.Name == kindMessages {
				return &document{kind: kind.Name, opt: o}
			}
			return tasks.Document(kind, o)
		},
		Database: func(_ harnesses.Kind, o harnesses.Options) harnesses.DatabaseParser { return &index{opt: o} },
	}
}

func declaration() harnesses.Declaration {
	return harnesses.Declaration{
		CardWord:      "cline-cli",
		ZeroCost:      harnesses.ZeroUnknown,
		CostField:     "metrics.cost of messages, cost of the older tasks' requests",
		RequestTimes:  harnesses.EndOnly,
		Precision:     meterbridge.PerRequest,
		UsageReadable: true,
		MCP:           harnesses.MCPServers("~/.cline/data/settings/cline_mcp_settings.json; in an editor the file of its page MCP Servers"),
		NeverReported: []string{"reasoning"},
		Gaps: []string{
			"Sessions log when an answer was written, tasks when a request was sent; that time stands for its end.",
			"The lifetime of cache writes is not recorded, nor is the git branch.",
			"That a task's input leaves out the cache is inferred.",
			"What a restore took away of a task is known as one sum, of which the requests that were read before it are taken off.",
			"How a tool's call of a task ended is not logged.",
		},
		Layouts: []string{
			"sessions/<id>/<id>.json and <id>.messages.json: a session and its messages, rewritten whole; <agent>.messages.json: its sub-agents",
			"db/sessions.db: an SQLite index of the sessions, without usage",
			"tasks/<id>/ui_messages.json with state/taskHistory.json: the tasks of older extensions, below an editor's globalStorage",
		},
	}
}

// places are the store and the storage of the extension in every editor.
func places(env harnesses.Env, tasks *clinetasks.Reader) []harnesses.Root {
	l := roots.In(env)
	if env.Getenv("CLINE_DATA_DIR") != "" {
		l.Moved("CLINE_DATA_DIR", l.Home(".cline", "data"))
	} else {
		l.Moved("CLINE_DIR", l.Home(".cline", "data"), "data")
	}
	l.Alias("CLINE_SESSION_DATA_DIR").Alias("CLINE_DB_DATA_DIR")
	return append(l.All(), tasks.Roots(env)...)
}

// claim says what the file at rel is. A folder that a variable names holds the
// sessions, or the index, itself.
func claim(rel string, tasks *clinetasks.Reader) (harnesses.Kind, bool) {
	if kind, ok := tasks.Claim(rel); ok {
		return kind, ok
	}
	if rel == "db/sessions.db" || rel == "sessions.db" {
		return harnesses.Kind{Name: kindIndex, Shape: harnesses.Database}, true
	}
	dir, name := path.Split(strings.TrimPrefix(rel, "sessions/"))
	folder := strings.TrimSuffix(dir, "/")
	switch {
	case folder == "" || strings.Contains(folder, "/"):
	case strings.HasSuffix(name, ".messages.json"):
		return harnesses.Kind{Name: kindMessages, Shape: harnesses.Document}, true
	case name == folder+".json":
		return harnesses.Kind{Name: kindSession, Shape: harnesses.Document}, true
	}
	return harnesses.Kind{}, false
}

// skip keeps the walk out of what the extension keeps beside its tasks.
func skip(dir string, tasks *clinetasks.Reader) bool {
	if !tasks.Skip(dir) {
		return false
	}
	first, rest, deep := strings.Cut(dir, "/")
	switch first {
	case "checkpoints", "cache", "settings", "logs", "puppeteer", "workspaces", "node_modules":
		return true
	}
	return deep && (first != "sessions" || strings.Contains(rest, "/"))
}

func companion(p string) string {
	if filepath.Ext(p) == ".db" {
		return p + "-wal"
	}
	return ""
}
