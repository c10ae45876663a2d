package relay

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"sync"
	"time"

	"github.com/mark3labs/mcp-go/mcp"

	"meterbridge/bridge"
	"meterbridge/bridge/strictjson"
)

// session is that of the revisions before 2026-07-28, which lines do not carry.
type session struct {
	state sync.Mutex
	// id and version are empty before initialize; hello is the client's initialize,
	// sent again when the daemon knows the session no more.
	id, version string
	hello       []byte
	// opening is held while a new session takes the place of a lost one.
	opening sync.Mutex
	// stopStream ends the stream of the session; nil without one.
	stopStream context.CancelFunc
}

// current is the session's id and revision.
func (r *relay) current() (id, version string) {
	r.state.Lock()
	defer r.state.Unlock()
	return r.id, r.version
}

// initialize passes the handshake on and keeps the session that it opens.
func (r *relay) initialize(m *strictjson.Message, text []byte) {
	resp, err := r.post(r.ctx, text, http.Header{})
	if err != nil {
		r.refuse(m.Raw(m.ID), codeGone, gone(err))
		return
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	if err != nil {
		r.refuse(m.Raw(m.ID), codeGone, gone(err))
		return
	}
	r.open(resp, body, text)
	r.write(body)
}

// open keeps the session of an answer to initialize.
func (r *relay) open(resp *http.Response, body, hello []byte) bool {
	var answer struct {
		Result struct {
			ProtocolVersion string `json:"protocolVersion"`
		} `json:"result"`
	}
	id := resp.Header.Get(mcp.HeaderSessionID)
	if id == "" || json.Unmarshal(body, &answer) != nil {
		return false
	}
	r.state.Lock()
	defer r.state.Unlock()
	r.id, r.version, r.hello = id, answer.Result.ProtocolVersion, hello
	return true
}

// reopen opens a new session in the place of one that the daemon does not know
// any more, once for all requests that found it so.
func (r *relay) reopen(ctx context.Context, lost string) bool {
	r.opening.Lock()
	defer r.opening.Unlock()
	r.state.Lock()
	id, hello := r.id, r.hello
	r.state.Unlock()
	if id != lost || hello == nil {
		return id != lost
	}
	resp, err := r.post(ctx, hello, http.Header{})
	if err != nil {
		return false
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	if err != nil || !r.open(resp, body, hello) {
		return false
	}
	r.notify(mcp.MethodNotificationInitialized, nil, []byte(`{"jsonrpc":"2.0","method":"notifications/initialized"}`))
	// Another daemon may have other tools.
	r.write([]byte(`{"jsonrpc":"2.0","method":"` + mcp.MethodNotificationToolsListChanged + `"}`))
	return true
}

// notify passes on what has no answer.
func (r *relay) notify(method mcp.MCPMethod, m *strictjson.Message, text []byte) {
	h := r.headers(m)
	resp, err := r.post(r.ctx, text, h)
	if err != nil {
		return // what it was about will find out
	}
	_ = resp.Body.Close()
	if method == mcp.MethodNotificationInitialized && h.Get(mcp.HeaderSessionID) != "" {
		r.listen()
	}
}

// listen opens the session's stream; it goes on until the session or the daemon
// ends.
func (r *relay) listen() {
	ctx, cancel := context.WithCancel(r.ctx)
	r.state.Lock()
	if r.stopStream != nil {
		r.stopStream()
	}
	r.stopStream = cancel
	r.state.Unlock()
	id, version := r.current()
	r.streams.Go(func() {
		defer cancel()
		req, err := http.NewRequestWithContext(ctx, http.MethodGet, r.o.URL, http.NoBody)
		if err != nil {
			return
		}
		req.Header.Set("Accept", "text/event-stream")
		req.Header.Set(mcp.HeaderSessionID, id)
		req.Header.Set(mcp.HeaderProtocolVersion, version)
		r.authorize(req)
		resp, err := r.o.Client.Do(req)
		if err != nil {
			return
		}
		defer resp.Body.Close()
		if resp.StatusCode == http.StatusOK {
			_ = eachEvent(resp.Body, r.write) // the end of the stream is the daemon's or the session's
		}
	})
}

// leaving is how long the daemon may take to end the session.
const leaving = time.Second

// leave ends the session.
func (r *relay) leave() {
	id, version := r.current()
	if id == "" {
		return
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(r.ctx), leaving)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodDelete, r.o.URL, http.NoBody)
	if err != nil {
		return
	}
	req.Header.Set(mcp.HeaderSessionID, id)
	req.Header.Set(mcp.HeaderProtocolVersion, version)
	r.authorize(req)
	if resp, err := r.o.Client.Do(req); err == nil {
		_ = resp.Body.Close()
	}
}

// headers are those that the message's revision asks for.
func (r *relay) headers(m *strictjson.Message) http.Header {
	h := http.Header{}
	var meta struct {
		Version string `json:"io.modelcontextprotocol/protocolVersion"`
	}
	if m != nil {
		_ = json.Unmarshal(m.Raw(m.Meta), &meta) // the edge says what is wrong with it
	}
	if mcp.IsModernProtocol(meta.Version) {
		h.Set(mcp.HeaderProtocolVersion, meta.Version)
		for name, value := range mcp.StandardHeaders(meta.Version, mcp.MCPMethod(m.Text(m.Method)), m.Raw(m.Params)) {
			h.Set(name, value)
		}
		return h
	}
	if id, version := r.current(); id != "" {
		h.Set(mcp.HeaderSessionID, id)
		h.Set(mcp.HeaderProtocolVersion, version)
	}
	return h
}

func (r *relay) authorize(req *http.Request) {
	if r.o.Token != "" {
		req.Header.Set("Authorization", "Bearer "+r.o.Token)
	}
}

// post sends a message. When nobody answers at the endpoint it waits a moment and
// tries once more: the daemon may be starting again.
func (r *relay) post(ctx context.Context, text []byte, h http.Header) (*http.Response, error) {
	for again := false; ; again = true {
		req, err := http.NewRequestWithContext(ctx, http.MethodPost, r.o.URL, bytes.NewReader(text))
		if err != nil {
			return nil, err
		}
		req.Header = h.Clone()
		req.Header.Set("Content-Type", "application/json")
		req.Header.Set("Accept", "application/json, text/event-stream")
		req.Header.Set(bridge.CancelHeader, bridge.CancelOnDisconnect)
		r.authorize(req)
		resp, err := r.o.Client.Do(req)
		if err == nil || again || !unconnected(err) {
			return resp, err
		}
		wait := time.NewTimer(r.o.Patience)
		select {
		case <-wait.C:
		case <-ctx.Done():
			wait.Stop()
			return nil, err
		}
	}
}
