package terminal

import (
	"context"
	"time"
	"unicode/utf8"

	"meterbridge/agents/terminal/vt"
)

const (
	// held is what a subscriber that does not read may leave behind, in bytes.
	held = 1 << 20
	// flushBytes and flushAfter are when live text is handed over.
	flushBytes = 64 << 10
	flushAfter = 100 * time.Millisecond
)

// Subscription is one reader of a terminal's output. The program never waits for
// it: what it does not fetch in time is dropped, oldest first, and counted. It
// stays through later generations. For one goroutine.
type Subscription struct {
	t *Terminal
	// text makes the subscription one of plain text.
	text  *plain
	parse vt.Parser
	// redraw makes a lagging viewer look right again instead of the missed bytes.
	redraw bool

	buf    []byte
	since  time.Time // of the oldest byte in buf
	missed int64
	closed bool
}

// Subscribe hands out what the program writes, byte for byte.
func (t *Terminal) Subscribe() *Subscription { return t.subscribe(&Subscription{t: t}) }

// SubscribeText hands out plain text: no sequences, one space for a move of the
// cursor along a row, in portions of 100 ms or 64 KiB.
func (t *Terminal) SubscribeText() *Subscription {
	return t.subscribe(&Subscription{t: t, text: &plain{}})
}

func (t *Terminal) subscribe(s *Subscription) *Subscription {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.subs[s] = true
	return s
}

// Close ends the subscription.
func (s *Subscription) Close() {
	s.t.mu.Lock()
	defer s.t.mu.Unlock()
	delete(s.t.subs, s)
	s.closed = true
	s.t.notify()
}

// push takes output, under the terminal's lock.
func (s *Subscription) push(b []byte) {
	if s.text != nil {
		s.text.out = s.text.out[:0]
		s.parse.Feed(b, s.text)
		b = s.text.out
	}
	if len(b) == 0 {
		return
	}
	if len(s.buf) == 0 {
		s.since = time.Now()
	}
	s.buf = append(s.buf, b...)
	if over := len(s.buf) - held; over > 0 {
		s.drop(over)
	}
}

// drop forgets at least n of the oldest bytes, and not half a character.
func (s *Subscription) drop(n int) {
	if s.redraw {
		s.missed += int64(len(s.buf))
		s.buf = append(s.buf[:0], s.t.screen.Redraw()...)
		return
	}
	n = max(n, held/4) // seldom, so that a flood is not copied for each read
	for n < len(s.buf) && !utf8.RuneStart(s.buf[n]) {
		n++
	}
	s.missed += int64(n)
	s.buf = append(s.buf[:0], s.buf[n:]...)
}

// Next waits for output and returns it, with the number of bytes that were
// dropped before it. When the terminal's program has ended and all was read, or
// the subscription was closed, it returns ErrExited.
func (s *Subscription) Next(ctx context.Context) (b []byte, missed int64, err error) {
	tick := time.Minute
	if s.text != nil {
		tick = flushAfter / 4
	}
	err = s.t.await(ctx, tick, func() bool { return s.ready() || s.over() })
	s.t.mu.Lock()
	defer s.t.mu.Unlock()
	if len(s.buf) == 0 {
		if err == nil {
			err = ErrExited
		}
		return nil, 0, err
	}
	if err != nil {
		return nil, 0, err
	}
	b, missed = s.take(), s.missed
	s.missed = 0
	return b, missed, nil
}

func (s *Subscription) over() bool { return s.closed || s.t.state.Phase == Exited }

func (s *Subscription) ready() bool {
	if s.text == nil {
		return len(s.buf) > 0
	}
	return len(s.buf) >= flushBytes || len(s.buf) > 0 && time.Since(s.since) >= flushAfter
}

// take is what the reader gets now.
func (s *Subscription) take() []byte {
	n := len(s.buf)
	if s.text != nil && n > flushBytes {
		for n = flushBytes; n > 0 && !utf8.RuneStart(s.buf[n]); n-- {
		}
	}
	b := append([]byte(nil), s.buf[:n]...)
	s.buf = append(s.buf[:0], s.buf[n:]...)
	return b
}
