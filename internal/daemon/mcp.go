package daemon

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"meterbridge/bridge"
	"meterbridge/bridge/edge"
	"meterbridge/bridge/registry"
	"meterbridge/bridge/relay"
	"meterbridge/dashboard/guard"
	"meterbridge/internal/daemon/asking"
	"meterbridge/internal/daemon/fleet"
)

// instructions are what a model is told of the server as a whole.
const instructions = "Exact token usage and cost of the coding agents on this machine, read from their own session logs. " +
	"meter_usage answers how much, meter_sessions and meter_timeline what happened, meter_explain why a number is what it is, " +
	"meter_budget what is left, meter_pricing what models cost. All of them only read."

// newEdge is the MCP endpoint over an installation, with further tools for agents;
// publish, unless it is nil, adds those of extensions.
func newEdge(l lender, o edge.Options, publish publisher, more ...bridge.Tool) (*edge.Edge, error) {
	tools, err := newTools(l)
	if err != nil {
		return nil, err
	}
	if o.Registry, err = registry.New(); err != nil {
		return nil, err
	}
	tools = append(tools, more...)
	if err := o.Registry.Set(tools, builtIn); err != nil {
		return nil, err
	}
	if publish != nil {
		publish(o.Registry, tools, builtIn)
	}
	o.Instructions = instructions
	return edge.New(o)
}

// publisher keeps further tools in a registry beside our own.
type publisher func(r *registry.Registry, own []bridge.Tool, sees registry.Sees)

// builtIn says who sees our own tools: agents all of them, the user himself only
// those that answer about numbers.
func builtIn(who bridge.Identity, tool string) bool {
	return who.Agent != bridge.Local || strings.HasPrefix(tool, "meter_")
}

// MCP is the endpoint that the daemon serves at /mcp, behind its guard. The caller
// closes it.
func (m *Meter) MCP(o edge.Options) (*edge.Edge, error) {
	o.Version, o.Identify, o.Values = m.opts.Version, m.identify, m.config.Bridge.TraceValues
	o.Limits.CallsPerMinute = m.config.Bridge.CallsPerMinute
	m.asking = asking.New(asking.Options{Asks: m.config.Bridge.Asks, Memory: m.Extensions(), Now: m.opts.Now})
	o.Ask = m.asking.Ask
	var own []bridge.Tool
	if o.Search = m.config.Bridge.SearchTools; o.Search {
		own = edge.SearchTools()
	}
	if m.fleet != nil {
		of, err := newAgentTools(m.fleet)
		if err != nil {
			return nil, err
		}
		own = append(own, of...)
		if m.prompting != nil {
			send, err := newSendTool(m.fleet, m.prompting)
			if err != nil {
				return nil, err
			}
			own = append(own, send)
		}
	}
	var publish publisher
	if m.desk != nil {
		publish = m.desk.Publish
	}
	e, err := newEdge(kept{m}, o, publish, own...)
	if err == nil {
		m.tools = e.Tools()
	}
	return e, err
}

// local takes every caller for the user of this machine.
func local(*http.Request) (bridge.Identity, bool) { return bridge.Identity{Agent: bridge.Local}, true }

// identify finds out who calls. The bearer of an agent's token is that agent; who
// has none came over the socket, or by a token of the user's own that the guard knows.
func (m *Meter) identify(r *http.Request) (bridge.Identity, bool) {
	token := bearer(r)
	if token == "" || m.fleet == nil {
		return local(r)
	}
	if agent, ok := m.fleet.ToolAgent(token); ok {
		return bridge.Identity{Agent: agent}, true
	}
	if caller, ok := guard.CallerOf(r.Context()); ok && caller.Kind == guard.KindToken {
		return local(r)
	}
	return bridge.Identity{}, false
}

func bearer(r *http.Request) string {
	scheme, token, _ := strings.Cut(r.Header.Get("Authorization"), " ")
	if !strings.EqualFold(scheme, "Bearer") {
		return ""
	}
	return strings.TrimSpace(token)
}

// agentTokens lets the bearers of agents' tokens call tools, beside those of the
// user's own tokens.
type agentTokens struct {
	meter *Meter
	next  guard.Tokens
}

