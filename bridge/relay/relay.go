// Package relay is the door on standard input and output: it passes each line to
// the edge over HTTP and each answer back as a line, for clients that start a
// program. It has no tools of its own and decides nothing; what it adds is what
// lines lack: the session, the headers of each revision, cancellation, and a new
// session when the daemon was started again. It imports bridge and bridge/strictjson;
// internal/daemon gives it a client that reaches the daemon.
package relay

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"sync"
	"time"

	"github.com/mark3labs/mcp-go/mcp"

	"meterbridge/bridge/strictjson"
)

// Options of a relay. In, Out, Client and URL are needed.
type Options struct {
	In  io.Reader
	Out io.Writer
	// Client reaches the edge, URL is its endpoint.
	Client *http.Client
	URL    string
	// Token is the bearer's; empty where the connection is the credential.
	Token string
	// Line is the longest line in bytes (4 MiB); longer ones are thrown away.
	Line int
	// Grace is how long calls that run may go on when the input has ended (10 s),
	// Patience how long the relay waits before it connects once more (500 ms).
	Grace, Patience time.Duration
}

// mostRunning is how many requests are on their way at once; the edge has its own,
// tighter limits for calls.
const mostRunning = 256

// The codes of the relay's own errors.
const (
	codeTooLarge = -32004
	codeBusy     = -32005
	codeGone     = -32011
)

// relay is one connection of a client.
type relay struct {
	o   Options
	ctx context.Context
	// fail ends the relay with the reason why nothing can be written any more.
	fail context.CancelCauseFunc
	out  sync.Mutex

	// running counts requests under way, streams the stream of the session.
	running, streams sync.WaitGroup

	mu sync.Mutex
	// calls holds what is under way, by the client's id; guarded by mu.
	calls map[string]*flight
	session
}

// flight is a request under way.
type flight struct {
	cancel context.CancelFunc
	// cancelled: the client wants no answer any more; guarded by the relay's mu.
	cancelled bool
}

// Run relays until the input ends or ctx does; the error is that of the output.
func Run(ctx context.Context, o Options) error {
	if o.Line == 0 {
		o.Line = 4 << 20
	}
	if o.Grace == 0 {
		o.Grace = 10 * time.Second
	}
	if o.Patience == 0 {
		o.Patience = 500 * time.Millisecond
	}
	ctx, fail := context.WithCancelCause(ctx)
	defer fail(nil)
	r := &relay{o: o, ctx: ctx, fail: fail, calls: map[string]*flight{}}
	lines := make(chan line)
	go r.read(lines)
	for {
		select {
		case l, more := <-lines:
			if !more {
				return r.end()
			}
			r.take(l)
		case <-ctx.Done():
			return r.end()
		}
	}
}

// line is a line of the input without its end.
type line struct {
	text []byte
	// long: it was too long and thrown away.
	long bool
}

// read reads lines until the input ends. A reader that blocks is left behind when
// the relay ends: the process does too.
func (r *relay) read(lines chan<- line) {
	defer close(lines)
	in := bufio.NewReaderSize(r.o.In, 64<<10)
	for {
		l, err := readLine(in, r.o.Line)
		if len(bytes.TrimSpace(l.text)) > 0 || l.long {
			select {
			case lines <- l:
			case <-r.ctx.Done():
				return
			}
		}
		if err != nil {
			return
		}
	}
}

func readLine(in *bufio.Reader, most int) (l line, err error) {
	for {
		part, err := in.ReadSlice('\n')
		if len(l.text)+len(bytes.TrimRight(part, "\r\n")) > most {
			l = line{long: true}
		}
		if !l.long {
			l.text = append(l.text, part...)
		}
		if !errors.Is(err, bufio.ErrBufferFull) {
			return l, err
		}
	}
}

