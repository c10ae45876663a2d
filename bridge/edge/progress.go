package edge

import (
	"context"
	"fmt"
	"sync"
	"time"

	"github.com/mark3labs/mcp-go/mcp"

	"meterbridge/bridge"
)

// longestProgress is the longest progress text, in characters.
const longestProgress = 200

// reporting lets the tools of a call tell its client how far they are, when the
// client asked to know.
func (e *Edge) reporting(ctx context.Context, c *call) context.Context {
	if c.token == nil {
		return ctx
	}
	var mu sync.Mutex
	var last time.Time
	var steps int
	return bridge.WithProgress(ctx, func(text string) {
		mu.Lock()
		defer mu.Unlock()
		now := e.now()
		if !last.IsZero() && now.Sub(last) < e.limits.ProgressGap {
			return
		}
		last = now
		steps++
		c.note(progress(c, steps, text))
	})
}

func progress(c *call, step int, text string) mcp.JSONRPCNotification {
	if r := []rune(text); len(r) > longestProgress {
		text = string(r[:longestProgress-1]) + "…"
	}
	return mcp.JSONRPCNotification{JSONRPC: mcp.JSONRPC_VERSION, Notification: mcp.Notification{
		Method: string(mcp.MethodNotificationProgress),
		Params: mcp.NotificationParams{AdditionalFields: map[string]any{"progressToken": c.token, "progress": step, "message": text}},
	}}
}

// note queues a notification; in a full queue the oldest makes room.
func (c *call) note(n mcp.JSONRPCNotification) {
	for {
		select {
		case c.notes <- n:
			return
		default:
		}
		select {
		case <-c.notes:
		default:
		}
	}
}

// heartbeat tells a client that waits that its call still runs: clients give up
// on a silent one.
type heartbeat struct {
	c     <-chan time.Time
	timer *time.Timer
	every time.Duration
	since time.Time
}

func newHeartbeat(c *call, every time.Duration) *heartbeat {
	h := &heartbeat{every: every, since: time.Now()}
	if c.token != nil {
		h.timer = time.NewTimer(every)
		h.c = h.timer.C
	}
	return h
}

func (h *heartbeat) reset() {
	if h.timer != nil {
		h.timer.Reset(h.every)
	}
}

func (h *heartbeat) tell(ctx context.Context) {
	bridge.Progress(ctx, fmt.Sprintf("still running (%d s)", int(time.Since(h.since).Seconds())))
	h.reset()
}

func (h *heartbeat) stop() {
	if h.timer != nil {
		h.timer.Stop()
	}
}
