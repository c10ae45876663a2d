package messagestore

import (
	"path"
	"path/filepath"
	"strings"

	"meterbridge/harnesses"
)

// The kinds of sources.
const (
	kindDatabase = "database"
	kindSession  = "session"
	kindMessage  = "message"
)

// layout is where a JSON file lies: in the one storage folder, or in the folder
// of a project, as the first builds had it.
type layout struct {
	kind string
	// base is the folder that holds message/ and part/.
	base string
	// oldest: the folder of a project.
	oldest      bool
	session, id string
}

// locate tells what the file at rel is by where it lies; the kind is empty for
// files that are no sources. Parts are read with their message.
func locate(rel string) (l layout) {
	dir, name := path.Split(rel)
	if path.Ext(name) != ".json" || strings.HasPrefix(name, ".") {
		return layout{}
	}
	l.id = strings.TrimSuffix(name, ".json")
	segments := strings.Split(strings.TrimSuffix(dir, "/"), "/")
	switch {
	case matches(segments, "storage", "session", "*"):
		l.kind, l.base = kindSession, "storage"
	case matches(segments, "storage", "message", "*"):
		l.kind, l.base, l.session = kindMessage, "storage", segments[2]
	case matches(segments, "project", "*", "storage", "session", "info"):
		l.kind, l.base, l.oldest = kindSession, path.Join(segments[:4]...), true
	case matches(segments, "project", "*", "storage", "session", "message", "*"):
		l.kind, l.base, l.oldest, l.session = kindMessage, path.Join(segments[:4]...), true, segments[5]
	}
	return l
}

func matches(segments []string, pattern ...string) bool {
	if len(segments) != len(pattern) {
		return false
	}
	return begins(pattern, segments)
}

// begins reports whether the segments are the beginning of the pattern.
func begins(pattern, segments []string) bool {
	for i, s := range segments {
		if i >= len(pattern) || pattern[i] != "*" && pattern[i] != s {
			return false
		}
	}
	return true
}

// parts is the folder of the parts of a message.
func (l layout) parts(session, message string) string {
	if l.oldest {
		return path.Join(l.base, "part", session, message)
	}
	return path.Join(l.base, "part", message)
}

// claim says what the file at rel is. A database of any name is taken at the
// top, because the variable may name one; whether it holds messages is seen when
// it is read.
func (p Product) claim(rel string) (harnesses.Kind, bool) {
	if l := locate(rel); l.kind != "" {
		return harnesses.Kind{Name: l.kind, Shape: harnesses.Document}, true
	}
	if strings.Contains(rel, "/") {
		return harnesses.Kind{}, false
	}
	if !databaseName(rel) {
		return harnesses.Kind{}, false
	}
	return harnesses.Kind{Name: kindDatabase, Shape: harnesses.Database}, true
}

func databaseName(name string) bool {
	switch path.Ext(name) {
	case ".db", ".sqlite", ".sqlite3":
		return true
	}
	return false
}

// named reports whether the file at path has the name of one of the product's
// databases, so that it must hold messages.
func (p Product) named(file string) bool {
	for _, prefix := range p.DatabasePrefixes {
		rest, ok := strings.CutPrefix(filepath.Base(file), prefix)
		if ok && (strings.HasPrefix(rest, ".") || strings.HasPrefix(rest, "-")) {
			return true
		}
	}
	return false
}

// skip keeps the walk out of everything else: logs, snapshots, the folders of
// parts, which may hold a hundred thousand files. A folder in the place of a
// database is not passed over: it is to be reported.
func skip(relDir string) bool {
	segments := strings.Split(relDir, "/")
	if len(segments) == 1 && databaseName(relDir) {
		return false
	}
	for _, pattern := range [...][]string{
		{"storage", "session", "*"},
		{"storage", "message", "*"},
		{"project", "*", "storage", "session", "info"},
		{"project", "*", "storage", "session", "message", "*"},
	} {
		if begins(pattern, segments) {
			return false
		}
	}
	return true
}
