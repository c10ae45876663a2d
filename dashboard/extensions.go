package dashboard

import (
	"encoding/json"
	"time"
)

// Extensions tells what is installed and who may work with it.
type Extensions interface {
	ListExtensions() ExtensionList
	ShowExtension(name string) (ExtensionAnswer, error)
	ListLinks() ExtensionLinkList
}

// ExtensionList is the answer of `ext list`.
type ExtensionList struct {
	SchemaVersion int `json:"schemaVersion"`
	// Problem is why nothing is visible although something may be installed; null
	// when all is well.
	Problem *string        `json:"problem"`
	Rows    []ExtensionRow `json:"rows"`
}

// ExtensionRow is one installed extension in short.
type ExtensionRow struct {
	Name        string `json:"name"`
	DisplayName string `json:"displayName"`
	Dialect     string `json:"dialect" enum:"card,switchboard,process,mcp"`
	Version     string `json:"version"`
	// Author is null when the manifest names none.
	Author *string `json:"author"`
	// State is installed (not approved), off, idle, starting, ready, suspended, crashed
	// or failed; Why says why it does not run, null when it may.
	State string  `json:"state"`
	Why   *string `json:"why"`
	Dev   bool    `json:"dev"`
	// Tools is how many it declares, Usable how many of them may be called by an agent
	// that is linked or, with switches, by every agent.
	Tools  int      `json:"tools"`
	Usable int      `json:"usable"`
	Links  []string `json:"links"`
}

// ExtensionAnswer is the answer of `ext show`: everything that is told of one
// extension, nothing cut.
type ExtensionAnswer struct {
	SchemaVersion int `json:"schemaVersion"`
	ExtensionRow
	Description string `json:"description"`
	// Source is what it was installed from; Folder is where it lies.
	Source string `json:"source"`
	Folder string `json:"folder"`
	// Tree is the digest of its files; null of one that is used in place.
	Tree        *string   `json:"tree"`
	InstalledAt time.Time `json:"installedAt"`
	// ApprovedAt is null before it was approved.
	ApprovedAt *time.Time `json:"approvedAt"`
	// Command is what starts its process, Program the file that is run for it; null
	// for one that only attaches itself, or whose program is not there.
	Command []string `json:"command"`
	Program *string  `json:"program"`
	// Confinement says how its process is shut in; null before it was started.
	Confinement *string  `json:"confinement"`
	Env         []string `json:"env"`
	SecretsEnv  []string `json:"secretsEnv"`
	// Permissions are all that it asks for.
	Permissions []PermissionAnswer `json:"permissions"`
	ToolList    []ToolAnswer       `json:"toolList"`
	Settings    []SettingAnswer    `json:"settings"`
	// Workspace is that whose agents it sees; WorkspaceFolder is the folder in which it
	// may work, null for none.
	Workspace       string  `json:"workspace"`
	WorkspaceFolder *string `json:"workspaceFolder"`
	// Issues are what is wrong with its manifest, Warnings what its user should know.
	Issues   []string `json:"issues"`
	Warnings []string `json:"warnings"`
	// Changes are what differs from what was approved.
	Changes []ChangeAnswer `json:"changes"`
}

// SettingAnswer is one setting of an extension.
type SettingAnswer struct {
	Key string `json:"key"`
	// Type is string, text, number, boolean, select, secret or color.
	Type        string  `json:"type"`
	Label       string  `json:"label"`
	Description *string `json:"description"`
	Required    bool    `json:"required"`
	// Options are the values of a select.
	Options []string `json:"options"`
	// Default and Value are JSON, null for none; Value is never that of a secret.
	Default json.RawMessage `json:"default"`
	Value   json.RawMessage `json:"value"`
	// Set: its user set it.
	Set bool `json:"set"`
}

// PermissionAnswer is a permission that an extension asks for.
type PermissionAnswer struct {
	ID      string `json:"id"`
	Risk    string `json:"risk" enum:"low,medium,high"`
	Meaning string `json:"meaning"`
	// Hosts are those of the permission network.
	Hosts []string `json:"hosts"`
	// Reason is the author's; null when none is given.
	Reason   *string `json:"reason"`
	Optional bool    `json:"optional"`
	Granted  bool    `json:"granted"`
}

// ToolAnswer is one tool with all that a model is told of it.
type ToolAnswer struct {
	ID string `json:"id"`
	// Exposed is its name for agents, null when none was left; ShownAs is the shorter
	// one for clients that take no long names, null when that is not needed.
	Exposed *string `json:"exposed"`
	ShownAs *string `json:"shownAs"`
	Title   *string `json:"title"`
	// Description is as a model reads it, with the note whose it is.
	Description  string          `json:"description"`
	InputSchema  json.RawMessage `json:"inputSchema"`
	OutputSchema json.RawMessage `json:"outputSchema"`
	ReadOnly     bool            `json:"readOnly"`
	TimeoutMs    int64           `json:"timeoutMs"`
	Digest       string          `json:"digest"`
	Approved     bool            `json:"approved"`
	// On: its user did not turn it off; of a tool with a switch, they turned it on.
	On bool `json:"on"`
	// Usable: an agent that is linked (or any, with switches) may call it.
	Usable bool `json:"usable"`
}

// ChangeAnswer is one difference to what was approved.
type ChangeAnswer struct {
	Kind string `json:"kind" enum:"added,removed,changed"`
	// Tool is null for a change of the extension as a whole, Field of a whole tool.
	Tool  *string `json:"tool"`
	Field *string `json:"field"`
	// Old and New are null for what was not there or is gone.
	Old *string `json:"old"`
	New *string `json:"new"`
}

// ExtensionLinkList is the answer about links between extensions and agents.
type ExtensionLinkList struct {
	SchemaVersion int             `json:"schemaVersion"`
	Rows          []ExtensionLink `json:"rows"`
}

// ExtensionLink lets an extension and an agent or terminal work with each other.
type ExtensionLink struct {
	Extension string    `json:"extension"`
	Agent     string    `json:"agent"`
	CreatedAt time.Time `json:"createdAt"`
}
