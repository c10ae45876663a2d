package host

import (
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"runtime"
	"sync"
	"time"
)

// process is a running extension: a program and all that it started.
type process struct {
	pid int
	// mark is in the environment of the program and of all that it starts.
	mark   string
	stdin  *os.File
	stdout *os.File
	// exited is closed when the program has ended; err says how.
	exited chan struct{}
	err    error
	closed sync.Once
}

// start starts a program. What it writes to standard error goes to log.
func start(argv, env []string, dir, mark string, log io.Writer) (*process, error) {
	stdin, toChild, err := os.Pipe()
	if err != nil {
		return nil, fmt.Errorf("make a pipe: %w", err)
	}
	fromChild, stdout, err := os.Pipe()
	if err != nil {
		return nil, errors.Join(fmt.Errorf("make a pipe: %w", err), stdin.Close(), toChild.Close())
	}
	errors2, stderr, err := os.Pipe()
	if err != nil {
		return nil, errors.Join(fmt.Errorf("make a pipe: %w", err), stdin.Close(), toChild.Close(), fromChild.Close(), stdout.Close())
	}
	p := &process{mark: mark, stdin: toChild, stdout: fromChild, exited: make(chan struct{})}
	cmd := &exec.Cmd{Path: argv[0], Args: argv, Env: env, Dir: dir, Stdin: stdin, Stdout: stdout, Stderr: stderr}
	ownGroup(cmd)
	started := make(chan error, 1)
	go p.run(cmd, started)
	err = <-started
	_, _, _ = stdin.Close(), stdout.Close(), stderr.Close() // the child has its own
	if err != nil {
		return nil, errors.Join(fmt.Errorf("start %s: %w", argv[0], err), toChild.Close(), fromChild.Close(), errors2.Close())
	}
	go func() {
		_, _ = io.Copy(log, errors2) // ends with the last process that has it
		_ = errors2.Close()
	}()
	return p, nil
}

// run starts the program and waits for its end on a thread of its own: Linux
// tells a child that its parent died when the thread that started it did.
func (p *process) run(cmd *exec.Cmd, started chan<- error) {
	runtime.LockOSThread() // never unlocked: the thread ends with the child
	err := cmd.Start()
	if err == nil {
		p.pid = cmd.Process.Pid
	}
	started <- err
	if err != nil {
		return
	}
	p.err = cmd.Wait()
	close(p.exited)
}

// lastGrace is how long a program has after it was asked to end by a signal.
const lastGrace = 3 * time.Second

// stop ends the program, which was told so already: after grace its input ends
// and a signal asks it, at last it and all that it started are killed. It returns
// when all is gone.
func (p *process) stop(grace time.Duration) {
	if !p.exits(grace) {
		p.closed.Do(func() { _ = p.stdin.Close() })
		terminate(p)
		p.exits(lastGrace)
	}
	p.kill()
}

// exits waits for the end of the program, for so long.
func (p *process) exits(within time.Duration) bool {
	timer := time.NewTimer(within)
	defer timer.Stop()
	select {
	case <-p.exited:
		return true
	case <-timer.C:
		return false
	}
}

// kill ends the program and all that it started at once.
func (p *process) kill() {
	killTree(p)
	<-p.exited
	killTree(p) // what was started while the first one looked
	p.closed.Do(func() { _ = p.stdin.Close() })
	_ = p.stdout.Close()
}

// how says how the program ended.
func (p *process) how() string {
	var exit *exec.ExitError
	switch {
	case p.err == nil:
		return "exited with 0"
	case errors.As(p.err, &exit):
		return exit.ProcessState.String()
	}
	return p.err.Error()
}
