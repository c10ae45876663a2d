// Package policy holds what the user consented to, and decides by it: which
// extensions are installed, what of them was approved, who is linked to whom, what
// is turned on, which names were given. Its state is a text with a checksum; what
// cannot be read means that nothing is allowed. It does no I/O of its own and
// imports bridge, bridge/schema, bridge/manifest and bridge/strictjson; registry
// and internal/daemon/extensions call it.
package policy

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"time"

	"meterbridge/bridge"
	"meterbridge/bridge/strictjson"
)

// State is everything that was consented to. The zero value is a machine where
// nothing ever was.
type State struct {
	// LastSeq is the newest order of installation.
	LastSeq  int64     `json:"lastSeq"`
	Packages []Package `json:"packages"`
	// Names outlive their packages, unless those are forgotten.
	Names    []Name   `json:"names"`
	Links    []Link   `json:"links"`
	Switches []Switch `json:"switches"`
	// Kept are the approvals of packages that were removed and not forgotten.
	Kept []Kept `json:"kept"`
	// Allowed are calls that need no person any more.
	Allowed []Allowed `json:"allowed,omitempty"`
}

// Package is one installed extension.
type Package struct {
	Name     string         `json:"name"`
	Dialect  bridge.Dialect `json:"dialect"`
	Version  string         `json:"version"`
	Manifest string         `json:"manifest"`
	// Folder is below that of extensions, or the author's own (Dev).
	Folder string `json:"folder"`
	Dev    bool   `json:"dev"`
	// Source is what it was installed from, for people.
	Source      string    `json:"source"`
	Seq         int64     `json:"seq"`
	Tree        Digest    `json:"tree"`
	InstalledAt time.Time `json:"installedAt"`
	// Off: its user turned it off. ToolsOff are tools that they turned off.
	Off      bool     `json:"off"`
	ToolsOff []string `json:"toolsOff"`
	// Enabled is how often its user turned it on: one that failed is tried again then.
	Enabled int64 `json:"enabled,omitempty"`
	// Workspace is that whose agents it sees; empty for the usual one. Files is the
	// folder in which it may work; empty for none.
	Workspace string   `json:"workspace,omitempty"`
	Files     string   `json:"files,omitempty"`
	Approval  Approval `json:"approval"`
}

// Approval is what a user agreed to, with the words that they were shown.
type Approval struct {
	// Given: there is one.
	Given       bool                `json:"given"`
	At          time.Time           `json:"at"`
	By          string              `json:"by"`
	Permissions []bridge.Permission `json:"permissions"`
	Command     []string            `json:"command"`
	Main        string              `json:"main"`
	Env         []string            `json:"env"`
	SecretsEnv  []string            `json:"secretsEnv"`
	Tools       []ToolApproval      `json:"tools"`
}

// ToolApproval is that of one tool.
type ToolApproval struct {
	Tool   string    `json:"tool"`
	Digest Digest    `json:"digest"`
	At     time.Time `json:"at"`
	By     string    `json:"by"`
	// Told is what the digest is made of, so that a later version can be compared.
	Told json.RawMessage `json:"told"`
}

// Kept is the approval of a package that was removed.
type Kept struct {
	Name     string   `json:"name"`
	Approval Approval `json:"approval"`
}

// Name is an exposed name that was given to a tool.
type Name struct {
	Package string `json:"package"`
	Tool    string `json:"tool"`
	Exposed string `json:"exposed"`
}

// Link lets an extension and an agent or terminal work with each other.
type Link struct {
	Extension string    `json:"extension"`
	Agent     string    `json:"agent"`
	At        time.Time `json:"at"`
}

// Switch turns on one tool of a dialect with switches, as it was told then.
type Switch struct {
	Extension string    `json:"extension"`
	Tool      string    `json:"tool"`
	Digest    Digest    `json:"digest"`
	At        time.Time `json:"at"`
}

// Digest is a bridge.Digest as the state has it: hex, "" for none.
type Digest bridge.Digest

// MarshalText implements encoding.TextMarshaler.
func (d Digest) MarshalText() ([]byte, error) { return []byte(bridge.Digest(d).String()), nil }

// UnmarshalText implements encoding.TextUnmarshaler.
func (d *Digest) UnmarshalText(text []byte) error {
	*d = Digest{}
	if len(text) == 0 {
		return nil
	}
	if n, err := hex.Decode(d[:], text[:min(len(text), 2*len(d))]); err != nil || n != len(d) || len(text) != 2*len(d) {
		return errors.New("not a digest")
	}
	return nil
}

// ErrState says that a record of consent cannot be relied on.
var ErrState = errors.New("the record of what was consented to cannot be relied on")

// stateVersion is that of the text.
const stateVersion = 1

type stateText struct {
	SchemaVersion int             `json:"schemaVersion"`
	SHA256        string          `json:"sha256"`
	State         json.RawMessage `json:"state"`
}

