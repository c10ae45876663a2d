package edge

import (
	"context"
	"encoding/json"
	"fmt"
	"math"
	"net/http"
	"strconv"
	"time"

	"github.com/mark3labs/mcp-go/mcp"

	"meterbridge/bridge"
	"meterbridge/bridge/registry"
	"meterbridge/bridge/strictjson"
)

// request is a POST that passed the guard.
type request struct {
	*strictjson.Message
	who    bridge.Identity
	tools  *registry.Snapshot
	modern bool
	id     json.RawMessage
	method mcp.MCPMethod
}

func (e *Edge) post(w http.ResponseWriter, r *http.Request, who bridge.Identity) {
	m, refused := e.read(w, r)
	if refused != nil {
		e.refuse(w, nil, *refused)
		return
	}
	q := request{Message: m, who: who, tools: e.engine.sync(e.registry), id: m.Raw(m.ID), method: mcp.MCPMethod(m.Text(m.Method))}
	var err error
	if q.modern, err = era(r, m, q.tools); err != nil {
		e.refuseMismatch(w, q.id, err)
		return
	}
	if q.method == mcp.MethodNotificationCancelled && q.id == nil {
		e.cancelled(r, q)
		w.WriteHeader(http.StatusAccepted)
		return
	}
	if wait, ok := e.rates.Take(who.Agent); !ok {
		e.tooMany(w, q.id, wait)
		return
	}
	switch {
	case q.id == nil || !m.Has(m.Method):
		e.message(w, r, q)
	case q.modern:
		e.modern(w, r, q)
	case q.method == mcp.MethodInitialize:
		e.initialize(w, r, q)
	default:
		e.legacy(w, r, q)
	}
}

func (e *Edge) refuseMismatch(w http.ResponseWriter, id json.RawMessage, err error) {
	m, ok := err.(*mismatch) //nolint:errorlint // era returns nothing else, and never wrapped
	if !ok {
		m = headerMismatch(err.Error())
	}
	e.refuseWith(w, id, http.StatusBadRequest, m.details, m.reason)
}

func (e *Edge) tooMany(w http.ResponseWriter, id json.RawMessage, wait time.Duration) {
	w.Header().Set("Retry-After", strconv.Itoa(int(math.Ceil(wait.Seconds()))))
	ms := wait.Milliseconds() + 1
	e.refuseWith(w, id, http.StatusTooManyRequests, mcp.JSONRPCErrorDetails{
		Code: codeRate, Message: fmt.Sprintf("too many messages; wait %d ms", ms), Data: map[string]int64{"retryAfterMs": ms},
	}, "rate")
}

// cancelled cancels a call of the same session. Without a session it does
// nothing: an id alone says nothing about whose call it is.
func (e *Edge) cancelled(r *http.Request, q request) {
	x, leave := e.sessions.find(q.who, r.Header.Get(mcp.HeaderSessionID))
	if q.modern || x == nil {
		return
	}
	defer leave()
	var params struct {
		RequestID json.RawMessage `json:"requestId"`
	}
	if json.Unmarshal(q.Raw(q.Params), &params) == nil {
		x.cancel(string(params.RequestID))
	}
}

// message takes a notification or a response; neither is answered.
func (e *Edge) message(w http.ResponseWriter, r *http.Request, q request) {
	if !q.modern {
		_, leave := e.session(w, r, q.who, nil)
		if leave == nil {
			return
		}
		leave()
	}
	w.WriteHeader(http.StatusAccepted)
}

// session finds the session that a request names, or turns it away.
func (e *Edge) session(w http.ResponseWriter, r *http.Request, who bridge.Identity, id json.RawMessage) (*session, func()) {
	name := r.Header.Get(mcp.HeaderSessionID)
	if name == "" {
		e.refuse(w, id, refusal{
			http.StatusBadRequest, codeInvalidRequest, "the header " + mcp.HeaderSessionID + " is missing; send initialize first", "session",
		})
		return nil, nil
	}
	x, leave := e.sessions.find(who, name)
	if x == nil {
		e.refuse(w, id, refusal{http.StatusNotFound, codeInvalidRequest, "there is no such session; send initialize again", "session"})
		return nil, nil
	}
	return x, leave
}

