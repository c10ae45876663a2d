package terminal

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"sync"
	"time"
)

// program is one generation: a process that leads its own session, and the master
// side of its terminal.
type program struct {
	t          *Terminal
	generation int
	cmd        *exec.Cmd
	master     *os.File
	nonce      string
	shell      Shell
	cleanup    func()

	replies chan []byte
	writing sync.Mutex
	code    int
	signal  string
	// ended is closed when the process was waited for, drained when the last of
	// its output was read, gone when both and the state say so.
	ended, drained, gone chan struct{}
	closing              sync.Once
}

// launch starts the program of a spec.
func launch(t *Terminal, spec Spec, generation int) (*program, error) {
	if len(spec.Argv) == 0 {
		return nil, errors.New("start a terminal: no program was named")
	}
	env := t.environment(spec, generation)
	in, err := integrate(spec, env, t.opts.Folder)
	if err != nil {
		return nil, fmt.Errorf("start %s: %w", spec.Argv[0], err)
	}
	cmd := exec.Command(in.argv[0], in.argv[1:]...)
	cmd.Dir, cmd.Env = spec.Dir, in.env
	master, err := startInTerminal(cmd, spec.Cols, spec.Rows)
	if err != nil {
		in.cleanup()
		return nil, fmt.Errorf("start %s: %w", spec.Argv[0], err)
	}
	return &program{
		t: t, generation: generation, cmd: cmd, master: master, nonce: in.nonce, shell: spec.Shell, cleanup: in.cleanup,
		replies: make(chan []byte, 16), ended: make(chan struct{}), drained: make(chan struct{}), gone: make(chan struct{}),
	}, nil
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
		n, err := p.master.Read(buf)
		if n > 0 {
			p.t.deliver(p, buf[:n])
		}
		if err != nil {
			return
		}
	}
}

// drainLimit is how long output is read after the process ended: another process
// may hold the terminal open.
const drainLimit = 2 * time.Second

// wait is the one waiter of the process.
func (p *program) wait() {
	err := p.cmd.Wait()
	left := survivors(p.cmd.Process.Pid)
	close(p.ended)
	select {
	case <-p.drained:
	case <-time.After(drainLimit):
	}
	p.close()
	<-p.drained
	p.cleanup()
	p.code, p.signal = exitOf(p.cmd.ProcessState, err)
	p.t.exited(p, left)
	close(p.gone)
	if ended := p.t.opts.Ended; ended != nil {
		ended(p.t.State())
	}
}

// leads says that keys go to the program itself.
func (p *program) leads() bool {
	group, err := foreground(p.master)
	return err == nil && group == p.cmd.Process.Pid
}

// canonical says that the terminal collects whole lines.
func (p *program) canonical() (bool, error) { return canonical(p.master) }

// close lets go of the terminal; the session gets SIGHUP.
func (p *program) close() {
	p.closing.Do(func() { p.master.Close() })
}

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
func (p *program) deadline(at time.Time) { _ = p.master.SetWriteDeadline(at) }

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
	_, err := p.master.Write(b)
	switch {
	case err == nil:
		return nil
	case ctx.Err() != nil:
		return ctx.Err()
	case errors.Is(err, os.ErrClosed), errors.Is(err, io.EOF), isHangup(err):
		return ErrExited
	}
	return fmt.Errorf("write to terminal %s: %w", p.t.id, err)
}
