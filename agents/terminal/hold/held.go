package hold

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"sync"
	"sync/atomic"
	"time"

	"meterbridge/agents/terminal/line"
	"meterbridge/agents/terminal/process"
)

// Lost is the signal of a program whose holder ended without telling its end.
const Lost = "lost with its holder"

// Held is a terminal in a holder, as the daemon that is connected to it has it. Read
// must be called until it fails: it also learns the program's end.
type Held struct {
	conn   *net.UnixConn
	socket string
	state  State

	from *bufio.Reader
	// rest is what was not handed to Read yet; for the one reader.
	rest, buf []byte

	// hung says that the terminal is let go of: its device may be another's by now.
	hung atomic.Bool

	writing sync.Mutex
	// cut is the end of a frame that a deadline has cut; it goes first.
	cut []byte

	ended chan struct{}
	exit  line.Exit
	done  sync.Once
}

// dialTime is how long a holder has to answer.
const dialTime = 5 * time.Second

// Dial connects to the holder that listens at a socket, and takes the place of a
// daemon that is connected to it.
func Dial(ctx context.Context, socket string) (*Held, error) {
	ctx, cancel := context.WithTimeout(ctx, dialTime)
	defer cancel()
	c, err := (&net.Dialer{}).DialContext(ctx, "unix", socket)
	if err != nil {
		return nil, fmt.Errorf("reach the holder of a terminal: %w", err)
	}
	h := &Held{conn: c.(*net.UnixConn), socket: socket, from: bufio.NewReaderSize(c, maxFrame), ended: make(chan struct{})}
	if err := h.greeted(); err != nil {
		return nil, errors.Join(err, c.Close())
	}
	return h, nil
}

func (h *Held) greeted() error {
	if err := h.conn.SetReadDeadline(time.Now().Add(dialTime)); err != nil {
		return err
	}
	k, text, err := receive(h.from, h.buf)
	if err != nil {
		return fmt.Errorf("ask the holder of a terminal: %w", err)
	}
	if k != held {
		return errFrame
	}
	if err := json.Unmarshal(text, &h.state); err != nil {
		return fmt.Errorf("%w: %w", errFrame, err)
	}
	return h.conn.SetReadDeadline(time.Time{})
}

// State is what the holder said of itself.
func (h *Held) State() State { return h.state }

// Leader is the program's process.
func (h *Held) Leader() process.Process { return h.state.Leader }

// Read gives the bytes that are replayed, then what the program writes.
func (h *Held) Read(b []byte) (int, error) {
	for len(h.rest) == 0 {
		k, content, err := receive(h.from, h.buf)
		if err != nil {
			h.lose()
			return 0, io.EOF
		}
		h.buf = content[:0]
		switch k {
		case data:
			h.rest = content
		case exit:
			var e line.Exit
			if err := json.Unmarshal(content, &e); err != nil {
				h.lose()
				return 0, io.EOF
			}
			h.over(e)
			return 0, io.EOF
		default:
		}
	}
	n := copy(b, h.rest)
	h.rest = h.rest[n:]
	return n, nil
}

// lose is the end of a holder that has not told the end of its program.
func (h *Held) lose() {
	h.over(line.Exit{Code: -1, Signal: Lost, Left: process.Survivors(h.state.Leader.PID)})
}

func (h *Held) over(e line.Exit) {
	h.hung.Store(true)
	h.done.Do(func() {
		h.exit = e
		close(h.ended)
	})
}

// Write types. When a deadline passes, the rest of what was begun still goes first.
func (h *Held) Write(b []byte) (int, error) {
	h.writing.Lock()
	defer h.writing.Unlock()
	written := 0
	for written < len(b) {
		n := min(len(b)-written, maxFrame)
		if err := h.send(frame(input, b[written:written+n])); err != nil {
			return written, err
		}
		written += n
	}
	return written, nil
}

// send sends a frame whole or not at all, or keeps its end for the next time.
func (h *Held) send(f []byte) error {
	if len(h.cut) > 0 {
		n, err := h.conn.Write(h.cut)
		h.cut = h.cut[n:]
		if err != nil {
			return err
		}
	}
	n, err := h.conn.Write(f)
	if n > 0 && n < len(f) {
		h.cut = append([]byte(nil), f[n:]...)
	}
	return err
}

// SetWriteDeadline ends a Write that the program does not read.
func (h *Held) SetWriteDeadline(at time.Time) error { return h.conn.SetWriteDeadline(at) }

// Resize sets the size.
func (h *Held) Resize(cols, rows int) error {
	if h.hung.Load() {
		return os.ErrClosed
	}
	return line.ResizeDevice(h.state.Device, cols, rows)
}

// Foreground is the process group that keys go to.
func (h *Held) Foreground() (int, error) {
	p, ok := process.Of(h.state.Leader.PID)
	if !ok || p.Start != h.state.Leader.Start || p.Foreground <= 0 {
		return 0, os.ErrProcessDone
	}
	return p.Foreground, nil
}

// Canonical says that the terminal collects whole lines.
func (h *Held) Canonical() (bool, error) {
	if h.hung.Load() {
		return false, os.ErrClosed
	}
	return line.Collects(h.state.Device)
}

// hangupTime is how long a holder may take to hear that it shall hang up. One that
// waits for a program to read hears it when that has ended.
const hangupTime = time.Second

// Hangup lets go of the terminal. A Write under way ends.
func (h *Held) Hangup() {
	h.hung.Store(true)
	_ = h.conn.SetWriteDeadline(time.Unix(1, 0))
	h.writing.Lock()
	defer h.writing.Unlock()
	_ = h.conn.SetWriteDeadline(time.Now().Add(hangupTime))
	_ = h.send(frame(exit, nil)) // a holder that is gone has let go
}

// Wait returns when the program has ended.
func (h *Held) Wait() line.Exit {
	<-h.ended
	return h.exit
}

// Close tells the holder, after the end of the program, that it was taken, waits a
// moment until it has gone, and ends the connection. What a holder that died leaves of itself is removed.
func (h *Held) Close() {
	h.Hangup()
	h.farewell()
	_ = h.conn.Close()
	if h.exit.Signal == Lost {
		_ = os.Remove(h.socket)
	}
}

// farewell waits for the holder's end, which closes its side just before.
func (h *Held) farewell() {
	_ = h.conn.SetReadDeadline(time.Now().Add(hangupTime))
	_, _ = io.Copy(io.Discard, h.from)
	again := time.NewTicker(holderTick)
	defer again.Stop()
	for range int(hangupTime / holderTick) {
		if !process.Alive(h.state.Holder) {
			return
		}
		<-again.C
	}
}

// holderTick is how often is looked whether a holder has gone.
const holderTick = 2 * time.Millisecond

// Leave ends the connection and leaves the terminal with its holder.
func (h *Held) Leave() { _ = h.conn.Close() }
