//go:build linux || darwin

package line

import (
	"os"
	"os/exec"
	"syscall"

	"github.com/creack/pty"
	"golang.org/x/sys/unix"
)

// startInTerminal starts a command as the leader of a session on a new terminal,
// and returns the master side and the path of the other one. The master is a
// non-blocking duplicate of what the library opens, whose Close would not end a Read
// under way.
func startInTerminal(cmd *exec.Cmd, cols, rows int) (*os.File, string, error) {
	opened, slave, err := pty.Open()
	if err != nil {
		return nil, "", err
	}
	defer slave.Close()
	master, err := nonBlocking(opened)
	if err != nil {
		return nil, "", err
	}
	if err := setSize(master, cols, rows); err != nil {
		master.Close()
		return nil, "", err
	}
	cmd.Stdin, cmd.Stdout, cmd.Stderr = slave, slave, slave
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Setctty: true}
	if err := cmd.Start(); err != nil {
		master.Close()
		return nil, "", err
	}
	return master, slave.Name(), nil
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

// readMore reads what is there, until b is full.
func readMore(f *os.File, b []byte) int {
	total := 0
	_ = control(f, func(fd int) error { // an end is read again, by Read
		for total < len(b) {
			n, err := unix.Read(fd, b[total:])
			if err != nil || n <= 0 {
				return nil
			}
			total += n
		}
		return nil
	})
	return total
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

// ResizeDevice sets the size of a terminal of another process, by its device.
func ResizeDevice(device string, cols, rows int) error {
	return onDevice(device, func(fd int) error {
		return unix.IoctlSetWinsize(fd, unix.TIOCSWINSZ, &unix.Winsize{Col: uint16(cols), Row: uint16(rows)})
	})
}

// onDevice does something with a device that is open for a moment only: it would keep
// the terminal alive.
func onDevice(device string, do func(fd int) error) error {
	fd, err := unix.Open(device, unix.O_RDWR|unix.O_NOCTTY|unix.O_NONBLOCK|unix.O_CLOEXEC, 0)
	if err != nil {
		return err
	}
	defer unix.Close(fd)
	return do(fd)
}

func sizeOf(master *os.File) (cols, rows int) {
	_ = control(master, func(fd int) error {
		size, err := unix.IoctlGetWinsize(fd, unix.TIOCGWINSZ)
		if err == nil {
			cols, rows = int(size.Col), int(size.Row)
		}
		return err
	})
	return cols, rows
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
func canonical(master *os.File) (on bool, err error) {
	err = control(master, func(fd int) (err error) {
		on, err = collects(fd)
		return err
	})
	return on, err
}

func collects(fd int) (bool, error) {
	mode, err := unix.IoctlGetTermios(fd, getTermios)
	if err != nil {
		return false, err
	}
	return mode.Lflag&unix.ICANON != 0, nil
}

// Collects says of a terminal of another process, by its device, what Canonical says.
func Collects(device string) (on bool, err error) {
	err = onDevice(device, func(fd int) (err error) {
		on, err = collects(fd)
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
