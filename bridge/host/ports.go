package host

import (
	"context"
	"encoding/json"
	"strings"

	"meterbridge/bridge"
)

// Ports are what extensions may ask of the machine. A method whose port is nil is
// answered with UNAVAILABLE.
type Ports struct {
	Agents    bridge.Agents
	Screens   bridge.Screens
	Prompts   bridge.Prompts
	Terminals bridge.Terminals
	Usage     bridge.Usage
	// Linked tells whether the user lets an extension work with an agent or terminal;
	// nil: with none.
	Linked func(pkg, agent string) bool
	// Workspace is that of an extension; nil: without one.
	Workspace func(pkg string) Workspace
	// Settings are those that the user set; nil: none. SetSettings takes those that an
	// extension sets; its error is a SettingFaults where values do not fit.
	Settings    func(pkg string) Settings
	SetSettings func(pkg string, values map[string]json.RawMessage) error
	// Secret is the value of a secret that the user set, which only the host sees.
	Secret func(pkg, key string) (value string, set bool)
	// HarnessWord is the card protocol's word for a harness; nil: our own.
	HarnessWord func(id string) string
}

// Workspace is where an extension works.
type Workspace struct {
	ID, Name string
	// Folder is empty where files may not be reached; Trash is where what an extension
	// throws away goes.
	Folder, Trash string
}

func (o Ports) workspace(pkg string) Workspace {
	if o.Workspace == nil {
		return Workspace{}
	}
	return o.Workspace(pkg)
}

func (o Ports) linked(pkg, agent string) bool { return o.Linked != nil && o.Linked(pkg, agent) }

// Close to the ports: what every method on one agent does first.

// agent finds an agent of the extension's workspace.
func (p *peer) agent(ctx context.Context, id string) (bridge.AgentInfo, *fault) {
	o := p.k.h.o.Ports
	if o.Agents == nil {
		return bridge.AgentInfo{}, noPart("agents")
	}
	info, err := o.Agents.Get(ctx, id)
	if err != nil {
		return info, portFault(err)
	}
	if w := o.workspace(p.k.x.Name); w.ID != "" && info.Workspace != w.ID && !o.linked(p.k.x.Name, id) {
		return info, faulty(bridge.CodeNotFound, "there is no agent %s in this workspace", id)
	}
	return info, nil
}

// linkedAgent is an agent that the user has linked to the extension.
func (p *peer) linkedAgent(ctx context.Context, id string, kind bridge.AgentKind) (bridge.AgentInfo, *fault) {
	info, f := p.agent(ctx, id)
	switch {
	case f != nil:
		return info, f
	case kind == bridge.KindAI && info.Kind != kind:
		return info, faulty(bridge.CodeNotFound, "%s is a terminal, not an agent", info.Name)
	case kind == bridge.KindShell && info.Kind != kind:
		return info, faulty(bridge.CodeNotFound, "%s is an agent, not a terminal", info.Name)
	case !p.k.h.o.Ports.linked(p.k.x.Name, id):
		return info, faulty(bridge.CodeNotConnected, "the user has not linked %s to %s; `meterbridge ext link` does", info.Name, p.k.x.Name)
	}
	return info, nil
}

func noPart(what string) *fault {
	return faulty(bridge.CodeUnavailable, "this daemon has no %s", what)
}

// SettingFault is why a value cannot be set.
type SettingFault struct {
	Key     string `json:"key"`
	Message string `json:"message"`
}

// SettingFaults are why values cannot be set.
type SettingFaults []SettingFault

// Error implements error.
func (f SettingFaults) Error() string {
	var lines []string
	for _, one := range f {
		lines = append(lines, one.Key+": "+one.Message)
	}
	return strings.Join(lines, "; ")
}
