// Package pipeline is the one way of a tool call, whatever door it came through:
// arguments are checked, rates are counted, the caller waits for its turn, the
// deadline runs, and every failure becomes an answer that a model can read. It
// imports bridge, bridge/registry and bridge/schema; edge calls it.
package pipeline

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"sync/atomic"
	"time"

	"meterbridge/bridge"
	"meterbridge/bridge/rates"
	"meterbridge/bridge/registry"
	"meterbridge/bridge/schema"
)

// Limits bound calls. A zero field takes its default.
type Limits struct {
	// Arguments and Result are sizes in bytes: of a call's arguments (256 KiB), and
	// of its whole answer as JSON (1 MiB).
	Arguments, Result int
	// Running is how many calls of one caller run at once (8), Waiting how many
	// more wait for their turn (32). Extension is how many calls one extension works
	// on at once (4).
	Running, Waiting, Extension int
	// CallsPerMinute is how often one caller may call one tool (60), CallBurst how
	// often at once (20).
	CallsPerMinute, CallBurst int
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
	fill(&l.Extension, 4)
	fill(&l.CallsPerMinute, 60)
	fill(&l.CallBurst, 20)
	return l
}

// issueLines is how many faults of the arguments a model is told.
const issueLines = 20

// answerMargin is how long before its deadline a call of an extension is answered:
// the client, whose clock may be the same, should hear of it.
const answerMargin = 50 * time.Millisecond

// Call is one call of a tool.
type Call struct {
	Who  bridge.Identity
	Tool *registry.Entry
	Args json.RawMessage
	// Era is the client's revision of MCP, TraceID that of its _meta; empty when unknown.
	Era, TraceID string
}

// Pipeline carries calls. The zero value of Options is valid.
type Pipeline struct {
	limits Limits
	now    func() time.Time
	done   func(bridge.CallRecord)
	ask    func(ctx context.Context, c Call) error
	// values is what takes secrets out of values; nil where none are kept.
	values *blanker
	// turns are those of callers, places those of extensions.
	turns, places turns
	rates         *rates.Rates[callOf]
	last          atomic.Int64
	start         string
}

// Options of a pipeline.
type Options struct {
	Limits Limits
	// Now is the clock; nil is time.Now.
	Now func() time.Time
	// Done hears of each call that ended; nil when nobody does.
	Done func(bridge.CallRecord)
	// Ask holds a call until a person allows it; its error is the call's. Nil asks
	// nobody. Tools that only read are never held.
	Ask func(ctx context.Context, c Call) error
	// Values keeps arguments and answers in traces, secrets blanked.
	Values bool
}

// New returns a pipeline.
func New(o Options) *Pipeline {
	p := &Pipeline{limits: o.Limits.filled(), now: o.Now, done: o.Done, ask: o.Ask}
	if o.Values {
		p.values = newBlanker()
	}
	if p.now == nil {
		p.now = time.Now
	}
	l := p.limits
	p.turns = turns{running: l.Running, waiting: l.Waiting, of: map[string]*turn{}}
	p.places = turns{running: l.Extension, waiting: l.Waiting * 1024, of: map[string]*turn{}}
	p.rates = rates.New[callOf](l.CallsPerMinute, l.CallBurst, mostRates, p.now)
	p.start = strconv.FormatInt(p.now().UnixMilli(), 36)
	return p
}

// Do carries out one call. It always has an answer; when ctx was cancelled nobody
// waits for it.
func (p *Pipeline) Do(ctx context.Context, c Call) Answer {
	if len(bytes.TrimSpace(c.Args)) == 0 || string(c.Args) == "null" {
		c.Args = json.RawMessage("{}")
	}
	var trace bridge.CallTrace
	r := p.record(c)
	result, err := p.run(bridge.WithTrace(ctx, &trace), c, &r)
	a := p.answer(c.Tool, result, err)
	r.Ended, r.Woke, r.Handled, r.Progress, r.Instance = p.now(), trace.Woke, trace.Handled, trace.Progress, trace.Instance
	if c.Tool.From == nil {
		r.Handled = r.Ended.Sub(r.Started) - r.Queued
	}
	r.ResultBytes, r.Items, r.Removed, r.Outcome = a.size, len(a.Content), a.removed, a.Code
	if p.values != nil {
		r.Arguments, r.Answer = p.values.value(c.Args), p.values.answer(a)
	}
	switch {
	case ctx.Err() != nil:
		r.Outcome = "cancelled"
	case r.Outcome == "":
		r.Outcome = "ok"
	}
	if p.done != nil {
		p.done(r)
	}
	return a
}