// Identify implements guard.Tokens.
func (a agentTokens) Identify(token string) (guard.Identity, bool) {
	if a.meter.fleet != nil {
		if agent, ok := a.meter.fleet.ToolAgent(token); ok {
			return guard.Identity{ID: agent, Name: agent, Scopes: []guard.Scope{guard.ScopeMCP}}, true
		}
	}
	return a.next.Identify(token)
}

// AgentToken is the MCP token of an agent, from its own file; empty when it has none.
func AgentToken(o Options, agent string) (string, error) {
	if filepath.Base(agent) != agent {
		return "", nil // no id
	}
	text, err := os.ReadFile(fleet.TokenFile(o.places().Agents(), agent))
	if errors.Is(err, fs.ErrNotExist) {
		return "", nil
	}
	return strings.TrimSpace(string(text)), err
}

// RelayMCP speaks MCP on the streams of a program that a client started. It asks
// the daemon, and where none runs it answers itself, with the ledger open only
// while it is asked something; each connection finds out anew, so a daemon may
// come and go. token is that of the agent for which it speaks, empty for the user.
func RelayMCP(ctx context.Context, o Options, token string, in io.Reader, out io.Writer) error {
	l := newLease(func(ctx context.Context) (*Meter, error) { return Open(ctx, o) }, leaseIdle)
	defer l.close()
	e, err := newEdge(l, edge.Options{Version: o.Version, Identify: local}, nil)
	if err != nil {
		return err
	}
	defer e.Close()
	here := newPipes()
	server := &http.Server{Handler: e, ReadHeaderTimeout: 10 * time.Second}
	server.SetKeepAlivesEnabled(false)
	var serving sync.WaitGroup
	serving.Go(func() { _ = server.Serve(here) }) // ends with Close, below
	defer serving.Wait()
	defer server.Close()
	socket := SocketPath(o)
	over := &http.Transport{
		DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
			d := net.Dialer{Timeout: 2 * time.Second}
			if conn, err := d.DialContext(ctx, "unix", socket); err == nil {
				return conn, nil
			}
			return here.dial(ctx)
		},
		MaxIdleConnsPerHost: 16, DisableCompression: true,
	}
	defer over.CloseIdleConnections()
	return relay.Run(ctx, relay.Options{In: in, Out: out, Client: &http.Client{Transport: bearing{token, over}}, URL: "http://localhost/mcp"})
}

// bearing sends a token with each request, if there is one.
type bearing struct {
	token string
	next  http.RoundTripper
}

// RoundTrip implements http.RoundTripper.
func (b bearing) RoundTrip(r *http.Request) (*http.Response, error) {
	if b.token != "" {
		r = r.Clone(r.Context())
		r.Header.Set("Authorization", "Bearer "+b.token)
	}
	return b.next.RoundTrip(r)
}

// pipes is a listener whose connections come from this process.
type pipes struct {
	conns  chan net.Conn
	closed chan struct{}
	once   sync.Once
}

func newPipes() *pipes { return &pipes{conns: make(chan net.Conn), closed: make(chan struct{})} }

func (p *pipes) dial(ctx context.Context) (net.Conn, error) {
	client, server := net.Pipe()
	select {
	case p.conns <- server:
		return client, nil
	case <-p.closed:
		return nil, net.ErrClosed
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// Accept implements net.Listener.
func (p *pipes) Accept() (net.Conn, error) {
	select {
	case conn := <-p.conns:
		return conn, nil
	case <-p.closed:
		return nil, net.ErrClosed
	}
}

// Close implements net.Listener.
func (p *pipes) Close() error {
	p.once.Do(func() { close(p.closed) })
	return nil
}

// Addr implements net.Listener.
func (p *pipes) Addr() net.Addr { return &net.UnixAddr{Name: "pipe", Net: "pipe"} }

// MCPEntry is how a user adds the MCP server to a harness by hand.
type MCPEntry struct {
	SchemaVersion int    `json:"schemaVersion"`
	Harness       string `json:"harness"`
	// File is where the entry goes, Entry its text.
	File  string `json:"file"`
	Entry string `json:"entry"`
	// Command of the harness does the same; null when it has none.
	Command []string `json:"command"`
}

// ErrNoMCP says that it is not known how a harness is given an MCP server.
var ErrNoMCP = errors.New("how it is given an MCP server is not known")
