// Package pipeline is the one way of a tool call, whatever door it came through:
// arguments are checked, the caller waits for its turn, the deadline runs, and
// every failure becomes an answer that a model can read. It imports bridge,
// bridge/registry and bridge/schema; edge calls it.
package pipeline

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"meterbridge/bridge"
	"meterbridge/bridge/registry"
	"meterbridge/bridge/schema"
)

// Limits bound calls. A zero field takes its default.
type Limits struct {
	// Arguments and Result are sizes in bytes: of a call's arguments (256 KiB), and
	// of its whole answer as JSON (1 MiB).
	Arguments, Result int
	// Running is how many calls of one caller run at once (8), Waiting how many
	// more wait for their turn (32).
	Running, Waiting int
}

func (l Limits) filled() Limits {
	fill := func(at *int, value int) {
		if *at == 0 {
			*at = value
		}
	}
	fill(&l.Arguments, 256<<10)
	fill(&l.Result, 1<<20)
	fill(&l.Running, 8)
	fill(&l.Waiting, 32)
	return l
}

// issueLines is how many faults of the arguments a model is told.
const issueLines = 20

// Answer is what the caller gets.
type Answer struct {
	// Texts are what a model reads, at least one.
	Texts []string
	// Structured is the JSON object that fits the tool's output schema; nil without.
	Structured json.RawMessage
	// Code is that of a ToolError, "tool_error" for another error of the tool, empty
	// for a call that went well.
	Code string
}

// Failed tells whether the call went wrong.
func (a Answer) Failed() bool { return a.Code != "" }

// Call is what is known of a call when it has ended.
type Call struct {
	Who     bridge.Identity
	Tool    string
	Started time.Time
	// Queued is how long it waited for its turn, Took all it took.
	Queued, Took time.Duration
	// ArgumentBytes and ResultBytes are sizes of JSON.
	ArgumentBytes, ResultBytes int
	// Outcome is "ok", "cancelled", or the answer's code.
	Outcome string
}

// Pipeline carries calls. The zero value of Options is valid.
type Pipeline struct {
	limits Limits
	now    func() time.Time
	done   func(Call)
	turns  turns
}

// Options of a pipeline.
type Options struct {
	Limits Limits
	// Now is the clock; nil is time.Now.
	Now func() time.Time
	// Done hears of each call that ended; nil when nobody does.
	Done func(Call)
}

// New returns a pipeline.
func New(o Options) *Pipeline {
	p := &Pipeline{limits: o.Limits.filled(), now: o.Now, done: o.Done}
	if p.now == nil {
		p.now = time.Now
	}
	p.turns = turns{running: p.limits.Running, waiting: p.limits.Waiting, of: map[string]*turn{}}
	return p
}

// Do carries out one call. It always has an answer; when ctx was cancelled nobody
// waits for it.
func (p *Pipeline) Do(ctx context.Context, who bridge.Identity, tool *registry.Entry, args json.RawMessage) Answer {
	if len(bytes.TrimSpace(args)) == 0 || string(args) == "null" {
		args = json.RawMessage("{}")
	}
	c := Call{Who: who, Tool: tool.Name, Started: p.now(), ArgumentBytes: len(args)}
	result, err := p.run(ctx, tool, args, &c)
	a := p.answer(tool, result, err)
	c.Took, c.Outcome = p.now().Sub(c.Started), "ok"
	for _, text := range a.Texts {
		c.ResultBytes += len(text)
	}
	c.ResultBytes += len(a.Structured)
	if a.Failed() {
		c.Outcome = a.Code
	}
	if ctx.Err() != nil {
		c.Outcome = "cancelled"
	}
	if p.done != nil {
		p.done(c)
	}
	return a
}

// run is the way up to the tool's own answer.
func (p *Pipeline) run(ctx context.Context, tool *registry.Entry, args json.RawMessage, c *Call) (bridge.Result, error) {
	if len(args) > p.limits.Arguments {
		return bridge.Result{}, refused(bridge.CodeInvalidParams, "the arguments are larger than %d bytes", p.limits.Arguments)
	}
	if issues := tool.In.Check(args); len(issues) > 0 {
		return bridge.Result{}, refused(bridge.CodeInvalidParams, "%s", schema.Lines(issues, issueLines))
	}
	timeout := tool.Timeout
	if timeout == 0 {
		timeout = bridge.DefaultTimeout
	}
	limited, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	leave, err := p.turns.take(limited, c.Who.Agent)
	c.Queued = p.now().Sub(c.Started)
	if err == nil {
		defer leave()
		var result bridge.Result
		if result, err = handle(limited, c.Who, tool, args); err == nil {
			return result, nil
		}
	}
	if errors.Is(limited.Err(), context.DeadlineExceeded) && ctx.Err() == nil {
		return bridge.Result{}, refused(bridge.CodeTimeout, "%s did not answer within %v; ask for less, or try again", tool.Name, timeout)
	}
	return bridge.Result{}, err
}

// handle calls the tool; a panic in it is its error.
func handle(ctx context.Context, who bridge.Identity, tool *registry.Entry, args json.RawMessage) (result bridge.Result, err error) {
	defer func() {
		if v := recover(); v != nil {
			err = refused(bridge.CodeInternal, "%s broke: %v", tool.Name, v)
		}
	}()
	return tool.Call(ctx, who, args)
}

func refused(code, format string, args ...any) error {
	return &bridge.ToolError{Code: code, Message: fmt.Sprintf(format, args...)}
}
