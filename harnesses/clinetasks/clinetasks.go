// Package clinetasks reads the tasks that Cline's extension for editors and those
// forked from it keep in an editor's storage: one folder for each task, with the
// messages that its panel shows. It imports the domain, the contract of a
// harness and the readers of JSON and places, and never a harness; the harnesses
// that keep such tasks make a Reader and hand its parts on.
package clinetasks

import (
	"path"
	"path/filepath"
	"strings"

	"meterbridge/harnesses"
	"meterbridge/harnesses/editors"
)

// The kinds of sources.
const (
	// KindTask is what the panel of one task shows: its requests.
	KindTask = "task"
	// KindHistory is a list of tasks, KindItem what is known of one.
	KindHistory = "task-history"
	KindItem    = "task-item"
)

// Options say what differs between the extensions.
type Options struct {
	// Harness and Store are those of the requests.
	Harness, Store string
	// Extensions are the ids under which editors keep the extension's storage.
	Extensions []string
	// CacheInside: tokensIn holds both classes of the cache, as far as it can; else
	// it leaves them out.
	CacheInside bool
}

// Reader reads the tasks of one harness. It is safe for concurrent use.
type Reader struct {
	opt   Options
	known *known
}

// New returns a reader.
func New(o Options) *Reader { return &Reader{opt: o, known: newKnown()} }

// Roots are the storage folders of the extension in every editor.
func (r *Reader) Roots(env harnesses.Env) []harnesses.Root {
	var all []harnesses.Root
	for _, user := range editors.Users(env) {
		for _, extension := range r.opt.Extensions {
			all = append(all, harnesses.Root{Path: filepath.Join(user, "globalStorage", extension)})
		}
	}
	return all
}

// Claim says what the file at rel below such a folder is.
func (r *Reader) Claim(rel string) (harnesses.Kind, bool) {
	kind := ""
	dir, name := path.Split(rel)
	switch {
	case rel == "state/taskHistory.json", rel == "tasks/_index.json":
		kind = KindHistory
	case !strings.HasPrefix(dir, "tasks/") || strings.Count(dir, "/") != 2:
	case name == "ui_messages.json" || name == "claude_messages.json":
		kind = KindTask
	case name == "history_item.json":
		kind = KindItem
	}
	return harnesses.Kind{Name: kind, Shape: harnesses.Document, Totals: kind == KindTask}, kind != ""
}

// Skip keeps the walk out of all but the tasks and the lists of them.
func (r *Reader) Skip(relDir string) bool {
	if relDir == "tasks" || relDir == "state" {
		return false
	}
	return !strings.HasPrefix(relDir, "tasks/") || strings.Count(relDir, "/") > 1
}

// Document opens the parser of a source that Claim took.
func (r *Reader) Document(kind harnesses.Kind, o harnesses.Options) harnesses.DocumentParser {
	d := &document{reader: r, kind: kind.Name, opt: o}
	if kind.Name == KindTask {
		d.memory = readMemory(o.State)
	}
	return d
}
