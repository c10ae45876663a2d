package host

import (
	"context"
	"slices"

	"meterbridge/bridge"
)

// topics are what a connection subscribed to; k.mu guards them.
type topics struct {
	on map[string]bool
	// watching ends the watch of agents' events, nil without one.
	watching context.CancelFunc
	// outputs end the watches of agents' output, by agent.
	outputs map[string]context.CancelFunc
}

type topicParams struct {
	Topics   []string `json:"topics"`
	AgentIDs []string `json:"agentIds"`
}

// permissionOf is what a topic needs; empty for nothing.
func permissionOf(topic string) string {
	switch topic {
	case "agents.output":
		return topic
	case "storage.changed":
		return ""
	}
	return "agents.read"
}

// subscribe begins to tell of topics. Those without permission are left out.
func (p *peer) subscribe(in topicParams) (any, *fault) {
	granted := []string{}
	for _, topic := range in.Topics {
		if needs := permissionOf(topic); needs == "" || p.k.x.may(needs) {
			granted = append(granted, topic)
		}
	}
	if slices.Contains(granted, "agents.output") {
		if f := p.watchOutputs(in.AgentIDs); f != nil {
			return nil, f
		}
	}
	p.k.mu.Lock()
	if p.topics.on == nil {
		p.topics.on = map[string]bool{}
	}
	agents := false
	for _, topic := range granted {
		p.topics.on[topic] = true
		agents = agents || topic != "storage.changed" && topic != "agents.output"
	}
	begin := agents && p.topics.watching == nil
	p.k.mu.Unlock()
	if begin {
		if f := p.watchAgents(); f != nil {
			return nil, f
		}
	}
	return map[string]any{"topics": granted}, nil
}

// unsubscribe ends topics.
func (p *peer) unsubscribe(in topicParams) (any, *fault) {
	p.k.mu.Lock()
	defer p.k.mu.Unlock()
	for _, topic := range in.Topics {
		delete(p.topics.on, topic)
	}
	if slices.Contains(in.Topics, "agents.output") {
		for agent, end := range p.topics.outputs {
			end()
			delete(p.topics.outputs, agent)
		}
	}
	if end := p.topics.watching; end != nil && !p.topics.on["agents.status"] && !p.topics.on["agents.turn"] && !p.topics.on["agents.changed"] {
		end()
		p.topics.watching = nil
	}
	return nil, nil
}

// watchAgents tells what happens to agents from now on.
func (p *peer) watchAgents() *fault {
	o := p.k.h.o.Ports
	if o.Agents == nil {
		return noPart("agents")
	}
	ctx, end := context.WithCancel(p.ctx)
	events, err := o.Agents.Watch(ctx)
	if err != nil {
		end()
		return portFault(err)
	}
	p.k.mu.Lock()
	p.topics.watching = end
	p.k.mu.Unlock()
	p.working.Go(func() {
		for e := range events {
			p.agentEvent(e)
		}
	})
	return nil
}

// agentEvent tells of one event, if it was subscribed to.
func (p *peer) agentEvent(e bridge.AgentEvent) {
	topic, data := "agents.changed", any(nil)
	switch e.Kind {
	case bridge.AgentStatus:
		topic, data = "agents.status", map[string]any{"agentId": e.Agent, "status": e.Status, "at": e.At.UnixMilli()}
	case bridge.AgentTurnStart:
		topic, data = "agents.turn", map[string]any{"agentId": e.Agent, "phase": "start", "at": e.At.UnixMilli()}
	case bridge.AgentTurnEnd:
		topic, data = "agents.turn", map[string]any{"agentId": e.Agent, "phase": "end", "at": e.At.UnixMilli()}
	case bridge.AgentChanged:
	}
	p.k.mu.Lock()
	wanted := p.topics.on[topic]
	p.k.mu.Unlock()
	if !wanted || !p.ours(e) {
		return
	}
	if e.Kind == bridge.AgentChanged {
		list, f := p.agentList()
		if f != nil {
			return
		}
		data = map[string]any{"agents": list}
	}
	p.tell(topic, data)
}

// ours tells whether an event is of the extension's workspace. An agent that has
// gone is nobody's, so its going is told.
func (p *peer) ours(e bridge.AgentEvent) bool {
	if e.Kind == bridge.AgentChanged {
		return true
	}
	_, f := p.agent(p.ctx, e.Agent)
	return f == nil
}

// watchOutputs makes these the agents whose output is told.
func (p *peer) watchOutputs(ids []string) *fault {
	if len(ids) == 0 {
		return faulty(bridge.CodeInvalidParams, "agentIds: agents.output needs at least one")
	}
	screens := p.k.h.o.Ports.Screens
	if screens == nil {
		return noPart("screens")
	}
	for _, id := range ids {
		if _, f := p.linkedAgent(p.ctx, id, ""); f != nil {
			return f
		}
	}
	p.k.mu.Lock()
	defer p.k.mu.Unlock()
	if p.topics.outputs == nil {
		p.topics.outputs = map[string]context.CancelFunc{}
	}
	for id, end := range p.topics.outputs {
		if !slices.Contains(ids, id) {
			end()
			delete(p.topics.outputs, id)
		}
	}
	for _, id := range ids {
		if p.topics.outputs[id] != nil {
			continue
		}
		ctx, end := context.WithCancel(p.ctx)
		pieces, err := screens.Output(ctx, id)
		if err != nil {
			end()
			return portFault(err)
		}
		p.topics.outputs[id] = end
		p.working.Go(func() { p.tellOutput(id, pieces) })
	}
	return nil
}

func (p *peer) tellOutput(id string, pieces <-chan bridge.Output) {
	for piece := range pieces {
		// The user may have removed the link meanwhile.
		if p.k.h.o.Ports.linked(p.k.x.Name, id) {
			p.tell("agents.output", map[string]any{"agentId": id, "text": piece.Text, "at": piece.At.UnixMilli()})
		}
	}
}
