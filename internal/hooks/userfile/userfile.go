// Package userfile puts hooks into the settings of a user's own harnesses and takes
// them out again. What it does not change keeps its bytes: comments, the order of
// keys, the mode, a symbolic link. A copy of the file as it was is kept, so that
// uninstalling restores it to the byte. It imports harnesses' contract and no
// harness; the command `hooks` calls it through internal/daemon.
package userfile

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"github.com/gofrs/flock"

	"meterbridge/harnesses"
)

// The errors of settings.
var (
	ErrUnknown = errors.New("no such harness with hooks that can be installed")
	// ErrByHand: the file's form is one that is not changed by a program.
	ErrByHand = errors.New("the settings must be changed by hand")
	// ErrBusy: another program keeps changing the file.
	ErrBusy = errors.New("another program changes the settings")
)

// Options of settings.
type Options struct {
	Harnesses []harnesses.Harness
	Env       harnesses.Env
	// Folder remembers what was installed.
	Folder string
	// Command is the command line of a harness's hooks.
	Command func(harness string) string
	// Version is that of the harness's program; empty when not known.
	Version func(harness string) string
}

// Settings are the settings of a user's harnesses.
type Settings struct{ o Options }

// New names the settings; nothing is read.
func New(o Options) *Settings { return &Settings{o} }

// record remembers an installation.
type record struct {
	Path    string   `json:"path"`
	Command string   `json:"command"`
	Events  []string `json:"events"`
	// Made are the containers that were made for the hooks.
	Made []string `json:"made,omitempty"`
	// Absent: there was no file before; else Before is what it held.
	Absent bool   `json:"absent,omitempty"`
	Before []byte `json:"before,omitempty"`
	// After is the SHA-256 of what was written, in hex.
	After string `json:"after"`
}

// State is how a harness's settings stand.
type State struct {
	Harness, Name, Path string
	Form                harnesses.HookForm
	// Installed are the events that have our hook; Missing those that a new
	// installation would add.
	Installed, Missing []string
	// Changed: the file was changed since the installation.
	Changed bool
	Note    string
}

// Harnesses are those whose hooks can be installed, in the order of reports.
func (s *Settings) Harnesses() (ids []string) {
	for _, h := range s.o.Harnesses {
		if h.Hooks != nil && h.Hooks.Settings != nil {
			ids = append(ids, h.ID)
		}
	}
	return ids
}

// wanted is what a harness's settings should hold.
func (s *Settings) wanted(id string) (harnesses.Harness, harnesses.HookSettings, error) {
	for _, h := range s.o.Harnesses {
		if h.ID != id || h.Hooks == nil || h.Hooks.Settings == nil {
			continue
		}
		want := h.Hooks.Settings(s.o.Env)
		if want.Path == "" {
			return h, want, fmt.Errorf("%w: %s names no folder of settings", ErrByHand, h.Name)
		}
		version := ""
		if s.o.Version != nil {
			version = s.o.Version(id)
		}
		want.Events = slices.DeleteFunc(want.Events, func(e harnesses.HookEvent) bool { return !e.Has(version) })
		return h, want, nil
	}
	return harnesses.Harness{}, harnesses.HookSettings{}, fmt.Errorf("%w: %s", ErrUnknown, id)
}

// Status says how a harness's settings stand.
func (s *Settings) Status(id string) (State, error) {
	h, want, err := s.wanted(id)
	if err != nil {
		return State{}, err
	}
	state := State{Harness: id, Name: h.Name, Path: want.Path, Form: want.Form, Note: want.Note}
	text, err := os.ReadFile(want.Path)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return state, fmt.Errorf("read the settings of %s: %w", h.Name, err)
	}
	rec, known := s.recall(id)
	command := s.o.Command(id)
	if known {
		command = rec.Command
	}
	state.Changed = known && digest(text) != rec.After
	if state.Installed, err = present(want, text, command); err != nil {
		return state, fmt.Errorf("%s: %w", want.Path, err)
	}
	for _, e := range eventNames(want) {
		if !slices.Contains(state.Installed, e) {
			state.Missing = append(state.Missing, e)
		}
	}
	return state, nil
}

func eventNames(want harnesses.HookSettings) (names []string) {
	if want.Form == harnesses.PluginFile {
		return []string{"plugin"}
	}
	for _, e := range want.Events {
		names = append(names, e.Name)
	}
	return names
}

