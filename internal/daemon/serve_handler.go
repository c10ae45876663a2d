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

// route is a path of net/http's ServeMux with what answers there, and who may ask.
type route struct {
	path string
	h    http.Handler
	rule guard.Rule
}

// handler answers on both listeners; the guard tells their callers apart.
func (s *server) handler() http.Handler {
	mux := http.NewServeMux()
	for _, r := range s.routes() {
		mux.Handle(r.path, s.guard.Wrap(r.h, r.rule))
	}
	return mux
}

// routes are all paths that are served. What programs ask for is described by
// docs/openapi.json.
func (s *server) routes() []route {
	answers := s.meter.API(api.Options{Log: s.o.Log, Events: s.events.hub})
	list := []route{
		{api.Prefix + "/", answers, guard.Rule{Scopes: []guard.Scope{guard.ScopeRead}, Browser: true}},
		{"/healthz", answers, guard.Rule{Open: true}},
		{"/readyz", answers, guard.Rule{Open: true}},
		{guard.LoginPath, s.browser, guard.Rule{Open: true}},
		{"/metrics", s.metrics.Handler(), guard.Rule{
			Open: s.meter.config.Serve.MetricsOpen, Scopes: []guard.Scope{guard.ScopeMetrics, guard.ScopeRead}, Browser: true,
		}},
		{carrier.Path, s.carrier(), guard.Rule{Open: true}},
		{"/mcp", s.mcp, guard.Rule{
			Scopes: []guard.Scope{guard.ScopeMCP}, Types: []string{"application/json"}, MaxBody: mcpBody, Refuse: refuseMCP,
		}},
		{hooks.Prefix, s.meter.fleet.Desk().Handler(), guard.Rule{Open: true, Types: []string{"application/json"}, MaxBody: hooks.MaxBody}},
		{telemetry.Prefix, telemetry.Handler(newReceiver(s.meter, s.events.committed), telemetry.Options{Log: s.o.Log}), guard.Rule{
			Scopes: []guard.Scope{guard.ScopeOTLP}, Types: telemetry.Types(), MaxBody: telemetry.MaxBody, Refuse: telemetry.Refuse,
		}},
		{"/", s.pages, guard.Rule{Browser: true, Types: []string{"application/x-www-form-urlencoded"}}},
		// Assets are the same for everyone, and a refusal is a page that needs them.
		{"GET /assets/", s.pages, guard.Rule{Open: true}},
	}
	for path, h := range terminals.Handlers(faces{s.meter}, terminals.Options{Log: s.o.Log}) {
		list = append(list, route{path, h, terminalRule(path)})
	}
	for path, h := range promptqueue.Handlers(queueFace{s.meter}, s.o.Log) {
		list = append(list, route{path, h, queueRule(path)})
	}
	return list
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
	if path == terminals.ScreenPath || path == terminals.RunsPath {
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
