package policy

import (
	"bytes"
	"cmp"
	"encoding/json"
	"slices"
	"strings"
	"time"

	"meterbridge/bridge"
)

// Consent is who agreed, when, and to which permissions that the extension can do
// without.
type Consent struct {
	At time.Time
	By string
	// Optional are the ids of optional permissions that are granted too.
	Optional []string
}

// Approve records that the user agreed to an extension as it is now: all of it, or
// one of its tools.
func (p *Package) Approve(ext *bridge.Extension, c Consent, tool string) error {
	var list []ToolApproval
	for i := range ext.Tools {
		t := &ext.Tools[i]
		if tool != "" && t.LocalID != tool {
			continue
		}
		text, err := Told(ext, t)
		if err != nil {
			return err
		}
		list = append(list, ToolApproval{Tool: t.LocalID, Digest: Digest(t.Digest), At: c.At, By: c.By, Told: text})
	}
	if tool != "" {
		p.Approval.Tools = slices.DeleteFunc(p.Approval.Tools, func(a ToolApproval) bool { return a.Tool == tool })
		p.Approval.Tools = append(p.Approval.Tools, list...)
		return nil
	}
	granted := slices.Clone(ext.Permissions)
	granted = slices.DeleteFunc(granted, func(q bridge.Permission) bool {
		return q.Optional && !slices.Contains(c.Optional, q.ID) && !p.Approval.grants(q.ID)
	})
	p.Approval = Approval{
		Given: true, At: c.At, By: c.By, Permissions: granted, Command: ext.Command, Main: ext.Main, Env: ext.Env, SecretsEnv: ext.SecretsEnv, Tools: list,
	}
	return nil
}

func (a *Approval) permission(id string) *bridge.Permission {
	for i := range a.Permissions {
		if a.Permissions[i].ID == id {
			return &a.Permissions[i]
		}
	}
	return nil
}

func (a *Approval) grants(id string) bool { return a.permission(id) != nil }

func (a *Approval) tool(local string) *ToolApproval {
	for i := range a.Tools {
		if a.Tools[i].Tool == local {
			return &a.Tools[i]
		}
	}
	return nil
}

// Approves tells whether a tool is as it was approved.
func (a *Approval) Approves(t *bridge.ExtensionTool) bool {
	approved := a.tool(t.LocalID)
	return a.Given && approved != nil && approved.Digest == Digest(t.Digest)
}

// Wider is what an extension asks for beyond what was approved, in words; nothing
// when it may run.
func (a *Approval) Wider(ext *bridge.Extension) []string {
	if !a.Given {
		return []string{"it was never approved"}
	}
	var wider []string
	for _, p := range ext.Permissions {
		approved := a.permission(p.ID)
		if approved == nil {
			if !p.Optional {
				wider = append(wider, "it wants the permission "+p.ID)
			}
			continue
		}
		for _, host := range p.Hosts {
			if !slices.Contains(approved.Hosts, host) {
				wider = append(wider, "it wants to reach "+host)
			}
		}
	}
	if !slices.Equal(ext.Command, a.Command) || ext.Main != a.Main {
		wider = append(wider, "it starts another program: "+strings.Join(ext.Command, " ")+ext.Main)
	}
	for _, name := range slices.Concat(ext.Env, ext.SecretsEnv) {
		if !slices.Contains(a.Env, name) && !slices.Contains(a.SecretsEnv, name) {
			wider = append(wider, "it wants the variable "+name)
		}
	}
	slices.Sort(wider)
	return slices.Compact(wider)
}

// Granted are the permissions in force, in the fixed order, closed over what they
// imply. A host that was not approved is not in them.
func (a *Approval) Granted(ext *bridge.Extension) []bridge.Permission {
	var list []bridge.Permission
	for _, p := range ext.Permissions {
		approved := a.permission(p.ID)
		if !a.Given || approved == nil {
			continue
		}
		p.Hosts = slices.DeleteFunc(slices.Clone(p.Hosts), func(host string) bool { return !slices.Contains(approved.Hosts, host) })
		list = append(list, p)
	}
	return Closure(list)
}

