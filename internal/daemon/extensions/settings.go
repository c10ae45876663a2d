package extensions

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"meterbridge/bridge"
	"meterbridge/bridge/host"
	"meterbridge/bridge/manifest"
	"meterbridge/bridge/policy"
	"meterbridge/dashboard"
)

// kept is what a user set for an extension. It lies beside the package and its
// folder, where the extension's process does not reach, for its user alone.
type kept struct {
	Values  map[string]json.RawMessage `json:"values"`
	Secrets map[string]string          `json:"secrets"`
}

// settingsFile is the file of settings in the folder of a package.
const settingsFile = "settings.json"

// mostSettings is the largest file of settings, in bytes.
const mostSettings = 8 << 20

func (d *Desk) settingsPath(name string) string {
	return filepath.Join(d.o.Folder, name, settingsFile)
}

// readSettings is what was set; nothing of an extension that has no settings.
func (d *Desk) readSettings(name string) (kept, error) {
	k := kept{Values: map[string]json.RawMessage{}, Secrets: map[string]string{}}
	text, err := readBounded(d.settingsPath(name), mostSettings)
	if errors.Is(err, fs.ErrNotExist) {
		return k, nil
	}
	if err == nil {
		err = json.Unmarshal(text, &k)
	}
	if err != nil {
		return k, fmt.Errorf("read the settings of %s: %w", name, err)
	}
	return k, nil
}

// Settings are the values in force, with the defaults, and which secrets are set. A
// value that does not fit the manifest any more is none.
func (d *Desk) Settings(name string) host.Settings {
	s := host.Settings{Values: map[string]json.RawMessage{}, Secrets: map[string]bool{}}
	it := d.now.Load().find(name)
	if it == nil {
		return s
	}
	k, err := d.readSettings(name)
	if err != nil {
		d.o.Log.Warn("settings of an extension are not used", slog.Any("error", err))
	}
	for _, one := range it.inst.Settings {
		value, set := k.inForce(one)
		switch {
		case one.Type == "secret":
			s.Secrets[one.Key] = set
		case value != nil:
			s.Values[one.Key] = value
		}
	}
	return s
}

// inForce is the value of a setting, its default unless the user set one that fits the
// manifest; nil for none and for a secret, of which it is told only whether it is set.
func (k kept) inForce(one bridge.Setting) (value json.RawMessage, set bool) {
	if one.Type == "secret" {
		_, set = k.Secrets[one.Key]
		return nil, set
	}
	if value, set = k.Values[one.Key]; set && manifest.SettingFault(one, value) == "" {
		return value, true
	}
	return one.Default, false
}

// Secret is the value of a secret that is set.
func (d *Desk) Secret(name, key string) (value string, set bool) {
	k, err := d.readSettings(name)
	if err != nil {
		return "", false
	}
	value, set = k.Secrets[key]
	return value, set
}

// SetSettings takes what an extension sets itself, which is never a secret.
func (d *Desk) SetSettings(name string, values map[string]json.RawMessage) error {
	return d.set(name, Setting{Values: values})
}

// Setting is what a user sets.
type Setting struct {
	Values  map[string]json.RawMessage
	Secrets map[string]string
	// Unset are keys that go back to their defaults.
	Unset []string
}

// Set changes settings for their user and tells the extension that runs.
func (d *Desk) Set(name string, s Setting) error {
	err := d.set(name, s)
	var faults host.SettingFaults
	if errors.As(err, &faults) {
		return &Fault{Err: fmt.Errorf("%s: %w", name, faults), Hint: "`meterbridge ext settings " + name + "` lists its settings", Wrong: true}
	}
	if told, ok := d.o.Runtime.(interface{ SettingsChanged(string) }); ok && err == nil {
		told.SettingsChanged(name)
	}
	return err
}

// set checks what is set and keeps it, all of it or nothing.
func (d *Desk) set(name string, s Setting) error {
	_, it, err := d.installedAs(name)
	if err != nil {
		return err
	}
	if faults := settingFaults(it.inst.Settings, s); len(faults) > 0 {
		return faults
	}
	return d.record.locked(func() error {
		k, err := d.readSettings(name)
		if err != nil {
			return &Fault{Err: err, Hint: "move " + d.settingsPath(name) + " away and set them anew"}
		}
		for _, key := range s.Unset {
			delete(k.Values, key)
			delete(k.Secrets, key)
		}
		maps.Copy(k.Values, s.Values)
		maps.Copy(k.Secrets, s.Secrets)
		text, err := json.Marshal(k)
		if err == nil {
			err = os.MkdirAll(filepath.Dir(d.settingsPath(name)), 0o700)
		}
		if err != nil {
			return fmt.Errorf("keep the settings of %s: %w", name, err)
		}
		return replace(d.settingsPath(name), text)
	})
}

