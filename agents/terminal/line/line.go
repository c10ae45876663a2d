//go:build !windows

package line

import (
	"os"
	"os/exec"
	"sync"
	"time"

	"meterbridge/agents/terminal/process"
)

// Line is a program on its terminal.
type Line struct {
	cmd    *exec.Cmd
	master *os.File
	device string
	leader process.Process
	// ended is closed when exit is known.
	ended   chan struct{}
	exit    Exit
	closing sync.Once
}

// Start starts a program.
func Start(s Spec) (*Line, error) {
	cmd := exec.Command(s.Argv[0], s.Argv[1:]...)
	cmd.Dir, cmd.Env = s.Dir, s.Env
	if path, err := lookPath(s); err == nil {
		cmd.Path, cmd.Err = path, nil
	}
	master, device, err := startInTerminal(cmd, s.Cols, s.Rows)
	if err != nil {
		return nil, err
	}
	l := &Line{cmd: cmd, master: master, device: device, ended: make(chan struct{})}
	l.leader = process.Process{PID: cmd.Process.Pid}
	if p, ok := process.Of(l.leader.PID); ok {
		l.leader.Start = p.Start
	}
	go l.wait()
	return l, nil
}

// wait is the one waiter of the process.
func (l *Line) wait() {
	err := l.cmd.Wait()
	l.exit = Exit{Left: process.Survivors(l.leader.PID)}
	l.exit.Code, l.exit.Signal = exitOf(l.cmd.ProcessState, err)
	close(l.ended)
}

// Leader is the program's process, which leads a session and a group of its own.
func (l *Line) Leader() process.Process { return l.leader }

// Device is the path of the program's side of the terminal.
func (l *Line) Device() string { return l.device }

// Read reads what the program and its children write; the end of the session reads
// as an error. The kernel hands out 4 KiB at most at a time: what else is there is
// taken too, without waiting.
func (l *Line) Read(b []byte) (int, error) {
	n, err := l.master.Read(b)
	if err == nil && n >= portion {
		n += readMore(l.master, b[n:])
	}
	return n, err
}

// portion is how much the kernel hands out at least when it has more.
const portion = 2 << 10

// Write types.
func (l *Line) Write(b []byte) (int, error) { return l.master.Write(b) }

// SetWriteDeadline ends a Write that the program does not read.
func (l *Line) SetWriteDeadline(at time.Time) error { return l.master.SetWriteDeadline(at) }

// Resize sets the size; the foreground gets SIGWINCH.
func (l *Line) Resize(cols, rows int) error { return setSize(l.master, cols, rows) }

// Size is the size; 0 when the terminal is closed.
func (l *Line) Size() (cols, rows int) { return sizeOf(l.master) }

// Foreground is the process group that keys go to.
func (l *Line) Foreground() (int, error) { return foreground(l.master) }

// Canonical says that the terminal collects whole lines: no line editor is at work.
func (l *Line) Canonical() (bool, error) { return canonical(l.master) }

// Hangup lets go of the terminal: the session gets SIGHUP, and Read ends.
func (l *Line) Hangup() { l.closing.Do(func() { l.master.Close() }) }

// Wait returns when the program has ended; others may still hold the terminal open.
func (l *Line) Wait() Exit {
	<-l.ended
	return l.exit
}

// Close is to be called last.
func (l *Line) Close() { l.Hangup() }
