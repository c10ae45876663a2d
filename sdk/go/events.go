package ext

import (
	"context"
	"encoding/json"
	"slices"
)

// StatusEvent says that an agent's status changed, at an epoch ms.
type StatusEvent struct {
	AgentID string `json:"agentId"`
	Status  string `json:"status"`
	At      int64  `json:"at"`
}

// TurnEvent says that a turn of an agent began or ended; Phase is start or end.
type TurnEvent struct {
	AgentID string `json:"agentId"`
	Phase   string `json:"phase"`
	At      int64  `json:"at"`
}

// OutputEvent is a piece of what an agent's terminal printed.
type OutputEvent struct {
	AgentID string `json:"agentId"`
	Text    string `json:"text"`
	At      int64  `json:"at"`
}

// OnStatus has f hear of statuses, of one agent or ("") of all, until remove.
func (x *Extension) OnStatus(ctx context.Context, agent string, f func(StatusEvent)) (remove func(), err error) {
	return x.subscribe(ctx, "agents.status", func(params json.RawMessage) {
		var e StatusEvent
		if json.Unmarshal(params, &e) == nil && (agent == "" || e.AgentID == agent) {
			f(e)
		}
	})
}

// OnTurn has f hear of turns, of one agent or ("") of all, until remove.
func (x *Extension) OnTurn(ctx context.Context, agent string, f func(TurnEvent)) (remove func(), err error) {
	return x.subscribe(ctx, "agents.turn", func(params json.RawMessage) {
		var e TurnEvent
		if json.Unmarshal(params, &e) == nil && (agent == "" || e.AgentID == agent) {
			f(e)
		}
	})
}

// OnChanged has f hear of the whole list whenever agents come, go or change.
func (x *Extension) OnChanged(ctx context.Context, f func([]AgentRecord)) (remove func(), err error) {
	return x.subscribe(ctx, "agents.changed", func(params json.RawMessage) {
		var e struct{ Agents []AgentRecord }
		if json.Unmarshal(params, &e) == nil {
			f(e.Agents)
		}
	})
}

// OnOutput has f hear of what linked agents print, until remove.
func (x *Extension) OnOutput(ctx context.Context, agents []string, f func(OutputEvent)) (remove func(), err error) {
	id := x.listen("agents.output", func(params json.RawMessage) {
		var e OutputEvent
		if json.Unmarshal(params, &e) == nil && slices.Contains(agents, e.AgentID) {
			f(e)
		}
	})
	x.mu.Lock()
	x.outputs[id] = agents
	x.mu.Unlock()
	remove = func() {
		x.mu.Lock()
		delete(x.outputs, id)
		delete(x.heard["agents.output"], id)
		x.mu.Unlock()
		x.wire.post(x.outputRequest())
	}
	method, params := x.outputRequest()
	if err := x.Ask(ctx, method, params, nil); err != nil {
		remove()
		return nil, err
	}
	return remove, nil
}

// outputRequest asks for the output of all agents that are listened to.
func (x *Extension) outputRequest() (method string, params map[string]any) {
	x.mu.Lock()
	defer x.mu.Unlock()
	ids := []string{}
	for _, list := range x.outputs {
		ids = append(ids, list...)
	}
	slices.Sort(ids)
	ids = slices.Compact(ids)
	if len(ids) == 0 {
		return "events.unsubscribe", map[string]any{"topics": []string{"agents.output"}}
	}
	return "events.subscribe", map[string]any{"topics": []string{"agents.output"}, "agentIds": ids}
}

// listen adds a listener and returns its number.
func (x *Extension) listen(topic string, f func(json.RawMessage)) int {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.last++
	if x.heard[topic] == nil {
		x.heard[topic] = map[int]func(json.RawMessage){}
	}
	x.heard[topic][x.last] = f
	return x.last
}

// subscribe adds a listener; the first of a topic subscribes to it, the last one
// that is removed ends that.
func (x *Extension) subscribe(ctx context.Context, topic string, f func(json.RawMessage)) (remove func(), err error) {
	id := x.listen(topic, f)
	params := map[string]any{"topics": []string{topic}}
	remove = func() {
		x.mu.Lock()
		_, had := x.heard[topic][id]
		delete(x.heard[topic], id)
		last := had && len(x.heard[topic]) == 0
		x.mu.Unlock()
		if last {
			x.wire.post("events.unsubscribe", params)
		}
	}
	var granted struct{ Topics []string }
	if err := x.Ask(ctx, "events.subscribe", params, &granted); err != nil {
		remove()
		return nil, err
	}
	if !slices.Contains(granted.Topics, topic) {
		x.Log("warn", topic+" is not told: the manifest lacks the permission, or the user did not grant it")
	}
	return remove, nil
}

// tell queues an event for its listeners, which hear one after another.
func (x *Extension) tell(topic string, params json.RawMessage) {
	x.mu.Lock()
	ids := make([]int, 0, len(x.heard[topic]))
	for id := range x.heard[topic] {
		ids = append(ids, id)
	}
	slices.Sort(ids)
	list := make([]func(json.RawMessage), len(ids))
	for i, id := range ids {
		list[i] = x.heard[topic][id]
	}
	x.told = append(x.told, func() {
		for _, f := range list {
			f(params)
		}
	})
	begin := !x.telling
	x.telling = true
	x.mu.Unlock()
	if begin {
		go x.tellAll()
	}
}

// tellAll passes on what waits: listeners may ask the host, so they do not hold up
// its answers.
func (x *Extension) tellAll() {
	for {
		x.mu.Lock()
		if len(x.told) == 0 {
			x.telling = false
			x.mu.Unlock()
			return
		}
		next := x.told[0]
		x.told = x.told[1:]
		x.mu.Unlock()
		next()
	}
}
