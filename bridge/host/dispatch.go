package host

import (
	"encoding/json"

	"meterbridge/bridge"
)

// What an extension may ask in all.
const (
	requestsPerMinute = 200 * 60
	requestsAtOnce    = 400
)

// dispatch answers a request, in the order in which requests came as far as they
// are answered at once.
func (p *peer) dispatch(r request) {
	m, f := p.admit(r)
	if f != nil {
		p.refuse(r.id, f)
		return
	}
	if !m.Slow {
		p.work(r, m)
		return
	}
	p.k.mu.Lock()
	full := p.inFlight >= mostInFlight
	if !full {
		p.inFlight++
	}
	p.k.mu.Unlock()
	if full {
		p.refuse(r.id, faulty(bridge.CodeBusy, "%d requests are being answered already", mostInFlight))
		return
	}
	p.working.Go(func() {
		p.work(r, m)
		p.k.mu.Lock()
		p.inFlight--
		p.k.mu.Unlock()
	})
}

// work answers a request that was let in.
func (p *peer) work(r request, m *method) {
	value, f := m.run(p, r.params)
	if f != nil {
		p.refuse(r.id, f)
		return
	}
	if then, more := value.(afterwards); more {
		p.answer(r.id, then.value)
		p.working.Go(then.run)
		return
	}
	p.answer(r.id, value)
	if r.method == "host.ready" {
		p.up()
	}
}

// afterwards is an answer after which something goes on, until the connection ends.
type afterwards struct {
	value any
	run   func()
}

// admit checks a request before its handler.
func (p *peer) admit(r request) (*method, *fault) {
	k := p.k
	k.mu.Lock()
	ready, again := p.ready, r.id <= p.lastID
	p.lastID = max(p.lastID, r.id)
	k.mu.Unlock()
	m := k.h.methods[r.method]
	switch {
	case again:
		return nil, faulty(codeBadRequest, "ids must rise and may not be used again")
	case r.size > usualMessage && !big(r.method):
		return nil, faulty(bridge.CodeTooLarge, "the message is longer than %d bytes", usualMessage)
	case !ready && r.method != "host.ready":
		return nil, faulty(codeNotReady, "host.ready comes first")
	case m == nil:
		return nil, faulty(codeMethodNotFound, "there is no method %s for a process", r.method)
	case ready && r.method == "host.ready":
		return nil, faulty(codeBadRequest, "host.ready was said already")
	}
	if found := m.params.Check(r.params); len(found) > 0 {
		return nil, issues(found)
	}
	if m.Needs != "" && !k.x.may(m.Needs) && (m.Or == "" || !k.x.may(m.Or)) {
		f := faulty(bridge.CodePermissionDenied, "%s needs the permission %s", r.method, m.Needs)
		f.data = map[string]any{"permission": m.Needs}
		return nil, f
	}
	if !answers(r.method) {
		if f := k.limiters.take("", requestsPerMinute, requestsAtOnce); f != nil {
			return nil, f
		}
	}
	if m.PerMinute > 0 && !m.RateInHandler {
		return m, k.limiters.take(r.method, m.PerMinute, m.Burst)
	}
	return m, nil
}

// answers tells whether a method answers what the host asked: how often, the host
// decides, and a refused answer would be a lost one.
func answers(method string) bool {
	return method == "tools.respond" || method == "tools.progress" || method == "host.pong"
}

// big tells whether a method carries files.
func big(method string) bool { return method == "fs.write" || method == "net.fetch" }

// rate counts a use of a method whose rate is counted late.
func (p *peer) rate(name string) *fault {
	m := p.k.h.methods[name]
	return p.k.limiters.take(name, m.PerMinute, m.Burst)
}

type helloParams struct {
	SDKVersion string   `json:"sdkVersion"`
	Protocol   int      `json:"protocol"`
	Handlers   []string `json:"handlers"`
}

// hello is host.ready: the handshake.
func (p *peer) hello(in helloParams) (any, *fault) {
	k := p.k
	k.mu.Lock()
	defer k.mu.Unlock()
	if in.Protocol > protocol {
		p.fail(ending{state: bridge.StateFailed, reason: codeProtocolMismatch + ": it needs a newer Meterbridge", grace: k.h.times.Suspend})
		return nil, faulty(codeProtocolMismatch, "this Meterbridge speaks version %d of the protocol; a newer one is needed", protocol)
	}
	for _, tool := range in.Handlers {
		if k.x.Tool(tool) == nil {
			return nil, faulty(bridge.CodeNotFound, "the manifest declares no tool %s", tool)
		}
	}
	for _, tool := range in.Handlers {
		p.registered[tool] = true
	}
	return k.context(p.launch), nil
}

// up notes that the extension is ready, after it was told so.
func (p *peer) up() {
	k := p.k
	k.mu.Lock()
	defer k.mu.Unlock()
	p.ready, k.used, p.heard = true, k.h.o.Now(), k.h.o.Now()
	k.comesUp(p)
}

// comesUp makes an extension ready that has all that it needs; k.mu is held.
func (k *keeper) comesUp(p *peer) {
	if !p.ready || len(k.missing(p)) > 0 || k.peer != p {
		return
	}
	k.setState(bridge.StateReady, "")
	k.deliver()
}

// context is what an extension is told at its start.
func (k *keeper) context(launch string) map[string]any {
	x := k.x
	return map[string]any{
		"protocol": protocol, "appVersion": k.h.o.Version,
		"instance": map[string]any{
			"instanceId": x.Name, "packageId": x.Name, "name": x.Name, "displayName": x.DisplayName, "version": x.Version,
			"commit": nil, "dev": x.Dev,
		},
		"workspace": k.workspace(), "settings": k.settings(), "permissions": x.told(), "limits": limits(), "launch": launch,
	}
}

// workspace is that of the extension; nil without one.
func (k *keeper) workspace() any {
	w := k.h.o.Ports.workspace(k.x.Name)
	if w.ID == "" {
		return nil
	}
	told := map[string]string{"id": w.ID, "name": w.Name}
	if w.Folder != "" && (k.x.may("fs.read") || k.x.may("fs.write")) {
		told["path"] = w.Folder
	}
	return told
}

// limits are the numbers that an extension should know.
func limits() json.RawMessage {
	return json.RawMessage(`{"argumentBytes":262144,"resultBytes":1048576,"messageBytes":1048576,"inFlight":64,"requestsPerSecond":200,` +
		`"requestBurst":400,"progressGapMs":250,"progressChars":200,"logPerSecond":50,"logChars":2000,"promptsPerMinute":6,"promptChars":20000,` +
		`"runsPerMinute":30,"writesPerMinute":60,"usagePerMinute":60,"summaryPerMinute":6,"setEnabledPerMinute":30,"screenLines":500,` +
		`"fetchesPerMinute":120,"fetchesAtOnce":6,"streams":4,"redirects":5,` +
		`"requestBodyBytes":5242880,"responseBodyBytes":10485760,"fileBytes":10485760,"listEntries":5000,"watchers":20,"trashPerMinute":60,"settingsPerMinute":60,` +
		`"storageKeyChars":256,"storageValueBytes":1048576,"storageInstanceBytes":5242880,"storagePackageBytes":20971520,"storageKeys":10000}`)
}
