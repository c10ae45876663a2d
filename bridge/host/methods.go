package host

import (
	_ "embed"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"meterbridge/bridge/schema"
)

// methodFile holds, for each method, what is checked before its handler runs: the
// parameters, the permission and the rate.
//
//go:embed methods.json
var methodFile []byte

// method is what an extension may ask.
type method struct {
	// Needs is the permission; empty for none.
	Needs string `json:"needs"`
	// Or is another permission that will do.
	Or string `json:"or"`
	// PerMinute and Burst are how often one extension may ask; 0 for no limit of its own.
	PerMinute float64 `json:"perMinute"`
	Burst     int     `json:"burst"`
	// RateInHandler: the rate is counted after agent and link were checked.
	RateInHandler bool `json:"rateInHandler"`
	// Slow: it is answered when it is ready, others meanwhile.
	Slow       bool            `json:"slow"`
	Required   []string        `json:"required"`
	Properties json.RawMessage `json:"properties"`

	params *schema.Schema
	run    handler
}

// handler answers a request whose parameters fit.
type handler func(p *peer, params json.RawMessage) (any, *fault)

// readMethods reads the table.
func readMethods() (map[string]*method, error) {
	table := map[string]*method{}
	if err := json.Unmarshal(methodFile, &table); err != nil {
		return nil, fmt.Errorf("the table of methods: %w", err)
	}
	run := handlers()
	maps.Copy(run, fileHandlers())
	for name, m := range table {
		form := map[string]any{"type": "object", "additionalProperties": false}
		if m.Properties != nil {
			form["properties"] = m.Properties
		}
		if m.Required != nil {
			form["required"] = m.Required
		}
		text, err := json.Marshal(form)
		if err == nil {
			m.params, err = schema.Compile(text)
		}
		if m.run = run[name]; err != nil || m.run == nil {
			return nil, fmt.Errorf("the method %s has no handler, or no schema: %w", name, err)
		}
	}
	return table, nil
}

// with makes a handler of a function that takes the parameters as a struct.
func with[In any](do func(*peer, In) (any, *fault)) handler {
	return func(p *peer, params json.RawMessage) (any, *fault) {
		var in In
		if err := json.Unmarshal(params, &in); err != nil {
			return nil, faulty("INVALID_PARAMS", "%v", err)
		}
		return do(p, in)
	}
}

func handlers() map[string]handler {
	return map[string]handler{
		"host.ready":         with((*peer).hello),
		"host.pong":          func(*peer, json.RawMessage) (any, *fault) { return nil, nil },
		"host.capabilities":  func(p *peer, _ json.RawMessage) (any, *fault) { return p.k.h.capabilities(), nil },
		"host.log":           with((*peer).logLine),
		"tools.register":     with((*peer).register),
		"tools.unregister":   with((*peer).unregister),
		"tools.respond":      with((*peer).respond),
		"tools.progress":     with((*peer).progress),
		"tools.setEnabled":   with((*peer).setEnabled),
		"events.subscribe":   with((*peer).subscribe),
		"events.unsubscribe": with((*peer).unsubscribe),
		"settings.get":       func(p *peer, _ json.RawMessage) (any, *fault) { return p.k.settings(), nil },
		"settings.set":       with((*peer).setSettings),
		"storage.get":        with((*peer).storageGet),
		"storage.set":        with((*peer).storageSet),
		"storage.delete":     with((*peer).storageDelete),
		"storage.clear":      with((*peer).storageClear),
		"storage.keys":       with((*peer).storageKeys),
		"storage.usage":      with((*peer).storageUsage),
		"permissions.list":   func(p *peer, _ json.RawMessage) (any, *fault) { return p.k.x.told(), nil },
		"workspace.get":      func(p *peer, _ json.RawMessage) (any, *fault) { return p.k.workspace(), nil },
		"agents.list":        func(p *peer, _ json.RawMessage) (any, *fault) { return p.agentList() },
		"agents.get":         with((*peer).agentGet),
		"agents.readScreen":  with((*peer).readScreen),
		"agents.lastReply":   with((*peer).lastReply),
		"agents.prompt":      with((*peer).prompt),
		"agents.usage":       with((*peer).usage),
		"agents.timeline":    with((*peer).timeline),
		"usage.summary":      with((*peer).summary),
		"terminals.run":      with((*peer).terminalRun),
		"terminals.write":    with((*peer).terminalWrite),
		"net.fetch":          with((*peer).netFetch),
		"net.abort":          with((*peer).netAbort),
	}
}

// capabilities are what this host can do.
func (h *Host) capabilities() map[string]any {
	return map[string]any{
		"protocol": protocol,
		"methods":  slices.Sorted(maps.Keys(h.methods)),
		"events": []string{
			"agents.changed", "agents.output", "agents.status", "agents.turn", "fs.changed", "host.ping", "lifecycle.shutdown", "lifecycle.suspend",
			"net.chunk", "settings.changed", "storage.changed", "tools.call", "tools.cancel",
		},
	}
}

// issues are the faults of parameters as extensions are told them.
func issues(list []schema.Issue) *fault {
	f := faulty("INVALID_PARAMS", "%s", firstIssue(list))
	var told []map[string]string
	for _, i := range list {
		told = append(told, map[string]string{"path": i.Path, "message": i.Message})
	}
	f.data = told
	return f
}

func firstIssue(list []schema.Issue) string {
	path := strings.TrimPrefix(list[0].Path, "/")
	if path == "" {
		path = "params"
	}
	return path + ": " + list[0].Message
}
