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

// Agent is who calls a tool, as extensions see it.
type Agent struct {
	ID   string `json:"id"`
	Name string `json:"name"`
}

// Call is a call of a tool.
type Call struct {
	// Tool is its name in the manifest.
	Tool  string
	Args  json.RawMessage
	Agent Agent
	// Progress hears of each progress line; nil when nobody does.
	Progress func(text string)
}

// Reply is what an extension answered.
type Reply struct {
	// Result is its value as JSON, nil for none. Error is its error text, with
	// Failed.
	Result json.RawMessage
	Error  string
	Failed bool
	// Wake is how long the extension took to come up and to have a handler, Handler
	// how long that took. Steps counts progress lines.
	Wake, Handler time.Duration
	Steps         int
}

// answerMargin is how long before its deadline a call is answered: the last
// answer of a handler that keeps the deadline is still heard.
const answerMargin = 50 * time.Millisecond

// pending is a call that waits for its answer.
type pending struct {
	id       string
	call     Call
	deadline time.Time
	// done takes the outcome; it has room for one.
	done           chan outcome
	sent           bool
	arrived, begun time.Time
	lastStep       time.Time
	steps          int
}

type outcome struct {
	reply Reply
	err   error
}

// Do carries a call to an extension and waits for the answer. The context's
// deadline is when the caller is answered; what comes later is dropped. Errors
// are *bridge.ToolError or the context's.
func (h *Host) Do(ctx context.Context, pkg string, c Call) (Reply, error) {
	k := h.find(pkg)
	if k == nil {
		return Reply{}, unavailable("the extension %s is turned off", pkg)
	}
	return k.do(ctx, c)
}

func (k *keeper) do(ctx context.Context, c Call) (Reply, error) {
	p := &pending{id: "c-" + strconv.FormatInt(k.h.calls.Add(1), 10), call: c, done: make(chan outcome, 1), arrived: k.h.o.Now()}
	p.deadline, _ = ctx.Deadline()
	if err := k.enqueue(p); err != nil {
		return Reply{}, err
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
	case Off:
		return unavailable("the extension %s is turned off", k.x.Package)
	case Failed:
		return unavailable("the extension %s does not run: %s; its user can start it again", k.x.Package, k.reason)
	}
	if wait := k.retryAt.Sub(k.h.o.Now()); k.state == Crashed && wait > k.h.times.Ready {
		return unavailable("the extension %s crashed (%s) and starts again in %v", k.x.Package, k.reason, wait.Round(time.Second))
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
		event := map[string]any{"callId": p.id, "tool": p.call.Tool, "args": p.call.Args, "agent": p.call.Agent}
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
		k.settle(p, outcome{err: unavailable("the extension %s did not come up within %v", k.x.Package, k.h.times.Ready)})
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
	o.reply.Wake, o.reply.Steps = now.Sub(p.arrived), p.steps
	if p.sent {
		o.reply.Wake, o.reply.Handler = p.begun.Sub(p.arrived), now.Sub(p.begun)
	}
	p.done <- o
	return true
}

// withdraw takes back a call that nobody waits for any more.
func (k *keeper) withdraw(ctx context.Context, p *pending) (Reply, error) {
	k.mu.Lock()
	if k.settle(p, outcome{err: ctx.Err()}) && p.sent && k.peer != nil {
		k.peer.tell("tools.cancel", cancelled(k.peer, p, why(ctx)))
	}
	k.mu.Unlock()
	o := <-p.done // its outcome, or what was a moment faster
	return o.reply, o.err
}

// why is the word for the reason that ended a context.
func why(ctx context.Context) string {
	if errors.Is(ctx.Err(), context.DeadlineExceeded) {
		return "timeout"
	}
	return "cancelled"
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
		k.settle(p, outcome{err: stopped(cause, k.x.Package)})
		if p.sent && k.peer != nil {
			k.peer.tell("tools.cancel", cancelled(k.peer, p, cause.Error()))
		}
	}
}

func stopped(cause error, pkg string) error {
	switch {
	case errors.Is(cause, errUnlinked):
		return &bridge.ToolError{Code: codeNotConnected, Message: "the user removed the link to " + pkg + " during the call"}
	case errors.Is(cause, errDisabled):
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
