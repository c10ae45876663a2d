//go:build linux || darwin

package terminal

import (
	"errors"
	"os"
	"os/exec"
	"syscall"

	"github.com/creack/pty"
	"golang.org/x/sys/unix"
)

// startInTerminal starts a command as the leader of a session on a new terminal,
// and returns the master side. That is a non-blocking duplicate of what the
// library opens, whose Close would not end a Read under way.
func startInTerminal(cmd *exec.Cmd, cols, rows int) (*os.File, error) {
	opened, slave, err := pty.Open()
	if err != nil {
		return nil, err
	}
	defer slave.Close()
	master, err := nonBlocking(opened)
	if err != nil {
		return nil, err
	}
	if err := setSize(master, cols, rows); err != nil {
		master.Close()
		return nil, err
	}
	cmd.Stdin, cmd.Stdout, cmd.Stderr = slave, slave, slave
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Setctty: true}
	if err := cmd.Start(); err != nil {
		master.Close()
		return nil, err
	}
	return master, nil
}

// nonBlocking is a duplicate of f that the runtime polls; f is closed.
func nonBlocking(f *os.File) (*os.File, error) {
	defer f.Close()
	fd, err := unix.FcntlInt(f.Fd(), unix.F_DUPFD_CLOEXEC, 0)
	if err != nil {
		return nil, err
	}
	if err := unix.SetNonblock(fd, true); err != nil {
		unix.Close(fd)
		return nil, err
	}
	return os.NewFile(uintptr(fd), f.Name()), nil
}

// control runs do on the descriptor of a file without making it block.
func control(f *os.File, do func(fd int) error) error {
	conn, err := f.SyscallConn()
	if err != nil {
		return err
	}
	var inner error
	if err := conn.Control(func(fd uintptr) { inner = do(int(fd)) }); err != nil {
		return err
	}
	return inner
}

// setSize sets the size of a terminal; the foreground gets SIGWINCH.
func setSize(master *os.File, cols, rows int) error {
	return control(master, func(fd int) error {
		return unix.IoctlSetWinsize(fd, unix.TIOCSWINSZ, &unix.Winsize{Col: uint16(cols), Row: uint16(rows)})
	})
}

// foreground is the process group that the terminal's keys go to.
func foreground(master *os.File) (group int, err error) {
	err = control(master, func(fd int) (err error) {
		group, err = unix.IoctlGetInt(fd, unix.TIOCGPGRP)
		return err
	})
	return group, err
}

// canonical says that the terminal collects whole lines: no line editor is at work.
func canonical(master *os.File) (bool, error) {
	var on bool
	err := control(master, func(fd int) error {
		mode, err := unix.IoctlGetTermios(fd, getTermios)
		if err == nil {
			on = mode.Lflag&unix.ICANON != 0
		}
		return err
	})
	return on, err
}

// exitOf is the exit code, or -1 and the name of the signal that ended a process.
func exitOf(state *os.ProcessState, err error) (code int, signal string) {
	if state == nil {
		return -1, err.Error()
	}
	if w, ok := state.Sys().(syscall.WaitStatus); ok && w.Signaled() {
		return -1, unix.SignalName(w.Signal())
	}
	return state.ExitCode(), ""
}

// isHangup says that the other side of a terminal is gone.
func isHangup(err error) bool { return errors.Is(err, unix.EIO) }
