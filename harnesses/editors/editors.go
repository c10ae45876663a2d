// Package editors knows where editors of the family of VS Code keep the data of
// a user: settings, extensions' storage, workspaces. It imports the contract of a
// harness; the harnesses whose logs lie in an editor call it.
package editors

import (
	"path/filepath"

	"meterbridge/harnesses"
)

// Names are the editors' names as their folders bear them: VS Code and its
// relatives.
func Names() []string {
	return []string{"Code", "Code - Insiders", "VSCodium", "Cursor", "Windsurf", "Trae"}
}

// servers are the folders of the halves that run on a remote machine.
func servers() []string {
	return []string{".vscode-server", ".vscode-server-insiders", ".cursor-server", ".windsurf-server"}
}

// User is the "User" folder of one editor.
func User(env harnesses.Env, name string) string {
	switch env.OS {
	case "darwin":
		return filepath.Join(env.Home, "Library", "Application Support", name, "User")
	case "windows":
		if roaming := env.Getenv("APPDATA"); filepath.IsAbs(roaming) {
			return filepath.Join(roaming, name, "User")
		}
		return filepath.Join(env.Home, "AppData", "Roaming", name, "User")
	}
	if config := env.Getenv("XDG_CONFIG_HOME"); filepath.IsAbs(config) {
		return filepath.Join(config, name, "User")
	}
	return filepath.Join(env.Home, ".config", name, "User")
}

// Users are the "User" folders of all editors, and of their remote halves.
func Users(env harnesses.Env) []string {
	var all []string
	for _, name := range Names() {
		all = append(all, User(env, name))
	}
	for _, name := range servers() {
		all = append(all, filepath.Join(env.Home, name, "data", "User"))
	}
	return all
}
