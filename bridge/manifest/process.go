package manifest

import (
	"fmt"
	"slices"
	"strings"

	"meterbridge/bridge"
)

// process reads meterbridge-extension.json.
func (r *reader) process(v any) *bridge.Extension {
	o := r.object(v, "", "$schema", "manifestVersion", "name", "displayName", "version", "minAppVersion", "description", "author", "license",
		"homepage", "icon", "protocol", "permissions", "settings", "tools", "keywords", "command", "env", "secretsEnv", "os")
	ext := r.common(o, bridge.DialectProcess)
	o.need("command")
	if o.has("command") {
		ext.Command = r.command(o)
	}
	ext.Env, ext.SecretsEnv = r.variables(o, "env", 32), r.variables(o, "secretsEnv", 8)
	for i, os := range o.words("os", 1, 3, 16) {
		if !slices.Contains([]string{"linux", "darwin", "windows"}, os) {
			r.shape(o.entry("os", i), "must be linux, darwin or windows")
		}
		ext.OS = append(ext.OS, os)
	}
	if r.shaped() {
		r.processMeaning(ext)
	}
	return ext
}

func (r *reader) command(o object) []string {
	argv := o.words("command", 1, 32, 4096)
	for i, arg := range argv {
		if strings.ContainsRune(arg, 0) {
			r.shape(o.entry("command", i), "holds a NUL")
		}
	}
	return argv
}

func (r *reader) variables(o object, key string, most int) []string {
	names := o.words(key, 0, most, 64)
	for i, name := range names {
		if !isVariable(name) {
			r.shape(o.entry(key, i), "must be 1 to 64 of A-Z, 0-9 and _, with no digit first")
		}
	}
	return names
}

func (r *reader) processMeaning(ext *bridge.Extension) {
	r.commonMeaning(ext)
	r.commandMeaning(ext.Command)
	r.unique("/env", ext.Env)
	r.unique("/secretsEnv", ext.SecretsEnv)
	r.unique("/os", ext.OS)
	for _, name := range slices.Concat(ext.Env, ext.SecretsEnv) {
		if changesPrograms(name) {
			r.meaning("/env", name+" is never passed on")
		}
	}
	for _, name := range ext.Env {
		if isSecretName(name) && !slices.Contains(ext.SecretsEnv, name) {
			r.meaning("/env", name+" looks like a secret: list it in secretsEnv too, which its user is shown")
		}
	}
	for _, name := range ext.SecretsEnv {
		if !slices.Contains(ext.Env, name) {
			r.meaning("/secretsEnv", name+" is not in env")
		}
	}
	if CompareVersions(r.options.AppVersion, ext.MinAppVersion) < 0 && ext.MinAppVersion != "" {
		r.note(Issue{"/minAppVersion", CodeProtocol, "needs a newer Meterbridge: " + ext.MinAppVersion + " or later, this one is " + r.options.AppVersion})
	}
	if os := r.options.OS; os != "" && ext.OS != nil && !slices.Contains(ext.OS, os) {
		r.meaning("/os", fmt.Sprintf("it is for %s, this is %s", strings.Join(ext.OS, ", "), os))
	}
}

// commandMeaning refuses a program outside of the package that is no bare name.
func (r *reader) commandMeaning(argv []string) {
	for i, arg := range argv {
		r.readable(fmt.Sprintf("/command/%d", i), arg, oneLine)
	}
	if len(argv) == 0 {
		return
	}
	program := argv[0]
	if inside, isPath := strings.CutPrefix(program, "./"); isPath {
		if err := CheckPath(inside); err != nil {
			r.meaning("/command/0", err.Error())
		}
		return
	}
	if why := segmentFault(program); why != "" || strings.Contains(program, "/") {
		r.meaning("/command/0", "must be a program's name, or a path in the package that begins with ./")
	}
}

// changesPrograms: variables that would run other code than the user was shown.
func changesPrograms(name string) bool {
	for _, prefix := range reservedData().Variables.Prefixes {
		if strings.HasPrefix(name, prefix) {
			return true
		}
	}
	return slices.Contains(reservedData().Variables.Names, name)
}

func isSecretName(name string) bool {
	return slices.ContainsFunc(reservedData().Variables.Secrets, func(end string) bool { return strings.HasSuffix(name, end) })
}
