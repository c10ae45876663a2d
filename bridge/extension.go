package bridge

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"time"
)

// Dialect is the kind of manifest that declares an extension.
type Dialect string

// The dialects: neurosquad-card.json, switchboard.json, meterbridge-extension.json,
// and an MCP server that was imported.
const (
	DialectCard        Dialect = "card"
	DialectSwitchboard Dialect = "switchboard"
	DialectProcess     Dialect = "process"
	DialectMCP         Dialect = "mcp"
)

// Switched tells whether the tools of a dialect are turned on one by one for every
// agent, rather than seen through a link.
func (d Dialect) Switched() bool { return d == DialectSwitchboard || d == DialectMCP }

// Digest is a SHA-256. The zero value stands for none.
type Digest [sha256.Size]byte

// String is the digest in hex, "" for none.
func (d Digest) String() string {
	if d == (Digest{}) {
		return ""
	}
	return hex.EncodeToString(d[:])
}

// Localised is a text in one or more languages, by language; "en" is always there.
type Localised map[string]string

// Text is the English text, "" of an absent one.
func (l Localised) Text() string { return l["en"] }

// Permission is one that a manifest asks for.
type Permission struct {
	ID string `json:"id"`
	// Hosts are patterns, of "network" alone.
	Hosts  []string  `json:"hosts,omitempty"`
	Reason Localised `json:"reason,omitempty"`
	// Optional: the extension works without it, and asks when it wants it.
	Optional bool `json:"optional"`
}

// Setting is one value that the user may set for an extension.
type Setting struct {
	Key string `json:"key"`
	// Type is string, text, number, boolean, select, secret or color.
	Type        string    `json:"type"`
	Label       Localised `json:"label"`
	Description Localised `json:"description,omitempty"`
	// Default is a JSON string, number or boolean; nil without one.
	Default  json.RawMessage `json:"default,omitempty"`
	Required bool            `json:"required"`
	// Scope is instance or package.
	Scope       string    `json:"scope"`
	Placeholder Localised `json:"placeholder,omitempty"`
	// MaxLength is in characters, 0 for a type without one.
	MaxLength int `json:"maxLength,omitempty"`
	// Min, Max and Step are nil when the manifest names none.
	Min     *float64        `json:"min,omitempty"`
	Max     *float64        `json:"max,omitempty"`
	Step    *float64        `json:"step,omitempty"`
	Options []SettingOption `json:"options,omitempty"`
}

// SettingOption is one choice of a select.
type SettingOption struct {
	Value string    `json:"value"`
	Label Localised `json:"label"`
}

// Port is an input or an output of a card.
type Port struct {
	ID          string          `json:"id"`
	Label       Localised       `json:"label"`
	Description Localised       `json:"description,omitempty"`
	Type        string          `json:"type"`
	Schema      json.RawMessage `json:"schema,omitempty"`
	// Mode is stream or request, of inputs; ResponseType and ResponseSchema belong to request.
	Mode           string          `json:"mode,omitempty"`
	ResponseType   string          `json:"responseType,omitempty"`
	ResponseSchema json.RawMessage `json:"responseSchema,omitempty"`
	// Default is of inputs, Retain of outputs.
	Default bool `json:"default,omitempty"`
	Retain  bool `json:"retain,omitempty"`
}

// Size is one of a card's page, in pixels.
type Size struct {
	W int `json:"w"`
	H int `json:"h"`
}

// ExtensionTool is a tool that a manifest declares.
type ExtensionTool struct {
	// LocalID is its name in the manifest.
	LocalID string
	// Title is for people; empty when the manifest has none.
	Title string
	// Text is the description, without the prefix that agents see.
	Text string
	// Input is the schema of its arguments, an object. Output is that of its answer, nil
	// without one. The bytes are the manifest's.
	Input, Output json.RawMessage
	ReadOnly      bool
	// Timeout is 1 to 120 s.
	Timeout time.Duration
	// Digest is over everything that an agent or its user is told of the tool.
	Digest Digest
}

