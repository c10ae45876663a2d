package extensions

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"meterbridge/bridge"
	"meterbridge/bridge/policy"
	"meterbridge/bridge/registry"
)

// Proposal is what there is to agree to of an installed extension, as it was when
// the user was shown it.
type Proposal struct {
	desk *Desk
	it   *item
	tool string
}

// Propose looks at what of an extension, or of one of its tools, is not approved.
func (d *Desk) Propose(name, tool string) (*Proposal, error) {
	_, it, err := d.installedAs(name)
	if err != nil {
		return nil, err
	}
	if len(it.issues) > 0 {
		return nil, &ManifestError{it.pkg.Manifest, it.issues}
	}
	if strings.HasPrefix(it.inst.Why, "changed on disk") {
		return nil, &Fault{Err: fmt.Errorf("%s %s", name, it.inst.Why), Hint: "only what was installed can be approved"}
	}
	if tool != "" {
		if it.inst.Tool(tool) == nil {
			return nil, unknownTool(it, tool)
		}
		if !it.pkg.Approval.Given {
			return nil, &Fault{Err: fmt.Errorf("%s was never approved as a whole", name), Hint: "leave the tool out", Wrong: true}
		}
	}
	return &Proposal{desk: d, it: it, tool: tool}, nil
}

// Changes are the differences to what was approved.
func (p *Proposal) Changes() ([]policy.Change, error) {
	list, err := p.it.pkg.Approval.Changes(&p.it.inst.Extension)
	if p.tool != "" {
		list = slices.DeleteFunc(list, func(c policy.Change) bool { return c.Tool != p.tool })
	}
	return list, err
}

// Approve records that the user agreed to a proposal. When the extension is another
// one by now nothing is recorded.
func (d *Desk) Approve(p *Proposal, c Choice) error {
	if len(c.Optional) > 0 {
		for _, id := range c.Optional {
			if !slices.ContainsFunc(p.it.inst.Permissions, func(q bridge.Permission) bool { return q.ID == id && q.Optional }) {
				return &Fault{Err: fmt.Errorf("%s does not ask for %s as an optional permission", p.it.pkg.Name, id), Hint: "`meterbridge ext show " + p.it.pkg.Name + "` lists what it asks for", Wrong: true}
			}
		}
	}
	return d.change(func(s *policy.State) error {
		pkg := s.Package(p.it.pkg.Name)
		if pkg == nil || pkg.Tree != p.it.pkg.Tree || pkg.Folder != p.it.pkg.Folder {
			return changedMeanwhile(p.it.pkg.Name)
		}
		ext, report := d.parse(d.folder(*pkg), pkg.Manifest)
		if ext == nil {
			return &ManifestError{pkg.Manifest, report.Issues}
		}
		if !sameTold(ext, &p.it.inst.Extension) {
			return changedMeanwhile(p.it.pkg.Name)
		}
		s.Names = registry.Assign(s.Names, []bridge.Installed{{Extension: *ext, Seq: pkg.Seq}})
		pkg.Version = ext.Version
		return pkg.Approve(ext, policy.Consent{At: d.o.Now().UTC(), By: c.By, Optional: c.Optional}, p.tool)
	})
}

func unknownTool(it *item, tool string) error {
	var names []string
	for _, t := range it.inst.Tools {
		names = append(names, t.LocalID)
	}
	return &Fault{Err: fmt.Errorf("%s has no tool %q", it.pkg.Name, tool), Hint: "it has " + strings.Join(names, ", "), Nothing: true}
}

// Turn turns an extension, or one of its tools, on or off.
func (d *Desk) Turn(name, tool string, on bool) error {
	_, it, err := d.installedAs(name)
	if err != nil {
		return err
	}
	if tool != "" && it.inst.Tool(tool) == nil {
		return unknownTool(it, tool)
	}
	if tool != "" && on && !it.inst.Approved[tool] {
		return &Fault{Err: fmt.Errorf("%s/%s is not approved as it is now", name, tool), Hint: "`meterbridge ext approve " + name + "` shows it and asks"}
	}
	return d.change(func(s *policy.State) error {
		pkg := s.Package(name)
		switch {
		case pkg == nil:
			return changedMeanwhile(name)
		case tool == "":
			pkg.Off = !on
			if on {
				pkg.Enabled++ // the daemon tries it again
			}
		case pkg.Dialect.Switched():
			s.Turn(name, it.inst.Tool(tool), on, d.o.Now().UTC())
		default:
			pkg.ToolsOff = slices.DeleteFunc(pkg.ToolsOff, func(t string) bool { return t == tool })
			if !on {
				pkg.ToolsOff = append(pkg.ToolsOff, tool)
			}
		}
		return nil
	})
}

