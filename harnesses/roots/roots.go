// Package roots gathers the places where a harness keeps its logs, each once.
// It imports the contract of a harness; the harnesses call it.
package roots

import (
	"path/filepath"
	"slices"

	"meterbridge/harnesses"
)

// List gathers roots in the order in which they are named.
type List struct {
	env harnesses.Env
	all []harnesses.Root
}

// In begins a list for a machine.
func In(env harnesses.Env) *List { return &List{env: env} }

// All are the roots, without duplicates.
func (l *List) All() []harnesses.Root { return l.all }

// Home is the path below the user's home folder.
func (l *List) Home(parts ...string) string {
	return filepath.Join(append([]string{l.env.Home}, parts...)...)
}

// Data is the path below the folder for data: $XDG_DATA_HOME, else ~/.local/share.
func (l *List) Data(parts ...string) string {
	base := l.env.Getenv("XDG_DATA_HOME")
	if !filepath.IsAbs(base) {
		base = l.Home(".local", "share")
	}
	return filepath.Join(append([]string{base}, parts...)...)
}

// Moved adds the place that a variable names, below it the given parts, else the
// one that is usual. Only an absolute path moves it.
func (l *List) Moved(variable, usual string, below ...string) *List {
	if value := l.env.Getenv(variable); filepath.IsAbs(value) {
		return l.add(harnesses.Root{Path: filepath.Join(append([]string{value}, below...)...), Variable: variable, Set: true})
	}
	return l.add(harnesses.Root{Path: usual, Variable: variable})
}

// InData adds a place below the folder for data, which XDG_DATA_HOME moves.
func (l *List) InData(parts ...string) *List {
	set := filepath.IsAbs(l.env.Getenv("XDG_DATA_HOME"))
	return l.add(harnesses.Root{Path: l.Data(parts...), Variable: "XDG_DATA_HOME", Set: set})
}

// Also adds a place that nothing moves.
func (l *List) Also(path string) *List { return l.add(harnesses.Root{Path: path}) }

// Alias adds the place that a variable names which the harness itself does not
// know: other tools read it, and who comes from one may have set it.
func (l *List) Alias(variable string) *List {
	if value := l.env.Getenv(variable); filepath.IsAbs(value) {
		return l.add(harnesses.Root{Path: filepath.Clean(value), Variable: variable, Set: true})
	}
	return l
}

func (l *List) add(r harnesses.Root) *List {
	if !slices.ContainsFunc(l.all, func(o harnesses.Root) bool { return o.Path == r.Path }) {
		l.all = append(l.all, r)
	}
	return l
}