// initialize answers the handshake and opens a session.
func (e *Edge) initialize(w http.ResponseWriter, r *http.Request, q request) {
	c := e.engine.begin(call{who: q.who, tools: q.tools})
	response := e.engine.do(r.Context(), c, q.WithID([]byte(c.id)))
	if ok, is := response.(mcp.JSONRPCResponse); is {
		if result, is := ok.Result.(mcp.InitializeResult); is {
			x := e.sessions.open(q.who, result.ProtocolVersion)
			if x == nil {
				e.refuse(w, q.id, refusal{
					http.StatusTooManyRequests, codeRate, fmt.Sprintf("%d sessions are in use already", e.limits.Sessions), "sessions",
				})
				return
			}
			w.Header().Set(mcp.HeaderSessionID, x.id)
		}
	}
	e.respond(w, q, response)
}

// legacy answers a request of a session. Its call does not end with the
// connection, but with the session, unless the client asks for that.
func (e *Edge) legacy(w http.ResponseWriter, r *http.Request, q request) {
	x, leave := e.session(w, r, q.who, q.id)
	if x == nil {
		return
	}
	defer leave()
	ctx, cancel := context.WithCancel(x.ctx)
	defer cancel()
	if r.Header.Get(bridge.CancelHeader) == bridge.CancelOnDisconnect {
		defer context.AfterFunc(r.Context(), cancel)()
	}
	if !x.begin(string(q.id), cancel) {
		e.refuse(w, q.id, refusal{http.StatusBadRequest, codeInvalidRequest, "a request with this id runs already", "id"})
		return
	}
	defer x.finish(string(q.id))
	e.run(ctx, w, q, x.version)
}

// modern answers a request of the era without sessions. Its call ends with the
// connection.
func (e *Edge) modern(w http.ResponseWriter, r *http.Request, q request) {
	ctx, cancel := context.WithCancel(r.Context())
	defer cancel()
	defer context.AfterFunc(e.ctx, cancel)()
	if q.method == mcp.MethodSubscriptionsListen {
		e.listen(ctx, w, q)
		return
	}
	e.run(ctx, w, q, r.Header.Get(mcp.HeaderProtocolVersion))
}

// run has the engine answer a request and writes what comes of it: notifications
// while it runs, all of them before the answer.
func (e *Edge) run(ctx context.Context, w http.ResponseWriter, q request, version string) {
	whole := ""
	if q.method == mcp.MethodToolsCall {
		entry := q.tools.Resolve(q.who, q.Text(q.Name))
		if entry != nil && !q.tools.Visible(q.who, entry.Name) {
			e.refuse(w, q.id, refusal{http.StatusForbidden, codeNotAllowed, "the tool " + entry.Name + " is not turned on for you", "not_allowed"})
			return
		}
		if entry != nil && entry.Name != q.Text(q.Name) {
			whole = entry.Name // the client has the shortened name
		}
	}
	c := e.engine.begin(call{who: q.who, tools: q.tools, version: version, modern: q.modern, listing: q.method == mcp.MethodToolsList, search: e.search, token: q.progressToken()})
	out := &stream{w: w, limit: e.limits.WriteTime}
	defer out.end()
	response, answered := e.pump(e.reporting(ctx, c), out, c, q.With([]byte(c.id), whole))
	switch {
	case answered && out.started:
		_ = out.event(e.wire(q, response)) // a client that went away needs no answer
	case answered:
		e.respond(w, q, response)
	case e.ctx.Err() != nil && !out.started:
		e.refuse(w, q.id, stopping())
	default:
		// A cancelled request has no answer, but its connection needs an end.
		_ = out.start()
	}
}

func (q request) progressToken() json.RawMessage {
	var meta struct {
		Token json.RawMessage `json:"progressToken"`
	}
	if raw := q.Raw(q.Meta); raw == nil || json.Unmarshal(raw, &meta) != nil || string(meta.Token) == "null" {
		return nil
	}
	return meta.Token
}

// pump writes a call's notifications while it runs. It returns false when the
// call was cancelled: then it has no answer, whatever comes of it.
func (e *Edge) pump(ctx context.Context, out *stream, c *call, message []byte) (mcp.JSONRPCMessage, bool) {
	done := make(chan mcp.JSONRPCMessage, 1)
	e.running.Go(func() { done <- e.engine.do(ctx, c, message) })
	beat := newHeartbeat(c, e.limits.Heartbeat)
	defer beat.stop()
	for {
		select {
		case n := <-c.notes:
			_ = out.event(n) // the call goes on for a client that went away
			beat.reset()
		case response := <-done:
			for len(c.notes) > 0 {
				_ = out.event(<-c.notes)
			}
			return response, ctx.Err() == nil
		case <-beat.c:
			beat.tell(ctx)
		case <-ctx.Done():
			return nil, false
		}
	}
}
