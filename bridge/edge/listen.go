package edge

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"time"

	"github.com/mark3labs/mcp-go/mcp"

	"meterbridge/bridge"
)

// notification is one as it is sent.
type notification struct {
	JSONRPC string         `json:"jsonrpc"`
	Method  string         `json:"method"`
	Params  map[string]any `json:"params,omitempty"`
}

// get is the stream of a session: what its client is told without a request.
func (e *Edge) get(w http.ResponseWriter, r *http.Request, who bridge.Identity) {
	if !accepts(r, streamType) {
		e.refuse(w, nil, refusal{http.StatusNotAcceptable, codeInvalidRequest, "Accept must name " + streamType, "accept"})
		return
	}
	x, leave := e.session(w, r, who, nil)
	if x == nil {
		return
	}
	defer leave()
	ctx, cancel := context.WithCancel(r.Context())
	defer cancel()
	defer context.AfterFunc(x.ctx, cancel)()
	x.stream(cancel)
	out := &stream{w: w, limit: e.limits.WriteTime}
	defer out.end()
	changed, unwatch := e.registry.Watch(who)
	defer unwatch()
	if out.start() != nil {
		return
	}
	e.tell(ctx, out, changed, notification{JSONRPC: mcp.JSONRPC_VERSION, Method: mcp.MethodNotificationToolsListChanged})
}

// delete ends a session.
func (e *Edge) delete(w http.ResponseWriter, r *http.Request, who bridge.Identity) {
	if !e.sessions.close(who, r.Header.Get(mcp.HeaderSessionID)) {
		e.refuse(w, nil, refusal{http.StatusNotFound, codeInvalidRequest, "there is no such session", "session"})
		return
	}
	w.WriteHeader(http.StatusNoContent)
}

// tell sends a message at each change, until ctx or the connection ends.
func (e *Edge) tell(ctx context.Context, out *stream, changed <-chan struct{}, message notification) {
	quiet := time.NewTicker(e.limits.KeepAlive)
	defer quiet.Stop()
	for {
		var err error
		select {
		case <-changed:
			err = out.event(message)
		case <-quiet.C:
			err = out.alive()
		case <-ctx.Done():
			return
		}
		if err != nil {
			return
		}
	}
}

// listen is subscriptions/listen: a stream of its own, for its own caller, every
// message of it marked with the request's id.
func (e *Edge) listen(ctx context.Context, w http.ResponseWriter, q request) {
	var params struct {
		Notifications mcp.SubscriptionFilter `json:"notifications"`
	}
	if err := json.Unmarshal(q.Raw(q.Params), &params); err != nil {
		e.refuse(w, q.id, refusal{http.StatusBadRequest, codeInvalidParams, "notifications is malformed", "params"})
		return
	}
	if !e.streams.take(q.who, e.limits.Streams) {
		e.refuse(w, q.id, refusal{http.StatusTooManyRequests, codeRate, fmt.Sprintf("%d streams are open already", e.limits.Streams), "streams"})
		return
	}
	defer e.streams.leave(q.who)
	changed, unwatch := e.registry.Watch(q.who)
	defer unwatch()
	out := &stream{w: w, limit: e.limits.WriteTime}
	defer out.end()
	mark := map[string]any{mcp.MetaKeySubscriptionID: q.id}
	granted := mcp.SubscriptionFilter{ToolsListChanged: params.Notifications.ToolsListChanged}
	if out.event(notification{mcp.JSONRPC_VERSION, mcp.MethodNotificationSubscriptionsAcknowledged, map[string]any{"_meta": mark, "notifications": granted}}) != nil {
		return
	}
	if granted.ToolsListChanged {
		e.tell(ctx, out, changed, notification{mcp.JSONRPC_VERSION, mcp.MethodNotificationToolsListChanged, map[string]any{"_meta": mark}})
	}
	_ = out.event(wireResult{mcp.JSONRPC_VERSION, q.id, map[string]any{"resultType": mcp.ResultTypeComplete, "_meta": mark}}) // if the client still listens
}
