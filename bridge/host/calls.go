package host

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strconv"
	"time"

	"meterbridge/bridge"
)

// reply is what an extension answered.
type reply struct {
	// result is its value as JSON, nil for none. text is its error, with failed.
	result json.RawMessage
	text   string
	failed bool
}

// answerMargin is how long before its deadline a call is answered: the last
// answer of a handler that keeps the deadline is still heard.
const answerMargin = 50 * time.Millisecond

// pending is a call that waits for its answer.
type pending struct {
	id   string
	call bridge.Invocation
	// progress hears of each progress line.
	progress func(string)
	// trace takes how long it all took; it may be nil.
	trace    *bridge.CallTrace
	deadline time.Time
	// done takes the outcome; it has room for one.
	done           chan outcome
	sent           bool
	arrived, begun time.Time
	lastStep       time.Time
	steps          int
}

type outcome struct {
	reply reply
	err   error
}

// Call implements bridge.Runtime. The context's deadline is when the caller is
// answered; what comes later is dropped.
func (h *Host) Call(ctx context.Context, c bridge.Invocation) (bridge.Result, error) {
	k := h.find(c.Extension)
	if k == nil {
		return bridge.Result{}, unavailable("the extension %s is turned off", c.Extension)
	}
	r, err := k.do(ctx, c)
	if err != nil {
		return bridge.Result{}, err
	}
	return k.result(c.Tool, r)
}

func (k *keeper) do(ctx context.Context, c bridge.Invocation) (reply, error) {
	p := &pending{
		id: "c-" + strconv.FormatInt(k.h.calls.Add(1), 10), call: c, done: make(chan outcome, 1), arrived: k.h.o.Now(),
		progress: func(text string) { bridge.Progress(ctx, text) }, trace: bridge.TraceOf(ctx),
	}
	p.deadline, _ = ctx.Deadline()
	if err := k.enqueue(p); err != nil {
		return reply{}, err
	}
	up := time.NewTimer(k.h.times.Ready)
	defer up.Stop()
	for {
		select {
		case o := <-p.done:
			return o.reply, o.err
		case <-up.C:
			k.giveUp(p)
		case <-ctx.Done():
			return k.withdraw(ctx, p)
		}
	}
}

// enqueue adds a call and sends it when that is possible already.
func (k *keeper) enqueue(p *pending) error {
	k.mu.Lock()
	defer k.mu.Unlock()
	switch k.state {
	case bridge.StateOff:
		return unavailable("the extension %s is turned off", k.x.Name)
	case bridge.StateFailed:
		return unavailable("the extension %s does not run: %s; its user can start it again", k.x.Name, k.reason)
	}
	if wait := k.retryAt.Sub(k.h.o.Now()); k.state == bridge.StateCrashed && wait > k.h.times.Ready {
		return unavailable("the extension %s crashed (%s) and starts again in %v", k.x.Name, k.reason, wait.Round(time.Second))
	}
	k.calls = append(k.calls, p)
	if k.peer == nil {
		k.wake()
	}
	k.deliver()
	return nil
}

// deliver sends the calls that can be sent; k.mu is held.
func (k *keeper) deliver() {
	peer := k.peer
	if peer == nil || !peer.ready || peer.ending != nil {
		return
	}
	if len(k.missing(peer)) > 0 {
		return // Switchboard: not before all handlers are there
	}
	for _, p := range k.calls {
		if p.sent || !peer.every && !peer.registered[p.call.Tool] {
			continue
		}
		p.sent, p.begun = true, k.h.o.Now()
		event := map[string]any{"callId": p.id, "tool": p.call.Tool, "args": p.call.Args, "agent": map[string]string{"id": p.call.Agent, "name": p.call.AgentName}}
		if !p.deadline.IsZero() {
			event["deadline"] = p.deadline.Add(answerMargin).UnixMilli()
		}
		peer.tell("tools.call", event)
	}
}