// ChangeKind says what an update did.
type ChangeKind string

// The kinds of changes.
const (
	Added   ChangeKind = "added"
	Removed ChangeKind = "removed"
	Changed ChangeKind = "changed"
)

// Change is one difference between what was approved and what is there now.
type Change struct {
	Kind ChangeKind `json:"kind"`
	// Tool is the local id; empty for a change of the extension as a whole.
	Tool string `json:"tool"`
	// Field is the key that differs; empty for a whole tool.
	Field string `json:"field"`
	// Old and New are texts, or JSON; empty for what was not there or is gone.
	Old string `json:"old"`
	New string `json:"new"`
}

// Changes are the differences to what was approved, in a fixed order.
func (a *Approval) Changes(ext *bridge.Extension) ([]Change, error) {
	changes := a.wholeChanges(ext)
	for i := range ext.Tools {
		t := &ext.Tools[i]
		text, err := Told(ext, t)
		if err != nil {
			return nil, err
		}
		old := a.tool(t.LocalID)
		if old == nil {
			changes = append(changes, Change{Kind: Added, Tool: t.LocalID, New: indented(text)})
			continue
		}
		changes = append(changes, fieldChanges(t.LocalID, old.Told, text)...)
	}
	for _, old := range a.Tools {
		if ext.Tool(old.Tool) == nil {
			changes = append(changes, Change{Kind: Removed, Tool: old.Tool, Old: indented(old.Told)})
		}
	}
	return changes, nil
}

// wholeChanges are those of permissions, command and environment.
func (a *Approval) wholeChanges(ext *bridge.Extension) []Change {
	var changes []Change
	compare := func(field, old, now string) {
		if old == now {
			return
		}
		kind := Changed
		if old == "" {
			kind = Added
		} else if now == "" {
			kind = Removed
		}
		changes = append(changes, Change{Kind: kind, Field: field, Old: old, New: now})
	}
	compare("permissions", permissionWords(a.Permissions), permissionWords(slices.DeleteFunc(slices.Clone(ext.Permissions), func(p bridge.Permission) bool {
		return p.Optional && !a.grants(p.ID)
	})))
	compare("command", cmp.Or(strings.Join(a.Command, " "), a.Main), cmp.Or(strings.Join(ext.Command, " "), ext.Main))
	compare("env", strings.Join(a.Env, " "), strings.Join(ext.Env, " "))
	compare("secretsEnv", strings.Join(a.SecretsEnv, " "), strings.Join(ext.SecretsEnv, " "))
	return changes
}

func permissionWords(list []bridge.Permission) string {
	var words []string
	for _, p := range list {
		words = append(words, strings.TrimSpace(p.ID+" "+strings.Join(p.Hosts, " ")))
	}
	return strings.Join(words, ", ")
}

// fieldChanges compares what was told of a tool with what is told now.
func fieldChanges(tool string, old, now json.RawMessage) []Change {
	var a, b map[string]json.RawMessage
	if json.Unmarshal(old, &a) != nil || json.Unmarshal(now, &b) != nil {
		return []Change{{Kind: Changed, Tool: tool, Old: string(old), New: string(now)}}
	}
	var changes []Change
	for _, field := range []string{"dialect", "package", "name", "title", "description", "inputSchema", "outputSchema", "readOnly", "timeoutMs"} {
		if !bytes.Equal(a[field], b[field]) {
			changes = append(changes, Change{Kind: Changed, Tool: tool, Field: field, Old: shown(a[field]), New: shown(b[field])})
		}
	}
	return changes
}

// shown is a JSON value for people: a string without quotes, null as nothing.
func shown(value json.RawMessage) string {
	var s *string
	if json.Unmarshal(value, &s) == nil {
		if s == nil {
			return ""
		}
		return *s
	}
	return indented(value)
}

func indented(text json.RawMessage) string {
	var b bytes.Buffer
	if json.Indent(&b, text, "", "  ") != nil {
		return string(text)
	}
	return b.String()
}
