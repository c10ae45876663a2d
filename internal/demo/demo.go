// Package demo holds example logs of three harnesses, with made-up values, for
// `usage --demo`. It imports nothing of the project; internal/daemon unpacks it.
package demo

import (
	"embed"
	"io/fs"
)

//go:embed all:home
var home embed.FS //nolint:gochecknoglobals // embedded data

// Home is a home folder as the harnesses would have left it.
func Home() fs.FS {
	sub, err := fs.Sub(home, "home")
	if err != nil {
		return home // unreachable: the folder is embedded above
	}
	return sub
}
