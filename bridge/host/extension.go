package host

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"meterbridge/bridge"
	"meterbridge/bridge/manifest"
)

// extension is what a keeper keeps.
type extension struct{ bridge.Installed }

// may tells whether a permission is in force.
func (x *extension) may(id string) bool {
	return slices.ContainsFunc(x.Granted, func(p bridge.Permission) bool { return p.ID == id })
}

// told is the list of permissions as extensions see it: all that it asked for,
// with the answers.
func (x *extension) told() []map[string]any {
	list := make([]map[string]any, 0, len(x.Permissions))
	for _, p := range x.Permissions {
		told := map[string]any{"id": p.ID, "optional": p.Optional, "granted": x.may(p.ID)}
		if len(p.Hosts) > 0 {
			told["hosts"] = p.Hosts
		}
		if len(p.Reason) > 0 {
			told["reason"] = p.Reason
		}
		list = append(list, told)
	}
	return list
}

// argv is the command of the extension's process, its program a path; nil for an
// extension that only attaches itself. find looks a program up on the PATH.
func (x *extension) argv(runner, importer []string, find func(string) (string, error)) ([]string, error) {
	argv := slices.Clone(x.Command)
	switch {
	case x.Dialect == bridge.DialectMCP:
		argv = append(slices.Clone(importer), filepath.Join(x.Folder, manifest.ImportFile))
	case len(argv) > 0:
	case x.Main != "" && len(runner) > 0:
		argv = append(slices.Clone(runner), filepath.Join(x.Folder, x.Main))
	case x.headless():
		argv = []string{"node", filepath.Join(x.Folder, HeadlessFile)}
	default:
		return nil, nil
	}
	for i, arg := range argv {
		// What lies in the package is named from there; the process begins in its own folder.
		if rest, ok := strings.CutPrefix(arg, "./"); ok && within(rest) {
			argv[i] = filepath.Join(x.Folder, rest)
		}
	}
	if !filepath.IsAbs(argv[0]) {
		program, err := find(argv[0])
		if err != nil {
			return nil, err
		}
		argv[0] = program
	}
	return argv, nil
}

// HeadlessFile answers the tools of a card whose page nobody has open.
const HeadlessFile = "headless.mjs"

func (x *extension) headless() bool { return Headless(&x.Installed) }

// Headless tells whether an extension is a card with a process.
func Headless(x *bridge.Installed) bool {
	if x.Dialect != bridge.DialectCard {
		return false
	}
	info, err := os.Stat(filepath.Join(x.Folder, HeadlessFile))
	return err == nil && info.Mode().IsRegular()
}

// starts tells whether the host can start the extension.
func (x *extension) starts() bool {
	return len(x.Command) > 0 || x.Main != "" || x.URL != "" || x.headless()
}

// within tells whether a relative path stays in its folder.
func within(path string) bool { return filepath.IsLocal(path) }

// declared are the local ids of the tools.
func (x *extension) declared() []string {
	list := make([]string, len(x.Tools))
	for i, t := range x.Tools {
		list[i] = t.LocalID
	}
	return list
}

// Settings are the values that the user set for an extension.
type Settings struct {
	// Values has the defaults filled in, and no secret. Secrets tells which are set.
	Values  map[string]json.RawMessage `json:"values"`
	Secrets map[string]bool            `json:"secrets"`
}

// defaults are the settings of an extension whose user set none.
func (x *extension) defaults() Settings {
	s := Settings{Values: map[string]json.RawMessage{}, Secrets: map[string]bool{}}
	for _, one := range x.Settings {
		switch {
		case one.Type == "secret":
			s.Secrets[one.Key] = false
		case one.Default != nil:
			s.Values[one.Key] = one.Default
		}
	}
	return s
}