func settingFaults(declared []bridge.Setting, s Setting) (faults host.SettingFaults) {
	find := func(key string) *bridge.Setting {
		i := slices.IndexFunc(declared, func(one bridge.Setting) bool { return one.Key == key })
		if i < 0 {
			faults = append(faults, host.SettingFault{Key: key, Message: "is no setting of it"})
			return nil
		}
		return &declared[i]
	}
	for _, key := range slices.Sorted(maps.Keys(s.Values)) {
		one := find(key)
		switch {
		case one == nil:
		case one.Type == "secret":
			faults = append(faults, host.SettingFault{Key: key, Message: "is a secret, which only its user sets, with --secret"})
		default:
			if why := manifest.SettingFault(*one, s.Values[key]); why != "" {
				faults = append(faults, host.SettingFault{Key: key, Message: why})
			}
		}
	}
	for _, key := range slices.Sorted(maps.Keys(s.Secrets)) {
		one := find(key)
		switch {
		case one == nil:
		case one.Type != "secret":
			faults = append(faults, host.SettingFault{Key: key, Message: "is no secret; set it with KEY=VALUE"})
		case s.Secrets[key] == "" || len([]rune(s.Secrets[key])) > one.MaxLength:
			faults = append(faults, host.SettingFault{Key: key, Message: fmt.Sprintf("has 1 to %d characters", one.MaxLength)})
		}
	}
	for _, key := range s.Unset {
		find(key)
	}
	return faults
}

// ParseSetting reads KEY=VALUE as the type of the setting has it.
func (d *Desk) ParseSetting(name, word string) (key string, value json.RawMessage, err error) {
	_, it, err := d.installedAs(name)
	if err != nil {
		return "", nil, err
	}
	key, text, found := strings.Cut(word, "=")
	if !found {
		return "", nil, &Fault{Err: fmt.Errorf("%q is no KEY=VALUE", word), Hint: "a secret is set with --secret KEY", Wrong: true}
	}
	for _, one := range it.inst.Settings {
		if one.Key == key && (one.Type == "number" || one.Type == "boolean") && json.Valid([]byte(text)) {
			return key, json.RawMessage(text), nil
		}
	}
	value, err = json.Marshal(text)
	return key, value, err
}

// settingAnswers are the settings as their user is told them.
func (d *Desk) settingAnswers(it *item) []dashboard.SettingAnswer {
	list := []dashboard.SettingAnswer{}
	var k kept
	if it.pkg.Seq > 0 {
		k, _ = d.readSettings(it.pkg.Name) // Settings warns of what cannot be read
	}
	for _, one := range it.inst.Settings {
		a := dashboard.SettingAnswer{
			Key: one.Key, Type: one.Type, Label: one.Label.Text(), Description: ptr(one.Description.Text()), Required: one.Required, Default: one.Default, Options: []string{},
		}
		for _, option := range one.Options {
			a.Options = append(a.Options, option.Value)
		}
		value, set := k.inForce(one)
		a.Set, a.Default, a.Value = set, orNull(a.Default), orNull(value)
		list = append(list, a)
	}
	return list
}

func orNull(value json.RawMessage) json.RawMessage {
	if value == nil {
		return json.RawMessage("null")
	}
	return value
}

// SetWorkspace says which agents an extension sees without a link and, with the
// permission for it, in which folder it works; nil leaves what is.
func (d *Desk) SetWorkspace(name string, workspace, folder *string) error {
	_, it, err := d.installedAs(name)
	if err != nil {
		return err
	}
	if folder != nil && *folder != "" {
		if !policy.Allows(it.inst.Granted, "fs.read") {
			return &Fault{Err: fmt.Errorf("%s has no permission for files", name), Hint: "`meterbridge ext show " + name + "` lists what it may do", Wrong: true}
		}
		info, err := os.Stat(*folder)
		if err != nil || !info.IsDir() {
			return &Fault{Err: fmt.Errorf("%s is no folder", *folder), Hint: "name a folder of yours", Nothing: true}
		}
		if inside, err := filepath.Rel(*folder, d.o.Folder); err == nil && filepath.IsLocal(inside) {
			return &Fault{Err: fmt.Errorf("%s holds what you agreed to of extensions", *folder), Hint: "name the folder of a project", Wrong: true}
		}
	}
	return d.change(func(s *policy.State) error {
		pkg := s.Package(name)
		if pkg == nil {
			return changedMeanwhile(name)
		}
		if workspace != nil {
			pkg.Workspace = *workspace
		}
		if folder != nil {
			pkg.Files = *folder
		}
		return nil
	})
}

// usualWorkspace is that of an extension whose user named no other.
const usualWorkspace = "default"

// Workspace is where an extension works.
func (d *Desk) Workspace(name string) host.Workspace {
	it := d.now.Load().find(name)
	if it == nil {
		return host.Workspace{}
	}
	w := host.Workspace{ID: usualWorkspace, Folder: it.pkg.Files, Trash: filepath.Join(d.o.Folder, name, "trash")}
	if it.pkg.Workspace != "" {
		w.ID = it.pkg.Workspace
	}
	w.Name = w.ID
	return w
}
