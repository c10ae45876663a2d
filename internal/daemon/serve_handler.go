package daemon

import (
	"net/http"

	"meterbridge/bridge/edge"
	"meterbridge/dashboard/api"
	"meterbridge/dashboard/carrier"
	"meterbridge/dashboard/guard"
	"meterbridge/dashboard/problem"
	"meterbridge/dashboard/promptqueue"
	"meterbridge/dashboard/telemetry"
	"meterbridge/dashboard/terminals"
	"meterbridge/internal/control"
	"meterbridge/internal/hooks"
	"meterbridge/internal/statusline"
)

// sessionCookie begins the name of the browser's cookie, which ends in the port.
const sessionCookie = "meterbridge"

// handler answers on both listeners; the guard tells their callers apart.
func (s *server) handler() http.Handler {
	mux := http.NewServeMux()
	answers := s.meter.API(api.Options{Log: s.o.Log, Events: s.events.hub})
	mux.Handle(api.Prefix+"/", s.guard.Wrap(answers, guard.Rule{Scopes: []guard.Scope{guard.ScopeRead}, Browser: true}))
	for _, probe := range []string{"/healthz", "/readyz"} {
		mux.Handle(probe, s.guard.Wrap(answers, guard.Rule{Open: true}))
	}
	mux.Handle(guard.LoginPath, s.guard.Wrap(s.browser, guard.Rule{Open: true}))
	mux.Handle("/metrics", s.guard.Wrap(s.metrics.Handler(), guard.Rule{
		Open: s.meter.config.Serve.MetricsOpen, Scopes: []guard.Scope{guard.ScopeMetrics, guard.ScopeRead}, Browser: true,
	}))
	mux.Handle(carrier.Path, s.guard.Wrap(s.carrier(), guard.Rule{Open: true}))
	mux.Handle("/mcp", s.guard.Wrap(s.mcp, guard.Rule{
		Scopes: []guard.Scope{guard.ScopeMCP}, Types: []string{"application/json"}, MaxBody: mcpBody, Refuse: refuseMCP,
	}))
	mux.Handle(hooks.Prefix, s.guard.Wrap(s.meter.fleet.Desk().Handler(), guard.Rule{Open: true, Types: []string{"application/json"}, MaxBody: hooks.MaxBody}))
	mux.Handle(telemetry.Prefix, s.guard.Wrap(telemetry.Handler(newReceiver(s.meter, s.events.committed), telemetry.Options{Log: s.o.Log}), guard.Rule{
		Scopes: []guard.Scope{guard.ScopeOTLP}, Types: telemetry.Types(), MaxBody: telemetry.MaxBody, Refuse: telemetry.Refuse,
	}))
	for path, h := range terminals.Handlers(faces{s.meter}, terminals.Options{Log: s.o.Log}) {
		mux.Handle(path, s.guard.Wrap(h, terminalRule(path)))
	}
	for path, h := range promptqueue.Handlers(queueFace{s.meter}, s.o.Log) {
		mux.Handle(path, s.guard.Wrap(h, queueRule(path)))
	}
	mux.Handle("/", s.guard.Wrap(s.pages, guard.Rule{Browser: true, Types: []string{"application/x-www-form-urlencoded"}}))
	// Assets are the same for everyone, and a refusal is a page that needs them.
	mux.Handle("GET /assets/", s.guard.Wrap(s.pages, guard.Rule{Open: true}))
	return mux
}

// refuseMCP writes what the guard refused as MCP clients read it.
func refuseMCP(w http.ResponseWriter, _ *http.Request, p *problem.Problem) {
	message := p.Detail
	if p.Hint != "" {
		message += ": " + p.Hint
	}
	edge.RefuseHTTP(w, p.Status, message)
}

// terminalRule lets nobody type by a token: who may type may do what the user may.
func terminalRule(path string) guard.Rule {
	r := guard.Rule{Browser: true, Types: []string{"application/json"}, MaxBody: terminals.MaxBody}
	if path == terminals.ScreenPath {
		r.Scopes = []guard.Scope{guard.ScopeRead}
	}
	return r
}

// mcpBody is the largest MCP message in bytes.
const mcpBody = 4 << 20

// socketHandler adds what only the owner of the socket may ask.
func (s *server) socketHandler(open http.Handler) http.Handler {
	mux := http.NewServeMux()
	mux.Handle("POST "+statusline.Path, s.lines)
	mux.Handle("POST "+control.AttachPath, control.AttachHandler(viewers{s.meter}, s.meter.paths.Data))
	mux.Handle("/control/", control.Handler(s, s.meter.paths.Data))
	mux.Handle("/", open)
	return mux
}