// giveUp fails a call whose extension did not come up.
func (k *keeper) giveUp(p *pending) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.peer == nil || !k.peer.ready {
		k.settle(p, outcome{err: unavailable("the extension %s did not come up within %v", k.x.Name, k.h.times.Ready)})
	}
}

// settle ends a call with an outcome, once; k.mu is held.
func (k *keeper) settle(p *pending, o outcome) bool {
	i := slices.Index(k.calls, p)
	if i < 0 {
		return false
	}
	k.calls = slices.Delete(k.calls, i, i+1)
	now := k.h.o.Now()
	k.used = now
	if p.trace != nil {
		p.trace.Woke, p.trace.Progress = now.Sub(p.arrived), p.steps
		if p.sent {
			p.trace.Woke, p.trace.Handled = p.begun.Sub(p.arrived), now.Sub(p.begun)
		}
	}
	p.done <- o
	return true
}

// withdraw takes back a call that nobody waits for any more.
func (k *keeper) withdraw(ctx context.Context, p *pending) (reply, error) {
	k.mu.Lock()
	if k.settle(p, outcome{err: ended(ctx, k.x.Name)}) && p.sent && k.peer != nil {
		k.peer.tell("tools.cancel", cancelled(k.peer, p, why(ctx)))
	}
	k.mu.Unlock()
	o := <-p.done // its outcome, or what was a moment faster
	return o.reply, o.err
}

// why is the word for the reason that ended a context.
func why(ctx context.Context) string {
	switch cause := context.Cause(ctx); {
	case errors.Is(cause, context.DeadlineExceeded):
		return "timeout"
	case errors.Is(cause, bridge.ErrUnlinked), errors.Is(cause, bridge.ErrDisabled), errors.Is(cause, bridge.ErrShutdown):
		return reason(cause)
	}
	return "cancelled"
}

// reason is the word for a cause that extensions are told.
func reason(cause error) string {
	switch {
	case errors.Is(cause, bridge.ErrUnlinked):
		return "unlinked"
	case errors.Is(cause, bridge.ErrDisabled):
		return "disabled"
	}
	return "shutdown"
}

// cancelled is the event of a cancelled call; cards are not told the reason.
func cancelled(p *peer, call *pending, reason string) map[string]string {
	event := map[string]string{"callId": call.id}
	if !p.every {
		event["reason"] = reason
	}
	return event
}

// cancelCalls cancels calls for one of the causes.
func (k *keeper) cancelCalls(cause error, which func(*pending) bool) {
	k.mu.Lock()
	defer k.mu.Unlock()
	for _, p := range slices.Clone(k.calls) {
		if !which(p) {
			continue
		}
		k.settle(p, outcome{err: stopped(cause, k.x.Name)})
		if p.sent && k.peer != nil {
			k.peer.tell("tools.cancel", cancelled(k.peer, p, reason(cause)))
		}
	}
}

// ended is the error of a call whose context ended: its own, unless the bridge
// itself ended it for a reason that its caller should read.
func ended(ctx context.Context, pkg string) error {
	if cause := context.Cause(ctx); cause != ctx.Err() { //nolint:errorlint // the same value, not the same kind
		return stopped(cause, pkg)
	}
	return ctx.Err()
}

func stopped(cause error, pkg string) error {
	switch {
	case errors.Is(cause, bridge.ErrUnlinked):
		return &bridge.ToolError{Code: bridge.CodeNotConnected, Message: "the user removed the link to " + pkg + " during the call"}
	case errors.Is(cause, bridge.ErrDisabled):
		return unavailable("the user turned %s off during the call", pkg)
	}
	return unavailable("the daemon is stopping")
}

// failCalls ends all calls with an error; k.mu is held.
func (k *keeper) failCalls(err error) {
	for len(k.calls) > 0 {
		k.settle(k.calls[0], outcome{err: err})
	}
}
