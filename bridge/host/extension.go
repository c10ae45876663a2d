package host

import (
	"encoding/json"
	"slices"
)

// The dialects of extensions.
const (
	Card        = "card"
	Switchboard = "switchboard"
	Process     = "process"
	Imported    = "mcp"
)

// Extension is what may be run: an approved and unpacked package.
type Extension struct {
	// Package is the manifest's name, or Switchboard's id.
	Package, DisplayName, Version string
	// Dialect is one of Card, Switchboard, Process and Imported.
	Dialect string
	// Argv is the command, its program a path; empty for an extension that only
	// attaches itself.
	Argv []string
	// Dir is the folder of the package, Data its own folder to write to.
	Dir, Data string
	// Env are NAME=VALUE pairs that it gets besides the few that all get.
	Env []string
	// Tools are the declared tools, by their names in the manifest.
	Tools []string
	// Permissions are those that the manifest names, with the user's answers.
	Permissions []Permission
	// Settings are values with the defaults filled in; SecretsSet tells which
	// secrets are set, Secret reads one for a request of the host's.
	Settings   map[string]json.RawMessage
	SecretsSet map[string]bool
	Secret     func(key string) (string, bool) `json:"-"`
	// Workspace is the id and name of its workspace, Folder that folder; empty
	// without.
	Workspace, WorkspaceName, Folder string
	// Dev: used in place, by its author.
	Dev bool
}

// Permission is what an extension asked for, and whether it may.
type Permission struct {
	ID       string   `json:"id"`
	Hosts    []string `json:"hosts,omitempty"`
	Optional bool     `json:"optional"`
	Granted  bool     `json:"granted"`
	Reason   string   `json:"reason,omitempty"`
}

// permissionOrder is the order in which permissions are told.
func permissionOrder() []string {
	return []string{
		"agents.read", "agents.output", "agents.prompt", "terminals.write", "cards.connected", "network", "network.local",
		"fs.read", "fs.write", "clipboard.write", "canvas.spawn", "background", "usage.read",
	}
}

// implied is what a permission brings with it.
func implied(id string) string {
	switch id {
	case "agents.output", "agents.prompt", "terminals.write":
		return "agents.read"
	case "fs.write":
		return "fs.read"
	}
	return ""
}

// may tells whether a permission is granted, by itself or by another.
func (x *Extension) may(id string) bool {
	return slices.ContainsFunc(x.Permissions, func(p Permission) bool {
		return p.Granted && (p.ID == id || implied(p.ID) == id)
	})
}

// hosts are the hosts that the permission network names.
func (x *Extension) hosts() []string {
	for _, p := range x.Permissions {
		if p.ID == "network" && p.Granted {
			return p.Hosts
		}
	}
	return nil
}

// told is the list of permissions as extensions see it.
func (x *Extension) told() []Permission {
	list := slices.Clone(x.Permissions)
	order := permissionOrder()
	slices.SortStableFunc(list, func(a, b Permission) int { return slices.Index(order, a.ID) - slices.Index(order, b.ID) })
	if list == nil {
		list = []Permission{}
	}
	return list
}

// declares tells whether a tool is in the manifest.
func (x *Extension) declares(tool string) bool { return slices.Contains(x.Tools, tool) }
