package hold

import (
	"encoding/json"
	"net"
	"os"
	"sync"
	"time"

	"meterbridge/agents/terminal/process"
)

// accept serves one daemon after the other; a new one takes the place of the old.
func (h *holder) accept() {
	var wg sync.WaitGroup
	defer wg.Wait()
	for {
		c, err := h.listener.AcceptUnix()
		if err != nil {
			return
		}
		h.drop()
		wg.Wait()
		if h.greet(c) != nil {
			_ = c.Close()
			continue
		}
		h.count(true)
		wg.Go(func() { h.obey(c) })
	}
}

// count tells that a daemon came or went.
func (h *holder) count(connected bool) {
	select {
	case h.came <- connected:
	case <-h.over:
	}
}

// drop ends the connection of a daemon. Its handler may wait for a program that does
// not read.
func (h *holder) drop() {
	_ = h.line.SetWriteDeadline(time.Unix(1, 0)) // fails on a closed terminal, where writes do too
	if c := h.client.Swap(nil); c != nil {
		_ = c.Close()
	}
}

// greet tells a daemon what is held, and makes it the one that hears what follows.
func (h *holder) greet(c *net.UnixConn) error {
	h.mu.Lock()
	defer h.mu.Unlock()
	kept, cut := h.ring.contents()
	s := State{
		ID: h.job.ID, Generation: h.job.Generation, Leader: h.line.Leader(), Holder: process.Process{PID: os.Getpid()},
		Replay: int64(len(kept)), Cut: cut, Device: h.line.Device(), Note: h.job.Note,
	}
	if p, ok := process.Of(s.Holder.PID); ok {
		s.Holder.Start = p.Start
	}
	// Of a program that has ended the size is no more to be had.
	if s.Cols, s.Rows = h.line.Size(); s.Cols == 0 {
		s.Cols, s.Rows = h.job.Cols, h.job.Rows
	}
	text, err := json.Marshal(s)
	if err != nil {
		return err
	}
	if err := h.send(c, text, kept); err != nil {
		return err
	}
	_ = h.line.SetWriteDeadline(time.Time{}) // as above
	h.client.Store(c)
	return nil
}

// greeting is how long a daemon may take to read what is held.
const greeting = 10 * time.Second

func (h *holder) send(c *net.UnixConn, state, kept []byte) error {
	if err := c.SetWriteDeadline(time.Now().Add(greeting)); err != nil {
		return err
	}
	if _, err := c.Write(frame(held, state)); err != nil {
		return err
	}
	for len(kept) > 0 {
		n := min(len(kept), maxFrame)
		if _, err := c.Write(frame(data, kept[:n])); err != nil {
			return err
		}
		kept = kept[n:]
	}
	if h.exit != nil {
		if err := h.tell(c); err != nil {
			return err
		}
	}
	return c.SetWriteDeadline(time.Time{})
}

// obey does what a daemon asks for, until it goes.
func (h *holder) obey(c *net.UnixConn) {
	defer h.count(false)
	defer h.leave(c)
	buf := make([]byte, 512)
	for {
		k, content, err := receive(c, buf)
		if err != nil {
			return
		}
		switch k {
		case input:
			// What a program does not take any more is of no use to it.
			_, _ = h.line.Write(content)
		case exit:
			h.hangup()
		default:
			return
		}
	}
}

func (h *holder) leave(c *net.UnixConn) {
	_ = c.Close()
	h.client.CompareAndSwap(c, nil)
}

// hangup lets go of the terminal; of a program that has ended, its end was fetched.
func (h *holder) hangup() {
	h.mu.Lock()
	over := h.exit != nil
	h.mu.Unlock()
	if over {
		h.taken.Do(func() { close(h.fetched) })
		return
	}
	h.line.Hangup()
}
