package edge

import (
	"context"
	"encoding/json"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"

	"meterbridge/bridge"
	"meterbridge/bridge/pipeline"
	"meterbridge/bridge/registry"
)

// listFresh is how long a client of 2026-07-28 may take a list for fresh, in ms.
const listFresh = 5000

// engine is mcp-go's server with the registry's tools in it. It is given each
// message with a session of its own, so that nothing that it keys by session is
// shared between callers, and its own broadcasts reach nobody.
type engine struct {
	mcp  *server.MCPServer
	pipe *pipeline.Pipeline
	last atomic.Int64
	mu   sync.Mutex
	// synced is the snapshot whose tools the server has; guarded by mu.
	synced *registry.Snapshot
}

func newEngine(o Options, limits Limits) *engine {
	e := &engine{pipe: pipeline.New(pipeline.Options{Limits: limits.Limits, Now: o.Now, Done: o.Done, Ask: o.Ask, Values: o.Values})}
	e.mcp = server.NewMCPServer("meterbridge", o.Version,
		server.WithTitle("Meterbridge"),
		server.WithInstructions(o.Instructions),
		server.WithToolCapabilities(true),
		server.WithToolFilter(visible),
		server.WithCacheHints(listFresh, mcp.CacheScopePrivate),
	)
	return e
}

// sync gives the server the tools in force and returns their snapshot.
func (e *engine) sync(r *registry.Registry) *registry.Snapshot {
	e.mu.Lock()
	defer e.mu.Unlock()
	tools := r.Snapshot()
	if tools == e.synced {
		return tools
	}
	list := make([]server.ServerTool, 0, len(tools.Entries()))
	for _, entry := range tools.Entries() {
		list = append(list, server.ServerTool{Tool: wireTool(entry), Handler: e.handle})
	}
	e.mcp.SetTools(list...)
	e.synced = tools
	return tools
}

func wireTool(t *registry.Entry) mcp.Tool {
	a := t.Annotations
	return mcp.Tool{
		Name: t.Name, Title: t.Title, Description: t.Description, RawInputSchema: t.Input, RawOutputSchema: t.Output,
		Annotations: mcp.ToolAnnotation{
			Title: t.Title, ReadOnlyHint: &a.ReadOnly, DestructiveHint: &a.Destructive, IdempotentHint: &a.Idempotent, OpenWorldHint: &a.OpenWorld,
		},
	}
}

type callKey struct{}

// call is one request on its way through the engine. It is the session that
// mcp-go sees.
type call struct {
	id  string
	who bridge.Identity
	// tools is what list and call of this request see.
	tools *registry.Snapshot
	// version is the revision that the request is of, empty before initialize.
	version string
	modern  bool
	// listing: it asks for the list, where names may be shortened.
	listing bool
	// search: tools of extensions are not listed, find_tool and call_tool stand for them.
	search bool
	// token is the client's for progress, nil when it wants none.
	token json.RawMessage
	notes chan mcp.JSONRPCNotification
}

// Initialize implements server.ClientSession.
func (c *call) Initialize() {}

// Initialized implements server.ClientSession.
func (c *call) Initialized() bool { return true }

// NotificationChannel implements server.ClientSession.
func (c *call) NotificationChannel() chan<- mcp.JSONRPCNotification { return c.notes }

// SessionID implements server.ClientSession.
func (c *call) SessionID() string { return c.id }

// ProtocolVersion implements server.SessionWithProtocolVersion.
func (c *call) ProtocolVersion() string { return c.version }

// mostNotes is how many notifications of one call wait to be written.
const mostNotes = 256

// begin makes the session of one request.
func (e *engine) begin(c call) *call {
	c.id = strconv.FormatInt(e.last.Add(1), 10)
	c.notes = make(chan mcp.JSONRPCNotification, mostNotes)
	return &c
}

// do has mcp-go answer a request, which carries the call's id instead of the
// client's.
func (e *engine) do(ctx context.Context, c *call, message []byte) mcp.JSONRPCMessage {
	ctx = context.WithValue(ctx, callKey{}, c)
	ctx = server.WithSupportedProtocolVersions(ctx, versions())
	return e.mcp.HandleMessage(e.mcp.WithContext(ctx, c), message)
}

// structured tells whether the client knows structured answers: those before
// 2026-07-28 take objects only.
func (c *call) structured(object bool) bool {
	return c.modern || object && c.version >= mcp.ProtocolVersion20250618
}

// traceID is the id of the client's trace, as traceparent has it; empty without
// one.
func traceID(r mcp.CallToolRequest) string {
	if r.Params.Meta == nil {
		return ""
	}
	parent, _ := r.Params.Meta.AdditionalFields["traceparent"].(string)
	if parts := strings.Split(parent, "-"); len(parts) == 4 && len(parts[1]) == 32 {
		return parts[1]
	}
	return ""
}

// visible is the tool filter, for list and call alike.
func visible(ctx context.Context, tools []mcp.Tool) []mcp.Tool {
	c, ok := ctx.Value(callKey{}).(*call)
	if !ok {
		return nil
	}
	kept := make([]mcp.Tool, 0, len(tools))
	for _, t := range tools {
		if !c.tools.Visible(c.who, t.Name) {
			continue
		}
		entry := c.tools.Find(t.Name)
		if c.search && c.listing && entry != nil && entry.From != nil {
			continue
		}
		if entry == nil || !c.structured(entry.ObjectOut) {
			t.RawOutputSchema = nil
		}
		if entry != nil {
			t.RawInputSchema = entry.InputFor(c.who)
			if c.listing {
				t.Name = c.tools.Shown(c.who, t.Name)
			}
		}
		kept = append(kept, t)
	}
	return kept
}

// handle is the handler of every tool. Its error is always nil: what goes wrong is
// an answer, as models do not see errors of the protocol.
func (e *engine) handle(ctx context.Context, request mcp.CallToolRequest) (*mcp.CallToolResult, error) {
	c, ok := ctx.Value(callKey{}).(*call)
	var entry *registry.Entry
	if ok && c.tools.Visible(c.who, request.Params.Name) {
		entry = c.tools.Find(request.Params.Name)
	}
	if entry == nil {
		return mcp.NewToolResultError(bridge.CodeNotFound + ": there is no such tool any more; list the tools again"), nil
	}
	args := request.Params.RawArguments
	if c.search && entry.Name == CallTool {
		var err error
		if entry, args, err = c.meant(args); err != nil {
			return mcp.NewToolResultError(err.Error()), nil
		}
	}
	a := e.pipe.Do(ctx, pipeline.Call{Who: c.who, Tool: entry, Args: args, Era: c.version, TraceID: traceID(request)})
	result := &mcp.CallToolResult{IsError: a.Failed()}
	for _, item := range a.Content {
		if item.Type == "image" {
			result.Content = append(result.Content, mcp.NewImageContent(item.Data, item.MimeType))
			continue
		}
		result.Content = append(result.Content, mcp.NewTextContent(item.Text))
	}
	if a.Structured != nil && c.structured(entry.ObjectOut) {
		result.StructuredContent = a.Structured
	}
	return result, nil
}
