package ext

import (
	"context"
	"errors"
	"sync"
	"time"
)

// progressGap is the least time between two lines of one call.
const progressGap = 275 * time.Millisecond

// progress sends the lines of one call, the newest of those that come too close.
type progress struct {
	x      *Extension
	callID string
	ctx    context.Context
	stop   context.CancelFunc

	mu   sync.Mutex
	next string
	busy bool
}

func newProgress(x *Extension, callID string) *progress {
	p := &progress{x: x, callID: callID}
	p.ctx, p.stop = context.WithCancel(context.Background())
	return p
}

func (p *progress) tell(text string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.next = cut(text, 200)
	if p.busy || p.next == "" || p.ctx.Err() != nil {
		return
	}
	p.busy = true
	go p.run()
}

// take is the line to send, "" when there is none.
func (p *progress) take() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	text := p.next
	p.next = ""
	p.busy = text != "" && p.ctx.Err() == nil
	if !p.busy {
		return ""
	}
	return text
}

func (p *progress) run() {
	for text := p.take(); text != ""; text = p.take() {
		err := p.x.wire.ask(p.ctx, "tools.progress", map[string]string{"callId": p.callID, "message": text}, nil)
		wait := progressGap
		var refused *Error
		if errors.As(err, &refused) && refused.Code == "RATE_LIMITED" {
			wait = time.Duration(refused.RetryAfterMs+25) * time.Millisecond
			p.again(text)
		}
		timer := time.NewTimer(wait)
		select {
		case <-timer.C:
		case <-p.ctx.Done():
			timer.Stop()
		}
	}
}

// again keeps a refused line, unless there is a newer one.
func (p *progress) again(text string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.next == "" {
		p.next = text
	}
}
