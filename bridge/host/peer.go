package host

import (
	"context"
	"encoding/json"
	"errors"
	"regexp"
	"sync"
	"time"

	"meterbridge/bridge"
)

// mostQueued is how much may wait to be read by an extension, in bytes.
const mostQueued = 32 << 20

// mostInFlight is how many requests of an extension are worked on at once.
const mostInFlight = 64

// peer is one connection of an extension.
type peer struct {
	k      *keeper
	stream Stream
	launch string
	// own: the extension opened the connection itself. first is a message that was
	// read already.
	own   bool
	first []byte

	// ctx ends with the connection; done is closed when nothing more is read, gone
	// when nothing of the connection is left.
	ctx        context.Context
	cancel     context.CancelFunc
	done, gone chan struct{}
	// over tells that ending was set; written is closed when nothing more is written.
	over, written chan struct{}
	working       sync.WaitGroup

	// Guarded by k.mu:
	ready bool
	env   envelope
	// every: calls need not wait for their handlers, the other side has them wait.
	every      bool
	registered map[string]bool
	heard      time.Time
	seq        int64
	inFlight   int
	lastID     int64
	topics     topics
	fetches    fetches
	watchers   watchers
	// refused is the newest call whose answer had no shape that could be sent on.
	refused string
	ending  *ending

	out     sync.Mutex
	queue   [][]byte
	waiting int
	closed  bool
	more    chan struct{}
}

func newPeer(k *keeper, s Stream, launch string) *peer {
	p := &peer{
		k: k, stream: s, launch: launch, done: make(chan struct{}), gone: make(chan struct{}), more: make(chan struct{}, 1),
		registered: map[string]bool{}, heard: k.h.o.Now(), over: make(chan struct{}), written: make(chan struct{}),
	}
	p.ctx, p.cancel = context.WithCancel(k.ctx)
	return p
}

// begin starts reading and writing.
func (p *peer) begin() {
	go func() {
		defer close(p.written)
		p.write()
	}()
	go func() {
		defer close(p.done)
		p.read()
	}()
}

// close ends the connection and waits for all that works on it.
func (p *peer) close() {
	p.cancel()
	p.out.Lock()
	p.closed = true
	p.out.Unlock()
	select {
	case p.more <- struct{}{}:
	default:
	}
	p.flush()
	_ = p.stream.Close()
	<-p.done
	<-p.written
	p.working.Wait()
	close(p.gone)
}

// lastWords is how long the last messages may take.
const lastWords = 250 * time.Millisecond

// flush waits until what is queued was written, for a moment.
func (p *peer) flush() {
	timer := time.NewTimer(lastWords)
	defer timer.Stop()
	select {
	case <-p.written:
	case <-timer.C:
	}
}

// fail ends the connection for a reason; k.mu is held.
func (p *peer) fail(end ending) {
	if p.ending == nil {
		p.ending = &end
		close(p.over)
	}
}

// end is how the connection ended, after done or over.
func (p *peer) end(proc *process) ending {
	p.k.mu.Lock()
	set := p.ending
	p.k.mu.Unlock()
	switch {
	case set != nil:
		return *set
	case proc == nil:
		return ending{state: bridge.StateCrashed, reason: "it closed its connection"}
	case proc.exits(lastWords):
		return ending{state: bridge.StateCrashed} // how, the process tells
	}
	return ending{state: bridge.StateCrashed, reason: "it closed its standard output"}
}

// read hears messages until the connection ends.
func (p *peer) read() {
	if p.first != nil && !p.hear(p.first) {
		return
	}
	for {
		message, err := p.stream.Read()
		var long *TooLong
		switch {
		case errors.As(err, &long):
			p.tooLong(long.Head)
		case err != nil:
			return
		case !p.hear(message):
			return
		}
	}
}

// hear takes one message; false ends the connection.
func (p *peer) hear(message []byte) bool {
	k := p.k
	k.mu.Lock()
	p.heard = k.h.o.Now()
	env := p.env
	if env == nil {
		env = envelopeOf(message)
		p.env, p.every = env, env == cards{}
	}
	if env == nil {
		p.fail(ending{state: bridge.StateCrashed, reason: "its first line is neither JSON-RPC nor of the card protocol"})
	}
	k.mu.Unlock()
	if env == nil {
		return false
	}
	r, f := env.read(message)
	if f != nil {
		p.refuse(r.id, f)
		if other := envelopeOf(message); other != nil && other != env {
			k.mu.Lock()
			p.fail(ending{state: bridge.StateCrashed, reason: "it changed the envelope of its messages"})
			k.mu.Unlock()
			return false
		}
		return true
	}
	p.dispatch(r)
	return true
}

// tooLong answers a message that was thrown away, if its beginning tells its id.
func (p *peer) tooLong(head []byte) {
	found := regexp.MustCompile(`"id"\s*:\s*(\d+)`).FindSubmatch(head)
	p.k.mu.Lock()
	known := p.env != nil
	p.k.mu.Unlock()
	if found != nil && known {
		p.refuse(number(json.RawMessage(found[1])), faulty(bridge.CodeTooLarge, "the message is longer than %d bytes", longestMessage))
	}
}

// refuse answers a request with a fault; a request without an id has no answer.
func (p *peer) refuse(id int64, f *fault) {
	if id == 0 {
		return
	}
	if message, err := p.env.failure(id, f); err == nil {
		p.send(message)
	}
}

// answer answers a request.
func (p *peer) answer(id int64, value any) {
	message, err := p.env.result(id, value)
	if err != nil {
		p.refuse(id, faulty(bridge.CodeInternal, "%v", err))
		return
	}
	if len(message) > longestMessage {
		p.refuse(id, faulty(bridge.CodeTooLarge, "the answer is longer than %d bytes", longestMessage))
		return
	}
	p.send(message)
}

// tell sends an event.
func (p *peer) tell(event string, data any) {
	if p.env == nil {
		return // it has said nothing yet
	}
	if message, err := p.env.event(event, data); err == nil {
		p.send(message)
	}
}

// send queues a message. An extension that does not read is ended.
func (p *peer) send(message []byte) {
	p.out.Lock()
	defer p.out.Unlock()
	if p.closed {
		return
	}
	p.queue = append(p.queue, message)
	if p.waiting += len(message); p.waiting > mostQueued {
		p.closed = true
		p.queue = nil
		_ = p.stream.Close()
		return
	}
	select {
	case p.more <- struct{}{}:
	default:
	}
}

// unread is how much may wait for an extension before what is told piece by piece
// waits too.
const unread = 4 << 20

// room waits until an extension has read most of what it was told.
func (p *peer) room(ctx context.Context) {
	look := time.NewTicker(5 * time.Millisecond)
	defer look.Stop()
	for {
		p.out.Lock()
		full := p.waiting > unread && !p.closed
		p.out.Unlock()
		if !full {
			return
		}
		select {
		case <-look.C:
		case <-ctx.Done():
			return
		}
	}
}

// write writes what is queued until the connection ends.
func (p *peer) write() {
	for {
		p.out.Lock()
		batch := p.queue
		p.queue, p.waiting = nil, 0
		closed := p.closed
		p.out.Unlock()
		for _, message := range batch {
			if p.stream.Write(message) != nil {
				return // the reader learns of the end too
			}
		}
		if closed {
			return
		}
		if len(batch) == 0 {
			<-p.more
		}
	}
}