// present are the events that have our hook.
func present(want harnesses.HookSettings, text []byte, command string) ([]string, error) {
	switch want.Form {
	case harnesses.PluginFile:
		if bytes.Equal(text, want.Content(command)) {
			return []string{"plugin"}, nil
		}
		return nil, nil
	case harnesses.YAMLHooks:
		return yamlInstalled(text, want.Events, command), nil
	}
	return installed(text, command)
}

// Install puts the hooks of a harness into its settings. It may be repeated.
func (s *Settings) Install(id string) (State, error) {
	h, want, err := s.wanted(id)
	if err != nil {
		return State{}, err
	}
	err = s.locked(func() error {
		if rec, known := s.recall(id); known {
			if err := s.remove(id, rec, want); err != nil {
				return err
			}
		}
		return s.install(id, want)
	})
	if err != nil {
		return State{}, fmt.Errorf("install the hooks of %s: %w", h.Name, err)
	}
	return s.Status(id)
}

func (s *Settings) install(id string, want harnesses.HookSettings) error {
	rec := record{Path: want.Path, Command: s.o.Command(id), Events: eventNames(want)}
	return change(want.Path, func(text []byte, there bool) (after []byte, err error) {
		rec.Absent, rec.Before = !there, text
		switch want.Form {
		case harnesses.PluginFile:
			after = want.Content(rec.Command)
			if there && !bytes.Equal(text, after) {
				return nil, fmt.Errorf("%w: %s is a file of somebody else", ErrByHand, want.Path)
			}
		case harnesses.YAMLHooks:
			after, err = yamlPut(text, want.Events, rec.Command)
		default:
			after, rec.Made, err = put(text, want.Events, rec.Command)
		}
		if err != nil {
			return nil, err
		}
		rec.After = digest(after)
		return after, s.remember(id, rec) // before the file: what was begun can be undone
	})
}

// Uninstall takes the hooks of a harness out of its settings: to the byte where the
// file is as it was written, else by removing our entries alone.
func (s *Settings) Uninstall(id string) (State, error) {
	h, want, err := s.wanted(id)
	if err != nil {
		return State{}, err
	}
	err = s.locked(func() error {
		rec, known := s.recall(id)
		if !known {
			rec = record{Path: want.Path, Command: s.o.Command(id)}
		}
		return s.remove(id, rec, want)
	})
	if err != nil {
		return State{}, fmt.Errorf("uninstall the hooks of %s: %w", h.Name, err)
	}
	return s.Status(id)
}

func (s *Settings) remove(id string, rec record, want harnesses.HookSettings) error {
	err := change(rec.Path, func(text []byte, there bool) ([]byte, error) {
		switch {
		case !there:
			return nil, errUnchanged
		case rec.After != "" && digest(text) == rec.After && rec.Absent:
			return nil, errRemove
		case rec.After != "" && digest(text) == rec.After:
			return rec.Before, nil
		}
		switch want.Form {
		case harnesses.PluginFile:
			if bytes.Equal(text, want.Content(rec.Command)) {
				return nil, errRemove
			}
			return nil, errUnchanged // its user made it theirs
		case harnesses.YAMLHooks:
			return yamlTake(text), nil
		}
		return take(text, rec.Command, rec.Made)
	})
	if err != nil {
		return err
	}
	if err := os.Remove(s.recordPath(id)); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("forget the installation: %w", err)
	}
	return nil
}

func (s *Settings) recordPath(id string) string { return filepath.Join(s.o.Folder, id+".json") }

// recall is what was installed; false when nothing is known to be.
func (s *Settings) recall(id string) (rec record, known bool) {
	text, err := os.ReadFile(s.recordPath(id))
	return rec, err == nil && json.Unmarshal(text, &rec) == nil
}

func (s *Settings) remember(id string, rec record) error {
	text, err := json.Marshal(rec)
	if err != nil {
		return fmt.Errorf("remember the installation: %w", err)
	}
	return write(s.recordPath(id), text, 0o600)
}

// locked runs fn while no other process of ours changes settings.
func (s *Settings) locked(fn func() error) (err error) {
	if err := os.MkdirAll(s.o.Folder, 0o700); err != nil {
		return fmt.Errorf("make the folder of installations: %w", err)
	}
	lock := flock.New(filepath.Join(s.o.Folder, "lock"), flock.SetPermissions(0o600))
	if err := lock.Lock(); err != nil {
		return fmt.Errorf("lock the installations: %w", err)
	}
	defer func() { err = errors.Join(err, lock.Unlock()) }()
	return fn()
}

func digest(text []byte) string {
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:])
}
