package extensions

import (
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"slices"
	"sync"

	"meterbridge/bridge"
	"meterbridge/bridge/policy"
	"meterbridge/bridge/registry"
)

// calls are those that run, so that one whose link or switch goes is stopped at
// once.
type calls struct {
	mu   sync.Mutex
	last int64
	of   map[int64]*running
}

type running struct {
	agent, pkg, tool, exposed string
	stop                      context.CancelCauseFunc
}

func (c *calls) begin(ctx context.Context, r *running) (context.Context, func()) {
	ctx, r.stop = context.WithCancelCause(ctx)
	c.mu.Lock()
	defer c.mu.Unlock()
	c.last++
	id := c.last
	c.of[id] = r
	return ctx, func() {
		c.mu.Lock()
		delete(c.of, id)
		c.mu.Unlock()
		r.stop(nil)
	}
}

// stop ends the calls that the new view does not allow any more.
func (c *calls) stop(v *view) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, r := range c.of {
		if v.sees(r.agent, r.exposed) {
			continue
		}
		cause := bridge.ErrDisabled
		if t, found := v.targets[r.exposed]; found && v.usable(t) {
			cause = bridge.ErrUnlinked
		}
		r.stop(cause)
	}
}

// Tools are the tools of all extensions for a registry, and who sees them: every
// tool that has a name is there, so that one which is not turned on is refused and
// not unknown. Who sees other tools, others says; nil is everybody.
func (d *Desk) Tools(others registry.Sees) ([]bridge.Tool, registry.Sees) {
	v := d.now.Load()
	var list []bridge.Tool
	for exposed, t := range v.targets {
		list = append(list, d.tool(exposed, t))
	}
	return list, func(who bridge.Identity, name string) bool {
		if _, ours := v.targets[name]; !ours {
			return others == nil || others(who, name)
		}
		return v.sees(who.Agent, name)
	}
}

func (d *Desk) tool(exposed string, t target) bridge.Tool {
	inst := &t.it.inst
	by := "link"
	if inst.Dialect.Switched() {
		by = "switch"
	}
	open := policy.Allows(inst.Granted, "network") || policy.Allows(inst.Granted, "network.local")
	pkg, local := t.it.pkg.Name, t.tool.LocalID
	return bridge.Tool{
		Name: exposed, Title: t.tool.Title, Description: registry.Description(&inst.Extension, t.tool.Text), Input: t.tool.Input, Output: t.tool.Output,
		Annotations: bridge.Annotations{ReadOnly: t.tool.ReadOnly, Destructive: !t.tool.ReadOnly, Idempotent: t.tool.ReadOnly, OpenWorld: open},
		Timeout:     t.tool.Timeout, Foreign: inst.Dialect != bridge.DialectMCP,
		From: &bridge.Source{By: by, Package: pkg, Version: inst.Version, Tool: local, ToolDigest: t.tool.Digest, TreeDigest: inst.Tree},
		Call: func(ctx context.Context, who bridge.Identity, args json.RawMessage) (bridge.Result, error) {
			return d.call(ctx, who, args, &running{agent: who.Agent, pkg: pkg, tool: local, exposed: exposed})
		},
	}
}

// call carries out one call. Whether the agent may is asked again: the snapshot
// that it came through may be older than the user's last word.
func (d *Desk) call(ctx context.Context, who bridge.Identity, args json.RawMessage, r *running) (bridge.Result, error) {
	if d.o.Runtime == nil {
		return bridge.Result{}, &bridge.ToolError{Code: bridge.CodeUnavailable, Message: "extensions run while the daemon does; `meterbridge serve` starts it"}
	}
	ctx, end := d.calls.begin(ctx, r)
	defer end()
	if !d.now.Load().sees(who.Agent, r.exposed) {
		return bridge.Result{}, &bridge.ToolError{Code: bridge.CodeUnavailable, Message: "the tool was turned off or its link removed"}
	}
	result, err := d.o.Runtime.Call(ctx, bridge.Invocation{
		Extension: r.pkg, Tool: r.tool, Args: args, Agent: who.Agent, AgentName: d.nameOf(who.Agent), Instance: bridge.ChosenCard(ctx),
	})
	if cause := context.Cause(ctx); errors.Is(cause, bridge.ErrUnlinked) || errors.Is(cause, bridge.ErrDisabled) {
		return bridge.Result{}, &bridge.ToolError{Code: bridge.CodeUnavailable, Message: cause.Error() + " while the call ran"}
	}
	return result, err
}

// nameOf is what the agent's user calls it.
func (d *Desk) nameOf(agent string) string {
	if d.o.Name == nil {
		return agent
	}
	return d.o.Name(agent)
}

// Installed are the extensions as the runtime has them.
func (d *Desk) Installed() []bridge.Installed { return d.now.Load().installed() }

// Publish keeps the tools of extensions in a registry beside our own, as they come
// and go and are seen by others; ownSees says who sees our own.
func (d *Desk) Publish(r *registry.Registry, own []bridge.Tool, ownSees registry.Sees) {
	if !d.o.WholeNames {
		r.Room(func(bridge.Identity) int { return registry.RoomFor(0) })
	}
	set := func() {
		tools, sees := d.Tools(ownSees)
		err := r.Set(append(slices.Clone(own), tools...), sees)
		if err == nil {
			return
		}
		d.o.Log.Error("tools of extensions are not shown", slog.Any("error", err))
		if err := r.Set(own, ownSees); err != nil {
			d.o.Log.Error("tools are not shown", slog.Any("error", err))
		}
	}
	d.Watch(set)
	set()
}
