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
	// The first line goes out before anything that the handler does next.
	first := p.next
	p.next = ""
	asked, err := p.x.wire.send("tools.progress", p.params(first))
	if err != nil {
		p.busy = false
		return
	}
	go p.run(first, asked)
}

func (p *progress) params(text string) map[string]string {
	return map[string]string{"callId": p.callID, "message": text}
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

// run waits for the answer of the first line and sends the others.
func (p *progress) run(text string, asked chan answer) {
	var err error
	select {
	case a := <-asked:
		if a.err != nil {
			err = a.err
		}
	case <-p.ctx.Done():
	}
	for p.pause(text, err) {
		if text = p.take(); text == "" {
			return
		}
		err = p.x.wire.ask(p.ctx, "tools.progress", p.params(text), nil)
	}
}

// pause waits until another line may be sent; false when the call has ended.
func (p *progress) pause(text string, err error) bool {
	wait := progressGap
	var refused *Error
	if errors.As(err, &refused) && refused.Code == "RATE_LIMITED" {
		wait = time.Duration(refused.RetryAfterMs+25) * time.Millisecond
		p.again(text)
	}
	timer := time.NewTimer(wait)
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-p.ctx.Done():
		return false
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