// Encode is the text of a state.
func Encode(s *State) ([]byte, error) {
	inner, err := json.Marshal(s)
	if err != nil {
		return nil, fmt.Errorf("write the record of consent: %w", err)
	}
	sum := sha256.Sum256(inner)
	text, err := json.Marshal(stateText{stateVersion, hex.EncodeToString(sum[:]), inner})
	if err != nil {
		return nil, fmt.Errorf("write the record of consent: %w", err)
	}
	return append(text, '\n'), nil
}

// Decode reads the text of a state. Its error is ErrState.
func Decode(text []byte) (*State, error) {
	var outer stateText
	if err := strict(text, &outer); err != nil {
		return nil, fmt.Errorf("%w: %w", ErrState, err)
	}
	if outer.SchemaVersion != stateVersion {
		return nil, fmt.Errorf("%w: it has version %d, this program knows %d", ErrState, outer.SchemaVersion, stateVersion)
	}
	if sum := sha256.Sum256(outer.State); hex.EncodeToString(sum[:]) != outer.SHA256 {
		return nil, fmt.Errorf("%w: its checksum is wrong", ErrState)
	}
	s := &State{}
	if err := strict(outer.State, s); err != nil {
		return nil, fmt.Errorf("%w: %w", ErrState, err)
	}
	return s, nil
}

// strict reads JSON that has every key once and none that is unknown.
func strict(text []byte, into any) error {
	if err := strictjson.Check(text); err != nil {
		return err
	}
	d := json.NewDecoder(bytes.NewReader(text))
	d.DisallowUnknownFields()
	return d.Decode(into)
}

// Package is the package of that name, nil when none is installed.
func (s *State) Package(name string) *Package {
	for i := range s.Packages {
		if s.Packages[i].Name == name {
			return &s.Packages[i]
		}
	}
	return nil
}

// Install adds a package or replaces the one of its name, whose order, approval
// and switches it keeps. The approval of one that was removed comes back too.
func (s *State) Install(p Package) *Package {
	if old := s.Package(p.Name); old != nil {
		p.Seq, p.Approval, p.Off, p.ToolsOff, p.Enabled = old.Seq, old.Approval, old.Off, old.ToolsOff, old.Enabled
		p.Workspace, p.Files = old.Workspace, old.Files
		*old = p
		return old
	}
	s.LastSeq++
	p.Seq = s.LastSeq
	if i := slices.IndexFunc(s.Kept, func(k Kept) bool { return k.Name == p.Name }); i >= 0 {
		p.Approval = s.Kept[i].Approval
		s.Kept = slices.Delete(s.Kept, i, i+1)
	}
	s.Packages = append(s.Packages, p)
	return &s.Packages[len(s.Packages)-1]
}

// Remove takes a package away with its links. What was approved, turned on and
// named stays unless it is forgotten.
func (s *State) Remove(name string, forget bool) {
	if p := s.Package(name); p != nil && !forget && p.Approval.Given {
		s.Kept = append(s.Kept, Kept{name, p.Approval})
	}
	s.Packages = slices.DeleteFunc(s.Packages, func(p Package) bool { return p.Name == name })
	s.Links = slices.DeleteFunc(s.Links, func(l Link) bool { return l.Extension == name })
	s.forgetAllowed(name, func(Allowed) bool { return true })
	if !forget {
		return
	}
	s.Kept = slices.DeleteFunc(s.Kept, func(k Kept) bool { return k.Name == name })
	s.Names = slices.DeleteFunc(s.Names, func(n Name) bool { return n.Package == name })
	s.Switches = slices.DeleteFunc(s.Switches, func(w Switch) bool { return w.Extension == name })
}

// Linked tells whether an extension and an agent may work with each other.
func (s *State) Linked(extension, agent string) bool {
	return slices.ContainsFunc(s.Links, func(l Link) bool { return l.Extension == extension && l.Agent == agent })
}

// Link links them; false when they were linked already.
func (s *State) Link(extension, agent string, at time.Time) bool {
	if s.Linked(extension, agent) {
		return false
	}
	s.Links = append(s.Links, Link{extension, agent, at})
	return true
}

// Unlink undoes Link; false when there was no link.
func (s *State) Unlink(extension, agent string) bool {
	before := len(s.Links)
	s.Links = slices.DeleteFunc(s.Links, func(l Link) bool { return l.Extension == extension && l.Agent == agent })
	s.forgetAllowed(extension, func(a Allowed) bool { return a.Agent == agent })
	return len(s.Links) < before
}

// TurnedOn tells whether a tool with a switch is on. One whose words changed since
// is not.
func (s *State) TurnedOn(extension string, t *bridge.ExtensionTool) bool {
	return slices.ContainsFunc(s.Switches, func(w Switch) bool {
		return w.Extension == extension && w.Tool == t.LocalID && w.Digest == Digest(t.Digest)
	})
}

// Turn turns a tool with a switch on or off.
func (s *State) Turn(extension string, t *bridge.ExtensionTool, on bool, at time.Time) {
	s.Switches = slices.DeleteFunc(s.Switches, func(w Switch) bool { return w.Extension == extension && w.Tool == t.LocalID })
	if on {
		s.Switches = append(s.Switches, Switch{extension, t.LocalID, Digest(t.Digest), at})
	}
}