// record begins the trace of a call.
func (p *Pipeline) record(c Call) bridge.CallRecord {
	r := bridge.CallRecord{
		ID: p.start + "-" + strconv.FormatInt(p.last.Add(1), 36), Started: p.now(), Agent: c.Who.Agent, By: "built-in",
		Tool: c.Tool.Name, Exposed: c.Tool.Name, ArgumentBytes: len(c.Args), Era: c.Era, TraceID: c.TraceID,
	}
	if f := c.Tool.From; f != nil {
		r.By, r.Package, r.Version, r.Tool, r.ToolDigest, r.TreeDigest = f.By, f.Package, f.Version, f.Tool, f.ToolDigest, f.TreeDigest
	}
	if p.done != nil {
		r.ArgumentShape = shape(c.Args)
	}
	return r
}

// run is the way up to the tool's own answer.
func (p *Pipeline) run(ctx context.Context, c Call, r *bridge.CallRecord) (bridge.Result, error) {
	if c.Tool.Cards != nil {
		rest, card, err := registry.TakeCard(c.Args, c.Tool.Cards(c.Who))
		if err != nil {
			return bridge.Result{}, err
		}
		c.Args, ctx = rest, bridge.WithChosenCard(ctx, card)
	}
	if len(c.Args) > p.limits.Arguments {
		return bridge.Result{}, refused(bridge.CodeInvalidParams, "the arguments are larger than %d bytes", p.limits.Arguments)
	}
	if issues := c.Tool.In.Check(c.Args); len(issues) > 0 {
		return bridge.Result{}, refused(bridge.CodeInvalidParams, "%s", schema.Lines(issues, issueLines))
	}
	if wait, ok := p.rates.Take(callOf{c.Who.Agent, c.Tool.Name}); !ok {
		return bridge.Result{}, refused(bridge.CodeRateLimited, "%s may be called %d times a minute; wait %d ms", c.Tool.Name, p.limits.CallsPerMinute, wait.Milliseconds()+1)
	}
	timeout := c.Tool.Timeout
	if timeout == 0 {
		timeout = bridge.DefaultTimeout
	}
	margin := time.Duration(0)
	if c.Tool.From != nil && timeout > 2*answerMargin {
		margin = answerMargin
	}
	limited, cancel := context.WithTimeout(ctx, timeout-margin)
	defer cancel()
	result, err := p.allowed(limited, c, r)
	if err != nil && errors.Is(limited.Err(), context.DeadlineExceeded) && ctx.Err() == nil {
		return bridge.Result{}, refused(bridge.CodeTimeout, "%s did not answer within %v; ask for less, or try again", c.Tool.Name, timeout)
	}
	return result, err
}

// allowed has a person asked, where one is to be, before the call takes a turn that
// others wait for.
func (p *Pipeline) allowed(ctx context.Context, c Call, r *bridge.CallRecord) (bridge.Result, error) {
	if p.ask != nil && !c.Tool.Annotations.ReadOnly {
		if err := p.ask(ctx, c); err != nil {
			return bridge.Result{}, err
		}
	}
	return p.inTurn(ctx, c, r)
}

// inTurn waits for the caller's turn and for a place of the extension, and calls.
func (p *Pipeline) inTurn(ctx context.Context, c Call, r *bridge.CallRecord) (bridge.Result, error) {
	leave, err := p.turns.take(ctx, c.Who.Agent)
	if err == nil && c.Tool.From != nil {
		defer leave()
		leave, err = p.places.take(ctx, c.Tool.From.Package)
	}
	r.Queued = p.now().Sub(r.Started)
	if err != nil {
		return bridge.Result{}, err
	}
	defer leave()
	return handle(ctx, c)
}

// handle calls the tool; a panic in it is its error.
func handle(ctx context.Context, c Call) (result bridge.Result, err error) {
	defer func() {
		if v := recover(); v != nil {
			err = refused(bridge.CodeInternal, "%s broke: %v", c.Tool.Name, v)
		}
	}()
	return c.Tool.Call(ctx, c.Who, c.Args)
}

func refused(code, format string, args ...any) error {
	return &bridge.ToolError{Code: code, Message: fmt.Sprintf(format, args...)}
}

// mostRates bounds how many callers and tools are remembered.
const mostRates = 4096

// callOf is whose calls of what are counted.
type callOf struct{ who, tool string }
