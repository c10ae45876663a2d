package terminal

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"sync"
	"syscall"
	"time"

	"meterbridge/agents/terminal/hold"
	"meterbridge/agents/terminal/line"
	"meterbridge/agents/terminal/process"
)

// wire is a program on its terminal, in this process or in a holder.
type wire interface {
	io.ReadWriter
	SetWriteDeadline(at time.Time) error
	Resize(cols, rows int) error
	// Foreground is the process group that keys go to; Canonical says that the
	// terminal collects whole lines.
	Foreground() (int, error)
	Canonical() (bool, error)
	Leader() process.Process
	// Hangup lets go of the terminal, Wait returns the end of the program, and Close
	// is called last.
	Hangup()
	Wait() line.Exit
	Close()
}

// program is one generation: a process that leads its own session, and its terminal.
type program struct {
	t          *Terminal
	generation int
	line       wire
	nonce      string
	shell      Shell
	cleanup    func()
	// replay is how many bytes come that were seen before, by an earlier daemon.
	replay int64

	replies chan []byte
	writing sync.Mutex
	code    int
	signal  string
	// ended is closed when the process was waited for, drained when the last of
	// its output was read, gone when both and the state say so.
	ended, drained, gone chan struct{}
}

// note is what a daemon must know to take over a terminal from its holder.
type note struct {
	Nonce string `json:"nonce"`
	Shell Shell  `json:"shell"`
}

func newProgram(t *Terminal, w wire, generation int, n note) *program {
	return &program{
		t: t, generation: generation, line: w, nonce: n.Nonce, shell: n.Shell, cleanup: func() {},
		replies: make(chan []byte, 16), ended: make(chan struct{}), drained: make(chan struct{}), gone: make(chan struct{}),
	}
}

// launch starts the program of a spec.
func launch(ctx context.Context, t *Terminal, spec Spec, generation int) (*program, error) {
	if len(spec.Argv) == 0 {
		return nil, errors.New("start a terminal: no program was named")
	}
	in, err := integrate(spec, t.environment(spec, generation), t.opts.Folder)
	if err != nil {
		return nil, fmt.Errorf("start %s: %w", spec.Argv[0], err)
	}
	n := note{Nonce: in.nonce, Shell: spec.Shell}
	w, err := t.wire(ctx, line.Spec{Argv: in.argv, Env: in.env, Dir: spec.Dir, Cols: spec.Cols, Rows: spec.Rows}, generation, n)
	if err != nil {
		in.cleanup()
		return nil, fmt.Errorf("start %s: %w", spec.Argv[0], err)
	}
	p := newProgram(t, w, generation, n)
	p.cleanup = in.cleanup
	return p, nil
}

// wire starts a program in a holder, or in this process when the terminal has none.
func (t *Terminal) wire(ctx context.Context, s line.Spec, generation int, n note) (wire, error) {
	if s.Dir == "" {
		s.Dir, _ = os.Getwd() // a folder that is gone: the holder's own
	}
	j := t.opts.journal
	if err := j.spawns(t.id, generation); err != nil {
		return nil, err
	}
	w, err := t.spawn(ctx, s, generation, n)
	if err != nil {
		j.ends(t.id, generation)
		return nil, err
	}
	j.runs(t.id, generation, w)
	return w, nil
}

func (t *Terminal) spawn(ctx context.Context, s line.Spec, generation int, n note) (wire, error) {
	if len(t.opts.Holder) == 0 {
		return line.Start(s)
	}
	text, err := json.Marshal(n)
	if err != nil {
		return nil, err
	}
	return hold.Spawn(ctx, t.opts.Holder, hold.Job{
		Spec: s, ID: t.id, Generation: generation, Socket: socketOf(t.opts.Sockets, t.id), Note: text,
		Umask: t.opts.Umask, Patience: t.opts.patience(),
	})
}

// run starts the three goroutines of a program; all end with it.
func (p *program) run() {
	go p.read()
	go p.answer()
	go p.wait()
}

// read hands on output until the end of the session, which reads as an error.
func (p *program) read() {
	defer close(p.drained)
	buf := make([]byte, 64<<10)
	for {
		n, err := p.line.Read(buf)
		if n > 0 {
			p.deliver(buf[:n])
		}
		if err != nil {
			return
		}
	}
}

// deliver tells what an earlier daemon has seen from what is new.
func (p *program) deliver(b []byte) {
	old := min(int64(len(b)), p.replay)
	if old > 0 {
		p.t.deliver(p, b[:old], true)
		p.replay -= old
	}
	if int(old) < len(b) {
		p.t.deliver(p, b[old:], false)
	}
}

// drainLimit is how long output is read after the process ended: another process
// may hold the terminal open.
const drainLimit = 2 * time.Second

// wait follows the process to its end.
func (p *program) wait() {
	e := p.line.Wait()
	close(p.ended)
	select {
	case <-p.drained:
	case <-time.After(drainLimit):
		p.line.Hangup()
	}
	<-p.drained
	p.cleanup()
	p.code, p.signal = e.Code, e.Signal
	p.t.exited(p, e.Left)
	p.line.Close()
	p.t.opts.journal.ends(p.t.id, p.generation)
	close(p.gone)
	if ended := p.t.opts.Ended; ended != nil {
		ended(p.t.State())
	}
}

// leads says that keys go to the program itself.
func (p *program) leads() bool {
	group, err := p.line.Foreground()
	return err == nil && group == p.line.Leader().PID
}

// canonical says that the terminal collects whole lines.
func (p *program) canonical() (bool, error) { return p.line.Canonical() }

// reply queues an answer of the terminal. The reader never waits: what a program
// does not read is dropped.
func (p *program) reply(b []byte) {
	select {
	case p.replies <- append([]byte(nil), b...):
	default:
	}
}

// answerLimit is how long an answer waits for a program that does not read.
const answerLimit = time.Second

func (p *program) answer() {
	for {
		select {
		case <-p.ended:
			return
		case b := <-p.replies:
			ctx, cancel := context.WithTimeout(context.Background(), answerLimit)
			_ = p.write(ctx, b) // what the program does not read is dropped
			cancel()
		}
	}
}

// deadline ends a write; it fails only on a terminal that is closed, where the
// write fails too.
func (p *program) deadline(at time.Time) { _ = p.line.SetWriteDeadline(at) }

// write sends input. It ends with the context when the program does not read.
func (p *program) write(ctx context.Context, b []byte) error {
	p.writing.Lock()
	defer p.writing.Unlock()
	if err := ctx.Err(); err != nil {
		return err
	}
	p.deadline(time.Time{})
	stop := context.AfterFunc(ctx, func() { p.deadline(time.Unix(1, 0)) })
	defer stop()
	_, err := p.line.Write(b)
	switch {
	case err == nil:
		return nil
	case ctx.Err() != nil:
		return ctx.Err()
	case errors.Is(err, os.ErrClosed), errors.Is(err, io.EOF), errors.Is(err, syscall.EIO), errors.Is(err, syscall.EPIPE), errors.Is(err, syscall.ECONNRESET):
		return ErrExited
	}
	return fmt.Errorf("write to terminal %s: %w", p.t.id, err)
}
