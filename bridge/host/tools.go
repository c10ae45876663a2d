package host

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"meterbridge/bridge"
)

type toolParams struct {
	Tool    string `json:"tool"`
	Enabled bool   `json:"enabled"`
}

// register notes that a tool has a handler.
func (p *peer) register(in toolParams) (any, *fault) {
	k := p.k
	if k.x.Tool(in.Tool) == nil {
		return nil, faulty(bridge.CodeNotFound, "the manifest declares no tool %s", in.Tool)
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	if p.registered[in.Tool] {
		return nil, faulty(codeBadRequest, "the tool %s has a handler already", in.Tool)
	}
	p.registered[in.Tool] = true
	k.comesUp(p)
	return nil, nil
}

// unregister notes that a handler was removed: calls wait again.
func (p *peer) unregister(in toolParams) (any, *fault) {
	k := p.k
	k.mu.Lock()
	defer k.mu.Unlock()
	if !p.registered[in.Tool] {
		return nil, faulty(bridge.CodeNotFound, "the tool %s has no handler", in.Tool)
	}
	delete(p.registered, in.Tool)
	return nil, nil
}

// setEnabled hides or shows a tool.
func (p *peer) setEnabled(in toolParams) (any, *fault) {
	k := p.k
	if k.x.Tool(in.Tool) == nil {
		return nil, faulty(bridge.CodeNotFound, "the manifest declares no tool %s", in.Tool)
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.hidden[in.Tool] == in.Enabled {
		if in.Enabled {
			delete(k.hidden, in.Tool)
		} else {
			k.hidden[in.Tool] = true
		}
		k.h.o.Changed(k.x.Name)
	}
	return nil, nil
}

type respondParams struct {
	CallID string          `json:"callId"`
	Result json.RawMessage `json:"result"`
	Error  *string         `json:"error"`
}

// respond takes the answer of a call.
func (p *peer) respond(in respondParams) (any, *fault) {
	k := p.k
	r := reply{result: in.Result, failed: in.Error != nil}
	if in.Error != nil {
		r.text = *in.Error
	}
	_, err := k.result("", r)
	k.mu.Lock()
	defer k.mu.Unlock()
	call := k.sent(in.CallID)
	if call == nil || !k.settle(call, outcome{reply: r}) {
		if in.CallID != p.refused { // an SDK says again why its answer was refused
			k.h.late.Add(1)
			k.h.o.Late(k.x.Name)
		}
		return nil, faulty(bridge.CodeNotFound, "nobody waits for an answer of the call %s any more", in.CallID)
	}
	if !r.failed && err != nil {
		p.refused = in.CallID
		return nil, asFault(err) // the caller is told too
	}
	return nil, nil
}

// sent is the call of that id that the extension works on; k.mu is held.
func (k *keeper) sent(id string) *pending {
	for _, p := range k.calls {
		if p.id == id && p.sent {
			return p
		}
	}
	return nil
}

type progressParams struct {
	CallID  string `json:"callId"`
	Message string `json:"message"`
}

// progress passes a progress line on.
func (p *peer) progress(in progressParams) (any, *fault) {
	k := p.k
	k.mu.Lock()
	defer k.mu.Unlock()
	call := k.sent(in.CallID)
	if call == nil {
		return nil, faulty(bridge.CodeNotFound, "nobody waits for the call %s any more", in.CallID)
	}
	now := k.h.o.Now()
	if wait := k.h.times.ProgressGap - now.Sub(call.lastStep); !call.lastStep.IsZero() && wait > 0 {
		return nil, tooOften(wait)
	}
	call.lastStep = now
	call.steps++
	call.progress(in.Message)
	return nil, nil
}

type logParams struct {
	Level   string `json:"level"`
	Message string `json:"message"`
}

// logLine keeps a line of the extension's log.
func (p *peer) logLine(in logParams) (any, *fault) {
	at := p.k.h.o.Now().UTC().Format(time.RFC3339)
	_, _ = fmt.Fprintf(p.k.log, "%s %s %s\n", at, in.Level, strings.ReplaceAll(in.Message, "\n", "\n  "))
	return nil, nil
}

func (k *keeper) settings() Settings {
	s := k.x.defaults()
	if k.h.o.Ports.Settings == nil {
		return s
	}
	set := k.h.o.Ports.Settings(k.x.Name)
	for key, value := range set.Values {
		s.Values[key] = value
	}
	for key, is := range set.Secrets {
		s.Secrets[key] = is
	}
	return s
}

// setSettings takes what the extension sets. It hears of the change before the answer.
func (p *peer) setSettings(in struct {
	Values map[string]json.RawMessage `json:"values"`
},
) (any, *fault) {
	k := p.k
	if k.h.o.Ports.SetSettings == nil {
		return nil, faulty(bridge.CodeUnavailable, "settings are not kept by this daemon")
	}
	err := k.h.o.Ports.SetSettings(k.x.Name, in.Values)
	var faults SettingFaults
	switch {
	case errors.As(err, &faults):
		f := faulty(bridge.CodeInvalidParams, "%v", faults)
		f.data = faults
		return nil, f
	case err != nil:
		return nil, asFault(err)
	}
	settings := k.settings()
	p.tell("settings.changed", settings)
	return settings, nil
}
