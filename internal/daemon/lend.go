package daemon

import (
	"fmt"
	"slices"
	"strings"

	"meterbridge/harnesses"
	"meterbridge/harnesses/all"
	"meterbridge/internal/config"
	"meterbridge/internal/statusline"
)

// SocketPath is where the daemon of the installation listens.
func SocketPath(o Options) string { return o.places().Socket() }

// DataPath is the data folder of the installation.
func DataPath(o Options) string { return o.places().Data }

// CallerEnv is the part of the environment that an answer of a daemon depends on:
// the zone, colours, and the variables that move harnesses' folders.
func CallerEnv(o Options) map[string]string {
	env := map[string]string{}
	for _, name := range append([]string{"TZ", "NO_COLOR"}, FolderVariables(o)...) {
		env[name] = o.Getenv(name)
	}
	return env
}

// FolderVariables are the variables that name or move places where logs lie.
func FolderVariables(o Options) []string {
	var names []string
	for _, h := range all.Harnesses() {
		for _, r := range h.Roots(harnesses.Env{Home: o.Home, OS: o.OS, Getenv: o.Getenv}) {
			names = append(names, r.Variable)
		}
	}
	slices.Sort(names)
	return slices.DeleteFunc(slices.Compact(names), func(name string) bool { return name == "" })
}

// Lend is the installation for a command that a caller with this environment had
// relayed to it: reports are in the caller's zone, and closing it does nothing.
func (m *Meter) Lend(getenv func(string) string) *Meter {
	lent := *m
	lent.lent = true
	if m.config.Report.Timezone == "" {
		lent.zone = config.SystemZone(getenv)
	}
	lent.warn = nil
	var other []string
	for _, name := range FolderVariables(m.opts) {
		if getenv(name) != m.opts.Getenv(name) {
			other = append(other, name)
		}
	}
	if len(other) > 0 {
		lent.warn = append(lent.warn, fmt.Sprintf(
			"the daemon was started with another %s and reads the folders of that; start it again to change this", strings.Join(other, ", "),
		))
	}
	return &lent
}

// StatusLinePlaces are where the installation's status line comes from.
func StatusLinePlaces(o Options) statusline.Places {
	return statusline.Places{Socket: o.places().Socket(), Last: o.places().LastStatusLine()}
}