// take handles one line. It never waits for an answer but that of initialize,
// which what follows needs; so a cancellation always gets through.
func (r *relay) take(l line) {
	if l.long {
		r.refuse(nil, codeTooLarge, fmt.Sprintf("a message may have %d bytes", r.o.Line))
		return
	}
	m, err := strictjson.Parse(l.text)
	if err != nil {
		code := mcp.PARSE_ERROR
		if errors.Is(err, strictjson.ErrShape) {
			code = mcp.INVALID_REQUEST
		}
		r.refuse(nil, code, err.Error())
		return
	}
	method := mcp.MCPMethod(m.Text(m.Method))
	switch {
	case method == mcp.MethodNotificationCancelled && !m.Has(m.ID):
		r.cancel(m)
	case method == mcp.MethodInitialize && m.Has(m.ID):
		r.initialize(m, l.text)
	case m.Has(m.ID) && method != "":
		r.start(m, l.text)
	default:
		r.notify(method, m, l.text)
	}
}

// start sends a request and leaves its answer to a goroutine.
func (r *relay) start(m *strictjson.Message, text []byte) {
	id := string(m.Raw(m.ID))
	ctx, cancel := context.WithCancel(r.ctx)
	f := &flight{cancel: cancel}
	r.mu.Lock()
	_, taken := r.calls[id]
	full := len(r.calls) >= mostRunning
	if !taken && !full {
		r.calls[id] = f
	}
	r.mu.Unlock()
	switch {
	case taken:
		cancel()
		r.refuse(m.Raw(m.ID), mcp.INVALID_REQUEST, "a request with this id runs already")
	case full:
		cancel()
		r.refuse(m.Raw(m.ID), codeBusy, fmt.Sprintf("%d requests are under way already", mostRunning))
	default:
		r.running.Go(func() {
			defer cancel()
			r.exchange(ctx, f, m, text)
			r.mu.Lock()
			defer r.mu.Unlock()
			delete(r.calls, id)
		})
	}
}

// cancel ends a request of this client. The edge sees its connection close, which
// relays declare to be a cancellation in every revision.
func (r *relay) cancel(m *strictjson.Message) {
	var params struct {
		RequestID json.RawMessage `json:"requestId"`
	}
	if json.Unmarshal(m.Raw(m.Params), &params) != nil {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if f := r.calls[string(params.RequestID)]; f != nil {
		f.cancelled = true
		f.cancel()
	}
}

// dropped tells whether the client wants no answer any more.
func (r *relay) dropped(f *flight) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return f.cancelled
}

// end waits a while for what runs, then ends it and the session.
func (r *relay) end() error {
	cause := context.Cause(r.ctx)
	done := make(chan struct{})
	go func() {
		defer close(done)
		r.running.Wait()
	}()
	grace := time.NewTimer(r.o.Grace)
	defer grace.Stop()
	select {
	case <-done:
	case <-grace.C:
	case <-r.ctx.Done():
	}
	r.fail(nil)
	<-done
	r.leave()
	r.streams.Wait()
	if errors.Is(cause, context.Canceled) {
		return nil
	}
	return cause
}

// write writes one message as a line.
func (r *relay) write(text []byte) {
	text = bytes.TrimRight(text, "\r\n")
	if bytes.ContainsAny(text, "\r\n") {
		var b bytes.Buffer
		if json.Compact(&b, text) != nil {
			return
		}
		text = b.Bytes()
	}
	r.out.Lock()
	defer r.out.Unlock()
	if _, err := r.o.Out.Write(append(text, '\n')); err != nil {
		r.fail(fmt.Errorf("write to the client: %w", err))
	}
}

func (r *relay) refuse(id json.RawMessage, code int, message string) {
	text, err := json.Marshal(struct {
		JSONRPC string                  `json:"jsonrpc"`
		ID      json.RawMessage         `json:"id"`
		Error   mcp.JSONRPCErrorDetails `json:"error"`
	}{mcp.JSONRPC_VERSION, id, mcp.JSONRPCErrorDetails{Code: code, Message: message}})
	if err == nil {
		r.write(text)
	}
}
