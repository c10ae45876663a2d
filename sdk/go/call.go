package ext

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"runtime/debug"
	"sync"
	"time"
)

// Agent is who calls a tool.
type Agent struct {
	ID   string `json:"id"`
	Name string `json:"name"`
}

// Call is one call of a tool. The handler's context ends when the call was
// cancelled or took too long; nothing is sent afterwards.
type Call struct {
	ID       string
	Tool     string
	Agent    Agent
	Deadline time.Time

	progress *progress
}

// Progress says how far the call is, in at most 200 characters. Lines that come
// too close give way to the newest.
func (c *Call) Progress(text string) { c.progress.tell(text) }

// handler answers a call with what is sent.
type handler func(ctx context.Context, args json.RawMessage, c *Call) (any, error)

// ErrCancelled and ErrTooLate are the causes with which a handler's context ends.
var (
	ErrCancelled = errors.New("the call was cancelled")
	ErrTooLate   = errors.New("the call took too long")
)

// Handle answers calls of a declared tool with f, until the returned function is
// called. The arguments fit the tool's schema. A second handler for the same tool
// is an error.
func Handle[In any](x *Extension, tool string, f func(ctx context.Context, in In, c *Call) (any, error)) (remove func(), err error) {
	return x.handle(tool, func(ctx context.Context, args json.RawMessage, c *Call) (any, error) {
		var in In
		if err := json.Unmarshal(args, &in); err != nil {
			return nil, fmt.Errorf("read the arguments: %w", err)
		}
		return f(ctx, in, c)
	})
}

func (x *Extension) handle(tool string, h handler) (remove func(), err error) {
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.handlers[tool] != nil {
		return nil, fmt.Errorf("the tool %s has a handler already", tool)
	}
	x.handlers[tool] = h
	if x.ready {
		x.wire.post("tools.register", map[string]string{"tool": tool})
	}
	var once sync.Once
	return func() {
		once.Do(func() {
			x.mu.Lock()
			defer x.mu.Unlock()
			delete(x.handlers, tool)
			if x.ready {
				x.wire.post("tools.unregister", map[string]string{"tool": tool})
			}
		})
	}, nil
}

// event hears of what the host tells.
func (x *Extension) event(method string, params json.RawMessage) {
	switch method {
	case "host.ping":
		x.wire.post("host.pong", params)
	case "tools.call":
		x.called(params)
	case "tools.cancel":
		x.cancelled(params)
	case "lifecycle.suspend", "lifecycle.shutdown":
		x.end(params)
	default:
		x.tell(method, params)
	}
}

func (x *Extension) called(params json.RawMessage) {
	var in struct {
		CallID   string          `json:"callId"`
		Tool     string          `json:"tool"`
		Args     json.RawMessage `json:"args"`
		Agent    Agent           `json:"agent"`
		Deadline int64           `json:"deadline"`
	}
	if json.Unmarshal(params, &in) != nil {
		return
	}
	c := &Call{ID: in.CallID, Tool: in.Tool, Agent: in.Agent, progress: newProgress(x, in.CallID)}
	ctx, cancel := context.WithCancelCause(context.Background())
	if in.Deadline > 0 {
		c.Deadline = time.UnixMilli(in.Deadline)
		var stop context.CancelFunc
		ctx, stop = context.WithDeadlineCause(ctx, c.Deadline, ErrTooLate)
		context.AfterFunc(ctx, stop)
	}
	x.mu.Lock()
	h := x.handlers[in.Tool]
	x.running[in.CallID] = cancel
	x.calls.Add(1)
	x.mu.Unlock()
	go func() {
		defer x.calls.Done()
		defer cancel(nil)
		x.answer(ctx, h, in.Args, c)
		c.progress.stop()
		x.mu.Lock()
		delete(x.running, in.CallID)
		x.mu.Unlock()
	}()
}

// answer runs a handler and sends what comes of it, unless nobody waits any more.
func (x *Extension) answer(ctx context.Context, h handler, args json.RawMessage, c *Call) {
	params, err := run(ctx, h, args, c)
	if ctx.Err() != nil {
		return
	}
	if err != nil {
		x.Log("warn", c.Tool+": "+err.Error())
	}
	params["callId"] = c.ID
	if err := x.wire.ask(ctx, "tools.respond", params, nil); err != nil && !IsError(err, "NOT_FOUND") && ctx.Err() == nil {
		text := err.Error()
		var refused *Error
		if errors.As(err, &refused) {
			text = refused.Message
		}
		_ = x.wire.ask(ctx, "tools.respond", map[string]any{"callId": c.ID, "error": cut(text, 4000)}, nil)
	}
}

// run runs a handler; a panic in it is its error.
func run(ctx context.Context, h handler, args json.RawMessage, c *Call) (params map[string]any, err error) {
	defer func() {
		if v := recover(); v != nil {
			err = fmt.Errorf("it broke: %v\n%s", v, debug.Stack())
			params = map[string]any{"error": cut(fmt.Sprintf("it broke: %v", v), 4000)}
		}
	}()
	if h == nil {
		return map[string]any{"error": "the tool has no handler"}, nil
	}
	value, err := h(ctx, args, c)
	var told *toolError
	switch {
	case errors.As(err, &told):
		return map[string]any{"result": told.result()}, nil
	case err != nil:
		return map[string]any{"error": cut(err.Error(), 4000)}, err
	}
	result, err := shaped(value)
	if err != nil {
		return map[string]any{"error": cut(err.Error(), 4000)}, err
	}
	return map[string]any{"result": result}, nil
}

func (x *Extension) cancelled(params json.RawMessage) {
	var in struct{ CallID, Reason string }
	if json.Unmarshal(params, &in) != nil {
		return
	}
	x.mu.Lock()
	cancel := x.running[in.CallID]
	x.mu.Unlock()
	if cancel == nil {
		return
	}
	if in.Reason == "timeout" {
		cancel(ErrTooLate)
		return
	}
	cancel(ErrCancelled)
}

func (x *Extension) cancelAll() {
	x.mu.Lock()
	defer x.mu.Unlock()
	for _, cancel := range x.running {
		cancel(ErrCancelled)
	}
}

// end runs what is to be done before the end, for at most the grace that the host
// gives, and ends reading.
func (x *Extension) end(params json.RawMessage) {
	var in struct{ GraceMs int64 }
	_ = json.Unmarshal(params, &in) // no grace is none
	ctx, cancel := context.WithTimeout(context.Background(), time.Duration(in.GraceMs)*time.Millisecond)
	x.mu.Lock()
	list := x.ending
	x.mu.Unlock()
	go func() {
		defer cancel()
		for _, f := range list {
			f(ctx)
		}
		x.once.Do(func() { close(x.over) })
	}()
}
