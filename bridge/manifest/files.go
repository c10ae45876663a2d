package manifest

import (
	"errors"
	"fmt"
	"io/fs"
	"strings"

	"meterbridge/bridge"
)

// MaxIcon is the largest icon in bytes.
const MaxIcon = 128 << 10

// Find is the name of a package's one manifest.
func Find(root fs.FS) (string, error) {
	var found []string
	for _, name := range Files() {
		if info, err := fs.Stat(root, name); err == nil && info.Mode().IsRegular() {
			found = append(found, name)
		}
	}
	switch len(found) {
	case 0:
		return "", errors.New("there is no manifest at its root: " + strings.Join(Files(), ", "))
	case 1:
		return found[0], nil
	}
	return "", errors.New("it has more than one manifest: " + strings.Join(found, ", "))
}

// CheckFiles looks for what a manifest names in its package.
func CheckFiles(ext *bridge.Extension, root fs.FS) []Issue {
	r := &reader{}
	named := map[string]string{"/icon": ext.Icon, "/entry": ext.Entry, "/main": ext.Main}
	if len(ext.Command) > 0 {
		if inside, isPath := strings.CutPrefix(ext.Command[0], "./"); isPath {
			named["/command/0"] = inside
		}
	}
	for _, path := range []string{"/icon", "/entry", "/main", "/command/0"} {
		name := named[path]
		if name == "" {
			continue
		}
		info, err := fs.Stat(root, name)
		if err != nil || !info.Mode().IsRegular() {
			why := "the package has no file " + name
			if path == "/command/0" {
				why += "; if it is built from source, build it into the folder first"
			}
			r.meaning(path, why)
			continue
		}
		if path == "/icon" && info.Size() > MaxIcon {
			r.meaning(path, fmt.Sprintf("%s is larger than %d KiB", name, MaxIcon>>10))
		}
	}
	return r.issues
}
