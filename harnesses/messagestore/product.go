// Package messagestore reads the store of sessions, messages and parts that
// OpenCode and the products forked from it keep: a SQLite database, and before
// it one JSON file per session, message and part. A product names itself and
// its folders in a Product; everything else is here. It imports the domain, the
// contract of a harness, the JSON cursor and the SQLite access, and never a
// harness; the harnesses of this family call it.
package messagestore

import (
	"path/filepath"
	"slices"

	"meterbridge"
	"meterbridge/harnesses"
)

// parserVersion rises when the same log would yield other rows.
const parserVersion = 2

// Store is the name space of message ids. Both layouts share it: the move to
// the database kept the ids.
const Store = "messages"

// Product is one program that keeps such a store.
type Product struct {
	// ID and Name are those of the harness.
	ID, Name string
	// Folder is the name of its folder below the data folder.
	Folder string
	// DatabasePrefixes begin the names of its databases ("x" for x.db and x-dev.db).
	DatabasePrefixes []string
	// DatabaseVariable names a database: absolute, or a name in the folder.
	DatabaseVariable string
	// FolderVariable names the folder; it is a convenience of ours.
	FolderVariable string
	Declaration    harnesses.Declaration
	// Launch says how it is started as an agent.
	Launch *meterbridge.LaunchProfile
	// ConfigVariable names a configuration file of one launch; empty where there is
	// none: then it does not tell what its agents are doing.
	ConfigVariable string
}

// Harness returns the product as the scanner knows it.
func (p Product) Harness() harnesses.Harness {
	known := newKnown()
	return harnesses.Harness{
		ID:            p.ID,
		Name:          p.Name,
		ParserVersion: parserVersion,
		Declaration:   p.Declaration,
		Launch:        p.Launch,
		Hooks:         p.hooks(),
		Roots:         p.roots,
		Claim:         p.claim,
		Skip:          skip,
		Companion:     func(path string) string { return path + "-wal" },
		Document: func(_ harnesses.Kind, o harnesses.Options) harnesses.DocumentParser {
			return newDocument(p, known, o)
		},
		Database: func(_ harnesses.Kind, o harnesses.Options) harnesses.DatabaseParser {
			return &database{product: p, opt: o}
		},
	}
}

// roots are the folder below the data folder, and what the variables name.
func (p Product) roots(env harnesses.Env) []harnesses.Root {
	var all []harnesses.Root
	add := func(path, variable string, set bool) {
		if slices.ContainsFunc(all, func(r harnesses.Root) bool { return r.Path == path }) {
			return
		}
		all = append(all, harnesses.Root{Path: path, Variable: variable, Set: set})
	}
	if data := env.Getenv("XDG_DATA_HOME"); filepath.IsAbs(data) {
		add(filepath.Join(data, p.Folder), "XDG_DATA_HOME", true)
	} else {
		add(filepath.Join(env.Home, ".local", "share", p.Folder), "XDG_DATA_HOME", false)
	}
	if env.OS == "windows" {
		add(filepath.Join(env.Home, ".local", "share", p.Folder), "", false)
	}
	// A bare name lies in the folder, which is a root already; :memory: is no file.
	if db := env.Getenv(p.DatabaseVariable); filepath.IsAbs(db) {
		add(filepath.Clean(db), p.DatabaseVariable, true)
	} else if db != "" && db != ":memory:" {
		add(filepath.Join(all[0].Path, db), p.DatabaseVariable, true)
	}
	if dir := env.Getenv(p.FolderVariable); dir != "" {
		add(filepath.Clean(dir), p.FolderVariable, true)
	}
	return all
}