// Extension is what a manifest says, whatever its dialect.
type Extension struct {
	Dialect Dialect
	// Name is the manifest's name, or its id in Switchboard. ShortName begins the
	// exposed names of its tools; it equals Name but in Switchboard.
	Name, ShortName string
	DisplayName     Localised
	Description     Localised
	// Version is a semantic one.
	Version string
	// Author, License, Homepage and Icon are empty when the manifest has none. Icon is
	// a path in the package.
	Author, License, Homepage, Icon string
	Keywords                        []string
	// Protocol is that of the hosting protocol which it speaks.
	Protocol int
	// MinAppVersion is empty when any version will do.
	MinAppVersion string
	// Entry is the page of a card, a path in the package.
	Entry string
	// DefaultSize, MinSize and MaxSize are those of a card's page.
	DefaultSize, MinSize, MaxSize Size
	// Command is the argv that starts its process; empty for a card, and for a
	// Switchboard extension that has Main, a module for the SDK's runner.
	Command []string
	Main    string
	// URL is the address of an imported MCP server; empty for one that Command starts.
	URL string
	// Env are names of variables that are passed on, SecretsEnv those of them that hold
	// secrets.
	Env, SecretsEnv []string
	// OS are the systems that it is for, as GOOS says; empty for all.
	OS []string
	// Permissions are in the fixed order, each once.
	Permissions     []Permission
	Settings        []Setting
	Inputs, Outputs []Port
	Tools           []ExtensionTool
}

// Tool is the tool of that local id, nil when there is none.
func (e *Extension) Tool(local string) *ExtensionTool {
	for i := range e.Tools {
		if e.Tools[i].LocalID == local {
			return &e.Tools[i]
		}
	}
	return nil
}

// Installed is an extension on this machine, with what its user consented to.
type Installed struct {
	Extension
	// Folder holds the package, Data is its own folder for what it keeps.
	Folder, Data string
	// Dev: Folder is the author's own and changes as they work.
	Dev bool
	// Seq is the order of installation, which decides who keeps a name.
	Seq  int64
	Tree Digest
	// Runs: it is approved, unchanged on disk and turned on by its user.
	Runs bool
	// Why says why it does not run; empty when it does.
	Why string
	// Enabled is how often its user turned it on.
	Enabled int64
	// Granted are the permissions in force, closed over what they imply.
	Granted []Permission
	// Exposed are the names of its tools for agents, by local id. A tool without one
	// is refused.
	Exposed map[string]string
	// Approved are the local ids whose digest is the approved one.
	Approved map[string]bool
}

// RunState is what an extension's process is doing.
type RunState string

// The states of bridge.md section 15.
const (
	StateInstalled RunState = "installed"
	StateOff       RunState = "off"
	StateIdle      RunState = "idle"
	StateStarting  RunState = "starting"
	StateReady     RunState = "ready"
	StateSuspended RunState = "suspended"
	StateCrashed   RunState = "crashed"
	StateFailed    RunState = "failed"
)

// RunReport is how an extension's process stands.
type RunReport struct {
	State RunState
	// Reason is the last error, such as HANDLER_MISSING and the ids; empty for none.
	Reason string
	// Confinement says how it is shut in, in words for people; empty before it was started.
	Confinement string
	// Hidden are the local ids that the extension itself has hidden (tools.setEnabled).
	Hidden []string
}

// Invocation is one call on its way to an extension. Its deadline is that of the
// context, its progress goes to Progress.
type Invocation struct {
	ID        string
	Extension string
	// Tool is the local id.
	Tool string
	Args json.RawMessage
	// Agent is who calls; AgentName is for people.
	Agent, AgentName string
	// Instance is the card that was asked for; empty for the first.
	Instance string
}

// The causes with which a call's context is cancelled, besides the caller's own.
var (
	ErrUnlinked = errors.New("the link was removed")
	ErrDisabled = errors.New("the tool was turned off")
	ErrShutdown = errors.New("meterbridge is stopping")
)

// Runtime runs the code of extensions; bridge/host fills it, and whoever installs
// extensions uses it.
type Runtime interface {
	// Sync replaces the extensions that are known: those that may not run any more, or
	// whose package changed, are stopped; none is started before it is called.
	Sync(list []Installed)
	// Call carries out one call. Its error is a *ToolError where a code fits.
	Call(ctx context.Context, c Invocation) (Result, error)
	// Report says how one stands; the zero value of an unknown one.
	Report(name string) RunReport
	// Wake starts the extensions of tools that an agent was just told of.
	Wake(names []string)
}
