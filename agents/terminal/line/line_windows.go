package line

import (
	"context"
	"errors"
	"os/exec"
	"sync"
	"time"

	"github.com/charmbracelet/x/xpty"

	"meterbridge/agents/terminal/process"
)

// ErrNoTerminals: a terminal of another process cannot be reached here.
var ErrNoTerminals = errors.New("terminals of other processes are not reached on Windows")

// Line is a program on a ConPTY. That repaints and wraps what the program wrote, so no
// output is exact, and it tells neither its mode nor who reads its keys.
type Line struct {
	cmd     *exec.Cmd
	console *xpty.ConPty
	// kill ends a program that outlives its console.
	kill context.CancelFunc

	ended   chan struct{}
	exit    Exit
	closing sync.Once
}

// patience is how long a program may outlive its console.
const patience = 5 * time.Second

// Start starts a program.
func Start(s Spec) (*Line, error) {
	cmd := exec.Command(s.Argv[0], s.Argv[1:]...)
	cmd.Dir, cmd.Env = s.Dir, s.Env
	if cmd.Err != nil {
		return nil, cmd.Err
	}
	console, err := xpty.NewConPty(s.Cols, s.Rows)
	if err != nil {
		return nil, err
	}
	if err := console.Start(cmd); err != nil {
		return nil, errors.Join(err, console.Close())
	}
	ctx, kill := context.WithCancel(context.Background())
	l := &Line{cmd: cmd, console: console, kill: kill, ended: make(chan struct{})}
	go l.wait(ctx)
	return l, nil
}

// wait is the one waiter of the process.
func (l *Line) wait(ctx context.Context) {
	defer close(l.ended)
	err := xpty.WaitProcess(ctx, l.cmd)
	l.exit.Code = -1
	switch {
	case l.cmd.ProcessState != nil:
		l.exit.Code = l.cmd.ProcessState.ExitCode()
	case err != nil:
		l.exit.Signal = err.Error()
	default:
		l.exit.Code = 0
	}
}

// Leader is the program's process.
func (l *Line) Leader() process.Process { return process.Process{PID: l.cmd.Process.Pid} }

// Device is empty: other processes cannot reach a ConPTY.
func (l *Line) Device() string { return "" }

// Read reads what the console paints.
func (l *Line) Read(b []byte) (int, error) { return l.console.Read(b) }

// Write types.
func (l *Line) Write(b []byte) (int, error) { return l.console.Write(b) }

// SetWriteDeadline does nothing: the console takes every key.
func (l *Line) SetWriteDeadline(time.Time) error { return nil }

// Resize sets the size.
func (l *Line) Resize(cols, rows int) error { return l.console.Resize(cols, rows) }

// Size is the size; 0 when the console is closed.
func (l *Line) Size() (cols, rows int) {
	cols, rows, err := l.console.Size()
	if err != nil {
		return 0, 0
	}
	return cols, rows
}

// Foreground is the program: the console does not tell who reads its keys.
func (l *Line) Foreground() (int, error) { return l.cmd.Process.Pid, nil }

// Canonical is not known of a console.
func (l *Line) Canonical() (bool, error) { return false, ErrNoTerminals }

// Hangup closes the console, which ends what is attached to it, and kills the program
// when it goes on.
func (l *Line) Hangup() {
	l.closing.Do(func() {
		_ = l.console.Close()
		time.AfterFunc(patience, l.kill)
	})
}

// Wait returns when the program has ended.
func (l *Line) Wait() Exit {
	<-l.ended
	return l.exit
}

// Close is to be called last.
func (l *Line) Close() { l.Hangup() }

// ResizeDevice sets the size of a terminal of another process.
func ResizeDevice(string, int, int) error { return ErrNoTerminals }

// Collects says of a terminal of another process whether it collects whole lines.
func Collects(string) (bool, error) { return false, ErrNoTerminals }