// Link lets an extension and an agent or terminal work with each other, and
// returns the id of the agent that was meant.
func (d *Desk) Link(ctx context.Context, name, agent string) (string, error) {
	return d.link(ctx, name, agent, true)
}

// Unlink undoes Link. Calls that run are stopped.
func (d *Desk) Unlink(ctx context.Context, name, agent string) (string, error) {
	return d.link(ctx, name, agent, false)
}

func (d *Desk) link(ctx context.Context, name, agent string, on bool) (string, error) {
	v, it, err := d.installedAs(name)
	if err != nil {
		return "", err
	}
	id := agent
	// A link to an agent that is gone can still be removed by its id.
	if on || !v.state.Linked(name, agent) {
		if id, err = d.resolve(ctx, agent); err != nil {
			return "", err
		}
	}
	if on && it.pkg.Dialect.Switched() && len(it.inst.Granted) == 0 {
		return "", &Fault{
			Err: fmt.Errorf("the tools of %s are turned on one by one, for every agent: a link would change nothing", name), Hint: "`meterbridge ext enable " + name + "/TOOL` does that", Wrong: true,
		}
	}
	return id, d.change(func(s *policy.State) error {
		switch {
		case s.Package(name) == nil:
			return changedMeanwhile(name)
		case on && !s.Link(name, id, d.o.Now().UTC()):
			return errUnchanged
		case !on && !s.Unlink(name, id):
			return &Fault{Err: fmt.Errorf("%s is not linked to %s", name, agent), Nothing: true, Hint: "`meterbridge ext show " + name + "` lists its links"}
		}
		return nil
	})
}

// resolve is the id of the agent that is meant.
func (d *Desk) resolve(ctx context.Context, agent string) (string, error) {
	if agent == "" || agent == bridge.Local || len(agent) > 200 || strings.ContainsFunc(agent, func(c rune) bool { return c < ' ' }) {
		return "", &Fault{Err: fmt.Errorf("%q is no agent", agent), Hint: "`meterbridge agents list` lists them", Wrong: true}
	}
	if d.o.Resolve == nil {
		return agent, nil
	}
	return d.o.Resolve(ctx, agent)
}

// Linked tells whether the user lets an extension and an agent work with each other.
func (d *Desk) Linked(name, agent string) bool {
	v := d.now.Load()
	return v.fault == nil && v.state.Linked(name, agent)
}

// MayPrompt says why an extension may not prompt an agent any more; nil when it may.
func (d *Desk) MayPrompt(name, agent string) error {
	v := d.now.Load()
	it := v.find(name)
	switch {
	case it == nil || !it.inst.Runs:
		return fmt.Errorf("the extension %s is not there any more, or turned off", name)
	case !policy.Allows(it.inst.Granted, "agents.prompt"):
		return fmt.Errorf("%s has no permission to prompt agents any more", name)
	case !v.state.Linked(name, agent):
		return fmt.Errorf("%s is not linked with this agent; its user does that with `meterbridge ext link`", name)
	}
	return nil
}

// Remove takes an extension away. With forget what was approved, turned on, named
// and kept goes too.
func (d *Desk) Remove(name string, forget bool) error {
	v := d.now.Load()
	if v.fault != nil {
		return recordFault(v.fault)
	}
	kept := slices.ContainsFunc(v.state.Kept, func(k policy.Kept) bool { return k.Name == name }) ||
		slices.ContainsFunc(v.state.Names, func(n policy.Name) bool { return n.Package == name })
	it := v.find(name)
	if it == nil && (!forget || !kept) {
		return unknown(name, v.items)
	}
	if err := d.change(func(s *policy.State) error { s.Remove(name, forget); return nil }); err != nil {
		return err
	}
	if it != nil && !it.pkg.Dev {
		if err := d.discardUnused(it.pkg.Folder); err != nil {
			return err
		}
	}
	if !forget {
		return nil
	}
	return d.record.locked(func() error {
		s, err := d.record.read()
		if err != nil || s.Package(name) != nil {
			return err
		}
		return removeTree(filepath.Join(d.o.Folder, name))
	})
}
