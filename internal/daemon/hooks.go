package daemon

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"time"

	"meterbridge/harnesses"
	"meterbridge/harnesses/all"
	"meterbridge/internal/config"
	"meterbridge/internal/hooks/userfile"
)

// HookState is how the settings of a harness stand, in JSON too.
type HookState struct {
	Harness   string   `json:"harness"`
	Name      string   `json:"name"`
	Path      string   `json:"path"`
	Installed []string `json:"installed"`
	Missing   []string `json:"missing"`
	Changed   bool     `json:"changed"`
	Note      string   `json:"note,omitempty"`
}

// HookSettings puts hooks into users' own settings.
type HookSettings struct {
	files *userfile.Settings
	paths config.Paths
	env   harnesses.Env
}

// OpenHookSettings names the settings of an installation; nothing is read. program
// is the path of this program.
func OpenHookSettings(o Options, program func() (string, error)) HookSettings {
	path, err := program()
	if err != nil {
		path = "meterbridge"
	}
	env := harnesses.Env{Home: o.Home, OS: o.OS, Getenv: o.Getenv}
	return HookSettings{paths: o.places(), env: env, files: userfile.New(userfile.Options{
		Harnesses: all.Harnesses(), Env: env, Folder: o.places().Hooks(), Version: programVersion,
		Command: func(id string) string { return forwarder(path) + " " + id + " --user" },
	})}
}

// versionTime is how long a program may take to tell its version.
const versionTime = 3 * time.Second

// programVersion is what a harness's program says of its version; empty when it is
// not there.
func programVersion(id string) string {
	for _, h := range all.Harnesses() {
		if h.ID != id || h.Launch == nil || len(h.Launch.Program) == 0 || len(h.Launch.Version) == 0 {
			continue
		}
		ctx, cancel := context.WithTimeout(context.Background(), versionTime)
		defer cancel()
		out, err := exec.CommandContext(ctx, h.Launch.Program[0], h.Launch.Version...).Output()
		if err != nil {
			return ""
		}
		return regexp.MustCompile(`\d+(\.\d+)+`).FindString(string(out))
	}
	return ""
}

// Harnesses are those whose hooks can be installed.
func (s HookSettings) Harnesses() []string { return s.files.Harnesses() }

// Present are those of them whose folder of settings is on this machine, also those
// whose settings cannot be read: what is asked of them next says why.
func (s HookSettings) Present() (ids []string) {
	for _, id := range s.files.Harnesses() {
		state, _ := s.files.Status(id)
		if state.Path == "" {
			continue
		}
		dir := filepath.Dir(state.Path)
		if state.Form == harnesses.PluginFile {
			dir = filepath.Dir(dir)
		}
		if info, err := os.Stat(dir); err == nil && info.IsDir() {
			ids = append(ids, id)
		}
	}
	return ids
}

// Status says how the settings of a harness stand.
func (s HookSettings) Status(id string) (HookState, error) { return hookState(s.files.Status(id)) }

// Install puts the hooks into the settings of a harness.
func (s HookSettings) Install(id string) (HookState, error) {
	if _, err := machineHookToken(s.paths); err != nil {
		return HookState{}, &Fault{Err: err}
	}
	return hookState(s.files.Install(id))
}

// Uninstall takes them out again.
func (s HookSettings) Uninstall(id string) (HookState, error) {
	return hookState(s.files.Uninstall(id))
}

func hookState(s userfile.State, err error) (HookState, error) {
	switch {
	case err == nil:
	case errors.Is(err, userfile.ErrUnknown):
		return HookState{}, &Fault{Err: err, Hint: "`meterbridge hooks status` lists those that have", Nothing: true}
	case errors.Is(err, userfile.ErrBusy):
		return HookState{}, &Fault{Err: err, Hint: "close the harness and try again"}
	default:
		return HookState{}, &Fault{Err: err}
	}
	return HookState{
		Harness: s.Harness, Name: s.Name, Path: s.Path, Installed: listed(s.Installed), Missing: listed(s.Missing), Changed: s.Changed, Note: s.Note,
	}, nil
}
