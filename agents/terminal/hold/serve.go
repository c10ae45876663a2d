package hold

import (
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

const (
	// alone is how long a holder waits for a daemon.
	alone = 24 * time.Hour
	// drainLimit is how long output is read after the program ended: another process
	// may hold the terminal open.
	drainLimit = 2 * time.Second
)

// holder is a running holder.
type holder struct {
	job      Job
	line     *line.Line
	listener *net.UnixListener

	// client is the daemon's connection, or nil. It is no part of what mu guards: who
	// closes it ends a write that is under way.
	client atomic.Pointer[net.UnixConn]

	mu   sync.Mutex
	ring *ring
	exit *line.Exit

	// drained is closed when all that the program wrote was read, ended when its end
	// was told, fetched when a daemon took that, over when nothing is attended to.
	drained, ended, fetched, over chan struct{}
	taken                         sync.Once
	// came is told of each connection and its end.
	came chan bool
}

// Serve does a job: it starts the program, answers on out, and serves the socket
// until the program has ended and its end was fetched, until no daemon came for 24
// hours, or until ctx ends. Then the program is ended too.
func Serve(ctx context.Context, job Job, out io.Writer) error {
	h, err := begin(job)
	answer := Started{}
	if err != nil {
		answer.Fault = err.Error()
	} else {
		answer.Leader = h.line.Leader()
	}
	if told := json.NewEncoder(out).Encode(answer); err == nil {
		err = told
	}
	if h == nil {
		return err
	}
	return errors.Join(err, h.run(ctx))
}

// begin listens before it starts the program, so that a program that runs can always
// be found.
func begin(job Job) (*holder, error) {
	l, err := net.ListenUnix("unix", &net.UnixAddr{Name: job.Socket, Net: "unix"})
	if err != nil {
		return nil, fmt.Errorf("listen for the daemon: %w", err)
	}
	// Until the mode is set, the folder's keeps others out.
	if err := os.Chmod(job.Socket, 0o600); err != nil {
		return nil, errors.Join(err, l.Close())
	}
	if job.Umask != nil {
		umask(*job.Umask)
	}
	ln, err := line.Start(job.Spec)
	if err != nil {
		return nil, errors.Join(err, l.Close())
	}
	return &holder{
		job: job, line: ln, listener: l, ring: newRing(ringSize),
		drained: make(chan struct{}), ended: make(chan struct{}), fetched: make(chan struct{}), over: make(chan struct{}),
		came: make(chan bool),
	}, nil
}

// run ends with everything that it started.
func (h *holder) run(ctx context.Context) error {
	var wg sync.WaitGroup
	wg.Go(h.read)
	wg.Go(h.wait)
	wg.Go(h.accept)
	h.attend(ctx)
	close(h.over)
	h.end()
	err := h.listener.Close()
	h.drop()
	h.line.Close()
	wg.Wait()
	return err
}

// attend returns when the holder has nothing more to do.
func (h *holder) attend(ctx context.Context) {
	patience := time.NewTimer(alone)
	defer patience.Stop()
	for {
		select {
		case <-h.fetched:
			return
		case <-ctx.Done():
			return
		case <-patience.C:
			return
		case connected := <-h.came:
			patience.Stop()
			if !connected {
				patience.Reset(alone)
			}
		}
	}
}

// end ends a program that still runs, in order.
func (h *holder) end() {
	h.mu.Lock()
	over := h.exit != nil
	h.mu.Unlock()
	if over {
		return
	}
	hunt := process.Hunt{Leader: h.line.Leader().PID}
	hunt.Look()
	h.line.Hangup()
	if hunt.End(context.Background(), h.job.Patience) {
		<-h.ended
	}
}

// read keeps what the program writes and passes it on. A daemon that does not take
// it holds the program up, as a terminal would.
func (h *holder) read() {
	defer close(h.drained)
	// The header of the frame lies before the bytes, so that both are one write.
	buf := make([]byte, 5+32<<10)
	for {
		n, err := h.line.Read(buf[5:])
		if n > 0 {
			h.pass(buf, n)
		}
		if err != nil {
			return
		}
	}
}

func (h *holder) pass(buf []byte, n int) {
	head := header(data, n)
	copy(buf, head[:])
	h.mu.Lock()
	defer h.mu.Unlock()
	h.ring.write(buf[5 : 5+n])
	if c := h.client.Load(); c != nil {
		if _, err := c.Write(buf[:5+n]); err != nil {
			h.leave(c)
		}
	}
}

// wait tells the program's end, behind the last that it wrote.
func (h *holder) wait() {
	defer close(h.ended)
	e := h.line.Wait()
	timer := time.NewTimer(drainLimit)
	defer timer.Stop()
	select {
	case <-h.drained:
	case <-timer.C:
	}
	h.line.Hangup()
	<-h.drained
	h.mu.Lock()
	defer h.mu.Unlock()
	h.exit = &e
	if c := h.client.Load(); c != nil {
		_ = h.tell(c) // one who is gone asks again
	}
}

func (h *holder) tell(c *net.UnixConn) error {
	text, err := json.Marshal(h.exit)
	if err != nil {
		return err
	}
	_, err = c.Write(frame(exit, text))
	return err
}
