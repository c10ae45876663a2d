package host

import (
	"context"
	"encoding/base64"
	"fmt"
	"time"

	"meterbridge/bridge"
	"meterbridge/bridge/fetch"
)

// How many requests of one connection run at once, and how many of them tell their
// answers piece by piece.
const (
	mostFetches = 6
	mostStreams = 4
)

// fetches are the requests of a connection that run; k.mu guards them.
type fetches struct {
	of      map[string]context.CancelFunc
	streams int
	last    int
}

type fetchParams struct {
	URL          string            `json:"url"`
	Method       string            `json:"method"`
	Headers      map[string]string `json:"headers"`
	Body         *string           `json:"body"`
	BodyEncoding string            `json:"bodyEncoding"`
	ResponseType string            `json:"responseType"`
	TimeoutMs    int64             `json:"timeoutMs"`
	RequestID    string            `json:"requestId"`
}

// request is what is asked for, in the words of package fetch.
func (p *peer) request(in fetchParams) (fetch.Request, *fault) {
	x := p.k.x
	r := fetch.Request{
		URL: in.URL, Method: in.Method, Headers: in.Headers, Timeout: time.Duration(in.TimeoutMs) * time.Millisecond, Granted: x.Granted,
		Secret: func(key string) (string, bool) {
			if p.k.h.o.Ports.Secret == nil || !x.secret(key) {
				return "", false
			}
			return p.k.h.o.Ports.Secret(x.Name, key)
		},
	}
	if r.Method == "" {
		r.Method = "GET"
	}
	if r.Timeout == 0 {
		r.Timeout = 30 * time.Second
	}
	if in.Body == nil {
		return r, nil
	}
	if r.Method == "GET" || r.Method == "HEAD" {
		return r, faulty(bridge.CodeInvalidParams, "body: %s has none", r.Method)
	}
	r.Body = []byte(*in.Body)
	if in.BodyEncoding == "base64" {
		body, err := base64.StdEncoding.DecodeString(*in.Body)
		if err != nil {
			return r, faulty(bridge.CodeInvalidParams, "body: is not base64")
		}
		r.Body = body
	}
	return r, nil
}

// secret tells whether a key is that of a secret which the manifest declares.
func (x *extension) secret(key string) bool {
	for _, s := range x.Settings {
		if s.Key == key {
			return s.Type == "secret"
		}
	}
	return false
}

// netFetch makes a request for the extension.
func (p *peer) netFetch(in fetchParams) (any, *fault) {
	r, f := p.request(in)
	if f != nil {
		return nil, f
	}
	ctx, id, f := p.beginFetch(in.RequestID, in.ResponseType == "stream")
	if f != nil {
		return nil, f
	}
	answer, err := p.k.h.o.Fetch.Do(ctx, r)
	if err != nil {
		p.endFetch(id, in.ResponseType == "stream")
		return nil, portFault(err)
	}
	told := map[string]any{"requestId": id, "status": answer.Status, "statusText": answer.StatusText, "headers": answer.Headers, "url": answer.URL}
	if in.ResponseType == "stream" {
		return afterwards{told, func() { p.streamed(ctx, id, answer) }}, nil
	}
	defer p.endFetch(id, false)
	defer answer.Close()
	body, truncated, err := answer.Read()
	if err != nil {
		return nil, portFault(err)
	}
	if truncated {
		told["truncated"] = true
	}
	switch in.ResponseType {
	case "json":
		if truncated {
			return nil, faulty(fetch.CodeNetwork, "the answer is longer than %d MiB", fetch.MaxResponse>>20)
		}
		if told["json"], err = fetch.JSON(body); err != nil {
			return nil, portFault(err)
		}
	case "base64":
		told["body"] = base64.StdEncoding.EncodeToString(body)
	default:
		told["body"] = fetch.Text(body)
	}
	return told, nil
}

// beginFetch notes a request that runs. Its id is the extension's, or one of ours.
func (p *peer) beginFetch(id string, stream bool) (context.Context, string, *fault) {
	p.k.mu.Lock()
	defer p.k.mu.Unlock()
	f := &p.fetches
	if f.of == nil {
		f.of = map[string]context.CancelFunc{}
	}
	if id == "" {
		f.last++
		id = fmt.Sprintf("f-%d", f.last)
	}
	switch {
	case f.of[id] != nil:
		return nil, "", faulty(bridge.CodeInvalidParams, "requestId: a request of this id runs already")
	case len(f.of) >= mostFetches:
		return nil, "", faulty(bridge.CodeBusy, "%d requests run already", mostFetches)
	case stream && f.streams >= mostStreams:
		return nil, "", faulty(bridge.CodeBusy, "%d answers are being streamed already", mostStreams)
	}
	ctx, end := context.WithCancel(p.ctx)
	f.of[id] = end
	if stream {
		f.streams++
	}
	return ctx, id, nil
}

func (p *peer) endFetch(id string, stream bool) {
	p.k.mu.Lock()
	defer p.k.mu.Unlock()
	p.fetches.of[id]()
	delete(p.fetches.of, id)
	if stream {
		p.fetches.streams--
	}
}

// streamed tells an answer piece by piece, as fast as the extension reads.
func (p *peer) streamed(ctx context.Context, id string, answer *fetch.Response) {
	defer p.endFetch(id, true)
	defer answer.Close()
	err := answer.Stream(func(c fetch.Chunk) {
		p.room(ctx)
		p.tell("net.chunk", map[string]any{"requestId": id, "chunk": c.Data, "encoding": c.Encoding, "done": false})
	})
	last := map[string]any{"requestId": id, "chunk": "", "encoding": "text", "done": true}
	if err != nil {
		f := portFault(err)
		last["error"] = map[string]string{"code": f.code, "message": f.message}
	}
	p.tell("net.chunk", last)
}

// netAbort gives up a request; one that has ended is none.
func (p *peer) netAbort(in fetchParams) (any, *fault) {
	p.k.mu.Lock()
	defer p.k.mu.Unlock()
	if end := p.fetches.of[in.RequestID]; end != nil {
		end()
	}
	return nil, nil
}
